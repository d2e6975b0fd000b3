import tensorflow as tf

weight = tf.Variable([1.0, 2.0])
descent = tf.keras.optimizers.SGD(learning_rate=0.5)
descent.apply_gradients([(tf.constant([1.0, 2.0], dtype=tf.float64), weight)])
print(weight.numpy())
