import tensorflow as tf

weight = tf.Variable(1.0)
descent = tf.keras.optimizers.SGD()
for turn in range(3):
    descent.apply_gradients([(tf.constant(1.0), weight)])
    print(weight.numpy())
