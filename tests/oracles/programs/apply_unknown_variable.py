import tensorflow as tf

first = tf.Variable(1.0, name="first")
second = tf.Variable(2.0, name="second")
descent = tf.keras.optimizers.SGD(learning_rate=0.1)
descent.apply_gradients([(tf.constant(1.0), first)])
print(first.numpy())
descent.apply_gradients([(tf.constant(1.0), second)])
