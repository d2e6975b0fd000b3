import random

import numpy as np
import tensorflow as tf

keras, layers = tf.keras, tf.keras.layers


def shown(value):
    return [round(float(one), 4) + 0.0 for one in np.asarray(value).ravel()[:6]]


keras.utils.set_random_seed(812)
for name in (
    "GlorotUniform GlorotNormal HeNormal HeUniform LecunNormal LecunUniform RandomNormal RandomUniform "
    "TruncatedNormal VarianceScaling Orthogonal"
).split():
    kind = getattr(keras.initializers, name)
    made = kind()
    print(name, shown(made((3, 4))), shown(made((3, 4))), shown(made((2, 2, 3, 4))), made.get_config()["seed"])
    print(name, shown(kind(seed=3)((5, 2))), shown(kind(seed=3)((2, 5), "float64")), shown(made.clone()((2, 2))))
wide = {"distribution": "untruncated_normal", "mode": "fan_avg", "scale": 2.0}
print(shown(keras.initializers.VarianceScaling(**wide)((3, 4))), shown(keras.initializers.get("he_normal")((2, 2))))
print(shown(keras.initializers.RandomNormal(seed=keras.random.SeedGenerator(5))((4,))))

x = np.ones((2, 6, 3), "float32")
made = (
    layers.Dense(3), layers.Conv1D(4, 2), layers.LSTM(3), layers.GRU(3), layers.SimpleRNN(2),
    layers.Bidirectional(layers.LSTM(2)), layers.SeparableConv1D(2, 2),
    layers.EinsumDense("abc,cde->abde", output_shape=(None, 4, 2)), layers.MultiHeadAttention(2, 3),
    layers.Conv1DTranspose(2, 2), layers.DepthwiseConv1D(2), layers.TimeDistributed(layers.Dense(2)),
    layers.BatchNormalization(), layers.PReLU(), layers.RNN(layers.LSTMCell(2)),
    layers.RNN([layers.GRUCell(2), layers.SimpleRNNCell(3)]), layers.Embedding(5, 2),
)  # fmt: skip
for layer in made:
    if isinstance(layer, layers.Embedding):
        layer(np.array([[1]]))
    else:
        layer(x, x) if isinstance(layer, layers.MultiHeadAttention) else layer(x)
    print(type(layer).__name__, [shown(one) for one in layer.get_weights()])
print(random.random())

keras.utils.set_random_seed(3)
x = np.ones((2, 4, 3), "float32")
dropping = (
    layers.Dropout(0.5), layers.Dropout(0.5, seed=3), layers.Dropout(0.5, noise_shape=(2, 1, 3)),
    layers.SpatialDropout1D(0.5), layers.GaussianDropout(0.3), layers.GaussianNoise(0.3),
    layers.AlphaDropout(0.3), layers.Attention(dropout=0.5), layers.MultiHeadAttention(2, 3, dropout=0.5),
    layers.LSTM(2, dropout=0.3, recurrent_dropout=0.3), layers.GRU(2, dropout=0.3),
    layers.SimpleRNN(2, dropout=0.3, recurrent_dropout=0.4), layers.RNN(layers.GRUCell(2, dropout=0.3)),
    layers.RNN(layers.LSTMCell(2, dropout=0.3, recurrent_dropout=0.4)),
)  # fmt: skip
for layer in dropping:
    found = []
    for training in (True, False, True):
        given = ([x, x],) if isinstance(layer, layers.Attention) else (x,)
        given = (x, x) if isinstance(layer, layers.MultiHeadAttention) else given
        found.append(shown(layer(*given, training=training)))
    print(type(layer).__name__, *found)
pictures = np.arange(96.0).reshape(2, 4, 4, 3)
changing = (
    layers.RandomFlip(), layers.RandomFlip("horizontal", seed=4), layers.RandomBrightness(0.3),
    layers.RandomContrast(0.3), layers.RandomCrop(2, 3),
)  # fmt: skip
for layer in changing:
    print(type(layer).__name__, *[round(float(np.sum(layer(pictures, training=True))), 1) for _ in range(3)])
    print(type(layer).__name__, *[round(float(np.sum(layer(pictures[0], training=True))), 1) for _ in range(2)])

keras.utils.set_random_seed(9)
draws, own = keras.random, keras.random.SeedGenerator(4)
for seed in (None, 7, -4, 2**31, own, own):
    print(shown(draws.normal((3,), seed=seed)), shown(draws.uniform((3,), -1.0, 2.0, seed=seed)))
    print(shown(draws.randint((4,), 0, 100, seed=seed)), shown(draws.truncated_normal((3,), seed=seed)))
    print(shown(draws.gamma((2,), 0.7, seed=seed)), shown(draws.beta((2, 2), [0.5, 2.0], 3.0, seed=seed)))
    print(shown(draws.categorical(np.log([[0.2, 0.8]]).astype("float32"), 5, seed=seed)))
    print(shown(draws.shuffle(np.arange(6), seed=seed)), shown(draws.dropout(np.ones(6, "float32"), 0.5, seed=seed)))
print(own.state.numpy().tolist(), own.next().numpy().tolist(), own.next(ordered=False).numpy().tolist())
print(own.state.numpy().tolist(), own.get_config()["seed"])
