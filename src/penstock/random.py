"""Random numbers: `import penstock.random` is functions/random.py itself, as `penstock.random` is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.functions.random import *  # noqa: F403
else:
    from penstock.functions import random

    sys.modules[__name__] = random
