import numpy as np
import tensorflow as tf

layers = tf.keras.layers
x = tf.constant(np.cos(np.arange(24.0)).reshape(2, 3, 4).astype(np.float32))
for layer in (
    layers.LSTM(2, return_state=True),
    layers.GRU(2, return_state=True, return_sequences=True),
    layers.SimpleRNN(2, return_state=True),
    layers.RNN(layers.LSTMCell(2), return_state=True),
    layers.Bidirectional(layers.LSTM(2, return_state=True)),
):
    for given in (x, tf.keras.Input((3, 4)), tf.keras.Input((None, 4))):
        found = layer(given)
        print(type(found).__name__, [tuple(one.shape) for one in found])
z, inner = tf.Variable([1.0, 2.0], name="z"), tf.keras.Variable([1.0], name="k")
with tf.name_scope("scope"):
    named = tf.Variable(1.0, name="w")
for optimizer in (tf.keras.optimizers.Adam(), tf.keras.optimizers.SGD(momentum=0.5, name="mine")):
    optimizer.build([z, inner, named])
    print([(one.name, one.path) for one in optimizer.variables])
for targets in ([[0.2, 1.0]], [[0.0, 1.0]], [[1.0, 1.0]], [[-1.0, 1.0]], [[0.0, 2.0]]):
    for loss in (tf.keras.losses.hinge, tf.keras.losses.squared_hinge):
        print(loss(targets, [[0.3, 0.4]]).numpy().round(5).tolist())
