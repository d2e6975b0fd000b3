import tensorflow as tf

weight = tf.Variable(8.0)
descent = tf.keras.optimizers.SGD(learning_rate=0.5)
for turn in range(4):
    descent.apply_gradients([(tf.constant(1.0), weight)])
    descent.learning_rate.assign(descent.learning_rate * 0.5)
    print(weight.numpy(), descent.learning_rate.numpy())
