import tensorflow as tf

gradients = [tf.constant([3.0, 4.0]), tf.constant([0.0, -12.0])]
for arguments in ({"clipvalue": 2.0}, {"clipnorm": 2.5}, {"global_clipnorm": 6.5}):
    first = tf.Variable([0.0, 0.0])
    second = tf.Variable([0.0, 0.0])
    descent = tf.keras.optimizers.SGD(learning_rate=1.0, **arguments)
    descent.apply_gradients(zip(gradients, [first, second]))
    print(arguments, first.numpy(), second.numpy())
