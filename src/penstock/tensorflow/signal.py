"""tf.signal: Fourier transforms, windows and frames."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow._signal import *  # noqa: F403
from penstock.tensorflow._signal import __all__


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.signal", name, __all__)
