import tensorflow as tf

weight = tf.Variable(4.0)
descent = tf.keras.optimizers.SGD(learning_rate=0.25)
with tf.GradientTape(persistent=True) as tape:
    square = weight * weight
    with tape.stop_recording():
        descent.apply_gradients([(tape.gradient(square, weight), weight)])
    cube = weight * weight * weight
print(weight.numpy(), tape.gradient(square, weight).numpy(), tape.gradient(cube, weight).numpy())
