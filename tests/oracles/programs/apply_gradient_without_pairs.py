import tensorflow as tf

weight = tf.Variable(1.0)
descent = tf.keras.optimizers.SGD(learning_rate=0.1)
with tf.GradientTape() as tape:
    square = weight * weight
descent.apply_gradients(tape.gradient(square, [weight]))
