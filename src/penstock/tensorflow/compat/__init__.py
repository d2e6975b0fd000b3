"""tf.compat: older names."""

from penstock.tensorflow.compat import v1

__all__ = ["v1"]
