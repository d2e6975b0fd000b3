"""The functions of tf.keras.ops, by subject."""
