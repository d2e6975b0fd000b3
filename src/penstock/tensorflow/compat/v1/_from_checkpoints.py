"""Variables of a graph that start with the values of a checkpoint, and what is asked of checkpoints."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from penstock.declared import named
from penstock.tensorflow import _checkpoints
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._graphs.build import constant
from penstock.tensorflow._graphs.graph import GraphKeys, mode
from penstock.tensorflow._graphs.variable import GraphVariable, _initialize
from penstock.tensorflow.compat.v1 import _lifted as tf
from penstock.trace.source_site import here

_frame = sys._getframe


def _variables() -> dict[str, Any]:
    graph = mode.default()
    keys = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES)
    return {one.op.name: one for key in keys for one in graph.get_collection(key)}


def _pairs(assignment_map: Any, kept: Mapping[str, Any], path: str) -> Iterator[tuple[str, GraphVariable]]:
    """Yields the names in a checkpoint, each with the variable that is to start with its value."""
    given = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    known = _variables()
    for name, target in given:
        if not isinstance(target, str):
            for one in target if isinstance(target, list | tuple) else [target]:
                yield _found(name, kept, path), one
            continue
        if not target.endswith("/"):
            if target not in known:
                raise _missing(
                    f"Assignment map with scope only name {target!r} should map to scope only "
                    f"{name!r}. Should be 'scope/': 'other_scope/'."
                    if name.endswith("/")
                    else f"A variable named {target} is not in the graph.",
                    known,
                )
            yield _found(name, kept, path), known[target]
            continue
        if name != "/" and not name.endswith("/"):
            raise ArgumentError(
                f"Assignment map with scope only name {target} should map to scope only {name}. "
                "Should be 'scope/': 'other_scope/'.",
                site=here(),
            )
        below = {one: known[one] for one in known if one.startswith(target) or target == "/"}
        for own, variable in below.items():
            rest = own if target == "/" else own[len(target) :]
            yield _found(rest if name == "/" else name + rest, kept, path), variable


def _missing(fact: str, known: Mapping[str, Any]) -> ArgumentError:
    names = ", ".join(sorted(known)[:8]) or "none"
    return ArgumentError(fact, origin=f"variables in the graph: {names}", site=here())


def _found(name: str, kept: Mapping[str, Any], path: str) -> str:
    if name not in kept:
        raise ArgumentError(f"Tensor {name} is not found in {path} checkpoint {sorted(kept)}", site=here())
    return name


@named("tf.compat.v1.train.init_from_checkpoint")
def init_from_checkpoint(ckpt_dir_or_file: Any, assignment_map: Any) -> None:
    """Lets variables start with the values of a checkpoint; their initializers, which run later, read them.

    `assignment_map` has names in the checkpoint with variables, names of variables or lists of parts, or
    scopes with scopes: `{"old/": "new/"}`, where "/" is the top.

    >>> import tempfile
    >>> import penstock.tensorflow.compat.v1 as tf
    >>> path = tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     weight = tf.get_variable("old/weight", initializer=[1.0, 2.0])
    ...     session.run(tf.global_variables_initializer())
    ...     saved = tf.train.Saver().save(session, path)
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     weight = tf.get_variable("new/weight", [2])
    ...     tf.train.init_from_checkpoint(path, {"old/": "new/"})
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(weight))
    [1. 2.]
    """
    frame = _frame(1)
    path = _checkpoints._resolved(os.fspath(ckpt_dir_or_file))
    kept = _checkpoints.read(path)
    with mode.default().control_dependencies(None):
        for name, variable in list(_pairs(assignment_map, kept, path)):
            value = kept[name]
            if tuple(value.shape) != tuple(variable.shape.as_list()):
                raise ArgumentError(
                    f"Shape of variable {variable.name} ({variable.shape}) doesn't match with shape of "
                    f"tensor {name} ({list(value.shape)}) from checkpoint reader.",
                    site=here(),
                )
            start = constant(value, "checkpoint_initializer", frame, variable._dtype)
            variable.initial_value = start
            type = "Assign" if variable.by_reference else "AssignVariableOp"
            variable.initializer = variable._writer(type, type, _initialize, start, frame)


@named("tf.compat.v1.train.warm_start")
def warm_start(
    ckpt_to_initialize_from: Any, vars_to_warm_start: Any = ".*", var_name_to_vocab_info: Any = None,
    var_name_to_prev_var_name: Any = None,
) -> None:  # fmt: skip
    """Lets variables start with the values of a checkpoint: those that are trained and whose names match.

    `vars_to_warm_start` is an expression, a list of them, of names or of variables; None stands for those
    that `var_name_to_prev_var_name` names alone, which has names in the checkpoint by names in the graph.
    `var_name_to_vocab_info` must not be given: words are not put into another order.
    """
    if var_name_to_vocab_info:
        raise ArgumentError(
            "warm_start: var_name_to_vocab_info is not supported.",
            remedy="Put the rows into the new order, and assign them.",
            site=here(),
        )
    older = dict(var_name_to_prev_var_name or {})
    graph = mode.default()
    trained = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
    if isinstance(vars_to_warm_start, str):
        chosen = [one for one in trained if re.match(vars_to_warm_start, one.op.name)]
    elif vars_to_warm_start is None:
        chosen = [one for name, one in _variables().items() if name in older]
    elif all(isinstance(one, str) for one in vars_to_warm_start):
        every = graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
        chosen = [one for one in every if any(re.match(words, one.op.name) for words in vars_to_warm_start)]
    else:
        chosen = list(vars_to_warm_start)
    wanted = [(older.get(one.op.name, one.op.name), one) for one in chosen]
    init_from_checkpoint(ckpt_to_initialize_from, wanted)


@named("tf.compat.v1.train.assert_global_step")
def assert_global_step(global_step_tensor: Any) -> None:
    """Raises TypeError or ArgumentError unless a tensor can count steps: it is a whole number."""
    kind = tf.as_dtype(global_step_tensor.dtype)
    if not kind.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {kind}')
    if global_step_tensor.get_shape().ndims not in (0, None):
        raise TypeError(f'Existing "global_step" is not scalar: {global_step_tensor.get_shape()}')


@named("tf.compat.v1.train.remove_checkpoint")
def remove_checkpoint(
    checkpoint_prefix: Any, checkpoint_format_version: Any = None, meta_graph_suffix: str = "meta"
) -> None:
    """Removes the files of a checkpoint.

    `checkpoint_format_version` and `meta_graph_suffix` do nothing: there is one form of checkpoints.
    """
    _checkpoints.remove(os.fspath(checkpoint_prefix))


@named("tf.compat.v1.train.get_checkpoint_mtimes")
def get_checkpoint_mtimes(checkpoint_prefixes: Any) -> list[float]:
    """Returns when checkpoints were written, in seconds; those that are not there are left out."""
    paths = [os.fspath(one) for one in checkpoint_prefixes]
    return [os.path.getmtime(one + _checkpoints.ENDING) for one in paths if _checkpoints.exists(one)]
