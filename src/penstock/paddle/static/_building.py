"""Writing a program down: in the static mode Paddle's functions record their calls for the runs to come."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from types import FrameType, FunctionType, ModuleType
from typing import Any

import numpy as np

from penstock.capture.calls import site_code
from penstock.declared import named
from penstock.functions import scratch
from penstock.paddle import _creation
from penstock.paddle._convert import lengths_of
from penstock.paddle._dtype import default_dtype, numpy_dtype
from penstock.paddle._errors import InvalidTypeError
from penstock.paddle._families import FIRST, REST
from penstock.paddle._mode import mode
from penstock.paddle._numbering import Names
from penstock.paddle._tensor import Leaf
from penstock.paddle.nn._layer import Layer
from penstock.paddle.static import _training
from penstock.paddle.static._program import Operation, programs
from penstock.paddle.static._scope import current
from penstock.paddle.static._variable import StaticLeaf, StaticParameter, Variable, build
from penstock.trace.source_site import here
from penstock.trace.spec import spec

_frame = sys._getframe


# -- the mode ----------------------------------------------------------------------------------------------

_LIFTED = (
    *FIRST.split(), *REST.split(), "_convert", "_environment", "fft", "signal", "metric", "vision.ops",
    "nn._activations", "nn._adaptive_pooling", "nn._attention", "nn._classification_losses",
    "nn._convolution", "nn._distance_losses", "nn._dropout", "nn._folding", "nn._linear",
    "nn._norm_functions", "nn._padding", "nn._pooling", "nn._rearranging", "nn._resizing", "nn._sampling",
    "nn._classes", "nn._fractional", "nn._transducer", "nn._volumes", "vision._deformed",
)  # fmt: skip
"""The modules whose functions compute with tensors."""
_PLAIN = (
    "create_parameter", "is_tensor", "broadcast_shape", "is_complex", "is_floating_point", "is_integer",
    "rank_of", "seed", "set_printoptions", "get_rng_state", "set_rng_state", "finfo", "iinfo",
    "create_global_var", "broadcast_shapes", "is_empty", "in_dynamic_mode", "enable_static", "disable_static",
    "batch", "get_flags", "set_flags", "disable_signal_handler",
    "is_contiguous", "is_same_shape", "requires_grad_", "array_write",
)  # fmt: skip
_LATER = object()
"""Stands for a name whose module is imported when it is asked for."""
_swapped: list[tuple[Any, str, Any]] = []


def lift(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that is written down while a program is, and computes otherwise."""
    kind = function.__name__

    @functools.wraps(function)
    def lifted(*arguments: Any, **options: Any) -> Any:
        if not mode.builds():
            return function(*arguments, **options)
        if kind == "increment":
            target = arguments[0] if arguments else options.pop("x")
            if isinstance(target, Variable):
                return _increased(function, target, arguments[1:], options, _frame(1))
        output = options.get("output") if kind == "assign" else None
        if kind == "assign" and len(arguments) > 1:
            output, arguments = arguments[1], arguments[:1]
        if isinstance(output, Variable):
            return build(function, kind, arguments, {}, _frame(1), into=output)
        if output is not None:
            options["output"] = output
        return build(function, kind, arguments, options, _frame(1))

    return lifted


def _increased(function: Any, target: Variable, others: Any, options: Any, frame: FrameType) -> Any:
    def more(x: Any, value: float = 1.0, name: Any = None) -> Any:
        return _creation._more(x, value, _frame(1))

    return build(more, "increment", (target, *others), options, frame, into=target)


def call_layer(layer: Any, inputs: Any, frame: FrameType, options: dict[str, Any] | None = None) -> Any:
    """Writes the call of one of Paddle's own layers down as one operation."""
    return build(_eager_call.__get__(layer), layer._full_name, inputs, options or {}, frame, layer=layer)


def _layer_called(layer: Any, *inputs: Any, **options: Any) -> Any:
    """Calls a layer: one of Paddle's own is one operation, one that the user wrote is taken apart."""
    if mode.builds() and all(_is_ours(one) for one in layer.sublayers(True)):
        return call_layer(layer, inputs, _frame(1), options)
    return _eager_call(layer, *inputs, **options)


def _is_ours(layer: Any) -> bool:
    return type(layer).__module__.startswith("penstock.paddle.")


_eager_call = Layer.__call__
_create = _creation.create_parameter


@functools.wraps(_create)
def _created(
    shape: Any, dtype: Any = "float32", name: Any = None, attr: Any = None, is_bias: bool = False,
    default_initializer: Any = None, prefix: str = "create_parameter",
) -> Any:  # fmt: skip
    """Makes a parameter of the main program, which the startup program starts.

    A name that a parameter has already means this one, as it does in a scope.
    """
    options = (attr, is_bias, default_initializer, prefix)
    if not mode.static:
        return _create(shape, dtype, name, *options)
    wanted = _creation.attributes(attr)
    called = (wanted.name if wanted is not None else None) or name
    found = current().leaves.get(called) if called else None
    if found is None:
        with mode.running():
            found = _create(shape, dtype, name, *options)
        if found is None:
            return None
        found.__class__ = StaticParameter
        _start(found, lambda: _create(shape, dtype, found.path, *options)._value)
    elif list(found.shape) != list(lengths_of(shape)):
        raise InvalidTypeError(
            f"The parameter {called} has shape {list(found.shape)} already, and is to be created with "
            f"{list(shape)}.",
            origin=f"{called} created at {found.site}",
            remedy="Give it another name, or none.",
            site=here(),
        )
    programs.main.leaves[found.path] = found
    return found


def _start(leaf: Any, drawn: Callable[[], Any]) -> None:
    """Lets the startup program give a leaf its first value; when it runs again, a new one."""
    scope = current()
    scope.leaves[leaf.path] = leaf
    programs.startup.leaves[leaf.path] = leaf

    def begin() -> None:
        if leaf in current().started:
            leaf.set_value(np.array(drawn()))
        current().started.add(leaf)
        current().leaves[leaf.path] = leaf

    programs.startup.add(Operation("full", begin, [], {}, (), site_code(_frame(2), programs.main.codes)))


@named("paddle.static.create_global_var")
def create_global_var(
    shape: Any, value: Any, dtype: Any, persistable: bool = False, force_cpu: bool = False, name: Any = None
) -> Any:
    """Returns a tensor that keeps what programs write to it; the startup program gives it `value`.

    It is kept in either case, and there is one place: `persistable` and `force_cpu` do nothing.
    """
    array = np.full(lengths_of(shape), value, numpy_dtype(dtype))
    array.flags.writeable = False
    with mode.running():
        made = Leaf(array, True, name or Names.next("global_var"))
    made.__class__ = StaticLeaf
    made.persistable = True
    _start(made, lambda: array)
    return made


def _swap(owner: Any, name: str, value: Any) -> None:
    _swapped.append((owner, name, vars(owner).get(name, _LATER)))
    setattr(owner, name, value)


def enable(modules: Sequence[ModuleType]) -> None:
    """Writes calls down from here on: those of the functions of these modules, `paddle` first."""
    if mode.static:
        return
    paddle = modules[0]
    mode.static, mode.training = True, _training
    for module in modules:
        for name in {*vars(module), *module.__all__}:
            value = getattr(module, name)
            if (
                isinstance(value, FunctionType)
                and not name.startswith("_")
                and name not in _PLAIN
                and value.__module__.removeprefix("penstock.paddle.") in _LIFTED
            ):
                _swap(module, name, lift(value))
    _swap(_creation, "create_parameter", _created)
    _swap(paddle, "create_parameter", _created)
    _swap(paddle, "grad", _training.grad)
    _swap(Layer, "__call__", _layer_called)


def disable() -> None:
    """Makes calls at once again."""
    mode.static = False
    while _swapped:
        owner, name, value = _swapped.pop()
        if value is _LATER:
            delattr(owner, name)
        else:
            setattr(owner, name, value)


@named("paddle.static.data")
def data(name: str, shape: Any, dtype: Any = None, lod_level: int = 0) -> Variable:
    """Returns data that each run is fed under this name; None or -1 in its shape stands for any length.

    Sequences of unequal lengths are padded, so `lod_level` does nothing.
    """
    if not isinstance(name, str):
        raise InvalidTypeError(
            f"The type of 'name' in data must be <class 'str'>, but received {type(name)}.", site=here()
        )
    lengths = [None if n is None or n == -1 else int(n) for n in shape]
    kind = default_dtype() if dtype is None else numpy_dtype(dtype)
    made = Variable(spec(scratch.open_shape(lengths, name), kind), "data", name=name, stopped=True)
    programs.main.data[name] = made
    return made
