"""Extension types: classes of typed fields that TensorFlow takes for one value."""
