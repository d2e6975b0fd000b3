import numpy as np
import tensorflow as tf
from tensorflow.python.keras import Sequential, initializers
from tensorflow.python.keras.layers import Dense, Conv2D, SimpleRNN, Embedding

tf.random.set_seed(3)
x = np.cos(np.arange(12.0)).reshape(4, 3).astype("float32")
model = Sequential([Dense(4, activation="relu"), Dense(1)])
print(np.round(model(x).numpy().ravel(), 5).tolist())
for w in model.weights:
    print(tuple(w.shape), np.round(w.numpy().ravel()[:3], 5).tolist())
tf.random.set_seed(3)
model = Sequential([Dense(4, activation="relu"), Dense(1, kernel_initializer="he_normal")])
model(x)
for w in model.weights:
    print(tuple(w.shape), np.round(w.numpy().ravel()[:3], 5).tolist())
tf.random.set_seed(4)
for layer, given in (
    (Conv2D(2, 2), tf.ones((1, 3, 3, 1))), (SimpleRNN(2), tf.ones((1, 3, 2))), (Embedding(4, 3), tf.ones((1, 2))),
    (Dense(2, kernel_initializer="random_normal"), tf.ones((1, 3))),
    (Dense(2, kernel_initializer="truncated_normal", bias_initializer="random_uniform"), tf.ones((1, 3))),
    (Dense(2, kernel_initializer=initializers.Orthogonal()), tf.ones((1, 3))),
    (Dense(2, kernel_initializer=initializers.VarianceScaling(2.0, distribution="untruncated_normal")), tf.ones((1, 3))),
    (Dense(2, kernel_initializer=initializers.GlorotUniform(seed=5)), tf.ones((1, 3))),
):
    layer(given)
    for w in layer.weights:
        print(type(layer).__name__, np.round(w.numpy().ravel()[:4], 5).tolist())
