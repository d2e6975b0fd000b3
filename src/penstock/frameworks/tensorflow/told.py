"""The reports of the TensorFlow source: a write."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.frameworks import told
from penstock.frameworks.tensorflow.amounts import array_of, distance, norm, value_of
from penstock.frameworks.tensorflow.variable import Parameter


class Written(told.Written):
    """One write that an optimizer, a layer or the program has made."""

    variable: Parameter

    __slots__ = ()

    def undoes(self, before: Any) -> bool:
        variable = self.variable.tensor()
        if variable is None or self.before is None:
            return False
        old, now, first = self.before, array_of(value_of(variable)), before
        if not old.shape == first.shape == now.shape or now.dtype.kind not in "fc":
            return False
        near = max(1e-3 * distance(now, old), 1e-6 * norm(now))
        return bool(np.all(distance(now, first) <= near)) and near < distance(first, old)


__all__ = ["Written"]
