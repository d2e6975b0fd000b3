import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


kinds = tf.keras.layers
query = tf.reshape(tf.sin(tf.range(12, dtype=tf.float32)), (2, 2, 3))
value = tf.reshape(tf.cos(tf.range(18, dtype=tf.float32)), (2, 3, 3))
key = tf.reshape(tf.sin(tf.range(18, dtype=tf.float32) * 0.7), (2, 3, 3))
masks = [tf.constant([[True, False], [True, True]]), tf.constant([[True, True, False], [False, True, True]])]
for layer in (
    kinds.Attention(), kinds.Attention(use_scale=True), kinds.Attention(score_mode="concat"),
    kinds.Attention(True, "concat", 0.5), kinds.AdditiveAttention(), kinds.AdditiveAttention(use_scale=False),
):
    layer([query, value])
    if layer.weights:
        fill(layer)
    print(layer.name, [v.path for v in layer.weights])
    show(layer([query, value]))
    output, scores = layer([query, value, key], return_attention_scores=True)
    show(output)
    show(scores)
    show(layer([query, value, key], mask=masks))
    show(layer([query, value], mask=[None, masks[1]], use_causal_mask=True))
    with tf.GradientTape() as tape:
        tape.watch(query)
        loss = tf.reduce_sum(layer([query, value, key], mask=masks) ** 2)
    show(tape.gradient(loss, query))
embedding = kinds.Embedding(5, 3, mask_zero=True)
embedding(tf.zeros((1, 1), tf.int32))
fill(embedding)
text, other = embedding(tf.constant([[1, 2, 0]])), embedding(tf.constant([[3, 0]]))
found = kinds.Attention()([text, other])
show(found)
lstm = kinds.LSTM(2)
lstm(found)
fill(lstm)
show(lstm(found))
show(kinds.UnitNormalization()(query))
show(kinds.UnitNormalization(axis=[1, 2])(query))
show(kinds.Rescaling(0.5, [1.0, 2.0, 3.0])(query))
show(kinds.Rescaling(1 / 255)(tf.constant([[0, 51, 255]], tf.uint8)))
for layer in (kinds.AlphaDropout(0.5), kinds.GaussianDropout(0.5), kinds.SpatialDropout3D(0.5)):
    print(layer.name, np.array_equal(layer(value[None, None]), value[None, None]))
