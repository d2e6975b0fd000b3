"""tf.bitwise: functions of the bits of integers."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._bits import *  # noqa: F403
from penstock.tensorflow._bits import __all__
from penstock.tensorflow._names import absent as _absent


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.bitwise", name, __all__)
