"""Functions of NumPy arrays in a graph, and classes drawn at each run."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._convert import constant as _constant
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._graphs.build import give
from penstock.tensorflow._graphs.graph import Operation, mode
from penstock.tensorflow._graphs.infer import Output, Place
from penstock.tensorflow._graphs.tensor import SymbolicTensor
from penstock.tensorflow._graphs.texts import constant as constant_text
from penstock.tensorflow._graphs.texts import only_now
from penstock.tensorflow._shape_functions import numpy_function
from penstock.tensorflow._strings import StringTensor, is_text, strings
from penstock.tensorflow.compat.v1 import _lifted as tf
from penstock.trace.source_site import here

_frame = sys._getframe


@named("tf.compat.v1.py_func")
def py_func(func: Any, inp: Any, Tout: Any, stateful: bool = True, name: Any = None) -> Any:
    """Returns the result of a function of NumPy arrays, called at each run; no gradient passes.

    `graph.gradient_override_map({"PyFunc": name})` gives it one. `Tout` names the dtype of the result, or of
    each.
    """
    if mode.building() is None:
        return numpy_function(func, inp, Tout)
    graph = mode.default()
    frame = _frame(1)
    inputs = [
        constant_text(strings(one), graph, frame)
        if not isinstance(one, SymbolicTensor) and is_text(one)
        else tf.convert_to_tensor(one)
        for one in inp
    ]
    if "PyFunc" in graph.overridden:
        from penstock.tensorflow._graphs.overrides import with_registered_gradient

        return with_registered_gradient(
            lambda inner: py_func(func, inner, Tout, stateful),
            "PyFunc",
            name or "PyFunc",
            inputs,
            graph,
            frame,
        )
    several = isinstance(Tout, list | tuple)
    dtypes = [as_dtype(one) for one in (Tout if several else [Tout])]
    operation = graph.add("PyFunc", name or "PyFunc", _call, inputs, frame, fresh=stateful)
    operation.details = {"function": func, "dtypes": dtypes}
    places = [Place(number) for number in range(len(dtypes))]
    return give(operation, places if several else places[0], [Output(one, None) for one in dtypes])


def _call(runner: Any, operation: Operation, values: Any) -> Any:
    dtypes = operation.details["dtypes"]
    if any(isinstance(one, StringTensor) for one in values) or "string" in [one.name for one in dtypes]:
        only_now()
    found = operation.details["function"](*(np.asarray(one.numpy()) for one in values))
    several = list(found) if isinstance(found, list | tuple) else [found]
    if len(several) != len(dtypes):
        raise ArgumentError(
            f"py_func: the function returned {len(several)} values, and Tout names {len(dtypes)} dtypes.",
            origin=f"built at {operation.site}",
            site=here(),
        )
    made: list[Any] = []
    for one, dtype in zip(several, dtypes, strict=True):
        if dtype.name == "string":
            made.append(strings(one.tolist() if isinstance(one, np.ndarray) else one))
            continue
        array = np.asarray(one)
        if array.dtype != dtype.as_numpy_dtype:
            raise ArgumentError(
                f"py_func: the function returned {array.dtype.name}, and Tout says {dtype.name}.",
                origin=f"built at {operation.site}",
                remedy=f"Return np.{dtype.name}(...), or name the dtype that it returns.",
                site=here(),
            )
        made.append(_constant(array))
    return made if len(made) > 1 else made[0]


@named("tf.compat.v1.multinomial", "tf.compat.v1.random.multinomial")
def multinomial(
    logits: Any, num_samples: Any, seed: Any = None, name: Any = None, output_dtype: Any = None
) -> Any:
    """Returns class numbers drawn by the logits of each row, others at each run."""
    return tf.random.categorical(logits, num_samples, output_dtype or "int64", seed, name)
