"""Control flow that is part of the program: cond, while_loop, scan and map over functions of tensors."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from types import FrameType
from typing import Any

import numpy as np

from penstock.errors import DTypeError, PenstockError, ShapeError
from penstock.functions.arity import require_arity
from penstock.functions.keys import DrawKey, Fresh, in_turns
from penstock.functions.rewrite import BodyBuilder, computed, emit
from penstock.functions.subtrace import Recorded, as_leaf, class_of, follow, record
from penstock.ops import control, index, random
from penstock.ops.pointwise import add, not_equal
from penstock.ops.shape import flip
from penstock.ops.table import cast
from penstock.tiers.subprogram import Body
from penstock.trace.builder import Builder
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.source_site import here, user_frame
from penstock.trace.spec import Spec, spec
from penstock.trace.structure import flat, outline, packed
from penstock.trace.tensor import Tensor

COUNTER = spec((), np.uint32)


def cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], *operands: Any) -> Any:
    """Returns `true_fn(*operands)` where `pred` is true, and `false_fn(*operands)` where it is not.

    `pred` is a scalar tensor; the choice is made when the program runs, and only one of the functions is
    computed. Both are recorded, with tensors that have no value yet, and must return the same structure,
    shapes and dtypes. They may use any value from outside; gradients pass through the function that was
    chosen. If `pred` is a Python bool, that function is simply called.

    Raises ShapeError, DTypeError or PenstockError if the results differ in shape, dtype or structure, and
    SignatureError for a function that does not take the operands.

    Args:
        pred: a boolean tensor without axes.
        true_fn: the function to call if `pred` is true.
        false_fn: the function to call otherwise; its result has the same structure, shapes and dtypes.
        operands: the arguments of both functions.

    Returns:
        What the chosen function returns: a tensor or a structure.

    Raises:
        PenstockError: if both functions do not return the same structure.
        ShapeError: if `pred` has axes, or results differ in shape.
        DTypeError: if `pred` is not boolean, or results differ in dtype.

    >>> import penstock as ps
    >>> f = lambda x: ps.cond(x > 0.0, lambda x: x * x, lambda x: -x, x)
    >>> [float(f(ps.asarray(x))) for x in (3.0, -2.0)], float(ps.grad(f)(3.0))
    ([9.0, 2.0], 6.0)
    """
    for role, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        require_arity("cond", role, function, len(operands), "Take one parameter for each of the operands.")
    if isinstance(pred, bool | np.bool_):
        return true_fn(*operands) if pred else false_fn(*operands)
    frame = user_frame(0)
    chosen = _predicate("cond", as_leaf(pred), frame)
    leaves = [as_leaf(one) for one in flat(operands)]
    given = [(one._spec, class_of(one)) for one in leaves]
    names = ("true_fn of cond", "false_fn of cond")
    both = [
        record(name, _over(function, operands), given, frame)
        for name, function in zip(names, (true_fn, false_fn), strict=True)
    ]
    dtypes = [one.dtype for one in both[0].specs]
    others = [one.dtype for one in both[1].specs]
    if dtypes != others and len(dtypes) == len(others):
        # A Python number returned by one function takes the dtype that the other one's tensor has.
        both = [
            record(names[0], _over(true_fn, operands), given, frame, others),
            record(names[1], _over(false_fn, operands), given, frame, dtypes),
        ]
    then, otherwise = both
    if outline(then.result) != outline(otherwise.result):
        raise PenstockError(
            "cond: the two functions return different structures.",
            origin=f"for true: {outline(then.result)}\nfor false: {outline(otherwise.result)}",
            remedy="Return the same number of tensors from both, in the same lists, tuples and dictionaries.",
            site=here(),
        )
    _agree("cond", "for true", then.specs, "for false", otherwise.specs)
    first, second, count = len(then.captures), len(otherwise.captures), len(leaves)
    numbers = [*then.numbers, *otherwise.numbers]

    def build(builder: Builder, given: list[Tensor]) -> Sequence[Tensor]:
        bodies = _cond_bodies(then, otherwise, count)
        return emit(builder, control.cond, given, then=bodies[0], otherwise=bodies[1])

    made = follow(
        "cond", (control.cond, then.key, otherwise.key, first, second),
        [chosen, *leaves, *then.captures, *otherwise.captures], numbers, then.kinds, frame, build,
    )  # fmt: skip
    return packed(then.result, iter(made))


def _predicate(what: str, pred: Any, frame: FrameType) -> Any:
    own = pred._spec
    if own.shape != ():
        raise ShapeError(
            f"{what}: the condition is {own!r}.",
            why="The condition must be one boolean.",
            remedy="Reduce it, for example with all or any; choose between elements with where.",
            site=here(),
        )
    if own.dtype.kind == "b":
        return pred
    if own.dtype.kind not in "iufV":
        raise DTypeError(
            f"{what}: the condition is {own!r}.",
            remedy="Compare it with something, for example x > 0.",
            site=here(),
        )
    return not_equal.record((pred, 0), {}, frame)


def _over(function: Callable[..., Any], operands: Any) -> Callable[..., Any]:
    """Returns the function of the leaves of its operands."""
    return lambda *leaves: function(*packed(operands, iter(leaves)))


def _cond_bodies(then: Recorded, otherwise: Recorded, count: int) -> tuple[Body, Body]:
    """Returns two programs with the same inputs: operands, captures of each, numbers of each."""
    a, b = then.body(), otherwise.body()
    first, second = len(then.captures), len(otherwise.captures)
    specs = [*a.input_specs[: count + first], *b.input_specs[count : count + second]]
    specs += [*a.input_specs[count + first :], *b.input_specs[count + second :]]
    own = count + first + second
    varying = len(then.numbers)
    bodies = []
    for body, taken in (
        (a, [*range(count + first), *range(own, own + varying)]),
        (b, [*range(count), *range(count + first, own), *range(own + varying, len(specs))]),
    ):
        builder = BodyBuilder(None)
        with builder:
            inputs = builder.inputs(specs)
            bodies.append(builder.body(computed(builder, body, [inputs[i] for i in taken])))
    return bodies[0], bodies[1]


# -- scan and map -----------------------------------------------------------------------------------------


def scan(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """Calls `carry, y = f(carry, x)` for each slice x of `xs` along its first axis; returns (carry, ys).

    `init` is the first carry; its structure, shapes and dtypes stay the same. `xs` may be nested, or None
    with a `length`. The ys are stacked along a new first axis. With `reverse`, the loop starts from the last
    slice, and each y is stored at the position of its slice. `f` is recorded once, with tensors that have no
    value yet; the loop is part of the program, so a long loop takes no longer to record. Each iteration draws
    new random numbers. Gradients pass. For the backward pass, the loop stores the matrix products and
    convolutions of each iteration and recomputes everything else.

    Raises ShapeError or DTypeError if the carry changes or lengths differ.

    Args:
        f: a function of tensors, or of structures of them.
        init: the first value of the carry: a tensor or a structure of tensors.
        xs: a tensor, or a structure of tensors with one length along the first axis.
        length: how many times, an int; needed where `xs` is None.
        reverse: whether to go from the last slice to the first.

    Returns:
        A tuple of the last carry, and the results stacked along a new first axis.

    Raises:
        ShapeError: if the carry changes its shape, or lengths differ.
        DTypeError: if the carry changes its dtype.
        PenstockError: if the carry changes its structure.

    >>> import penstock as ps
    >>> total, sums = ps.scan(lambda c, x: (c + x, c + x), 0.0, ps.asarray([1.0, 2.0, 3.0]))
    >>> sums
    Tensor([1., 3., 6.], dtype=float32)
    """
    require_arity("scan", "f", f, 2, "Take the carry and a slice: def f(carry, x): return carry, y.")
    return scanned("scan", f, init, xs, length, reverse, user_frame(0))


def map(f: Callable[[Any], Any], xs: Any) -> Any:
    """Calls `f` on each slice of `xs` along its first axis, one after another, and stacks the results.

    This is `scan` without a carry. `vmap` computes all slices together: faster, but with more memory.

    Args:
        f: a function of tensors, or of structures of them.
        xs: a tensor, or a structure of tensors with one length along the first axis.

    Returns:
        The results, stacked along a new first axis.

    Raises:
        ShapeError: if the first axes of `xs` differ in length.
        PenstockError: if the results do not have the same structure.

    >>> import penstock as ps
    >>> ps.map(lambda x: x * x, ps.asarray([1.0, 2.0, 3.0]))
    Tensor([1., 4., 9.], dtype=float32)
    """
    frame = user_frame(0)
    require_arity("map", "f", f, 1, "Take one slice of xs, which has the structure of xs: def f(x): ...")
    return scanned("map", lambda _, x: ((), f(x)), (), xs, None, False, frame)[1]


def scanned(
    what: str, f: Callable[[Any, Any], Any], init: Any, xs: Any, length: int | None, backwards: bool,
    frame: FrameType,
) -> tuple[Any, Any]:  # fmt: skip
    """Does the same as `scan`, under another name."""
    stacks = [as_leaf(one) for one in flat(xs)]
    turns = _turns(what, stacks, length)
    slices = [(spec(one._spec.shape[1:], one._spec.dtype), class_of(one)) for one in stacks]
    name = f"the body of {what}"

    def turn(*leaves: Tensor) -> Any:
        following = iter(leaves)
        result = f(packed(init, following), packed(xs, following))
        if not isinstance(result, tuple) or len(result) != 2:
            raise PenstockError(
                f"{what}: the function returned {type(result).__name__}, not a pair.",
                remedy="Return (carry, y); y may be None.",
                site=here(),
            )
        return result

    # A loop in another program has as many turns as that says: keys of all of them are not known.
    outermost = isinstance(local.trace, Trace) and local.trace.nested is None and isinstance(turns, int)
    with in_turns(turns if outermost else None):
        carry, recorded = _carried(what, name, turn, init, slices, frame, lambda result: result[0])
    count = len(carry)
    series = _series(recorded) if outermost else {}
    captures = [series.get(i, one) for i, one in enumerate(recorded.captures)]
    keys = tuple([i for i, one in enumerate(captures) if isinstance(one, DrawKey)])
    captured = len(captures)

    plain, weak = _apart(carry, init)
    varying = len(recorded.numbers)

    def build(builder: Builder, given: list[Tensor]) -> Sequence[Tensor]:
        rest = given[captured + len(plain) :]
        walked, numbers = rest[: len(stacks)], rest[len(stacks) :]
        fixed = [*(given[i] for i in range(captured) if i not in series), *numbers[:varying]]
        start = _together(given[captured : captured + len(plain)], numbers[varying:], weak)
        # The turn that runs first has the first key.
        walked += [flip(given[i], axes=(0,)) if backwards else given[i] for i in series]
        if keys:
            walked = [*walked, index.arange(start=0, step=1, length=turns, dtype=COUNTER.dtype)]
        body = _scan_body(recorded, count, len(stacks), keys, tuple(series))
        found = emit(
            builder, control.scan, [*fixed, *start, *walked], body=body,
            constants=len(fixed), carried=count, length=turns, backwards=backwards,
        )  # fmt: skip
        return found[: len(recorded.slots)]

    made = follow(
        what, (control.scan, recorded.key, count, turns, backwards, keys, tuple(series), tuple(weak)),
        [*captures, *plain, *stacks], recorded.numbers, recorded.kinds, frame, build,
        list(weak.values()),
    )  # fmt: skip
    finals, ys = packed(recorded.result, iter(made))
    return finals, ys


def _series(recorded: Recorded) -> dict[int, Fresh]:
    """Returns the keys that draws have in all turns, by their places among the captures of a turn."""
    series = ((i, getattr(one, "series", None)) for i, one in enumerate(recorded.captures))
    return {i: one for i, one in series if one is not None}


def _turns(what: str, stacks: Sequence[Any], length: int | None) -> int:
    """Returns how many turns a loop over these stacks takes."""
    for number, one in enumerate(stacks, 1):
        if one._spec.ndim == 0:
            raise ShapeError(
                f"{what}: input {number} of the loop is {one._spec!r}.",
                why="The loop takes slices along the first axis, and this tensor has no axes.",
                remedy="Use it in the function directly, without passing it in.",
                site=here(),
            )
    lengths: dict[int, None] = dict.fromkeys([one._spec.shape[0] for one in stacks])
    if length is not None:
        lengths[int(length)] = None
    if len(lengths) != 1:
        found = " and ".join(str(one) for one in lengths)
        raise ShapeError(
            f"{what}: the lengths are {found}." if lengths else f"{what} has nothing to loop over.",
            remedy="Give xs with equal first axes." if lengths else "Give xs, or a length.",
            site=here(),
        )
    return next(iter(lengths))


def _carried(
    what: str,
    name: str,
    function: Callable[..., Any],
    init: Any,
    slices: Sequence[tuple[Spec, type[Tensor]]],
    frame: FrameType,
    carry_of: Callable[[Any], Any],
) -> tuple[list[Any], Recorded]:
    """Records the body of a loop; returns its first carry and the recording.

    A Python number among the first carry takes the dtype that the body gives it.
    """
    first = flat(init)
    carry = [as_leaf(one) for one in first]
    for attempt in range(3):
        given = [(one._spec, class_of(one)) for one in carry]
        dtypes = [one._spec.dtype for one in carry]
        recorded = record(name, function, [*given, *slices], frame, dtypes)
        after = carry_of(recorded.result)
        if outline(after) != outline(init):
            raise PenstockError(
                f"{what}: the structure of the carry changes.",
                origin=f"at first: {outline(init)}\nafter a turn: {outline(after)}",
                remedy="Return the carry in the same lists, tuples and dictionaries as before.",
                site=here(),
            )
        weak = [
            attempt < 2
            and type(one) in (bool, int, float, complex)
            and here_spec._spec.shape == there.shape
            and here_spec._spec.dtype != there.dtype
            for one, here_spec, there in zip(first, carry, recorded.specs, strict=False)
        ]
        if not any(weak):
            break
        carry = [
            as_leaf(one, there.dtype) if changes else before
            for one, before, there, changes in zip(first, carry, recorded.specs, weak, strict=False)
        ]
    _agree(what, "at first", [one._spec for one in carry], "after a turn", recorded.specs[: len(carry)])
    return carry, recorded


def _apart(carry: Sequence[Any], init: Any) -> tuple[list[Any], dict[int, tuple[Any, Any]]]:
    """Returns the tensors of a first carry, and its Python numbers by place, each with its dtype.

    A number is part of the program until it is seen to vary; as a tensor it would be new data on each pass.
    """
    weak = {
        place: (one, tensor._spec.dtype)
        for place, (one, tensor) in enumerate(zip(flat(init), carry, strict=True))
        if type(one) in (bool, int, float, complex)
    }
    return [one for place, one in enumerate(carry) if place not in weak], weak


def _together(plain: Sequence[Tensor], numbers: Sequence[Tensor], weak: Container[int]) -> list[Tensor]:
    """Returns a carry put together again."""
    tensors, others = iter(plain), iter(numbers)
    return [next(others) if i in weak else next(tensors) for i in range(len(plain) + len(numbers))]


def _agree(what: str, one: str, first: Sequence[Spec], other: str, second: Sequence[Spec]) -> None:
    """Raises ShapeError or DTypeError at the first tensor that differs."""
    for number, (a, b) in enumerate(zip(first, second, strict=True), 1):
        if a is not b:
            kind: Any = ShapeError if a.shape != b.shape else DTypeError
            which = "the result" if len(first) == 1 else f"tensor {number} of the result"
            raise kind(
                f"{what}: {which} is {a!r} {one}, {b!r} {other}.",
                why="Every branch and every iteration must give the same shapes and dtypes.",
                remedy="Reshape, broadcast or convert one of them.",
                site=here(),
            )


def _folded(inputs: list[Tensor], keys: Sequence[int], counter: Tensor) -> list[Tensor]:
    """Returns the inputs of a turn with keys of random numbers that are this turn's own."""
    return [random.fold_in(one, counter) if i in keys else one for i, one in enumerate(inputs)]


def _scan_body(
    recorded: Recorded, count: int, walked: int, keys: tuple[int, ...], series: tuple[int, ...]
) -> Body:
    """Returns the program of a turn: its inputs are captures and numbers, the carry, and slices.

    Captures in `series` are the last slices; after them comes the number of the turn, if there are `keys`.
    """
    body = recorded.body()
    specs, given, captured = body.input_specs, count + walked, len(recorded.captures)
    own = {given + i for i in series}
    builder = BodyBuilder(None)
    with builder:
        others = [i for i in range(given, len(specs)) if i not in own]
        inputs = dict(zip(others, builder.inputs([specs[i] for i in others]), strict=True))
        parts = builder.inputs(specs[:given])
        inputs.update(zip(sorted(own), builder.inputs([specs[i] for i in sorted(own)]), strict=True))
        fixed = [inputs[i] for i in range(given, len(specs))]
        if keys:
            (counter,) = builder.inputs([COUNTER])
            fixed = [*_folded(fixed[:captured], keys, counter), *fixed[captured:]]
        return builder.turn(computed(builder, body, [*parts, *fixed]))


# -- while_loop -------------------------------------------------------------------------------------------


def while_loop(
    cond_fn: Callable[[Any], Any],
    body_fn: Callable[[Any], Any],
    init: Any,
    *,
    max_iterations: int | None = None,
) -> Any:
    """Repeats `value = body_fn(value)`, starting from `init`, while `cond_fn(value)`; returns the last value.

    The value may be nested; its structure, shapes and dtypes stay the same. Both functions are recorded once,
    with tensors that have no value yet. The number of iterations is decided when the program runs.

    No gradient passes through a loop with an unknown number of iterations, because the memory that the
    backward pass needs is unknown (`explain` then says `unruled`). With `max_iterations` the loop ends after
    at most that many iterations, and gradients pass; the backward pass runs each iteration again.

    Args:
        cond_fn: a function of the value that returns a boolean without axes.
        body_fn: a function of the value that returns the next one, of the same structure, shapes and
            dtypes.
        init: the first value of the carry: a tensor or a structure of tensors.
        max_iterations: how many times at most, an int; gradients need it.

    Returns:
        The last value, in the structure of `init`.

    Raises:
        ShapeError: if the value changes its shape, or the condition has axes.
        DTypeError: if the value changes its dtype, or the condition is not boolean.
        PenstockError: if the value changes its structure.

    >>> import penstock as ps
    >>> ps.while_loop(lambda x: x < 100.0, lambda x: x * 2.0, 3.0)
    Tensor(192., dtype=float32)
    >>> ps.grad(lambda x: ps.while_loop(lambda x: x < 100.0, lambda x: x * 2.0, x, max_iterations=10))(3.0)
    Tensor(64., dtype=float32)
    """
    remedy = "Take one parameter: the value."
    if isinstance(init, list | tuple):
        remedy = "Take the whole value, and unpack it inside: def body(value): i, x = value; ..."
    for role, function in (("cond_fn", cond_fn), ("body_fn", body_fn)):
        require_arity("while_loop", role, function, 1, remedy)
    return repeated("while_loop", cond_fn, body_fn, init, max_iterations, user_frame(0))


def repeated(
    what: str, cond_fn: Callable[[Any], Any], body_fn: Callable[[Any], Any], init: Any, most: int | None,
    frame: FrameType,
) -> Any:  # fmt: skip
    """Does the same as `while_loop`, under another name."""
    carry, body = _carried(
        what, f"the body of {what}", _over(body_fn, (init,)), init, (), frame, lambda result: result
    )
    given = [(one._spec, class_of(one)) for one in carry]

    def asked(*leaves: Tensor) -> Any:
        answer = as_leaf(cond_fn(packed(init, iter(leaves))))
        return _predicate(f"{what}: the result of the condition", answer, frame)

    test = record(f"the condition of {what}", asked, given, frame)
    keys = tuple([i for i, one in enumerate(body.captures) if isinstance(one, DrawKey)])
    tested, captured, count = len(test.captures), len(body.captures), len(carry)
    plain, weak = _apart(carry, init)
    first, varying = len(test.numbers), len(test.numbers) + len(body.numbers)

    def build(builder: Builder, given: list[Tensor]) -> Sequence[Tensor]:
        before = tested + captured
        numbers = given[before + len(plain) :]
        asked = [*given[:tested], *numbers[:first]]
        fixed = [*given[tested:before], *numbers[first:varying]]
        start = _together(given[before : before + len(plain)], numbers[varying:], weak)
        bodies = _while_bodies(test, body, count, keys)
        if keys:
            start = [cast(0, dtype=COUNTER.dtype), *start]
        if most is None:
            found = emit(
                builder, control.while_loop, [*asked, *fixed, *start], test=bodies[0], body=bodies[1],
                tested=len(asked), constants=len(fixed),
            )  # fmt: skip
        else:
            found = _bounded(builder, bodies, asked, fixed, start, int(most))
        return found[1:] if keys else found

    made = follow(
        what, (control.while_loop, test.key, body.key, count, keys, most, tuple(weak)),
        [*test.captures, *body.captures, *plain], [*test.numbers, *body.numbers], body.kinds, frame, build,
        list(weak.values()),
    )  # fmt: skip
    return packed(body.result, iter(made))


def _while_bodies(test: Recorded, body: Recorded, count: int, keys: tuple[int, ...]) -> tuple[Body, Body]:
    """Returns the programs of the condition and of a turn.

    Each takes its captures and its numbers, then the carry, whose first part counts turns if there are
    keys.
    """
    asking, turning = test.body(), body.body()
    builder = BodyBuilder(None)
    with builder:
        fixed = builder.inputs(asking.input_specs[count:])
        if keys:
            builder.inputs([COUNTER])
        carry = builder.inputs(asking.input_specs[:count])
        first = builder.body(computed(builder, asking, [*carry, *fixed]))
    builder = BodyBuilder(None)
    with builder:
        fixed = builder.inputs(turning.input_specs[count:])
        counter = builder.inputs([COUNTER] if keys else [])
        carry = builder.inputs(turning.input_specs[:count])
        captured = len(body.captures)
        if keys:
            fixed = [*_folded(fixed[:captured], keys, counter[0]), *fixed[captured:]]
            counter = [add(counter[0], cast(1, dtype=COUNTER.dtype))]
        second = builder.body([*counter, *computed(builder, turning, [*carry, *fixed])])
    return first, second


def _bounded(
    builder: Builder, bodies: tuple[Body, Body], asked: list[Tensor], fixed: list[Tensor],
    start: list[Tensor], most: int,
) -> list[Tensor]:  # fmt: skip
    """Appends a loop of this many turns, in which a turn does nothing once the condition has failed."""
    test, body = bodies
    specs = [*(one._spec for one in asked), *(one._spec for one in fixed)]
    carried = [one._spec for one in start]
    inner = []
    for goes_on in (True, False):
        one = BodyBuilder(None)
        with one:
            given = one.inputs([*specs, *carried])
            carry = given[len(specs) :]
            if goes_on:
                carry = computed(one, body, [*given[len(asked) : len(specs)], *carry])
                (answer,) = computed(one, test, [*given[: len(asked)], *carry])
            else:
                answer = cast(False, dtype=np.dtype(np.bool_))
            inner.append(one.body([answer, *carry]))
    whole = BodyBuilder(None)
    with whole:
        constants = whole.inputs(specs)
        (going,) = whole.inputs([spec((), np.bool_)])
        carry = whole.inputs(carried)
        turn = whole.body(
            emit(whole, control.cond, [going, *constants, *carry], then=inner[0], otherwise=inner[1])
        )
    (going,) = computed(builder, test, [*asked, *start])
    return emit(
        builder, control.scan, [*asked, *fixed, going, *start], body=turn, constants=len(specs),
        carried=1 + len(start), length=most, backwards=False,
    )[1 : 1 + len(start)]  # fmt: skip


__all__ = ["cond", "map", "scan", "while_loop"]
