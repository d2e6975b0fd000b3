import tensorflow as tf

print([item for item in tf.constant(1.0)])
