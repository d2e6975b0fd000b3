import tensorflow as tf

first = tf.Variable(1.0, name="first")
second = tf.Variable(2.0, name="second")
descent = tf.keras.optimizers.SGD(learning_rate=0.1)
with tf.GradientTape() as tape:
    cost = tf.constant(3.0) * 2.0
slopes = tape.gradient(cost, [first, second])
descent.apply_gradients(zip(slopes, [first, second]))
