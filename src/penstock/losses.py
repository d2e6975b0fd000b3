"""Losses: `import penstock.losses` is functions/losses.py itself, as `penstock.losses` is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.functions.losses import *  # noqa: F403
else:
    from penstock.functions import losses

    sys.modules[__name__] = losses
