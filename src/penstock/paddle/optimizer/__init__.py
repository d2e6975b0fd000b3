"""Optimizers and learning rates under Paddle's names."""

from __future__ import annotations

from penstock.declared import namespace as _namespace
from penstock.paddle._names import absent_from as _absent_from
from penstock.paddle.optimizer import _base, _cycles, _optimizers, lr

_REST = [f"{__name__}.{one}" for one in ("_averaged", "_lbfgs", "_resilient")]
__getattr__, __dir__, _public = _namespace(
    "paddle.optimizer",
    globals(),
    [_base, _optimizers],
    _absent_from("paddle.optimizer"),
    {__name__: "lr"},
    _REST,
)
_public += ["lr"]

for _name in _cycles.__all__:
    setattr(lr, _name, getattr(_cycles, _name))
