"""The tensor of a static program, which has no value yet, and calls on it, which are written down."""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, NoReturn

import numpy as np

from penstock.capture.calls import Held, call_at, filled, parts, place_of, site_code
from penstock.functions import scratch
from penstock.functions.scratch import shown_shape
from penstock.paddle import _methods
from penstock.paddle._dtype import dtype, shown
from penstock.paddle._errors import InvalidTypeError, MissingArgumentError
from penstock.paddle._mode import mode
from penstock.paddle._numbering import Names
from penstock.paddle._shape import Size
from penstock.paddle._tensor import Leaf, Parameter, Tensor
from penstock.paddle.static._asked import REFUSED, Asked
from penstock.paddle.static._program import Operation, programs
from penstock.trace.source_site import here, warn_once
from penstock.trace.spec import Spec
from penstock.trace.structure import holds, mapped

_frame = sys._getframe


class Variable(Asked):
    """The result of an operation of a program, or data that each run is fed.

    `spec` has names for unknown lengths. `known` is the value if it depends only on lengths.
    """

    __array_priority__ = 100
    trainable = is_distributed = need_clip = is_cuda = False
    optimize_attr = regularizer = do_model_average = None
    place = device = placements = process_mesh = None

    def __init__(
        self, spec: Spec, word: str, known: Any = None, name: str = "", stopped: bool = False
    ) -> None:
        self.spec, self.word, self.known = spec, word, known
        self._name = name
        self._stops = stopped
        self.is_stopped = self.is_watched = False
        self.persistable = False
        self.site = here()
        self.program = programs.main

    @property
    def has_name(self) -> bool:
        """Whether the program gave it a name, as it does to data."""
        return self.word == "data"

    @property
    def name(self) -> str:
        """The name: of data the one it was given, of a result one with a number."""
        if not self._name:
            self._name = Names.next(f"{self.word}.tmp")
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = name

    @property
    def shape(self) -> Size:
        """The length of each axis, -1 where it is not known."""
        return Size([-1 if n is None else n for n in shown_shape(self.spec.shape)])

    @property
    def dtype(self) -> dtype:
        """The dtype of the elements."""
        return shown(self.spec.dtype)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.spec.ndim

    @property
    def T(self) -> Any:
        """This tensor with its axes in reverse order."""
        return _built("transpose", _transposed, (self,), {}, _frame(1))

    @property
    def mT(self) -> Any:
        """The matrices in the last two axes, transposed."""
        if self.spec.ndim < 2:
            raise ValueError(f"Tensor.ndim({self.spec.ndim}) is required to be greater than or equal to 2.")
        return _built("transpose", _matrices_transposed, (self,), {}, _frame(1))

    @property
    def size(self) -> Any:
        """The number of elements, as a tensor of the program."""
        return _built("numel", method_named("numel"), (self,), {}, _frame(1))

    @property
    def itemsize(self) -> int:
        """How many bytes an element takes."""
        return self.spec.dtype.itemsize

    @property
    def block(self) -> Any:
        """The block of the program in which it is."""
        return self.program.global_block()

    def type(self) -> str:
        """Returns the shape and the dtype as Paddle writes them, such as tensor<2x3xf32>."""
        lengths = "".join(f"{n}x" for n in self.shape)
        kind = self.spec.dtype
        letter = {"f": "f", "i": "i", "u": "ui", "b": "i", "c": "c", "V": "bf"}[kind.kind]
        bits = 16 if kind.kind == "V" else 1 if kind.kind == "b" else 8 * kind.itemsize
        return f"tensor<{lengths}{letter}{bits}>"

    @property
    def requires_grad(self) -> bool:
        """Whether gradients pass through it."""
        return not self.stop_gradient

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        self.stop_gradient = not wanted

    @property
    def stop_gradient(self) -> bool:
        """Whether gradients end here; it can be set before the gradient is computed."""
        return (self._stops or self.is_stopped) and not self.is_watched

    @stop_gradient.setter
    def stop_gradient(self, wanted: bool) -> None:
        self.is_stopped, self.is_watched = bool(wanted), not wanted

    def __getattr__(self, name: str) -> Any:
        method = getattr(Tensor, name, None) if not name.startswith("__") else None
        plain = name.rstrip("_")
        if name in REFUSED:
            return REFUSED[name].__get__(self)
        if name in _DRAWN:
            return functools.partial(_drawn, self, name)
        if not callable(method) or not hasattr(Tensor, plain) or name in _OF_VALUES:
            raise AttributeError(f"'Value' object has no attribute {name!r}")

        def called(*arguments: Any, **options: Any) -> Any:
            if plain != name:
                warn_once(
                    f"In static graph mode, {name}() is the same as {plain}() and does not perform inplace "
                    "operation.",
                )
            return _built(name, method_named(plain), (self, *arguments), options, _frame(1))

        return called

    # -- operations that need a value --------------------------------------------------------------------

    def _valueless(self, how: str) -> NoReturn:
        raise InvalidTypeError(
            f"{how} needs a value, and {self.name} of a static program has none before the program is run.",
            origin=f"it was made at {self.site}",
            remedy="Ask for it: (value,) = executor.run(program, feed={...}, fetch_list=[x]).",
            site=here(),
        )

    def numpy(self) -> NoReturn:
        """Raises TypeError: there is no value yet."""
        self._valueless("numpy()")

    def item(self, *place: int) -> NoReturn:
        """Raises TypeError, for any `place`: there is no value yet."""
        self._valueless("item()")

    def tolist(self) -> NoReturn:
        """Raises TypeError: there is no value yet."""
        self._valueless("tolist()")

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        self._valueless("numpy.asarray()")

    def __float__(self) -> NoReturn:
        self._valueless("float()")

    def __int__(self) -> NoReturn:
        self._valueless("int()")

    def __bool__(self) -> NoReturn:
        raise InvalidTypeError(
            f"bool() needs a value, and {self.name} of a static program has none before the program is run.",
            origin=f"it was made at {self.site}",
            remedy="Let the program choose: paddle.static.nn.cond(x > 0, lambda: ..., lambda: ...), "
            "paddle.where, or paddle.static.nn.while_loop.",
            site=here(),
        )

    def __getitem__(self, key: Any) -> Any:
        return _built("slice", _get, (self, key), {}, _frame(1))

    def __setitem__(self, key: Any, value: Any) -> None:
        build(_set, "set_value", (self, key, value), {}, _frame(1), into=self)

    def __iter__(self) -> Any:
        count = self.shape[0] if self.spec.shape else -1
        if count < 0:
            self._valueless("iteration")
        return (self[i] for i in range(count))

    def backward(self, grad_tensor: Any = None, retain_graph: bool = False) -> None:
        """Adds the gradients of the program's parameters to it; each run keeps its history, so `retain_graph`
        does nothing."""
        if grad_tensor is not None:
            raise MissingArgumentError(
                "backward() of a static program takes no weights.",
                remedy="Write paddle.static.gradients(targets, inputs, target_gradients).",
                site=here(),
            )
        mode.training.append_backward(self, frame=_frame(1))

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return (
            f"Value(define_op_name=pd_op.{self.word}, index=0, dtype={self.type()}, "
            f"stop_gradient={self.stop_gradient})"
        )


class StaticLeaf(Asked, Leaf):  # type: ignore[misc]
    """A tensor with its own value that a program changes; operations on it are recorded."""

    __slots__ = ()
    has_name = True


class StaticParameter(Asked, Parameter):  # type: ignore[misc]
    """A parameter of a static program: computing with it is written down, as with any of its tensors."""

    __slots__ = ()
    has_name = True


def build(
    call: Callable[..., Any],
    kind: str,
    arguments: Sequence[Any],
    options: dict[str, Any],
    frame: FrameType,
    *,
    layer: Any = None,
    into: Variable | None = None,
) -> Any:
    """Writes a call down in the main program; returns its tensors as the call would.

    With `into`, the result takes the place of that variable.
    """
    program = programs.main
    inputs: list[Any] = []

    def one_taken(one: Any) -> Any:
        if isinstance(one, Variable):
            return place_of(one, inputs)
        if isinstance(one, Held):
            return one._construction.of(one_taken)
        if isinstance(one, StaticLeaf | StaticParameter):
            program.leaves.setdefault(one.path, one)
        return one.copy() if isinstance(one, np.ndarray) else one

    template, choices = mapped(list(arguments), one_taken), mapped(dict(options), one_taken)
    code = site_code(frame, program.codes)

    def tried(values: list[Any]) -> Any:
        return call_at(code, call, filled(template, values), filled(choices, values))

    with mode.running():
        specs, values = [one.spec for one in inputs], [one.known for one in inputs]
        structure, found = scratch.inferred(tried, specs, values, Tensor, True)
    operation = Operation(kind, call, template, choices, inputs, code)
    if not found and not _writes(arguments, options):
        return structure
    stopped = kind == "detach" or _stopped(arguments, options, layer)
    outputs = []
    for kept_as, own, known in found:
        assert own is not None, "a call of the dialect knows how many axes its result has"
        outputs.append(Variable(own, kind, known, stopped=stopped or np.dtype(kept_as).kind in "biu"))
    if layer is not None:
        operation.layers = [(one, one.training) for one in layer.sublayers(True)]
        for one in (*layer.parameters(), *layer.buffers()):
            # A buffer may be a result, such as a weight that is computed before each call.
            if isinstance(one, Leaf):
                program.leaves.setdefault(one.path, one)
    if into is not None:
        into.spec, into.known = outputs[0].spec, None
        outputs = [into]
    operation.outputs = outputs
    program.add(operation)
    return mapped(structure, lambda one: outputs[one.number] if isinstance(one, scratch.Place) else one)


def _writes(arguments: Any, options: Any) -> bool:
    return holds((list(arguments), options), (StaticLeaf,))


def _stopped(arguments: Any, options: Any, layer: Any) -> bool:
    """Returns whether none of a call's arguments wants a gradient."""
    given = [one for one in parts((list(arguments), options)) if isinstance(one, Variable | Leaf)]
    if layer is not None:
        given += layer.parameters()
    return all(one.stop_gradient for one in given)


@functools.cache
def method_named(name: str) -> Callable[..., Any]:
    """Returns the function that calls a method of its first argument; its `method` is the name."""

    def call(self: Any, *arguments: Any, **options: Any) -> Any:
        return getattr(self, name)(*arguments, **options)

    call.__name__ = name
    call.method = name  # type: ignore[attr-defined]
    return call


def _built(kind: str, call: Callable[..., Any], arguments: Any, options: Any, frame: Any) -> Any:
    return build(call, kind, arguments, options, frame)


_TWO = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
_COMPARED = ("eq", "ne", "lt", "le", "gt", "ge", "and", "or", "xor")
_ALONE = ("neg", "abs", "invert")


def _get(x: Any, key: Any) -> Any:
    return x[key]


def _set(x: Any, key: Any, value: Any) -> Any:
    found = x.clone()
    found[key] = value
    return found


def _transposed(x: Any) -> Any:
    return x.T


def _matrices_transposed(x: Any) -> Any:
    return x.mT


_OF_VALUES = ("data_ptr", "get_selected_rows", "get_tensor", "is_selected_rows", "reconstruct_from_")
"""The methods of tensors that have a value."""
_DRAWN = ("exponential_", "random_")
"""The methods that draw in place and give a new tensor in a program."""


def _drawn(self: Any, name: str, *arguments: Any, **options: Any) -> Any:
    return _built(name, _drawer(name), (self, *arguments), options, _frame(1))


@functools.cache
def _drawer(name: str) -> Callable[..., Any]:
    """Returns the function that draws a tensor like its first argument."""

    def call(self: Any, *arguments: Any, **options: Any) -> Any:
        return getattr(self.detach().clone(), name)(*arguments, **options)

    call.__name__ = name
    return call


def _operators() -> dict[str, tuple[str, Callable[..., Any]]]:
    found: dict[str, tuple[str, Callable[..., Any]]] = {"__getitem__": ("slice", _get)}
    for word in (*_TWO, *_COMPARED):
        one = getattr(operator, f"{word}_" if word in ("and", "or") else word)
        found[f"__{word}__"] = (word, one)
        if word in _TWO:
            found[f"__r{word}__"] = (word, lambda x, y, one=one: one(y, x))
    for word in _ALONE:
        found[f"__{word}__"] = (word, getattr(operator, word))
    return found


_SYMBOLS = _operators()
OPERATORS: dict[str, Callable[..., Any]] = {
    **{name: one for name, (_, one) in _SYMBOLS.items()},
    "__setitem__": _set,
    "T": _transposed,
    "mT": _matrices_transposed,
}
"""The functions behind the operators of variables, by name."""


def _install() -> None:
    """Gives variables operators; gives leaves those, and methods, that write calls down while they may."""

    def of_variable(word: str, one: Callable[..., Any]) -> Callable[..., Any]:
        def method(self: Any, *others: Any) -> Any:
            return _built(word, one, (self, *others), {}, _frame(1))

        return method

    def of_leaf(word: str, one: Callable[..., Any], eager: Any) -> Callable[..., Any]:
        def method(self: Any, *arguments: Any, **options: Any) -> Any:
            if mode.builds():
                return _built(word, one, (self, *arguments), options, _frame(1))
            return eager.__get__(self, type(self))(*arguments, **options)

        return method

    def property_of_leaf(word: str, one: Callable[..., Any], eager: Any) -> Any:
        def get(self: Any) -> Any:
            return _built(word, one, (self,), {}, _frame(1)) if mode.builds() else eager.__get__(self)

        return property(get, doc=eager.__doc__)

    for name, (word, one) in _SYMBOLS.items():
        setattr(Variable, name, of_variable(word, one))
        for kind in (StaticLeaf, StaticParameter):
            setattr(kind, name, of_leaf(word, one, getattr(Leaf, name)))
    for name, word, one in (
        ("T", "transpose", _transposed), ("mT", "transpose", _matrices_transposed),
        ("size", "numel", method_named("numel")),
    ):  # fmt: skip
        for kind in (StaticLeaf, StaticParameter):
            setattr(kind, name, property_of_leaf(word, one, getattr(Leaf, name)))
    _methods.load()
    for name in (*_methods.PLAIN, "detach", "clone"):
        for kind in (StaticLeaf, StaticParameter):
            setattr(kind, name, of_leaf(name, method_named(name), getattr(Leaf, name)))


_install()


Variable.__module__, Variable.__qualname__, Variable.__name__ = "paddle.static", "Variable", "Value"
