"""Special functions: `import penstock.special` is functions/special.py itself, as `penstock.special` is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.functions.special import *  # noqa: F403
else:
    from penstock.functions import special

    sys.modules[__name__] = special
