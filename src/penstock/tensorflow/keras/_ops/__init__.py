"""The functions of tf.keras.ops, by what they do."""
