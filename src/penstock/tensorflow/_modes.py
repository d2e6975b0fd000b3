"""Names that ask which mode a program is in: there is one."""

from __future__ import annotations

import contextlib
import logging


def init_scope() -> contextlib.AbstractContextManager[None]:
    """Returns a block that runs as it is written: there is no graph to be left."""
    return contextlib.nullcontext()


def inside_function() -> bool:
    """Returns False: functions run as they are written."""
    return False


def get_logger() -> logging.Logger:
    """Returns the logger named "tensorflow"."""
    return logging.getLogger("tensorflow")
