import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.convert_to_tensor(None)
