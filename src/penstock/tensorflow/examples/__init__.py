"""tensorflow.examples: the helpers of the tutorials of TensorFlow 1."""
