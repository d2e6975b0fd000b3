import tensorflow as tf

tensor = tf.constant(1.0)
descent = tf.keras.optimizers.SGD(learning_rate=0.1)
descent.apply_gradients([(tf.constant(1.0), tensor)])
