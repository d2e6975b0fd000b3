"""bfloat16, which NumPy gets from ml_dtypes; this module is imported together with that package."""

from typing import Any

import ml_dtypes
import numpy as np

bfloat16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)

__all__ = ["bfloat16"]
