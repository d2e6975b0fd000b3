"""The source for programs that run in TensorFlow, with or without Keras."""
