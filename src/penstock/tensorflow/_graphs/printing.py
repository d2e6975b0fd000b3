"""tf.print in a graph: an operation that writes each time it is run."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from penstock.capture.calls import filled
from penstock.declared import named
from penstock.tensorflow import _printing
from penstock.tensorflow._graphs.build import taken
from penstock.tensorflow._graphs.graph import Operation, mode
from penstock.tensorflow._graphs.tensor import SymbolicTensor
from penstock.tensorflow._graphs.texts import SymbolicText

_frame = sys._getframe
_STREAMS = ("stderr", "stdout")


@named("tf.compat.v1.print")
def print(
    *inputs: Any, output_stream: Any = None, summarize: int = 3, sep: str = " ", end: str = os.linesep,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns an operation that writes values to standard error, or to another stream, whenever it is run.

    In an eager program they are written at once. An axis longer than twice `summarize` shows that many
    elements at either end; -1 shows all.

    >>> import sys
    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.constant([1.0, 2.0])
    ...     with tf.control_dependencies([tf.print("x is", x, output_stream=sys.stdout)]):
    ...         found = session.run(x * 2)
    x is [1 2]
    >>> found
    array([2., 4.], dtype=float32)
    """
    graph = mode.building()
    if graph is None:
        return _printing.print(
            *inputs, output_stream=output_stream, summarize=summarize, sep=sep, end=end, name=name
        )
    stream = _printing.stream_of(output_stream)
    own = next((one for one in _STREAMS if stream is getattr(sys, one)), stream)
    if len(inputs) != 1 or not isinstance(inputs[0], SymbolicText):
        # In TensorFlow a text is made of them first, which takes a name.
        graph.unique_name("StringFormat")
    tensors: list[SymbolicTensor] = []
    template = taken(list(inputs), tensors, graph)
    made = graph.add("PrintV2", name or "PrintV2", _write, tensors, _frame(1), writes=True, fresh=True)
    made.details = {
        "inputs": template,
        "stream": own,
        "options": {"summarize": int(summarize), "sep": sep, "end": end},
    }
    return made


def _write(runner: Any, operation: Operation, values: Sequence[Any]) -> None:
    if runner.session.trial:
        return
    details = operation.details
    stream = details["stream"]
    stream = getattr(sys, stream) if isinstance(stream, str) else stream
    _printing.print(*filled(details["inputs"], values), output_stream=stream, **details["options"])


__all__ = ["print"]
