import tensorflow as tf

whole = tf.Variable(5)
descent = tf.keras.optimizers.SGD(learning_rate=0.5)
descent.apply_gradients([(tf.constant(1.0), whole)])
print(whole.numpy())
