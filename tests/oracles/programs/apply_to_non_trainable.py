import tensorflow as tf

fixed = tf.Variable(1.0, trainable=False)
descent = tf.keras.optimizers.SGD(learning_rate=0.5)
descent.apply_gradients([(tf.constant(1.0), fixed)])
print(fixed.numpy())
