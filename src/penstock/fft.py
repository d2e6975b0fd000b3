"""Fourier transforms: `import penstock.fft` is functions/fft.py itself, as `penstock.fft` is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.functions.fft import *  # noqa: F403
else:
    from penstock.functions import fft

    sys.modules[__name__] = fft
