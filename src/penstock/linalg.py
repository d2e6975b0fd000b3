"""Linear algebra: `import penstock.linalg` is functions/linalg.py itself, as `penstock.linalg` is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.functions.linalg import *  # noqa: F403
else:
    from penstock.functions import linalg

    sys.modules[__name__] = linalg
