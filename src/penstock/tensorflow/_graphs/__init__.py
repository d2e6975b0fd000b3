"""Graphs of TensorFlow 1: their parts, and how they are built. Sessions run them."""
