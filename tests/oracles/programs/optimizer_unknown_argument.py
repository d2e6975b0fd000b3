import tensorflow as tf

tf.keras.optimizers.SGD(rate=0.1)
