"""Optimizers and learning rates under Paddle's names."""

from __future__ import annotations

from penstock.paddle._names import namespace as _namespace

__getattr__, __dir__, _public = _namespace(
    "paddle.optimizer",
    globals(),
    "optimizer._base optimizer._optimizers",
    rest="optimizer._averaged optimizer._lbfgs optimizer._resilient",
    later={__name__: "lr"},
)
_public += ["lr"]
