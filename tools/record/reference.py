"""Import TensorFlow and Keras as the reference they are here, and read and write records.

oneDNN, graphics processors and start-up messages are off, so that neither numbers nor error texts depend on
the machine.
"""

import os
import platform

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import keras
import numpy
import tensorflow as tf
from records import ORACLES, compare, lay_out, read, write

__all__ = ["ORACLES", "compare", "keras", "lay_out", "read", "tf", "versions", "write"]


def versions() -> dict[str, str]:
    """Return the versions that a record depends on."""
    return {
        "tensorflow": tf.__version__,
        "keras": keras.__version__,
        "numpy": numpy.__version__,
        "python": platform.python_version(),
    }
