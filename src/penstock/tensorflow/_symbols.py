"""How tensors are shown while a function is traced: TensorFlow writes their names in the graph, no values.

The code computes with values all the same: see docs/decisions/0051. What a function is given has the names of
its parameters, and what it computes the names of the operations, which are read off the record.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from penstock.tensorflow._tensor_shape import TensorShape, as_shape
from penstock.trace import structure as structures
from penstock.trace.local import local
from penstock.trace.tensor import Tensor
from penstock.trace.tree import Node

_OPERATIONS = """
multiply mul, subtract sub, divide truediv, floor_divide floordiv, remainder mod, power pow,
integer_power pow, matmul MatMul, negative Neg, absolute Abs, transpose transpose, concat concat,
where SelectV2, clip clip_by_value, take GatherV2, window strided_slice, slice strided_slice, add add,
identity Identity, stop_gradient StopGradient, maximum Maximum, minimum Minimum, not_equal NotEqual,
greater_equal GreaterEqual, less_equal LessEqual, logical_not LogicalNot, logical_and LogicalAnd,
logical_or LogicalOr, conv Conv2D, max_pool MaxPool2d,
softmax_cross_entropy softmax_cross_entropy_with_logits,
sparse_softmax_cross_entropy SparseSoftmaxCrossEntropyWithLogits, log_softmax LogSoftmax, argmax ArgMax,
argmin ArgMin, expand_dims ExpandDims, broadcast_to BroadcastTo, one_hot one_hot,
philox_normal random_normal, philox_uniform random_uniform, prod Prod, any Any, all All, log1p Log1p,
erf Erf
"""
_NAMES = dict(pair.split() for pair in _OPERATIONS.split(","))
"""TensorFlow's names of operations, by primitive or by the function that is made of several."""


class Symbols:
    """The names of the tensors in one trace of a function. It is in force inside a with statement."""

    def __init__(self, inside: Any) -> None:
        self.inside, self.outer = inside, inside.symbols
        trace = local.trace
        self.trace: Any = trace
        self.generation = trace.generation
        self.first, self.depth = trace.node.size, trace.node.depth
        self.given: dict[int, tuple[Any, str, Any]] = {}
        self.made: dict[int, str] = {}
        self.taken: dict[str, int] = {}

    def __enter__(self) -> None:
        self.inside.symbols = self

    def __exit__(self, *error: object) -> None:
        self.inside.symbols = self.outer

    def give(self, name: str, value: Any, described: Any = None) -> None:
        """Names the tensors in an argument after its parameter; `described` has the shapes that are shown."""
        shapes = iter(structures.flat(described) if described is not None else ())
        for one in structures.flat(value):
            wanted = next(shapes, None)
            if isinstance(one, Tensor) or getattr(one, "_is_tensor", False):
                known = getattr(wanted, "name", None) or name
                shape = as_shape(getattr(wanted, "shape", one.shape))
                self.given[id(one)] = one, f"{self._unique(known)}:0", shape

    def give_each(self, arguments: Iterable[tuple[str, Any, Any]]) -> None:
        """Names all arguments of a call: the name, the value and what is known of it for each."""
        for name, value, known in arguments:
            self.give(name, value, known if hasattr(known, "shape") else None)

    def give_numbered(self, arguments: Any, described: Any) -> None:
        """Names the tensors among the arguments of a data set's function, in order."""
        shapes = iter(structures.flat(described) if described is not None else ())
        for number, one in enumerate(structures.flat(arguments)):
            self.give(f"args_{number}", one, next(shapes, None))

    def calls(self) -> None:
        """Notes that another function is called, whose operations are those of a graph of its own."""
        if self.trace.generation == self.generation:
            self._read(named=True)

    def returned(self, value: Any) -> None:
        """Names what a function has returned that this one has called."""
        trace: Any = self.trace
        if trace.generation == self.generation:
            self._read(named=False)
        called = self._unique("PartitionedCall")
        for number, one in enumerate(structures.flat(value)):
            if isinstance(one, Tensor) and id(one) not in self.given:
                self.given[id(one)] = one, f"{called}:{number}", as_shape(one.shape)

    def text(self, tensor: Any) -> str | None:
        """Returns what `print` writes of a tensor; None for one from before the call, which has a value."""
        name = self.name_of(tensor)
        if name is None:
            return None
        shape = self._shape_of(tensor)
        lengths = "" if shape.rank is None else f"shape={shape}, "
        return f'Tensor("{name}", {lengths}dtype={tensor.dtype.name})'

    def described(self, tensor: Any) -> str | None:
        """Returns the representation of a tensor; None for one from before the call."""
        name = self.name_of(tensor)
        if name is None:
            return None
        return f"<tf.Tensor {name!r} shape={self._shape_of(tensor)} dtype={tensor.dtype.name}>"

    def name_of(self, tensor: Any) -> str | None:
        """Returns the name of a tensor; None for one that was made before the function was called."""
        found = self.given.get(id(tensor))
        if found is not None:
            return found[1]
        made_here = getattr(tensor, "_trace", None) is self.trace and tensor._slot >= self.first
        if not made_here or self.trace.generation != self.generation:
            return None
        self._read(named=True)
        return self.made.get(tensor._slot)

    def _shape_of(self, tensor: Any) -> TensorShape:
        """Returns the shape that is shown: None on the first axis, if an argument has any length there."""
        found = self.given.get(id(tensor))
        if found is not None:
            return as_shape(found[2])
        lengths = list(tensor.shape)
        open_lengths = {
            one.shape[0]
            for one, _, shape in self.given.values()
            if len(one.shape) and (shape.rank is None or list(shape)[:1] == [None])
        }
        if lengths and lengths[0] in open_lengths:
            lengths[0] = None
        return TensorShape(lengths)

    def _read(self, named: bool) -> None:
        """Goes on through the record, and counts its operations if they are this function's."""
        nodes: list[Node] = []
        node: Any = self.trace.node
        while node is not None and node.depth > self.depth:
            nodes.append(node)
            node = node.parent
        self.depth = self.trace.node.depth
        before: Any = None
        if not named:
            return
        for node in reversed(nodes):
            if node.event.kind != "operation":
                continue
            last = node.calls[-1]
            word = last.within or last.primitive.name
            name = None
            if word == "reshape" and before is not None and before.slot in last.inputs:
                # An index takes two operations.
                name = self.made[before.slot]
            self.made[last.slot] = name or f"{self._unique(_NAMES.get(word) or _camel(word))}:0"
            before = last if word in ("window", "slice") else None

    def _unique(self, name: str) -> str:
        number = self.taken.get(name, 0)
        self.taken[name] = number + 1
        return f"{name}_{number}" if number else name


def _camel(word: str) -> str:
    return "".join(part.capitalize() for part in word.split("_"))


__all__ = ["Symbols"]
