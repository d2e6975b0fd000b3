"""tf.keras.regularizers."""

from __future__ import annotations

from penstock.declared import named as _named
from penstock.layers.regularizers import L1 as L1
from penstock.layers.regularizers import L1L2 as L1L2
from penstock.layers.regularizers import L2 as L2
from penstock.layers.regularizers import OrthogonalRegularizer as OrthogonalRegularizer
from penstock.layers.regularizers import Regularizer as Regularizer
from penstock.tensorflow._names import namespace as _namespace

_named("tf.keras.Regularizer")(Regularizer)
l1, l2 = L1, L2


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> L1L2:
    """Returns a penalty on absolute values and on squares."""
    return L1L2(l1, l2)


orthogonal_regularizer = OrthogonalRegularizer

__getattr__, __dir__, _public = _namespace("tf.keras.regularizers", globals(), rest="keras._identifiers")
