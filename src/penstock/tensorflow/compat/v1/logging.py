"""tf.logging: messages of the program, by Python's own logging."""

from __future__ import annotations

import logging as _logging

from penstock.declared import named as _named
from penstock.tensorflow._names import namespace as _namespace

_logger = _logging.getLogger("tensorflow")
_LEVELS = {"DEBUG": 10, "INFO": 20, "WARN": 30, "ERROR": 40, "FATAL": 50}
_WRITERS = {
    "debug": _logger.debug, "info": _logger.info, "warn": _logger.warning, "warning": _logger.warning,
    "error": _logger.error, "fatal": _logger.critical, "log": _logger.log,
}  # fmt: skip
for _name, _value in {**_LEVELS, **_WRITERS}.items():
    _named(f"tf.compat.v1.logging.{_name}")(_value)


def set_verbosity(v: int) -> None:
    """Shows messages of this level and above."""
    _logger.setLevel(v)


def get_verbosity() -> int:
    """Returns the level from which on messages are shown."""
    return _logger.getEffectiveLevel()


__getattr__, __dir__, __all__ = _namespace("tf.compat.v1.logging", globals())
