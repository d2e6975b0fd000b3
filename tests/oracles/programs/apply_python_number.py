import tensorflow as tf

weight = tf.Variable(1.0)
vector = tf.Variable([1.0, 2.0])
descent = tf.keras.optimizers.SGD(learning_rate=0.5)
descent.apply_gradients([(0.5, weight), ([1.0, 0.5], vector)])
print(weight.numpy(), vector.numpy())
