"""tf.logging: messages of the program, by Python's own logging."""

from __future__ import annotations

import logging as _logging
from typing import Any

from penstock.tensorflow._names import absent as _absent

DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50
_logger = _logging.getLogger("tensorflow")
debug, info, warn, warning = _logger.debug, _logger.info, _logger.warning, _logger.warning
error, fatal, log = _logger.error, _logger.critical, _logger.log


def set_verbosity(v: int) -> None:
    """Shows messages of this level and above."""
    _logger.setLevel(v)


def get_verbosity() -> int:
    """Returns the level from which on messages are shown."""
    return _logger.getEffectiveLevel()


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.compat.v1.logging", name, __all__)


__all__ = [
    "DEBUG",
    "ERROR",
    "FATAL",
    "INFO",
    "WARN",
    "debug",
    "error",
    "fatal",
    "get_verbosity",
    "info",
    "log",
    "set_verbosity",
    "warn",
    "warning",
]
