"""The dtype that NumPy has from ml_dtypes, a module that is imported with it."""

from typing import Any

import ml_dtypes
import numpy as np

bfloat16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)

__all__ = ["bfloat16"]
