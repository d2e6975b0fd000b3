import tensorflow as tf

tf.keras.optimizers.SGD(learning_rate=0.1, momentum=1.5)
