"""Graphs of TensorFlow 1: what they are made of, and how they are built. Sessions run them."""
