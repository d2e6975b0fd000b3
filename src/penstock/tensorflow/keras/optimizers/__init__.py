"""tf.keras.optimizers: Keras 3's optimizers over the native update rules."""

from __future__ import annotations

import re as _re
from collections.abc import Sequence as _Sequence
from typing import Any

from penstock import optimizers as _native
from penstock.optimizers import matrices as _matrices
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras.optimizers._base import Optimizer as Optimizer
from penstock.tensorflow.keras.optimizers._base import over as _over
from penstock.tensorflow.keras.optimizers._fields import fields as _fields
from penstock.tensorflow.keras.optimizers._fields import made as _made

_natives = [kind for kind in (getattr(_native, name) for name in dir(_native)) if isinstance(kind, type)]
_kinds: dict[type, type[Optimizer]] = {}
for _kind in sorted(_natives, key=lambda kind: len(kind.__mro__)):
    if "_Keras" in vars(_kind):
        _base = next((_kinds[one] for one in _kind.__mro__ if one in _kinds), Optimizer)
        _kinds[_kind] = _optimizer = _made(_kind, _base, __name__)
        globals()[_optimizer.__name__] = _optimizer


class _MuonUpdates(_matrices.Muon):
    """Muon, with Keras' choice of the variables that it leaves to Adam."""

    _shell: Any = None
    _floor = "hat"

    def _excluded(self, variable: Any) -> bool:
        if variable._spec.ndim != 2:
            return True
        if self._shell is None:
            return False
        path = variable.path
        if self._shell.exclude_embeddings and "embedding" in path.lower():
            return True
        return any(_re.search(word, path) for word in self._shell.exclude_layers)


@_fields
class Muon(Optimizer):
    """Muon: momentum whose matrices are orthogonalized; Adam for all other variables.

    >>> from penstock import tensorflow as tf
    >>> kernel = tf.Variable([[3.0, 0.0], [0.0, 1.0]])
    >>> tf.keras.optimizers.Muon(0.1).apply_gradients([(tf.constant([[3.0, 0.0], [0.0, 1.0]]), kernel)])
    >>> print(kernel.numpy().astype(float).round(2).tolist())
    [[2.98, 0.0], [0.0, 0.97]]
    """

    _native = _over(_MuonUpdates, "Muon")
    learning_rate: Any = 0.001
    adam_beta_1: float = 0.9
    adam_beta_2: float = 0.999
    adam_weight_decay: float | None = 0.004
    epsilon: float = 1e-7
    weight_decay: float | None = 0.004
    exclude_layers: _Sequence[str] | None = None
    exclude_embeddings: bool = True
    muon_a: float = 3.4445
    muon_b: float = -4.7750
    muon_c: float = 2.0315
    adam_lr_ratio: float = 1
    momentum: float = 0.95
    ns_steps: int = 5
    nesterov: bool = True
    rms_rate: float | None = 0.2

    def _check(self, **common: Any) -> None:
        self.exclude_layers = self.exclude_layers or []

    def _arguments(self) -> dict[str, Any]:
        found = super()._arguments()
        for name in ("exclude_layers", "exclude_embeddings"):
            found.pop(name)
        found["ns_coefficients"] = tuple([float(found.pop(name)) for name in ("muon_a", "muon_b", "muon_c")])
        found["adam_learning_rate_ratio"] = found.pop("adam_lr_ratio")
        found["scale"] = found.pop("rms_rate")
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if "_updates" in self.__dict__ and (name in self._numbers or name == "weight_decay"):
            for native, present in self._arguments().items():
                if present != self._given.get(native):
                    self._given[native] = present
                    setattr(self._updates, native, present)


__getattr__, __dir__, _public = _namespace(
    "tf.keras.optimizers",
    globals(),
    "keras.optimizers._identifiers keras.optimizers._scaling",
    listed={__name__: "legacy schedules"},
    rest="keras.optimizers._schedule_free keras.optimizers._several",
)
