"""Random numbers under Paddle's names."""

from penstock.paddle._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace("paddle.random", globals(), "_creation _randomness")
