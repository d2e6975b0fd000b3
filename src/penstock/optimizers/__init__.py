"""Optimizers: pure rules that make an update, and the familiar object that applies them to variables.

Each is imported at its first use. A file of optimizers lists them in `__all__`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.lazy import later

if TYPE_CHECKING:
    from penstock.optimizers import accumulators as _accumulators
    from penstock.optimizers import descent as _descent
    from penstock.optimizers import matrices as _matrices
    from penstock.optimizers import moments as _moments
    from penstock.optimizers import schedules
    from penstock.optimizers.accumulators import *  # noqa: F403
    from penstock.optimizers.descent import *  # noqa: F403
    from penstock.optimizers.matrices import *  # noqa: F403
    from penstock.optimizers.moments import *  # noqa: F403
    from penstock.optimizers.optimizer import Optimizer
    from penstock.optimizers.options import Group

    __all__ = ["Group", "Optimizer", "schedules"]
    __all__ += _accumulators.__all__
    __all__ += _descent.__all__
    __all__ += _matrices.__all__
    __all__ += _moments.__all__
else:
    __getattr__, __dir__ = later(
        __name__,
        {
            "penstock.optimizers": "schedules",
            "penstock.optimizers.optimizer": "Optimizer",
            "penstock.optimizers.options": "Group",
            # In the order in which they are searched.
            "penstock.optimizers.moments": "*",
            "penstock.optimizers.descent": "*",
            "penstock.optimizers.accumulators": "*",
            "penstock.optimizers.matrices": "*",
        },
    )
