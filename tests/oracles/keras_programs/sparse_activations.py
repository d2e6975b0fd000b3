import numpy as np
import tensorflow as tf

x = tf.constant([[1.0, 2.0, -1.5], [0.3, 0.2, 0.1], [-1.0, 0.5, -3.0]])
for word in ("sparsemax", "sparse_plus", "sparse_sigmoid"):
    function = tf.keras.activations.get(word)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
        loss = tf.reduce_sum(y * tf.constant([1.0, 2.0, 3.0]))
    print(word, y.numpy().round(4).tolist(), tape.gradient(loss, x).numpy().round(4).tolist())
    layer = tf.keras.layers.Dense(2, activation=word, kernel_initializer="ones")
    print(layer(x).numpy().round(4).tolist(), layer.get_config()["activation"])
    print(tf.keras.layers.Activation(word)(x).numpy().round(4).tolist(), layer.activation.__name__)
    print(getattr(tf.keras.ops, word)(np.asarray([0.5, -1.0, 0.25], np.float32)).numpy().round(4).tolist())
print(tf.keras.activations.sparsemax(x, axis=0).numpy().round(4).tolist())
start = tf.keras.Input((3,))
model = tf.keras.Model(start, tf.keras.ops.sparsemax(tf.keras.layers.Dense(2, "sparse_plus")(start)))
print(model(x).shape)
