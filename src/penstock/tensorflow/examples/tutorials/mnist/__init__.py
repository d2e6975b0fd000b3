"""Helpers of the tutorials of TensorFlow 1 about MNIST."""
