"""Names that ask which mode a program is in: values can be read in all of them."""

from __future__ import annotations

import contextlib
import logging
import threading
from typing import Any


def init_scope() -> contextlib.AbstractContextManager[None]:
    """Returns a block that runs as it is written: there is no graph to be left."""
    return contextlib.nullcontext()


class _Inside(threading.local):
    """How many functions of TensorFlow, or steps of `fit`, a thread is in."""

    depth = 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *error: object) -> None:
        self.depth -= 1


inside = _Inside()


def inside_function() -> bool:
    """Returns whether a function that tf.function has made is running, or a step of `fit`.

    >>> from penstock import tensorflow as tf
    >>> tf.inside_function(), tf.function(tf.inside_function)().numpy().item()
    (False, True)
    """
    return inside.depth > 0


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
