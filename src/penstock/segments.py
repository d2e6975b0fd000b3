"""Segments: `import penstock.segments` is functions/segments.py itself, as `penstock.segments` is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.functions.segments import *  # noqa: F403
else:
    from penstock.functions import segments

    sys.modules[__name__] = segments
