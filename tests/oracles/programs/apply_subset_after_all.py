import tensorflow as tf

first = tf.Variable(1.0)
second = tf.Variable(2.0)
descent = tf.keras.optimizers.SGD(learning_rate=0.5, momentum=0.5)
descent.apply_gradients([(tf.constant(1.0), first), (tf.constant(1.0), second)])
descent.apply_gradients([(tf.constant(1.0), second)])
descent.apply_gradients([(tf.constant(1.0), first)])
print(first.numpy(), second.numpy(), int(descent.iterations))
