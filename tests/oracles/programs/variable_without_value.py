import tensorflow as tf

tf.Variable()
