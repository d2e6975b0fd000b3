# PS104: body/*
import tensorflow as tf

tf.random.set_seed(1)
body = tf.keras.layers.Dense(2, name="body")
features, wanted = tf.random.normal((8, 3)), tf.random.normal((8, 2))
body(features)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((body(features) - wanted) ** 2)
    slopes = tape.gradient(loss, body.trainable_variables)
    for weight, slope in zip(body.trainable_variables, slopes, strict=True):
        weight = weight - 0.1 * slope  # wrong, guilty
        weight.assign_sub(0.1 * slope)  # right
