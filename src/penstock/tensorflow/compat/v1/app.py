"""tf.app: running a program's main function."""

from __future__ import annotations

import sys as _sys
from collections.abc import Callable as _Callable
from typing import Any, NoReturn

from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.compat.v1 import flags as flags


def run(main: _Callable[[list[str]], Any] | None = None, argv: list[str] | None = None) -> NoReturn:
    """Calls `main`, by default the program's own, with what is no flag of the command line; exits with its
    result."""
    called = main or _sys.modules["__main__"].main
    _sys.exit(called(flags.FLAGS(_sys.argv if argv is None else argv, known_only=True)))


__getattr__, __dir__, __all__ = _namespace("tf.compat.v1.app", globals())
__all__ += ["flags"]
