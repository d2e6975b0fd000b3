"""tf.logging: messages of the program, by Python's own logging."""

from __future__ import annotations

import logging as _logging
import sys as _sys
from typing import Any as _Any

from penstock.declared import named as _named
from penstock.tensorflow._names import namespace as _namespace

_logger = _logging.getLogger("tensorflow")
_LEVELS = {"DEBUG": 10, "INFO": 20, "WARN": 30, "ERROR": 40, "FATAL": 50}
_WRITERS = {
    "debug": _logger.debug, "info": _logger.info, "warn": _logger.warning, "warning": _logger.warning,
    "error": _logger.error, "fatal": _logger.critical, "log": _logger.log,
    "TaskLevelStatusMessage": _logger.error,
}  # fmt: skip
for _name, _value in {**_LEVELS, **_WRITERS}.items():
    _named(f"tf.compat.v1.logging.{_name}")(_value)


def set_verbosity(v: int) -> None:
    """Shows messages of this level and above."""
    _logger.setLevel(v)


def get_verbosity() -> int:
    """Returns the level from which on messages are shown."""
    return _logger.getEffectiveLevel()


_counts: dict[object, int] = {}


def _place() -> tuple[str, int]:
    """Returns the file and line that call a function of this module."""
    frame = _sys._getframe(2)
    return frame.f_code.co_filename, frame.f_lineno


def log_every_n(level: int, msg: str, n: int, *args: _Any) -> None:
    """Logs a message of a line at the first of every n calls."""
    place = _place()
    count = _counts[place] = _counts.get(place, -1) + 1
    log_if(level, msg, not count % n, *args)


def log_first_n(level: int, msg: str, n: int, *args: _Any) -> None:
    """Logs a message of a line at its first n calls."""
    place = _place()
    count = _counts[place] = _counts.get(place, -1) + 1
    log_if(level, msg, count < n, *args)


def log_if(level: int, msg: str, condition: bool, *args: _Any) -> None:
    """Logs a message if something holds."""
    if condition:
        _logger.log(level, msg, *args)


def vlog(level: int, msg: str, *args: _Any, **kwargs: _Any) -> None:
    """Logs a message at a level."""
    _logger.log(level, msg, *args, **kwargs)


def flush() -> None:
    """Writes out what the handlers of the log still hold."""
    for handler in _logger.handlers:
        handler.flush()


__getattr__, __dir__, __all__ = _namespace("tf.compat.v1.logging", globals())
