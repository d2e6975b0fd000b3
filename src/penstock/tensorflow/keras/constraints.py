"""tf.keras.constraints."""

from __future__ import annotations

from typing import Any

from penstock.layers.constraints import Constraint as Constraint
from penstock.layers.constraints import MaxNorm as MaxNorm
from penstock.layers.constraints import MinMaxNorm as MinMaxNorm
from penstock.layers.constraints import NonNeg as NonNeg
from penstock.layers.constraints import UnitNorm as UnitNorm
from penstock.layers.constraints import get as get
from penstock.tensorflow._names import namespace as _namespace

max_norm, min_max_norm, non_neg, unit_norm = MaxNorm, MinMaxNorm, NonNeg, UnitNorm


def serialize(constraint: Any) -> dict[str, Any]:
    """Returns the class's name and the arguments of a constraint."""
    return {"class_name": type(constraint).__name__, "config": constraint.get_config()}


__getattr__, __dir__, __all__ = _namespace("tf.keras.constraints", globals())
