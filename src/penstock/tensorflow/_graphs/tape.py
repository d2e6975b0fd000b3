"""The gradient tape in a graph: which operations it has seen built, and gradients along those."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from penstock.tensorflow._errors import ArgumentError, TapeStateError
from penstock.tensorflow._graphs.gradients import differentiated, listed
from penstock.tensorflow._graphs.graph import Operation, mode
from penstock.tensorflow._graphs.tensor import SymbolicTensor
from penstock.tensorflow._graphs.variable import GraphVariable, read_kernel
from penstock.tensorflow._tape import USED_UP, UnconnectedGradients
from penstock.trace.source_site import here
from penstock.trace.structure import packed

_frame = sys._getframe


class GraphTape:
    """Records the operations built inside its `with` block; its gradients are tensors of the graph.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.placeholder(tf.float32, [])
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = x * x
    ...     print(session.run(tape.gradient(y, x), {x: 3.0}))
    6.0
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self.persistent, self._watching = persistent, watch_accessed_variables
        self.graph = mode.default()
        self._watched: list[Any] = []
        self._spans: list[list[int]] = []
        self._used = self._open = False

    def __enter__(self) -> GraphTape:
        if self._open:
            raise TapeStateError("Tape is still recording: it is open already.", site=here())
        self._open = True
        self._spans.append([len(self.graph.operations), sys.maxsize])
        return self

    def __exit__(self, *exception: object) -> None:
        self._open = False
        self._spans[-1][1] = len(self.graph.operations)

    def watch(self, tensor: Any) -> None:
        """Lets gradients end at a tensor or variable, or at each of a structure."""
        for one in listed(tensor):
            if not isinstance(one, SymbolicTensor | GraphVariable):
                raise ArgumentError(
                    f"Passed in object {one!r} of type {type(one).__name__!r}, not tf.Tensor or tf.Variable "
                    "or ExtensionType.",
                    site=here(),
                )
            self._watched.append(one)

    def reset(self) -> None:
        """Discards all recorded and watched tensors."""
        self._watched.clear()
        del self._spans[:-1]
        if self._spans:
            self._spans[-1][0] = len(self.graph.operations)

    def watched_variables(self) -> tuple[Any, ...]:
        """Returns the variables that are watched: those read inside, and those named."""
        found = [one for one in self._watched if isinstance(one, GraphVariable)]
        if self._watching:
            for operation in self._seen():
                for tensor in operation.inputs:
                    variable = _variable(tensor)
                    if variable is not None and variable.trainable and variable not in found:
                        found.append(variable)
        return tuple(found)

    def gradient(
        self, target: Any, sources: Any, output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:  # fmt: skip
        """Returns the gradient of `target` by each source, in the structure of `sources`, as tensors."""
        if self._used and not self.persistent:
            raise TapeStateError(
                USED_UP,
                remedy="Create the tape with tf.GradientTape(persistent=True).",
                site=here(),
            )
        self._used = True
        if self._open and not self.persistent:
            self._spans[-1][1] = len(self.graph.operations)
        asked = listed(sources)
        watched = {*self._watched, *self.watched_variables()}
        reached = [one if one in watched or _variable(one) in watched else None for one in asked]
        zero = getattr(unconnected_gradients, "value", unconnected_gradients) == "zero"
        found: list[Any] = [None] * len(asked)
        targets = [one for one in listed(target) if self._has_seen(one, watched)]
        places = [place for place, one in enumerate(reached) if one is not None or zero]
        if places and (targets or zero):
            made, _ = differentiated(
                targets or listed(target), [asked[place] for place in places], output_gradients, "gradients",
                self._walls(watched), "zero" if zero else "none", _frame(1),
            )  # fmt: skip
            for place, one in zip(places, made, strict=True):
                found[place] = one
        return packed(sources, iter(found)) if isinstance(sources, list | tuple | dict) else found[0]

    def _seen(self) -> Sequence[Operation]:
        operations = self.graph.operations
        return [one for first, last in self._spans for one in operations[first:last]]

    def _has_seen(self, target: Any, watched: Any) -> bool:
        return target in watched or getattr(target, "op", None) in set(self._seen())

    def _walls(self, watched: Any) -> list[Any]:
        """Returns the tensors that count as constants: those built elsewhere, unless they are watched."""
        seen = set(self._seen())
        walls: dict[Any, None] = {}
        for operation in seen:
            for tensor in operation.inputs:
                if tensor.op not in seen and tensor not in watched and _variable(tensor) not in watched:
                    walls[tensor] = None
        return list(walls)

    def stop_recording(self) -> Any:
        """Raises: a graph's tape always records the operations built inside it."""
        self._refuse("stop_recording")

    def jacobian(self, *_: Any, **__: Any) -> Any:
        """Refuses: see `gradient`."""
        self._refuse("jacobian")

    def batch_jacobian(self, *_: Any, **__: Any) -> Any:
        """Refuses: see `gradient`."""
        self._refuse("batch_jacobian")

    def _refuse(self, name: str) -> None:
        raise ArgumentError(
            f"GradientTape.{name} is not available in a graph.",
            remedy="Ask for tape.gradient, or compute without a graph: no tf.disable_eager_execution(), no "
            "tf.Graph().as_default().",
            site=here(),
        )


def _variable(tensor: Any) -> GraphVariable | None:
    if isinstance(tensor, SymbolicTensor) and tensor.op.kernel is read_kernel:
        return tensor.op.details["variable"]  # type: ignore[no-any-return]
    return tensor if isinstance(tensor, GraphVariable) else None
