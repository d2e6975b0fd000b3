import tensorflow as tf

descent = tf.keras.optimizers.SGD(learning_rate=0.1)
descent.apply_gradients([])
