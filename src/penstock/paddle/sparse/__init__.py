"""Sparse tensors under Paddle's names: coordinates or rows, functions of the values, and products."""

from __future__ import annotations

from penstock.declared import namespace as _namespace
from penstock.paddle._names import absent_from as _absent_from
from penstock.paddle.sparse import _functions, _tensor

__getattr__, __dir__, _public = _namespace(
    "paddle.sparse", globals(), [_tensor, _functions], _absent_from("paddle.sparse"), {__name__: "nn"}
)
_tensor.functions.update({name: globals()[name] for name in _public if not name.startswith("sparse_")})
