import tensorflow as tf

tf.keras.layers.TimeDistributed("dense")
