"""Linear algebra under Paddle's names."""

from penstock.declared import namespace as _namespace
from penstock.paddle import _math
from penstock.paddle._families import REST as _REST
from penstock.paddle._families import paths as _paths
from penstock.paddle._names import absent_from as _absent_from

__getattr__, __dir__, _ = _namespace(
    "paddle.linalg", globals(), [_math], _absent_from("paddle.linalg"), {}, _paths(_REST)
)
