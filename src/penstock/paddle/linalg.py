"""Linear algebra under Paddle's names."""

from penstock.paddle._families import REST as _REST
from penstock.paddle._names import namespace as _namespace

__getattr__, __dir__, _ = _namespace("paddle.linalg", globals(), "_math", rest=_REST)
