import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


kinds = tf.keras.layers
ids = tf.constant([[1, 2, 0, 0], [0, 3, 1, 2]])
embedding = kinds.Embedding(4, 3, mask_zero=True)
x = embedding(ids)
fill(embedding)
x = embedding(ids)
print(np.asarray(embedding.compute_mask(ids)).tolist())
for layer in (
    kinds.LSTM(2), kinds.GRU(2, return_sequences=True), kinds.SimpleRNN(2, go_backwards=True),
    kinds.Bidirectional(kinds.LSTM(2, return_sequences=True)), kinds.Bidirectional(kinds.GRU(2)),
    kinds.TimeDistributed(kinds.Dense(2)), kinds.GlobalAveragePooling1D(),
):
    layer(x)
    if layer.weights:
        fill(layer)
    show(layer(x))
rows = [kinds.Embedding(4, 3, mask_zero=True), kinds.Dropout(0.5), kinds.Dense(3, "tanh"), kinds.LayerNormalization(),
        kinds.LSTM(2, return_sequences=True), kinds.Activation("tanh"), kinds.GRU(2)]
model = tf.keras.Sequential(rows)
model(ids)
fill(model)
show(model(ids))
attention = kinds.MultiHeadAttention(2, 2)
attention(x, x)
fill(attention)
lstm = kinds.LSTM(1)
lstm(x)
fill(lstm)
show(lstm(x))
x = embedding(ids)
show(lstm(attention(x, x)))
show(lstm(x))
for x, y in ((embedding(ids), embedding(ids) * 2), (embedding(ids) * 2, embedding(ids))):
    show(attention(x, y))
    show(attention(x, embedding(ids), embedding(ids[::-1]), use_causal_mask=True, return_attention_scores=True)[1])
x = embedding(ids)
show(lstm(x, initial_state=[tf.ones((2, 1)), tf.zeros((2, 1))]))
x = embedding(ids)
show(kinds.Softmax()(tf.constant([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]), mask=tf.constant([[True, True, False], [False, False, False]])))
steps = tf.constant([[[1.0, 2.0], [0.0, 0.0], [3.0, 0.0]], [[-1.0, -1.0], [0.5, 1.0], [-1.0, 2.0]]])
for masking in (kinds.Masking(), kinds.Masking(-1.0)):
    masked = masking(steps)
    show(masked)
    print(np.asarray(masking.compute_mask(steps)).tolist())
    rnn = kinds.SimpleRNN(2)
    rnn(masked)
    fill(rnn)
    show(rnn(masked))
other = embedding(tf.constant([[1, 2, 3, 0], [0, 3, 0, 2]]))
for joined in (
    kinds.Add()([x, other]), kinds.Multiply()([x, other * 1.0]), kinds.Concatenate()([x, tf.ones((2, 4, 1))]),
    kinds.Concatenate()([x, other]), kinds.Concatenate(axis=1)([x, other]),
):
    rnn = kinds.LSTM(2)
    rnn(joined)
    fill(rnn)
    show(rnn(joined))
norm = kinds.BatchNormalization(momentum=0.5)
for training in (True, False):
    show(norm(x, training=training))
    for v in norm.weights:
        show(v)
deep = kinds.TimeDistributed(kinds.LSTM(2))
pairs = kinds.Masking()(tf.reshape(tf.sin(tf.range(24, dtype=tf.float32)), (1, 3, 4, 2)) * tf.constant([1.0, 1.0, 0.0, 1.0])[:, None])
deep(pairs)
fill(deep)
show(deep(pairs))
inputs = tf.keras.Input((4,), dtype="int32")
y = kinds.Embedding(4, 3, mask_zero=True)(inputs)
functional = tf.keras.Model(inputs, kinds.Bidirectional(kinds.LSTM(2))(y))
fill(functional)
show(functional(ids))
