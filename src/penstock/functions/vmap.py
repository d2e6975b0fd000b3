"""vmap: turns a function of one example into a function of a batch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from penstock.errors import PenstockError, ShapeError
from penstock.functions.batches import Batch
from penstock.functions.subtrace import as_leaf, class_of, follow, record
from penstock.ops.batching import moved
from penstock.trace.builder import Builder
from penstock.trace.convert import is_array
from penstock.trace.kinds import kind_of
from penstock.trace.source_site import here, user_frame
from penstock.trace.spec import spec
from penstock.trace.structure import flat, outline, packed
from penstock.trace.tensor import Cell, Tensor

Axes = Any


def vmap(f: Callable[..., Any], in_axes: Axes = 0, out_axes: Axes = 0) -> Callable[..., Any]:
    """Turns a function of one example into a function of a whole batch, which is computed together.

    `in_axes` is the batch axis of each argument: one integer for all, or a list or tuple with one for each
    argument, or for each part of a nested argument. None passes an argument to every example unchanged.
    Keyword arguments have axis 0. `out_axes` is the batch axis of the result; None is for a result that is
    the same for every example. `f` runs once, with tensors of one example that have no value yet. Each
    example draws its own random numbers. If examples take different branches of a `cond` or a `while_loop`,
    both branches are computed for all, and each example keeps the result of its branch; an index that only
    the other branch reads raises no error.

    Raises ShapeError if lengths differ or an axis is missing, and CaptureError if `f` reads a value.

    Args:
        f: a function of tensors, or of structures of them.
        in_axes: the batch axis of each argument: an int for all, or a sequence of ints and None.
        out_axes: the batch axis of each result: an int for all, or a sequence.

    Returns:
        A function of batches.

    Raises:
        ShapeError: if batch axes differ in length.
        PenstockError: if `in_axes` or `out_axes` does not fit the arguments or results, or an operation
            cannot be batched.

    >>> import penstock as ps
    >>> weight = ps.asarray([1.0, 2.0])
    >>> slope = ps.grad(lambda w, x, y: (ps.sum(w * x) - y) ** 2)
    >>> x, y = ps.asarray([[1.0, 0.0], [0.0, 1.0]]), ps.asarray([0.0, 1.0])
    >>> ps.vmap(slope, in_axes=(None, 0, 0))(weight, x, y)
    Tensor([[2., 0.],
            [0., 2.]], dtype=float32)
    """
    name = str(getattr(f, "__name__", None) or type(f).__name__)

    @functools.wraps(f)
    def batched(*arguments: Any, **options: Any) -> Any:
        frame = user_frame(0)
        wanted = _spread_axes(in_axes, arguments, "in_axes", name)
        axes = [*wanted, *_spread_axes(0, options, "in_axes", name)]
        leaves = flat((arguments, options))
        chosen = [
            (as_leaf(leaf), axis)
            for leaf, axis in zip(leaves, axes, strict=True)
            if axis is not None and _is_data(leaf)
        ]
        size, chosen = _sized(chosen, name)
        batch_leaves = [leaf for leaf, _ in chosen]
        places = tuple([axis for _, axis in chosen])
        specs = [
            spec(leaf._spec.shape[:axis] + leaf._spec.shape[axis + 1 :], leaf._spec.dtype)
            for leaf, axis in chosen
        ]

        def run(*examples: Tensor) -> Any:
            following = iter(examples)
            given = iter(
                [
                    next(following) if axis is not None and _is_data(leaf) else leaf
                    for leaf, axis in zip(leaves, axes, strict=True)
                ]
            )
            positional, named = packed((arguments, options), given)
            return f(*positional, **named)

        kinds = [class_of(leaf) for leaf in batch_leaves]
        recorded = record(f"vmap of {name}", run, list(zip(specs, kinds, strict=True)), frame)
        outs = tuple(_spread_axes(out_axes, recorded.result, "out_axes", name))
        for own, axis in zip(recorded.specs, outs, strict=True):
            if axis is not None and not -own.ndim - 1 <= axis <= own.ndim:
                raise ShapeError(
                    f"vmap of {name}: out_axes is {axis}, the result of one example is {own!r}.",
                    remedy=f"With the batch it has {own.ndim + 1} axes: from {-own.ndim - 1} to {own.ndim}.",
                    site=here(),
                )

        def build(builder: Builder, operands: list[Tensor]) -> Sequence[Tensor]:
            given = [moved(one, axis, 0) for one, axis in zip(operands, places, strict=False)]
            known = dict(enumerate((one, True) for one in given))
            known |= {i: (one, False) for i, one in enumerate(operands[len(given) :], len(given))}
            body = recorded.body()
            batch = Batch(builder, size, apart=True)
            made = batch.calls(body.calls, known)
            results = []
            for slot, axis, own in zip(body.outputs, outs, body.output_specs, strict=True):
                one, has = made[slot]
                if axis is None:
                    if has:
                        raise PenstockError(
                            f"vmap of {name}: out_axes is None for a result that differs from example to "
                            "example.",
                            remedy="Give the axis along which to stack the examples.",
                            site=builder.site,
                        )
                    results.append(one)
                else:
                    results.append(moved(batch.spread((one, has)), 0, axis % (own.ndim + 1)))
            return results

        made = follow(
            f"vmap of {name}", ("vmap", recorded.key, places, outs, size),
            [*batch_leaves, *recorded.captures], recorded.numbers, recorded.kinds, frame, build,
        )  # fmt: skip
        return packed(recorded.result, iter(made))

    return batched


def _is_data(leaf: Any) -> bool:
    return isinstance(leaf, Tensor | Cell | int | float | complex) or is_array(leaf)


def _spread_axes(axes: Axes, structure: Any, what: str, name: str) -> list[int | None]:
    """Returns the axis of each leaf of a structure; one axis applies to a whole part of it."""
    if axes is None or (isinstance(axes, int) and not isinstance(axes, bool)):
        return [axes for _ in flat(structure)]
    kinds = kind_of(axes), kind_of(structure)
    if kinds[0] is not None and kinds[0] is kinds[1]:
        (given, parts), (rest, inner) = kinds[0].apart(axes), kinds[0].apart(structure)
        if given == rest:
            pairs = zip(parts, inner, strict=True)
            return [one for part, whole in pairs for one in _spread_axes(part, whole, what, name)]
    raise PenstockError(
        f"vmap of {name}: {what} is {axes!r}, which does not match its structure.",
        origin=f"that is {outline(structure)!r}",
        why="Give one integer or None for everything, or one for each argument or part.",
        site=here(),
    )


def _sized(chosen: list[tuple[Any, Any]], name: str) -> tuple[int, list[tuple[Any, int]]]:
    """Returns the number of examples, and the operands with nonnegative axis numbers."""
    found: list[tuple[Any, int]] = []
    for number, (leaf, axis) in enumerate(chosen, 1):
        own = leaf._spec
        if not -own.ndim <= axis < own.ndim:
            raise ShapeError(
                f"vmap of {name}: operand {number} is {own!r}, which has no axis {axis}.",
                remedy="Pass in_axes=None for an argument without a batch axis.",
                site=here(),
            )
        found.append((leaf, axis % own.ndim))
    if not found:
        raise PenstockError(
            f"vmap of {name}: no argument has a batch axis.",
            remedy="Give at least one tensor an axis in in_axes.",
            site=here(),
        )
    lengths = [leaf._spec.shape[axis] for leaf, axis in found]
    if len(set(lengths)) > 1:
        raise ShapeError(
            f"vmap of {name}: there are {' and '.join(map(str, dict.fromkeys(lengths)))} examples.",
            origin="\n".join(
                f"operand {number} is {leaf._spec!r}, examples along axis {axis}"
                for number, (leaf, axis) in enumerate(found, 1)
            ),
            remedy="Give every batched argument the same number of examples, and in_axes=None to the others.",
            site=here(),
        )
    return lengths[0], found


__all__ = ["vmap"]
