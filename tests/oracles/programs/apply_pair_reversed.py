import tensorflow as tf

weight = tf.Variable(1.0)
descent = tf.keras.optimizers.SGD(learning_rate=0.1)
descent.apply_gradients([(weight, tf.constant(1.0))])
