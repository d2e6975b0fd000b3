"""tf.tuple: tensors that are there all together."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._graphs import functions


def tuple(tensors: Any, control_inputs: Any = None, name: Any = None) -> Any:
    """Returns the tensors as a list; in a graph, they have values after all of them and `control_inputs`.

    >>> from penstock import tensorflow as tf
    >>> [one.numpy().item() for one in tf.tuple([tf.constant(1), tf.constant(2)])]
    [1, 2]
    """
    if functions.executing_eagerly():
        return list(tensors)
    return functions.tuple_(tensors, name, control_inputs)
