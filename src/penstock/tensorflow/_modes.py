"""Names that ask which mode a program is in: there is one."""

from __future__ import annotations

import contextlib
import logging
from typing import Any


def init_scope() -> contextlib.AbstractContextManager[None]:
    """Returns a block that runs as it is written: there is no graph to be left."""
    return contextlib.nullcontext()


def inside_function() -> bool:
    """Returns False: functions run as they are written."""
    return False


def get_logger() -> logging.Logger:
    """Returns the logger named "tensorflow"."""
    return logging.getLogger("tensorflow")


def tuple(tensors: Any, control_inputs: Any = None, name: Any = None) -> Any:
    """Returns the tensors as a list; in a graph, they have values after all of them and `control_inputs`.

    >>> from penstock import tensorflow as tf
    >>> [one.numpy().item() for one in tf.tuple([tf.constant(1), tf.constant(2)])]
    [1, 2]
    """
    from penstock.tensorflow._graphs import functions

    if functions.executing_eagerly():
        return list(tensors)
    return functions.tuple_(tensors, name, control_inputs)
