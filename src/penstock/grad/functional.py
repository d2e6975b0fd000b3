"""Derivatives of functions: `grad`, `jacobian`, `vjp` and others, which open the tape themselves."""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, overload

from penstock.errors import ArgumentError, DTypeError, PenstockError, ShapeError
from penstock.functions.creation import zeros, zeros_like
from penstock.functions.subtrace import as_leaf
from penstock.grad.rows import Rows
from penstock.grad.tape import GradientTape
from penstock.ops.pointwise import identity
from penstock.trace.convert import convert, shown
from penstock.trace.engine import engine
from penstock.trace.source_site import here, user_frame
from penstock.trace.spec import differentiable
from penstock.trace.structure import flat, mapped, outline
from penstock.trace.tensor import Cell, Tensor


@overload
def grad(f: Callable[..., Any], argnums: int = 0) -> Callable[..., Tensor | Any]: ...


@overload
def grad(f: Callable[..., Any], argnums: Sequence[int]) -> Callable[..., tuple[Tensor | Any, ...]]: ...


def grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Returns a function that computes the gradient of a scalar function `f` in its arguments `argnums`.

    An argument is a tensor, a variable, an array or a number, or a structure of these: a list, tuple,
    mapping, dataclass or a class that `ps.register_structure` knows. Its gradient has the same structure.
    Several `argnums` give a tuple. The gradient is None, not zeros, for an argument that the result does not
    depend on, and `Rows` for one that `f` only gathers from. Passing the same tensor twice gives two separate
    gradients. Calls nest: `grad(grad(f))` is the second derivative.

    Args:
        f: a function of tensors, or of structures of them.
        argnums: the arguments by place: an int, or a sequence of ints.

    Returns:
        A function of the arguments of `f`.

    Raises:
        ShapeError: if the value of `f` is not a scalar.
        DTypeError: if an argument has integers.
        PenstockError: if `argnums` names no argument, or the value has no history.

    >>> import penstock as ps
    >>> ps.grad(lambda x: x * x * x)(2.0)
    Tensor(12., dtype=float32)
    >>> ps.grad(ps.grad(lambda x: x * x * x))(2.0)
    Tensor(12., dtype=float32)
    >>> ps.grad(lambda point: point["x"] * point["y"])({"x": 3.0, "y": 4.0})
    {'x': Tensor(4., dtype=float32), 'y': Tensor(3., dtype=float32)}
    """
    return _slope(f, argnums, None)


def value_and_grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., tuple[Tensor | Any, Any]]:
    """Returns a function that computes (value, gradient) of `f`; see `grad`.

    With `has_aux`, `f` returns (value, anything), and the result is ((value, anything), gradient).
    Raises ShapeError if the value is not a scalar, and DTypeError for an argument of integers.

    Args:
        f: a function of tensors, or of structures of them.
        argnums: the arguments by place: an int, or a sequence of ints.
        has_aux: whether `f` returns (value, anything).

    Returns:
        A function of the arguments of `f`.

    Raises:
        ShapeError: if the value of `f` is not a scalar.
        DTypeError: if an argument has integers.
        PenstockError: if `argnums` names no argument, or the value has no history.

    >>> import penstock as ps
    >>> ps.value_and_grad(lambda x, y: x * y, argnums=(0, 1))(3.0, 4.0)
    (Tensor(12., dtype=float32), (Tensor(4., dtype=float32), Tensor(3., dtype=float32)))
    """

    return _with_gradient(f, argnums, has_aux, None)


def jacobian(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Tensor | Any]:
    """Returns a function that computes the Jacobian of `f` with respect to its arguments `argnums`.

    For one tensor with respect to another, the shape is `result.shape + argument.shape`. Structures are as in
    `grad`: if `f` returns several tensors, each is differentiated. The Jacobian is zero where the result does
    not depend on an argument. One reverse pass computes all rows.

    Args:
        f: a function of tensors, or of structures of them.
        argnums: the arguments by place: an int, or a sequence of ints.

    Returns:
        A function of the arguments of `f`.

    Raises:
        DTypeError: if an argument has integers.
        PenstockError: if `argnums` names no argument, or a result has no history.

    >>> import penstock as ps
    >>> ps.jacobian(lambda x: x * x)(ps.asarray([1.0, 2.0]))
    Tensor([[2., 0.],
           [0., 4.]], dtype=float32)
    """

    @functools.wraps(f)
    def of(*arguments: Any, **options: Any) -> Any:
        return _rows_of(f, argnums, arguments, options, lambda tape, one, leaves: tape.jacobian(one, leaves))

    return of


def batch_jacobian(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Returns a function that computes a Jacobian for each example: of `f(x)[i]` with respect to `x[i]`.

    `f` takes and returns batches, tensors of shape [b, ...]; the result has the shape `result.shape +
    argument.shape[1:]`. It assumes that `f(x)[i]` depends on `x[i]` alone, as `GradientTape.batch_jacobian`
    does. `argnums`, structures and zeros are as in `jacobian`. Raises ShapeError if the first axes of a
    result and an argument differ, or if either has fewer than two axes.

    Args:
        f: a function of tensors, or of structures of them.
        argnums: the arguments by place: an int, or a sequence of ints.

    Returns:
        A function of the arguments of `f`.

    Raises:
        ShapeError: if the results are not one for each example.
        PenstockError: if the result has no history.

    >>> import penstock as ps
    >>> ps.batch_jacobian(lambda x: x * x)(ps.asarray([[1.0, 2.0], [3.0, 4.0]]))
    Tensor([[[2., 0.],
            [0., 4.]],
    <BLANKLINE>
           [[6., 0.],
            [0., 8.]]], dtype=float32)
    """

    @functools.wraps(f)
    def of(*arguments: Any, **options: Any) -> Any:
        return _rows_of(
            f,
            argnums,
            arguments,
            options,
            lambda tape, one, leaves: [tape.batch_jacobian(one, leaf) for leaf in leaves],
            each=True,
        )

    return of


def hessian(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Returns a function that computes the second derivatives of `f`, which returns a scalar.

    For one tensor the shape is `argument.shape + argument.shape`. It equals `jacobian(grad(f))`: it is zero
    for a linear function, and for an argument that the function does not depend on.

    Args:
        f: a function of tensors, or of structures of them.
        argnums: the arguments by place: an int, or a sequence of ints.

    Returns:
        A function of the arguments of `f`.

    Raises:
        ShapeError: if the value of `f` is not a scalar.
        DTypeError: if an argument has integers.
        PenstockError: if `argnums` names no argument.

    >>> import penstock as ps
    >>> ps.hessian(lambda x: x[0] ** 2 * x[1])(ps.asarray([1.0, 2.0]))
    Tensor([[4., 2.],
           [2., 0.]], dtype=float32)
    """
    return jacobian(_slope(f, argnums), argnums)


def vjp(f: Callable[..., Any], *arguments: Any) -> tuple[Any, Callable[..., Any]]:
    """Returns (f(*arguments), pullback); `pullback(cotangent)` gives a tuple of the arguments' cotangents.

    The cotangent must have the structure and shapes of the result. An argument that `f` does not depend on
    gets None. You may call the pullback more than once.

    Args:
        f: a function of tensors, or of structures of them.
        arguments: the arguments of `f`.

    Returns:
        A tuple of the value, and a function of its cotangent.

    Raises:
        ShapeError: if a cotangent does not have the shape of its result.
        DTypeError: if an argument has integers.
        PenstockError: if the cotangent does not have the structure of the result.

    >>> import penstock as ps
    >>> value, pullback = ps.vjp(lambda x, y: x * y, 3.0, 4.0)
    >>> pullback(1.0)
    (Tensor(4., dtype=float32), Tensor(3., dtype=float32))
    """
    positions = range(len(arguments))
    with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        given, stand_ins, leaves = _replaced(arguments, positions, f)
        tape.watch(*leaves)
        result = mapped(f(*given), lambda one: _tensor(one, f))
    targets = flat(result)

    def pullback(cotangent: Any) -> tuple[Any, ...]:
        weights = flat(cotangent)
        if outline(cotangent) != outline(result):
            raise PenstockError(
                f"The cotangent of {_name(f)} is {type(cotangent).__name__}, its result "
                f"{type(result).__name__}.",
                why="Each tensor of the result needs its own cotangent.",
                remedy="Give the cotangent the structure of the result.",
                site=here(),
            )
        weights = [_like(weight, target, f) for weight, target in zip(weights, targets, strict=True)]
        found = iter(tape.gradient(targets, leaves, weights))
        return tuple(mapped(one, lambda _: next(found)) for one in stand_ins)

    return result, pullback


def jvp(f: Callable[..., Any], x: Any, dx: Any) -> tuple[Any, Any]:
    """Returns (f(x), derivative): the derivative of `f` along `dx`, in the structure of the result.

    A plain tuple `x` holds several arguments, and `dx` then holds one tangent for each. A result that does
    not depend on `x` has the derivative None. (Two reverse passes are recorded, and only the parts that
    matter are run.)

    Args:
        f: a function of tensors, or of structures of them.
        x: where to differentiate: a tensor, a structure, or a tuple of several arguments.
        dx: the direction, in the structure of `x`.

    Returns:
        A tuple of the value, and the derivative in its structure.

    Raises:
        ShapeError: if `dx` does not have the shapes of `x`.
        DTypeError: if an argument has integers.
        PenstockError: if `dx` does not have the structure of `x`.

    >>> import penstock as ps
    >>> ps.jvp(lambda x: x * x, 3.0, 1.0)
    (Tensor(9., dtype=float32), Tensor(6., dtype=float32))
    """
    arguments, tangents = (x, dx) if type(x) is tuple else ((x,), (dx,))
    with GradientTape(watch_accessed_variables=False) as tape:
        given, stand_ins, leaves = _replaced(arguments, range(len(arguments)), f)
        directions = flat(tangents)
        if outline(tuple(tangents)) != outline(tuple(stand_ins)):
            raise PenstockError(
                f"The tangents of {_name(f)} do not match its arguments.",
                origin=f"{len(leaves)} tensors, {len(directions)} tangents",
                remedy="Give each argument a tangent of the same shape.",
                site=here(),
            )
        directions = [_like(one, leaf, f) for one, leaf in zip(directions, leaves, strict=True)]
        tape.watch(*leaves)
        result = mapped(f(*given), lambda one: _tensor(one, f))
    results = flat(result)
    found = map(_or_zeros, tape._jvp(results, leaves, directions, user_frame(1)), results)
    return result, mapped(result, lambda _: next(found))


def hvp(f: Callable[..., Any], x: Any, v: Any) -> Tensor | Any:
    """Returns the product of the second derivatives of `f`, which returns a scalar, with `v`.

    `v` has the structure of `x`; a tuple `x` holds several arguments. The matrix itself is never computed:
    the cost is that of a few gradients. For a linear function the product is zero.

    Args:
        f: a function of tensors, or of structures of them.
        x: where to differentiate: a tensor, a structure, or a tuple of several arguments.
        v: the direction, in the structure of `x`.

    Returns:
        A tensor, or the structure of `x`.

    Raises:
        ShapeError: if the value of `f` is not a scalar, or `v` does not have the shapes of `x`.
        DTypeError: if an argument has integers.
        PenstockError: if `v` does not have the structure of `x`.

    >>> import penstock as ps
    >>> ps.hvp(lambda x: ps.sum(x**3), ps.asarray([1.0, 2.0]), ps.asarray([1.0, 0.5]))
    Tensor([6., 6.], dtype=float32)
    """
    single = type(x) is not tuple
    arguments = (x,) if single else x
    found = jvp(_slope(f, tuple(range(len(arguments)))), arguments, (v,) if single else v)[1]
    return found[0] if single else found


def _slope(
    f: Callable[..., Any], argnums: int | Sequence[int], absent: Callable[[Any], Any] | None = zeros_like
) -> Callable[..., Any]:
    """Returns a function that computes the gradient of `f`, with zeros in place of a missing one."""
    both = _with_gradient(f, argnums, False, absent)

    @functools.wraps(f)
    def gradient(*arguments: Any, **options: Any) -> Any:
        return both(*arguments, **options)[1]

    return gradient


def _with_gradient(
    f: Callable[..., Any], argnums: int | Sequence[int], has_aux: bool, absent: Callable[[Any], Any] | None
) -> Callable[..., Any]:
    """Does the work of `value_and_grad`; `absent`, unless None, makes the value for a missing gradient."""
    if not callable(f):
        raise ArgumentError(
            f"The gradient of {shown(f)} was asked for, which is not a function.",
            why="The result is a function, which takes the arguments of the one given.",
            remedy="Give the function itself, ps.grad(f)(x), or ask a tape: tape.gradient(loss, variables).",
            site=here(),
        )

    @functools.wraps(f)
    def both(*arguments: Any, **options: Any) -> Any:
        wanted = _positions(argnums, arguments, f)
        with GradientTape(watch_accessed_variables=False) as tape:
            given, stand_ins, leaves = _replaced(arguments, wanted, f)
            tape.watch(*leaves)
            result = f(*given, **options)
            value = _scalar(result, has_aux, f)
        slopes = tape.gradient(value, leaves)
        if absent is not None:
            slopes = [absent(leaf) if one is None else one for one, leaf in zip(slopes, leaves, strict=True)]
        elif engine.questions:
            engine.questions.tell(leaves, user_frame(1), _named_by(f, wanted, arguments))
        found = iter(slopes)
        by = tuple(mapped(one, lambda _: next(found)) for one in stand_ins)
        return result, by[0] if isinstance(argnums, int) else by

    return both


def _rows_of(
    f: Callable[..., Any],
    argnums: int | Sequence[int],
    arguments: Sequence[Any],
    options: dict[str, Any],
    ask: Callable[[GradientTape, Any, list[Any]], Sequence[Any]],
    each: bool = False,
) -> Any:
    """Returns the results of `ask` for each tensor that f returns, in the structure of the arguments."""
    wanted = _positions(argnums, arguments, f)
    with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        given, stand_ins, leaves = _replaced(arguments, wanted, f)
        tape.watch(*leaves)
        # To differentiate a row gradient takes one row for each element of the table.
        result = mapped(f(*given, **options), lambda one: _tensor(one, f))

    def rows(one: Any) -> Any:
        shape = one._spec.shape
        found = iter(
            [
                zeros(shape + leaf._spec.shape[each:], dtype=leaf._spec.dtype) if block is None else block
                for block, leaf in zip(ask(tape, one, leaves), leaves, strict=True)
            ]
        )
        by = tuple(mapped(argument, lambda _: next(found)) for argument in stand_ins)
        return by[0] if isinstance(argnums, int) else by

    return mapped(result, rows)


def _or_zeros(found: Any, of: Any) -> Any:
    """Returns a derivative, or zeros like its source where there is none."""
    return zeros_like(of) if found is None else found


def _positions(argnums: int | Sequence[int], arguments: Sequence[Any], f: Any) -> tuple[int, ...]:
    wanted = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    for position in wanted:
        if not -len(arguments) <= position < len(arguments):
            raise PenstockError(
                f"argnums names argument {position}; {_name(f)} was given {len(arguments)} by position.",
                remedy="Count from 0, and pass differentiated arguments by position.",
                site=here(),
            )
    return wanted


def _replaced(
    arguments: Sequence[Any], wanted: Sequence[int], f: Any
) -> tuple[list[Any], list[Any], list[Any]]:
    """Returns the arguments to pass to f, the differentiated ones among them, and the tensors in these."""
    given = list(arguments)
    stand_ins, leaves = _stand_ins([arguments[position] for position in wanted], f)
    for position, one in zip(wanted, stand_ins, strict=True):
        given[position] = one
    return given, stand_ins, leaves


def _named_by(f: Any, wanted: Sequence[int], arguments: Sequence[Any]) -> list[tuple[str, Any]]:
    """Returns the arguments that f is differentiated by, each with the name of its parameter."""
    try:
        names = list(inspect.signature(f).parameters)
    except (TypeError, ValueError):
        names = []
    known = dict(enumerate(names))
    positions = [position % len(arguments) for position in wanted]
    return [(known.get(one, f"argument {one}"), arguments[one]) for one in positions]


def _tensor(one: Any, f: Any) -> Any:
    """Returns a tensor that f has returned; refuses a value without a history."""
    if isinstance(one, Rows):
        return one.dense()
    if isinstance(one, Cell):
        return identity(one)
    if not isinstance(one, Tensor):
        raise _no_history(one, f)
    return one


def _like(one: Any, other: Any, f: Any) -> Any:
    """Returns a cotangent or tangent as a tensor of the dtype of its result or argument."""
    if not isinstance(one, Tensor | Cell):
        one = convert(one, other._spec.dtype)
    if one._spec is not other._spec:
        raise ShapeError(
            f"{_name(f)}: the tangent or cotangent of {other._spec!r} is {one._spec!r}.",
            why="It must have the same shape and dtype.",
            site=here(),
        )
    return one


def _stand_ins(chosen: Sequence[Any], f: Any) -> tuple[list[Any], list[Any]]:
    """Returns the arguments to pass to f, and the tensors and variables in them, all distinct.

    A variable is passed as it is, so that f can write it and gathering from it gives rows, unless it occurs
    twice.
    """
    occurrences: Counter[int] = Counter()
    for one in chosen:
        mapped(one, lambda leaf: occurrences.update([id(leaf)]))
    leaves: list[Any] = []

    def stand_in(leaf: Any) -> Any:
        if not isinstance(leaf, Cell) or occurrences[id(leaf)] > 1:
            leaf = identity(as_leaf(leaf))
        if not differentiable(leaf._spec):
            raise DTypeError(
                f"The gradient of {_name(f)} by {leaf._spec!r} was asked for.",
                why="Integers and booleans have no derivative.",
                remedy="Pass a floating-point number, 3.0 for 3, or convert it: astype(x, 'float32').",
                site=here(),
            )
        leaves.append(leaf)
        return leaf

    return [mapped(one, stand_in) for one in chosen], leaves


def _scalar(result: Any, has_aux: bool, f: Any) -> Any:
    """Returns the value to differentiate."""
    if has_aux and not (isinstance(result, tuple) and len(result) == 2):
        raise PenstockError(
            f"{_name(f)} returned {type(result).__name__}, with has_aux=True.",
            remedy="Return a pair: the scalar, and whatever else you need.",
            site=here(),
        )
    value = result[0] if has_aux else result
    if not isinstance(value, Tensor | Cell):
        raise _no_history(value, f)
    if value._spec.shape != ():
        raise ShapeError(
            f"{_name(f)} returned {value._spec!r}; only a scalar has a gradient.",
            remedy="Reduce it, for example with sum or mean.",
            site=here(),
        )
    return value


def _no_history(value: Any, f: Any) -> PenstockError:
    return PenstockError(
        f"{_name(f)} returned {type(value).__name__} {value!r}, which is not a tensor.",
        why="A Python number or an array has no history for a gradient to follow.",
        remedy="Compute the result with tensors; to return something else with it, use has_aux=True.",
        site=here(),
    )


def _name(f: Any) -> str:
    return str(getattr(f, "__name__", None) or type(f).__name__)
