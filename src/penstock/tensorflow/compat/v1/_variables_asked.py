"""Questions about the variables of a graph: which there are, and which have a value in a session."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.errors import CaptureError
from penstock.tensorflow._convert import constant
from penstock.tensorflow._graphs.graph import GraphKeys, Operation, mode
from penstock.tensorflow._graphs.texts import Seen, outputs_of
from penstock.tensorflow._strings import StringTensor
from penstock.trace.local import local

_frame = sys._getframe


@named("tf.compat.v1.model_variables")
def model_variables(scope: str | None = None) -> list[Any]:
    """Returns the variables of the default graph in the collection of a model's."""
    return mode.default().get_collection(GraphKeys.MODEL_VARIABLES, scope)


@named("tf.compat.v1.moving_average_variables")
def moving_average_variables(scope: str | None = None) -> list[Any]:
    """Returns the variables of the default graph of which moving averages are kept."""
    return mode.default().get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def _only_now() -> None:
    if local.trace.capturing:
        raise CaptureError("Which variables have a value is asked at each run.")


def _missing(runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
    _only_now()
    cells = runner.session.cells
    names = [one.op.name.encode() for one in operation.details["asked"] if cells.get(one) is None]
    return StringTensor(np.array(names, object))


def _there(runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
    _only_now()
    found = [runner.session.cells.get(one) is not None for one in operation.details["asked"]]
    return constant(found[0])


@named("tf.compat.v1.report_uninitialized_variables")
def report_uninitialized_variables(var_list: Any = None, name: str = "report_uninitialized_variables") -> Any:
    """Returns the names of the variables that have no value yet in the session that runs it."""
    graph = mode.default()
    operation = graph.add("ReportUninitialized", name, _missing, (), _frame(1), fresh=True)
    keys = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES)
    every = [one for key in keys for one in graph.get_collection(key)]
    operation.details = {"asked": every if var_list is None else list(var_list), "host": True}
    return outputs_of(operation, Seen("string", [None]))


@named("tf.compat.v1.is_variable_initialized")
def is_variable_initialized(variable: Any) -> Any:
    """Returns whether a variable has a value in the session that runs it."""
    operation = mode.default().add(
        "IsVariableInitialized", "IsVariableInitialized", _there, (), _frame(1), fresh=True
    )
    operation.details = {"asked": [variable], "host": True}
    return outputs_of(operation, Seen("bool", []))


@named("tf.compat.v1.tables_initializer", "tf.compat.v1.initialize_all_tables")
def tables_initializer(name: str = "init_all_tables") -> Any:
    """Returns an operation that does nothing: a table has its rows from the beginning."""
    from penstock.tensorflow._graphs.functions import no_op

    return no_op(name)


@named("tf.compat.v1.get_local_variable")
def get_local_variable(name: str, *arguments: Any, **options: Any) -> Any:
    """Returns a variable as `get_variable` does, in the collection of local ones, which are not trained."""
    from penstock.tensorflow._graphs.scope import get_variable

    return get_variable(
        name, *arguments, **{**options, "trainable": False, "collections": [GraphKeys.LOCAL_VARIABLES]}
    )


@named("tf.compat.v1.assert_variables_initialized")
def assert_variables_initialized(var_list: Any = None) -> Any:
    """Returns the names of the variables without a value, of which there are none if nothing is wrong."""
    return report_uninitialized_variables(var_list)
