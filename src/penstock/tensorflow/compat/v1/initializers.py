"""tf.initializers: the names."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._graphs.initializers import Constant as constant
from penstock.tensorflow._graphs.initializers import GlorotNormal as glorot_normal
from penstock.tensorflow._graphs.initializers import GlorotUniform as glorot_uniform
from penstock.tensorflow._graphs.initializers import Ones as ones
from penstock.tensorflow._graphs.initializers import RandomNormal as random_normal
from penstock.tensorflow._graphs.initializers import RandomUniform as random_uniform
from penstock.tensorflow._graphs.initializers import TruncatedNormal as truncated_normal
from penstock.tensorflow._graphs.initializers import VarianceScaling as variance_scaling
from penstock.tensorflow._graphs.initializers import Zeros as zeros
from penstock.tensorflow._graphs.initializers import he_normal, he_uniform
from penstock.tensorflow._names import absent as _absent


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.compat.v1.initializers", name, __all__)


__all__ = [
    "constant",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "ones",
    "random_normal",
    "random_uniform",
    "truncated_normal",
    "variance_scaling",
    "zeros",
]
