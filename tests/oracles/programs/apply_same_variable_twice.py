import tensorflow as tf

weight = tf.Variable(1.0)
descent = tf.keras.optimizers.SGD(learning_rate=0.5)
descent.apply_gradients([(tf.constant(1.0), weight), (tf.constant(0.5), weight)])
print(weight.numpy())
