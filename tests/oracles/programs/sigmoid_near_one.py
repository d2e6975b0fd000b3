import numpy as np
import tensorflow as tf

places = [
    8.0,
    10.0,
    12.0,
    14.0,
    15.0,
    15.5,
    15.9,
    16.1,
    16.3,
    16.5,
    16.6,
    16.63,
    16.65,
    16.9,
    17.2,
    17.5,
    20.0,
]
activation = tf.keras.activations.sigmoid
for function in (tf.sigmoid, tf.nn.sigmoid, tf.math.sigmoid, activation, tf.keras.ops.sigmoid):
    missing = (1.0 - function(tf.constant(places[3:])).numpy()) * 2.0**24
    print(missing.tolist())
print([float((1.0 - tf.sigmoid(tf.constant(one)).numpy()) * 2.0**24) for one in places[5:]])
wide = tf.constant(
    [30.0, 34.0, 35.0, 36.0, 36.5, 40.0, 100.0, 800.0, -800.0, np.inf, -np.inf, np.nan], tf.float64
)
print(((1.0 - tf.sigmoid(wide).numpy()) * 2.0**53).tolist())
for dtype in (tf.float16, tf.bfloat16):
    x = tf.cast([-20.0, -5.0, -1.0, 0.3, 2.0, 4.0, 5.0, 5.5, 7.0, 7.6, 8.0, 12.0, 100.0], dtype)
    print(tf.cast(tf.sigmoid(x), tf.float32).numpy().tolist())
dense = tf.keras.layers.Dense(1, "sigmoid", kernel_initializer="ones")
x = tf.constant(places)[:, None]
with tf.GradientTape() as tape:
    tape.watch(x)
    p = tf.clip_by_value(dense(x), 1e-7, 1 - 1e-7)
    loss = -tf.math.log(1.0 - p)
print(((1.0 - p.numpy()) * 2.0**24).round(2).ravel().tolist())
print((tape.gradient(loss, x).numpy().ravel() != 0).tolist())
gate = tf.keras.layers.GRU(1, kernel_initializer="ones", recurrent_initializer="zeros")
print([float(gate(tf.fill((1, 1, 1), one))[0, 0] * 2.0**24) for one in places[6:]])
