"""tf.keras.constraints."""

from __future__ import annotations

from penstock.layers.constraints import Constraint as Constraint
from penstock.layers.constraints import MaxNorm as MaxNorm
from penstock.layers.constraints import MinMaxNorm as MinMaxNorm
from penstock.layers.constraints import NonNeg as NonNeg
from penstock.layers.constraints import UnitNorm as UnitNorm
from penstock.tensorflow._names import namespace as _namespace

max_norm, min_max_norm, non_neg, unit_norm = MaxNorm, MinMaxNorm, NonNeg, UnitNorm


__getattr__, __dir__, _public = _namespace("tf.keras.constraints", globals(), rest="keras._identifiers")
