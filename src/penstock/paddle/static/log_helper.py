"""Loggers as Paddle's own programs make them."""

from __future__ import annotations

import logging


def get_logger(name: str, level: int, fmt: str | None = None) -> logging.Logger:
    """Returns the logger of that name, which writes to the standard error and passes nothing on."""
    logger = logging.getLogger(name)
    logger.setLevel(level)
    handler = logging.StreamHandler()
    if fmt:
        handler.setFormatter(logging.Formatter(fmt, "%a %b %d %H:%M:%S"))
    logger.addHandler(handler)
    logger.propagate = False
    return logger


__all__ = ["get_logger"]
