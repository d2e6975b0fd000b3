"""The functions of tf.experimental.numpy, by subject."""
