import tensorflow as tf

weight = tf.Variable([1.0, 2.0, 3.0], name="weight")
descent = tf.keras.optimizers.SGD(learning_rate=0.1)
descent.apply_gradients([(tf.constant([1.0, 2.0]), weight)])
