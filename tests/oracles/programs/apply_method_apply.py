import tensorflow as tf

first = tf.Variable(1.0)
second = tf.Variable(2.0)
descent = tf.keras.optimizers.SGD(learning_rate=0.5)
descent.build([first, second])
descent.apply([tf.constant(1.0), tf.constant(-1.0)], [first, second])
descent.apply([tf.constant(1.0), tf.constant(-1.0)])
print(first.numpy(), second.numpy())
