"""Writing a program down: in the static mode Paddle's functions record their calls for the runs to come."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import numpy as np

from penstock.capture.calls import site_code
from penstock.declared import named
from penstock.functions import scratch
from penstock.paddle import _creation
from penstock.paddle import _seeded as seeded
from penstock.paddle._convert import lengths_of
from penstock.paddle._dtype import default_dtype, numpy_dtype
from penstock.paddle._errors import InvalidTypeError
from penstock.paddle._families import FIRST, REST
from penstock.paddle._mode import mode
from penstock.paddle._numbering import Names
from penstock.paddle._tensor import Leaf, Tensor
from penstock.paddle.nn._layer import Layer
from penstock.paddle.static import _training
from penstock.paddle.static._postponed import postpone
from penstock.paddle.static._program import Operation, programs
from penstock.paddle.static._scope import current
from penstock.paddle.static._variable import OPERATORS, StaticLeaf, StaticParameter, Variable, build
from penstock.trace.source_site import here
from penstock.trace.spec import spec
from penstock.trace.structure import flat, holds
from penstock.trace.tensor import Cell

_frame = sys._getframe


# -- the mode ----------------------------------------------------------------------------------------------

_LIFTED = (
    *FIRST.split(), *REST.split(), "_convert", "_environment", "fft", "signal", "metric", "vision.ops",
    "nn._activations", "nn._adaptive_pooling", "nn._attention", "nn._classification_losses",
    "nn._convolution", "nn._distance_losses", "nn._dropout", "nn._folding", "nn._linear",
    "nn._norm_functions", "nn._padding", "nn._pooling", "nn._rearranging", "nn._resizing", "nn._sampling",
    "nn._classes", "nn._fractional", "nn._transducer", "nn._volumes", "nn._trees", "vision._deformed",
    "vision._matching", "vision._anchors", "vision._by_position", "vision._proposals", "geometric",
    "incubate", "incubate.nn.functional", "incubate.autograd", "distribution._kl_rules",
)  # fmt: skip
"""The modules whose functions compute with tensors."""
CALLABLE = frozenset(_LIFTED)
"""The modules of the dialect whose functions a program that was read from a file may call."""
_PLAIN = (
    "create_parameter", "is_tensor", "broadcast_shape", "is_complex", "is_floating_point", "is_integer",
    "rank_of", "seed", "set_printoptions", "get_rng_state", "set_rng_state", "finfo", "iinfo",
    "create_global_var", "broadcast_shapes", "is_empty", "in_dynamic_mode", "enable_static", "disable_static",
    "batch", "get_flags", "set_flags", "disable_signal_handler", "register_kl", "enable_prim", "disable_prim",
    "prim_enabled", "is_contiguous", "is_same_shape", "requires_grad_", "array_write",
)  # fmt: skip
_LATER = object()
"""Stands for a name whose module is imported when it is asked for."""
_swapped: list[tuple[Any, str, Any]] = []
_lifted: dict[FunctionType, tuple[CodeType, CodeType, FunctionType]] = {}
"""By each function that was written down: the code that computes, the code that writes, and what computes."""


def lift(function: FunctionType) -> None:
    """Lets a function be written down while a program is, by whatever name it is held; it computes otherwise.

    Its code is exchanged, so that what took the function before the mode was static holds the same one.
    What a program that becomes static again and again exchanges is made once.
    """
    if function not in _lifted:
        _lifted[function] = _pair(function)
    _, function.__code__, function.__wrapped__ = _lifted[function]  # type: ignore[attr-defined]


def _pair(function: FunctionType) -> tuple[CodeType, CodeType, FunctionType]:
    kind, own = function.__name__, function.__code__
    computed = FunctionType(own, function.__globals__, kind, function.__defaults__, function.__closure__)
    functools.update_wrapper(computed, function)
    computed.__kwdefaults__ = function.__kwdefaults__
    below = getattr(function, "__wrapped__", None)
    if below is None:
        del computed.__wrapped__  # type: ignore[attr-defined]
    else:
        computed.__wrapped__ = below  # type: ignore[attr-defined]

    def lifted(*arguments: Any, **options: Any) -> Any:
        if not mode.builds() or _has_values((arguments, options)):
            return computed(*arguments, **options)
        frame = _frame(2)
        if kind == "increment":
            target = arguments[0] if arguments else options.pop("x")
            if isinstance(target, Variable):
                return _increased(computed, target, arguments[1:], options, frame)
        output = options.get("output" if kind == "assign" else "out")
        if kind == "assign" and len(arguments) > 1:
            output, arguments = arguments[1], arguments[:1]
        if isinstance(output, Variable):
            others = {word: one for word, one in options.items() if one is not output}
            return build(computed, kind, arguments, others, frame, into=output)
        if output is not None and kind == "assign":
            options["output"] = output
        return build(computed, kind, arguments, options, frame)

    return own, _code_that_calls(lifted, own), computed


def computing(function: FunctionType) -> FunctionType:
    """Returns what a function calls to compute, whether or not calls are written down now."""
    return _lifted[function][2] if function in _lifted else function


def _has_values(given: Any) -> bool:
    """Returns whether the tensors that a call is given have values, and are none that a program changes."""
    tensors = [one for one in flat(given) if isinstance(one, Variable | Tensor | Cell)]
    return bool(tensors) and not any(
        isinstance(one, Variable | StaticLeaf | StaticParameter)
        or any(one is leaf for leaf in programs.main.leaves.values())
        for one in tensors
    )


_HOLDER = ("the function that is called",)
"""What the constants of a code have where it keeps the function that it calls."""


def _code_that_calls(lifted: Callable[..., Any], own: CodeType) -> CodeType:
    """Returns code for a function that hands its arguments on; it closes over as much as its `own` code."""
    code = _code_of(len(own.co_freevars))
    constants = tuple(lifted if one == _HOLDER else one for one in code.co_consts)
    return code.replace(co_consts=constants, co_name=own.co_name, co_qualname=own.co_qualname)


@functools.cache
def _code_of(count: int) -> CodeType:
    """Returns the code for functions that close over so many names."""
    names = [f"held{number}" for number in range(count)]
    source = [
        f"def outer({', '.join(names)}):",
        "    def inner(*arguments, **options):",
        f"        ({''.join(f'{name}, ' for name in names)})",
        f"        call = {_HOLDER!r}",
        "        return call(*arguments, **options)",
        "    return inner",
    ]
    space: dict[str, Any] = {}
    # A traceback shows the text above.
    above = "\n" * (sys._getframe().f_code.co_firstlineno + 4)
    exec(compile(above + "\n".join(source), __file__, "exec"), space)
    code: CodeType = space["outer"](*names).__code__
    return code


def _more(x: Any, value: float = 1.0, name: Any = None) -> Any:
    return _creation._more(x, value, _frame(1))


OPERATORS["increment"] = _more


def _increased(function: Any, target: Variable, others: Any, options: Any, frame: FrameType) -> Any:
    return build(_more, "increment", (target, *others), options, frame, into=target)


def call_layer(layer: Any, inputs: Any, frame: FrameType, options: dict[str, Any] | None = None) -> Any:
    """Writes the call of one of Paddle's own layers down as one operation."""
    return build(calling(layer), layer._full_name, inputs, options or {}, frame, layer=layer)


def _layer_called(layer: Any, *inputs: Any, **options: Any) -> Any:
    """Calls a layer: one of Paddle's own is one operation, one that the user wrote is taken apart.

    So is one that holds tensors of the program, which have other values in each run.
    """
    if mode.builds() and all(_is_ours(one) and not _holds_results(one) for one in layer.sublayers(True)):
        return call_layer(layer, inputs, _frame(1), options)
    return _eager_call(layer, *inputs, **options)


def _is_ours(layer: Any) -> bool:
    return type(layer).__module__.startswith("penstock.paddle.")


def _holds_results(layer: Any) -> bool:
    return holds(list(vars(layer).values()), (Variable,))


_eager_call = Layer.__call__


def calling(layer: Any) -> Callable[..., Any]:
    """Returns the call of a layer that computes at once."""
    return _eager_call.__get__(layer)  # type: ignore[no-any-return]


_create = _creation.create_parameter


@functools.wraps(_create)
def _created(
    shape: Any, dtype: Any = "float32", name: Any = None, attr: Any = None, is_bias: bool = False,
    default_initializer: Any = None, prefix: str = "create_parameter",
) -> Any:  # fmt: skip
    """Makes a parameter of the main program, which the startup program starts.

    A name that a parameter of this shape and dtype has already means this one, as it does in a scope.
    """
    options = (attr, is_bias, default_initializer, prefix)
    if not mode.static:
        return _create(shape, dtype, name, *options)
    wanted = _creation.attributes(attr)
    called = (wanted.name if wanted is not None else None) or name
    found = _known(called)
    if found is not None and not _is_as(found, shape, dtype):
        if found.path in programs.main.leaves:
            raise InvalidTypeError(
                f"The parameter {called} has shape {list(found.shape)} already, in {found._spec.dtype.name}, "
                f"and is to be created with {list(lengths_of(shape))}, in {numpy_dtype(dtype).name}.",
                origin=f"{called} created at {found.site}",
                remedy="Give it another name, or none.",
                site=here(),
            )
        # Of another program: when this one starts, the name means what it makes.
        found = None
    if found is None:
        # The startup program draws the values; where no seed was set, it keeps these.
        with mode.running(), seeded.aside():
            found = _create(shape, dtype, name, *options)
        if found is None:
            return None
        found.__class__ = StaticParameter
        _start(found, lambda: _create(shape, dtype, found.path, *options)._value)
    else:
        _start(found, lambda: _create(shape, dtype, found.path, *options)._value, anew=True)
    programs.main.leaves[found.path] = found
    return found


def _known(name: str | None) -> Any:
    return current().leaves.get(name) if name else None


def _is_as(leaf: Any, shape: Any, dtype: Any) -> bool:
    return list(leaf.shape) == list(lengths_of(shape)) and leaf._spec.dtype == numpy_dtype(dtype)


def _start(leaf: Any, drawn: Callable[[], Any], anew: bool = False) -> None:
    """Lets the startup program give a leaf its first value; when it runs again, or `anew`, another one."""
    scope, startup = current(), programs.startup
    scope.leaves[leaf.path] = leaf
    startup.leaves[leaf.path] = leaf

    def begin() -> None:
        if anew or leaf in current().started or seeded.is_set() or startup.random_seed:
            with seeded.fixing(startup.random_seed):
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
    found: dict[int, FunctionType] = {}
    for module in modules:
        for name in module.__all__:
            value = getattr(module, name)
            if (
                isinstance(value, FunctionType)
                and not name.startswith("_")
                and name not in _PLAIN
                and value.__module__.removeprefix("penstock.paddle.") in _LIFTED
            ):
                found[id(value)] = value
    for function in found.values():
        lift(function)
    _swap(_creation, "create_parameter", _created)
    _swap(paddle, "create_parameter", _created)
    _swap(paddle, "grad", _training.grad)
    _swap(Layer, "__call__", _layer_called)
    postpone(_swap)


def disable() -> None:
    """Makes calls at once again."""
    mode.static = False
    for function, (own, _, computed) in _lifted.items():
        function.__code__ = own
        if hasattr(computed, "__wrapped__"):
            function.__wrapped__ = computed.__wrapped__  # type: ignore[attr-defined]
        else:
            function.__dict__.pop("__wrapped__", None)
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
    if name in programs.main.data:
        programs.main.former.append(programs.main.data[name])
    programs.main.data[name] = made
    return made
