"""tf.Print of TensorFlow 1: it prints the values that pass through it, at each run."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _arrays, _convert
from penstock.tensorflow._graphs.build import call_at, give
from penstock.tensorflow._graphs.graph import Operation, mode
from penstock.tensorflow._graphs.infer import Output, Place
from penstock.tensorflow._printing import number_text
from penstock.tensorflow.compat.v1 import _lifted as tf

_frame = sys._getframe


@named("tf.compat.v1.Print")
def Print(
    input_: Any, data: Any, message: Any = None, first_n: Any = None, summarize: Any = None, name: Any = None
) -> Any:
    """Returns a tensor as it is, and writes `message` and other tensors to standard error when it is used.

    It writes the first `summarize` elements (3) of each, or all with -1; only `first_n` times, if that is
    given. Gradients pass.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.constant([1.0, 2.0])
    ...     print(session.run(tf.Print(x, [tf.reduce_sum(x)], "sum: ") * 2))
    [2. 4.]
    """
    options = {
        "message": message or "",
        "left": -1 if first_n is None else int(first_n),
        "summarize": 3 if summarize is None else int(summarize),
    }
    if mode.building() is None:
        _write([_convert.tensor_of(one) for one in data], options)
        return _arrays.identity(input_)
    graph = mode.default()
    inputs = [tf.convert_to_tensor(one) for one in (input_, *data)]
    operation = graph.add("Print", name or "Print", _pass, inputs, _frame(1), fresh=True)
    operation.details = options
    return give(operation, Place(0), [Output(inputs[0].dtype, inputs[0].spec)])


def _pass(runner: Any, operation: Operation, values: Any) -> Any:
    if not runner.session.trial:
        _write(values[1:], operation.details)
    return call_at(operation.code, _arrays.identity, (values[0],), {})


def _write(values: Any, options: dict[str, Any]) -> None:
    if options["left"] == 0:
        return
    # A captured run ends where a value is read, and begins again after it.
    texts = [_listed(np.asarray(one.numpy()), options["summarize"]) for one in values]
    options["left"] -= 1
    sys.stderr.write(options["message"] + "".join(texts) + "\n")


def _listed(array: np.ndarray[Any, Any], summarize: int) -> str:
    """Returns the first elements of a tensor as TensorFlow 1 writes them, row by row."""
    limit = array.size if summarize < 0 else min(summarize, array.size)
    rest = "..." if array.size > limit else ""
    return f"[{_rows(array, limit, True)[0]}{rest}]"


def _rows(array: np.ndarray[Any, Any], left: int, outermost: bool) -> tuple[str, int]:
    """Returns the text of up to `left` elements, and how many are left then."""
    if not array.ndim:
        return number_text(array[()]), left - 1
    if array.ndim == 1:
        few = " ".join(number_text(one) for one in array[:left])
        return few + ("..." if len(array) > left and not outermost else ""), max(left - len(array), 0)
    made = ""
    for row in array:
        if left:
            text, left = _rows(row, left, False)
            made += f"[{text}]"
    return made, left
