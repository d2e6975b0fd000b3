"""Functions with a custom gradient: custom_gradient, checkpoint and others."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, Generic, ParamSpec, TypeVar

from penstock.errors import DTypeError, GradientFunctionError, PenstockError, ShapeError
from penstock.functions.rewrite import BodyBuilder, emit
from penstock.functions.subtrace import follow, record
from penstock.grad import control as _control
from penstock.ops import control
from penstock.ops.pointwise import identity, stop_gradient
from penstock.ops.table import common_shape
from penstock.tiers.subprogram import Body
from penstock.trace.builder import Builder
from penstock.trace.convert import as_tensor, convert, is_array
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.source_site import here, user_frame
from penstock.trace.spec import Shape, Spec, differentiable
from penstock.trace.structure import flat, mapped, packed
from penstock.trace.tensor import Cell, Tensor

P = ParamSpec("P")
R = TypeVar("R")


class CustomGradient(Generic[P]):
    """A function that `custom_gradient` has wrapped."""

    _kind: type[Tensor] = Tensor

    def __init__(self, function: Callable[P, Any]) -> None:
        self.function = function
        self._pair: tuple[Callable[..., Any], Callable[..., Any]] | None = None
        functools.update_wrapper(self, function)

    def defvjp(self, forward: Callable[..., Any], backward: Callable[..., Any]) -> None:
        """Defines value and gradient separately.

        `forward(*arguments)` returns (value, kept), and `backward(kept, upstream)` a tuple with the gradient
        of each argument.
        """
        self._pair = forward, backward

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *arguments: P.args, **options: P.kwargs) -> Any:
        frame = user_frame(0)
        trace = local.trace
        given, leaves = _as_tensors(arguments, self._kind)
        if not recording(trace):
            return self._run(given, options)[0]
        known: Any = trace if isinstance(trace, Trace) else None
        if known is not None:
            # From here on each use of a variable is a separate read, so that the reads by the function show.
            known.reread()
        value, gradient = self._run(given, options)
        variables = [] if known is None else _read_by(known, leaves)
        value = mapped(value, lambda one: _returned(one))
        results = flat(value)
        asked = _Asked(self, gradient, leaves, variables, frame)
        recorded = record(
            f"the gradient function of {_name(self)}",
            asked,
            [(one._spec, type(one)) for one in results],
            frame,
        )
        count, arguments_count = len(results), len(leaves) + len(variables)
        given_places = asked.given

        def build(builder: Builder, operands: list[Tensor]) -> Sequence[Tensor]:
            return emit(
                builder, control.custom, operands, body=recorded.body(), count=count, given=given_places
            )

        made = follow(
            _name(self), (control.custom, recorded.key, count, arguments_count, given_places),
            [*results, *leaves, *variables, *recorded.captures], recorded.numbers,
            [type(one) for one in results], frame, build,
        )  # fmt: skip
        return packed(value, iter(made))

    def _run(self, given: Sequence[Any], options: Any) -> tuple[Any, Callable[..., Any]]:
        """Returns what the function computes, and the function that gives its gradient."""
        if self._pair is not None:
            forward, backward = self._pair
            value, kept = self._pair_of(forward(*given, **options), forward)
            return value, functools.partial(backward, kept)
        value, gradient = self._pair_of(self.function(*given, **options), self.function)
        if not callable(gradient):
            raise self._refused(
                f"{_name(self)} returned {type(gradient).__name__} where the gradient function should be."
            )
        return value, gradient

    def _pair_of(self, found: Any, function: Any) -> tuple[Any, Any]:
        if not isinstance(found, tuple) or len(found) != 2:
            raise self._refused(f"{_name(function)} returned {type(found).__name__}, not a pair.")
        return found

    def _refused(self, fact: str) -> PenstockError:
        return GradientFunctionError(
            fact,
            why="It must return (value, gradient), where gradient(upstream) is a "
            "function that returns one gradient for each argument.",
            remedy="return value, gradient",
            site=here(),
        )


class _Asked:
    """The gradient function as it is recorded: it takes cotangents and returns the gradients that exist.

    `given` holds the numbers of the arguments, then of the variables, that have a gradient.
    """

    def __init__(
        self, owner: CustomGradient[Any], gradient: Any, leaves: Sequence[Any], variables: Sequence[Any],
        frame: FrameType,
    ) -> None:  # fmt: skip
        self.owner, self.gradient, self.leaves, self.variables = owner, gradient, leaves, variables
        self.frame = frame
        self.given: tuple[int, ...] = ()

    def __call__(self, *cotangents: Tensor) -> list[Any]:
        variables = self.variables
        if variables and not _takes_variables(self.gradient):
            names = ", ".join(repr(one.path) for one in variables)
            raise GradientFunctionError(
                f"{_name(self.owner)} reads Variable {names}, and its gradient function does not take "
                "`variables`.",
                why="Whatever the function reads besides its arguments has a gradient too.",
                remedy="Write gradient(upstream, variables=None), and return (gradients of the arguments, "
                "[gradient of each variable]); or pass the Variable as an argument.",
                site=here(),
            )
        if variables:
            found = self.gradient(*cotangents, variables=variables)
            if not isinstance(found, tuple | list) or len(found) != 2:
                raise GradientFunctionError(
                    f"The gradient function of {_name(self.owner)} was given `variables`, but did not "
                    "return a pair.",
                    remedy="Return (gradients of the arguments, [gradient of each variable]).",
                    site=here(),
                )
            by_arguments, by_variables = _listed(found[0]), _listed(found[1])
        else:
            by_arguments, by_variables = _listed(self.gradient(*cotangents)), []
        self._count(by_arguments, len(self.leaves), "argument")
        self._count(by_variables, len(variables), "variable")
        found = [*by_arguments, *by_variables]
        self.given = tuple([place for place, one in enumerate(found) if one is not None])
        owners = [*self.leaves, *variables]
        return [_as_gradient(found[place], owners[place], self.owner) for place in self.given]

    def _count(self, found: Sequence[Any], wanted: int, what: str) -> None:
        if len(found) != wanted:
            raise GradientFunctionError(
                f"The gradient function of {_name(self.owner)} returned {len(found)} "
                f"gradient{'' if len(found) == 1 else 's'} for {wanted} {what}{'' if wanted == 1 else 's'}.",
                remedy=f"Return one for each {what}, or None where there is none.",
                site=here(),
            )


def custom_gradient(f: Callable[P, Any]) -> CustomGradient[P]:
    """Gives a function a custom gradient.

    `f(*arguments)` returns (value, gradient). `gradient(upstream)` returns the gradient with respect to the
    argument: a list for several arguments, None for an argument without one. If `f` returns several values,
    it takes one `upstream` for each. If `f` reads trainable variables that are not among its arguments, it is
    called as `gradient(upstream, variables=[...])` and returns (gradients, [gradient of each variable]). Its
    result can be differentiated again. If a tape is recording, it runs when `f` runs, with tensors that have
    no value yet.

    Value and gradient may also be defined separately, with `f.defvjp(forward, backward)`:
    `forward(*arguments)` returns (value, kept), `backward(kept, upstream)` a tuple of gradients.

    Args:
        f: a function of tensors, or of structures of them.

    Returns:
        A function of the arguments of `f` that returns its value.

    Raises:
        GradientFunctionError: if `f` does not return a value and a function, or if that function does not
            return one gradient for each argument.

    >>> import penstock as ps
    >>> @ps.custom_gradient
    ... def reversed_gradient(x):
    ...     return x * 1.0, lambda upstream: -upstream
    >>> ps.grad(lambda x: reversed_gradient(x * x))(3.0)
    Tensor(-6., dtype=float32)
    """
    return CustomGradient(f)


def straight_through(value: Any, surrogate: Any) -> Tensor:
    """Returns `value`, with the gradient of `surrogate`.

    Use it to train through a step function (Bengio, Léonard and Courville, "Estimating or propagating
    gradients through stochastic neurons", 2013). The result equals the value bit for bit, unlike `surrogate +
    stop_gradient(value - surrogate)`. Raises ShapeError or DTypeError if the two differ.

    Args:
        value: the tensor whose value is returned.
        surrogate: the tensor whose gradient is used, of the same shape.

    Returns:
        A tensor of the shape and dtype of `value`.

    Raises:
        ShapeError: if `value` or `surrogate` has the wrong shape, or names an axis that is not there.
        DTypeError: if `value` or `surrogate` has the wrong dtype or type.

    >>> import penstock as ps
    >>> x = ps.asarray([0.2, 0.7])
    >>> ps.grad(lambda x: ps.sum(ps.straight_through(ps.round(x), x) * ps.asarray([1.0, 5.0])))(x)
    Tensor([1., 5.], dtype=float32)
    """
    frame = user_frame(1)
    value, surrogate = (
        one if isinstance(one, Tensor | Cell) else as_tensor(one) for one in (value, surrogate)
    )
    if value._spec is not surrogate._spec:
        kind: Any = DTypeError if value._spec.shape == surrogate._spec.shape else ShapeError
        raise kind(
            f"straight_through: the value is {value._spec!r}, the surrogate {surrogate._spec!r}.",
            why="The gradient of one is used for the other.",
            remedy="Convert or reshape one of them.",
            site=here(),
        )
    stopped = stop_gradient.record((value,), {}, frame)
    own: Spec = stopped._spec

    def build(builder: Builder, operands: list[Tensor]) -> Sequence[Tensor]:
        return emit(builder, control.custom, operands, body=_through(own), count=1, given=(0,))

    return follow(
        "straight_through",
        (control.custom, "through"),
        [stopped, surrogate],
        (),
        [type(stopped)],
        frame,
        build,
    )[0]


@functools.lru_cache(256)
def _through(own: Spec) -> Body:
    """Returns the program that passes a cotangent on."""
    builder = BodyBuilder(None)
    with builder:
        return builder.body(builder.inputs([own]))


def checkpoint(f: Callable[P, R]) -> Callable[P, R]:
    """Makes a function drop its intermediate values: its gradient recomputes them.

    The value and the gradients stay the same, for the arguments and for every variable read inside, and both
    runs draw the same random numbers. It costs the time of one more run of `f` and saves the memory of its
    intermediate values. (T. Chen et al., "Training deep nets with sublinear memory cost", 2016.) Arguments
    may be nested; code inside cannot read values or write variables.

    Args:
        f: a function of tensors, or of structures of them.

    Returns:
        A function of the arguments of `f`.

    >>> import penstock as ps
    >>> weight = ps.Variable(2.0)
    >>> block = ps.checkpoint(lambda x: ps.tanh(ps.tanh(x * weight)))
    >>> with ps.GradientTape() as tape:
    ...     y = block(ps.asarray(0.5))
    >>> round(float(tape.gradient(y, weight)), 4)
    0.1234
    """
    return checkpointed(f, Tensor)


def checkpointed(f: Callable[P, R], kind: type[Tensor]) -> Callable[P, R]:
    """Does what `checkpoint` does; `kind` is the class of tensors that data among the arguments becomes."""

    @functools.wraps(f)
    def block(*arguments: P.args, **options: P.kwargs) -> R:
        frame = user_frame(0)
        given, leaves = _as_tensors((arguments, options), kind)
        inputs = [one for one in leaves if isinstance(one, Tensor)]

        def run(*stand_ins: Tensor) -> Any:
            following = iter(stand_ins)
            places = {id(one): next(following) for one in inputs}
            positional, named = mapped(given, lambda one: places.get(id(one), one))
            return f(*positional, **named)

        what = f"the checkpointed {_name(f)}"
        recorded = record(what, run, [(one._spec, type(one)) for one in inputs], frame)

        def build(builder: Builder, operands: list[Tensor]) -> Sequence[Tensor]:
            return emit(builder, control.call, operands, body=recorded.body(), again=False)

        made = follow(
            _name(f), (control.call, recorded.key), [*inputs, *recorded.captures], recorded.numbers,
            recorded.kinds, frame, build,
        )  # fmt: skip
        return packed(recorded.result, iter(made))  # type: ignore[no-any-return]

    return block


# -- arguments and results ----------------------------------------------------------------------------------


def recording(trace: Any) -> bool:
    """Returns whether a gradient of the present computation may be requested."""
    while trace is not None:
        if isinstance(trace, Builder):
            return True
        if trace.taping or trace.standing is not None:
            return True
        trace = trace.nested.outer if trace.nested is not None else None
    return False


def _is_data(one: Any) -> bool:
    number = isinstance(one, int | float | complex) and not isinstance(one, bool)
    return number or isinstance(one, Tensor | Cell) or is_array(one)


def _as_tensors(arguments: Any, kind: type[Tensor]) -> tuple[Any, list[Any]]:
    """Returns the arguments with their data as separate tensors, and these tensors; other values stay."""
    leaves: list[Any] = []

    def converted(one: Any) -> Any:
        if not _is_data(one):
            return one
        if not isinstance(one, Tensor | Cell):
            one = as_tensor(one, kind)
        elif isinstance(one, Tensor) and any(one is other for other in leaves):
            # A tensor that is passed twice counts as two arguments.
            one = identity(one)
        leaves.append(one)
        return one

    return mapped(arguments, converted), leaves


def _read_by(trace: Trace, leaves: Sequence[Any]) -> list[Any]:
    """Returns the trainable variables used since `reread`, except those among the arguments."""
    taken = {one._uid for one in leaves if isinstance(one, Cell)}
    used = trace.current
    return [one for one in trace.variables if one._trainable and one._uid in used and one._uid not in taken]


def _returned(one: Any) -> Any:
    if isinstance(one, Cell):
        return identity(one)
    if isinstance(one, Tensor):
        return one
    return as_tensor(one)


def _takes_variables(gradient: Any) -> bool:
    try:
        parameters = inspect.signature(gradient).parameters
    except (TypeError, ValueError):
        return True
    return "variables" in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())


def _listed(found: Any) -> list[Any]:
    """Returns the leaves of what a gradient function returned, None among them."""
    return flat(found, lambda one: one is None)


def _as_gradient(one: Any, source: Any, owner: Any) -> Any:
    """Returns a gradient as a tensor of the shape and dtype of its source."""
    dense = getattr(one, "dense", None) or getattr(one, "_dense", None)
    if dense is not None:
        one = dense()
    elif isinstance(one, Cell):
        one = identity(one)
    elif not isinstance(one, Tensor):
        one = convert(one, source._spec.dtype, source._tensor_class)
    if not differentiable(source._spec):
        return one
    fits = one._spec.dtype == source._spec.dtype and _broadcasts(one._spec.shape, source._spec.shape)
    if not fits:
        raise GradientFunctionError(
            f"The gradient function of {_name(owner)} returned {one._spec!r} for an argument that is "
            f"{source._spec!r}.",
            why="A gradient must have the shape and dtype of the value it is taken with respect to.",
            site=here(),
        )
    return one


def _broadcasts(shape: Shape, own: Shape) -> bool:
    """Returns whether a gradient can be summed or spread to the shape it should have."""
    try:
        return common_shape(shape, own) in (shape, own)
    except ValueError:
        return False


def _name(f: Any) -> str:
    return str(getattr(f, "__name__", None) or type(f).__name__)


assert _control

__all__ = ["CustomGradient", "checkpoint", "checkpointed", "custom_gradient", "straight_through"]
