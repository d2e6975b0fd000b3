"""The tensor of a graph: a name, a shape that may be known in part, a dtype, and no value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from penstock.errors import PenstockError
from penstock.functions.scratch import open_shape
from penstock.functions.scratch import shown_shape as _shown_shape
from penstock.tensorflow._dtype import DType, as_dtype
from penstock.tensorflow._graphs.graph import Graph, Operation, evaluate
from penstock.tensorflow._tensor import Reference
from penstock.tensorflow._tensor_shape import TensorShape, as_shape
from penstock.trace.source_site import here
from penstock.trace.spec import Spec, spec


class OperatorNotAllowedInGraphError(PenstockError, TypeError):
    """The program needs the value of a tensor that has none, because it is part of a graph."""


class UnknownShape:
    """The shape of a tensor with an unknown number of axes."""

    rank = ndims = dims = None

    def as_list(self) -> NoReturn:
        """Raises ValueError: there are no lengths to list."""
        raise ValueError("as_list() is not defined on an unknown TensorShape.")

    def num_elements(self) -> None:
        """Returns None."""

    def is_fully_defined(self) -> bool:
        """Returns False."""
        return False

    def is_compatible_with(self, other: Any) -> bool:
        """Returns True: it may be any shape. `other` does nothing: the shape is unknown."""
        return True

    def __len__(self) -> NoReturn:
        raise ValueError("Cannot take the length of shape with unknown rank.")

    def __iter__(self) -> NoReturn:
        raise ValueError("Cannot iterate over a shape with unknown rank.")

    def __getitem__(self, key: Any) -> Any:
        return None if isinstance(key, int) else self

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "TensorShape(None)"

    def __str__(self) -> str:
        return "<unknown>"


UNKNOWN = UnknownShape()


def open_spec(shape: Any, dtype: np.dtype[Any], name: str = "") -> Spec | None:
    """Returns the spec of a shape known in part, with lengths called after `name`; None of no shape."""
    if shape is None or isinstance(shape, UnknownShape):
        return None
    return spec(open_shape(as_shape(shape), name), dtype)


def shown_shape(own: Spec | None) -> Any:
    """Returns the shape as users see it: None means an unknown length."""
    if own is None:
        return UNKNOWN
    return TensorShape(_shown_shape(own.shape))


class SymbolicTensor:
    """One output of an operation of a graph.

    `spec` is the known part of its shape, with names among the lengths; None if its rank is unknown.
    `known` is its value if that depends only on lengths, and may decide shapes.
    """

    __array_priority__ = 100

    def __init__(
        self,
        op: Operation,
        number: int,
        dtype: np.dtype[Any],
        spec: Spec | None,
        known: Any = None,
    ) -> None:
        self.op, self.value_index, self.known = op, number, known
        self.spec = spec
        self._dtype = dtype
        self._shape = shown_shape(spec)

    @property
    def graph(self) -> Graph:
        """The graph it belongs to."""
        return self.op.graph

    @property
    def name(self) -> str:
        """The operation's name and the number of the output."""
        return f"{self.op.name}:{self.value_index}"

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return as_dtype(self._dtype)

    @property
    def shape(self) -> Any:
        """The length of each axis, None where it is not known."""
        return self._shape

    @property
    def ndim(self) -> int | None:
        """The number of axes, None if it is not known."""
        return None if self._shape is UNKNOWN else len(self._shape)

    @property
    def device(self) -> str:
        """Where it is to be computed: not specified."""
        return ""

    def get_shape(self) -> Any:
        """Returns the shape."""
        return self._shape

    def set_shape(self, shape: Any) -> None:
        """Adds to the known shape; raises ValueError if that contradicts it."""
        if shape is None:
            return
        given = as_shape(shape)
        if self.spec is None:
            self.spec = open_spec(given, self._dtype, self.op.name)
        else:
            if not self._shape.is_compatible_with(given):
                raise ValueError(
                    f"Dimensions must be equal: the shape is {self._shape}, and {given} was given."
                )
            merged = [a if b is None else b for a, b in zip(self.spec.shape, given, strict=True)]
            self.spec = spec(tuple(merged), self._dtype)
        self._shape = shown_shape(self.spec)
        self.op.graph.described = None

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Returns the value in a session, the default one unless it is given."""
        return evaluate(self, feed_dict, session, "evaluate tensor using `eval()`", "eval(session=sess)")

    def consumers(self) -> list[Operation]:
        """Returns the operations that take this tensor."""
        return [one for one in self.graph.operations if self in one.inputs]

    def ref(self) -> Reference:
        """Returns a hashable reference to this tensor."""
        return Reference(self)

    def __str__(self) -> str:
        shape = "" if self._shape is UNKNOWN else f", shape={self._shape}"
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name})'

    def __repr__(self) -> str:
        return f"<tf.Tensor {self.name!r} shape={self._shape} dtype={self.dtype.name}>"

    def __copy__(self) -> SymbolicTensor:
        return self

    def __deepcopy__(self, memo: Any) -> SymbolicTensor:
        return self

    # -- errors ------------------------------------------------------------------------------------------

    def _refuse(self, what: str, remedy: str) -> NoReturn:
        raise OperatorNotAllowedInGraphError(
            f"{what} is not allowed.",
            origin=f"{self} was built at {self.op.site}",
            why="A graph tensor has no value until a session runs it.",
            remedy=remedy,
            site=here(),
        )

    def __bool__(self) -> NoReturn:
        self._refuse(
            "Using a symbolic `tf.Tensor` as a Python `bool`",
            "Write `if tensor is not None`, choose with tf.where, or use the value of sess.run(tensor).",
        )

    def __iter__(self) -> Iterator[Any]:
        self._refuse("Iterating over a symbolic `tf.Tensor`", "Write tf.unstack(tensor).")

    def __len__(self) -> NoReturn:
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` rather than "
            "`len(x)` for shape information."
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may "
            "indicate that "
            "you're trying to pass a Tensor to a NumPy call, which is not supported.\n"
            f"It was built at {self.op.site}, and has a value only while a session runs. Use the function of "
            "that name of tf, or give NumPy what session.run(tensor) returns."
        )

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other
