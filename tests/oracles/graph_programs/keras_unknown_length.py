import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.keras.layers.Dense(2)(tf.placeholder(tf.float32, [None, None]))
