"""Functions of neural networks: `import penstock.nn` is functions/nn.py itself, as `penstock.nn` is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.functions.nn import *  # noqa: F403
else:
    from penstock.functions import nn

    sys.modules[__name__] = nn
