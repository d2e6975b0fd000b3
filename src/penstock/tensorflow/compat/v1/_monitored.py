"""Sessions of TensorFlow 1 that start, save and end by themselves."""
