"""`einsum`: sums of products over axes named by letters, computed with matrix products."""

from __future__ import annotations

import functools
import itertools
import math
import string
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.errors import ArgumentError, ShapeError
from penstock.functions.composite import composite
from penstock.ops import pointwise, reduce
from penstock.ops.linear import matmul
from penstock.ops.promotion import native
from penstock.ops.shape import reshape, slice_, transpose
from penstock.ops.table import cast
from penstock.ops.validation import shown
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

Labels = tuple[str, ...]
"""A name for each axis: its letter, or "...n" for the n-th axis of an ellipsis, counted from the last."""

# -- reading the subscripts ---------------------------------------------------------------------------------


def _refused(subscripts: str, fact: str, why: str = "", remedy: str = "") -> ArgumentError:
    return ArgumentError(f"einsum {subscripts!r}: {fact}", why=why, remedy=remedy, site=here())


def _letters(subscripts: str, term: str) -> tuple[str, str, str]:
    """Splits one operand's subscripts: the letters before an ellipsis, the ellipsis, and those after it."""
    parts = term.replace(" ", "").partition("...")
    for one in parts[0] + parts[2]:
        if one not in string.ascii_letters:
            what = "a '.' outside an ellipsis" if one == "." else repr(one)
            raise _refused(
                subscripts,
                f"there is {what}.",
                why="Letters name axes, '...' stands for any others, ',' separates operands, and '->' comes "
                "before the result.",
            )
    return parts


def read(subscripts: str, shapes: Sequence[tuple[int, ...]]) -> tuple[list[Labels], Labels]:
    """Returns the labels of the axes of each operand, and of the result.

    >>> read("...ij,jk", [(5, 2, 3), (3, 4)])
    ([('...1', 'i', 'j'), ('j', 'k')], ('...1', 'i', 'k'))
    """
    inputs, arrow, output = subscripts.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(shapes):
        raise _refused(
            subscripts,
            f"there are subscripts for {len(terms)} operands, but {len(shapes)} operands were given.",
            remedy="Separate the operands' subscripts by ','.",
        )
    found = []
    for number, (term, shape) in enumerate(zip(terms, shapes, strict=True), 1):
        before, dots, after = _letters(subscripts, term)
        more = len(shape) - len(before) - len(after)
        if more < 0 or (more and not dots):
            raise ShapeError(
                f"einsum {subscripts!r}: operand {number} has shape {shape}, and {term.strip()!r} names "
                f"{len(before) + len(after)} of its {len(shape)} axes.",
                remedy="Give each axis a letter, or write '...' for the axes without one.",
                site=here(),
            )
        found.append((*before, *(f"...{i}" for i in range(more, 0, -1)), *after))
    counts = Counter(one for labels in found for one in labels)
    dotted = max((len(one), one) for one in ("", *counts) if one.startswith("...") or not one)[1]
    ellipsis = tuple(f"...{i}" for i in range(int(dotted[3:] or 0), 0, -1))
    if not arrow:
        single = sorted(one for one, count in counts.items() if count == 1 and len(one) == 1)
        return found, (*ellipsis, *single)
    before, dots, after = _letters(subscripts, output)
    letters = before + after
    for one in letters:
        if letters.count(one) > 1 or one not in counts:
            what = "twice in the result" if one in counts else "in the result but not in any operand"
            raise _refused(
                subscripts,
                f"{one!r} is {what}.",
                why="Each axis of the result must come from an operand and appear once.",
            )
    if ellipsis and not dots:
        raise _refused(
            subscripts,
            f"the result has no '...', which stands for {len(ellipsis)} axes of the operands.",
            remedy="Write '...' in the result too; to sum over these axes, give them letters.",
        )
    return found, (*before, *ellipsis, *after)


def _lengths(subscripts: str, terms: Sequence[Labels], shapes: Sequence[tuple[int, ...]]) -> dict[str, int]:
    """Returns the length of each label's axes; raises ShapeError where two operands differ."""
    found: dict[str, tuple[int, int, int]] = {}
    for number, (labels, shape) in enumerate(zip(terms, shapes, strict=True), 1):
        for axis, (label, n) in enumerate(zip(labels, shape, strict=True)):
            known, first, place = found.setdefault(label, (n, number, axis))
            if known == n or (number != first and 1 in (known, n)):
                if known == 1:
                    found[label] = (n, number, axis)
                continue
            name = "an axis of '...'" if label.startswith("...") else repr(label)
            raise ShapeError(
                f"einsum {subscripts!r}: {name} is {known} long in operand {first} and {n} in operand "
                f"{number}.",
                origin=f"operand {first} has shape {shapes[first - 1]}: axis {place}\n"
                f"operand {number} has shape {shape}: axis {axis}",
                why="Axes with the same letter must have equal lengths, or length 1.",
                site=here(),
            )
    return {label: n for label, (n, _, _) in found.items()}


# -- one operand --------------------------------------------------------------------------------------------


def _arranged(x: Any, labels: Labels, order: Labels) -> Any:
    return x if labels == order else transpose(x, axes=tuple(labels.index(one) for one in order))


def _shaped(x: Any, lengths: tuple[int, ...]) -> Any:
    return x if x.shape == lengths else reshape(x, shape=lengths)


def _diagonal(x: Any, labels: Labels) -> tuple[Any, Labels]:
    """Takes the diagonal along the axes of each label that occurs more than once."""
    for label, count in Counter(labels).items():
        if count == 1:
            continue
        places = [axis for axis, one in enumerate(labels) if one == label]
        others = [axis for axis, one in enumerate(labels) if one != label]
        n = x.shape[places[0]]
        lengths = tuple(x.shape[axis] for axis in others)
        if others and others[-1] > places[0]:
            x = transpose(x, axes=(*others, *places))
        step = sum(n**i for i in range(count))
        window = (*((0, m, 1) for m in lengths), (0, n**count, step))
        x = slice_(reshape(x, shape=(*lengths, n**count)), window=window)
        labels = (*(labels[axis] for axis in others), label)
    return x, labels


def _summed(x: Any, labels: Labels, gone: Sequence[str]) -> tuple[Any, Labels]:
    axes = tuple(axis for axis, one in enumerate(labels) if one in gone)
    if not axes:
        return x, labels
    return reduce.sum(x, axes=axes, keepdims=False), tuple(one for one in labels if one not in gone)


# -- two operands -------------------------------------------------------------------------------------------


def _layouts(a: Labels, b: Labels, kept: Labels) -> Any:
    """Yields orders that a matrix product can be taken in: of stacks, rows, sums and columns."""
    shared = [one for one in a if one in b]
    orders = dict.fromkeys([a, tuple(one for one in kept if one in a or one in b)])
    for order, sums in itertools.product(orders, dict.fromkeys([a, b])):
        stacks = [one for one in order if one in shared and one in kept]
        rows = tuple(one for one in order if one in a and one not in shared)
        columns = tuple(one for one in (*order, *b) if one in b and one not in shared)
        columns = tuple(dict.fromkeys(columns))
        inner = tuple(one for one in sums if one in shared and one not in kept)
        yield (*stacks,), rows, inner, columns
        # Multiply a matrix by each one of a stack, if that saves transposing the stack.
        outer = [*itertools.takewhile(columns.__contains__, b)] if not stacks else []
        if outer and len(outer) < len(b) - len(inner):
            yield (*outer,), rows, inner, tuple(one for one in columns if one not in outer)


def _turns(a: Labels, b: Labels, kept: Labels, layout: tuple[Labels, Labels, Labels, Labels]) -> int:
    """How many of two operands and their product have to be transposed for a layout."""
    stacks, rows, inner, columns = layout
    own = tuple(one for one in stacks if one in a)
    wanted = (*own, *rows, *inner), (*stacks, *inner, *columns), (*stacks, *rows, *columns)
    return sum(one != other for one, other in zip((a, b, kept), wanted, strict=True))


def _product(a: Any, la: Labels, b: Any, lb: Labels, kept: Labels) -> tuple[Any, Labels]:
    """Multiplies two operands, summing over common labels that are not in `kept`; returns the axis order."""
    shared = [one for one in la if one in lb]
    gone = [one for one in shared if one not in kept]
    alone = [one for one in (*la, *lb) if one not in shared]
    if not gone or not alone:
        order = la if gone else kept
        shaped = []
        for x, labels in ((a, la), (b, lb)):
            x = _arranged(x, labels, tuple(one for one in order if one in labels))
            lengths = iter(x.shape)
            wide = tuple(next(lengths) if one in labels else 1 for one in order)
            shaped.append(_shaped(x, wide[_leading(order, labels) :]))
        return _summed(pointwise.multiply(*shaped), order, gone)
    ways = [
        (_turns(one, other, kept, layout), swapped, layout)
        for swapped, one, other in ((False, la, lb), (True, lb, la))
        for layout in _layouts(one, other, kept)
    ]
    _, swapped, (stacks, rows, inner, columns) = min(ways, key=lambda way: way[0])
    if swapped:
        a, la, b, lb = b, lb, a, la
    own = tuple(one for one in stacks if one in la)
    a = _arranged(a, la, (*own, *rows, *inner))
    b = _arranged(b, lb, (*stacks, *inner, *columns))
    lengths = dict(zip((*own, *rows, *inner), a.shape)) | dict(zip((*stacks, *inner, *columns), b.shape))
    first, m, k, n = (tuple(lengths[one] for one in group) for group in (stacks, rows, inner, columns))
    a = _shaped(a, (*first[: len(own)], math.prod(m), math.prod(k)))
    b = _shaped(b, (*first, math.prod(k), math.prod(n)))
    return _shaped(matmul(a, b), (*first, *m, *n)), (*stacks, *rows, *columns)


def _leading(order: Labels, labels: Labels) -> int:
    """How many axes come before the first that an operand has: broadcasting adds them."""
    return next((place for place, one in enumerate(order) if one in labels), len(order))


# -- all of them --------------------------------------------------------------------------------------------


def _path(
    terms: Sequence[Labels], output: Labels, lengths: dict[str, int], how: Any
) -> list[tuple[int, ...]]:
    """Which operands to multiply next, as places in the list that those are taken out of; by NumPy."""
    names = dict(
        zip(dict.fromkeys(one for labels in (*terms, output) for one in labels), string.ascii_letters)
    )
    if len(terms) < 3 or any(one not in names for labels in terms for one in labels):
        return [tuple(range(len(terms)))]
    written = ",".join("".join(names[one] for one in labels) for labels in terms)
    written += "->" + "".join(names[one] for one in output)
    # Of their shapes alone.
    stand_ins = [np.broadcast_to(np.float32(0), [lengths[one] for one in labels]) for labels in terms]
    return list(np.einsum_path(written, *stand_ins, optimize=how)[0][1:])


def _einsum(subscripts: str, how: Any, operands: Sequence[Any]) -> Any:
    shapes = [tuple(x.shape) for x in operands]
    terms, output = read(subscripts, shapes)
    lengths = _lengths(subscripts, terms, shapes)
    dtype = native("einsum", [x._spec for x in operands], [])
    held: list[tuple[Any, Labels]] = []
    for x, labels in zip(operands, terms, strict=True):
        x, labels = _diagonal(x if x.dtype == dtype else cast(x, dtype=dtype), labels)
        # An axis of length 1 broadcasts: drop it, so that its one entry multiplies every position.
        stays = tuple(one for one, n in zip(labels, x.shape, strict=True) if n == lengths[one])
        x = _shaped(x, tuple(lengths[one] for one in stays))
        held.append((x, stays))
    counts = Counter(one for _, labels in held for one in labels)
    lone = [one for one, count in counts.items() if count == 1 and one not in output]
    held = [_summed(x, labels, lone) for x, labels in held]
    for places in _path([labels for _, labels in held], output, lengths, how):
        (x, labels), *others = [held[place] for place in places]
        held = [one for place, one in enumerate(held) if place not in places]
        for number, (other, own) in enumerate(others, 1):
            waiting = [one for _, rest in (*held, *others[number:]) for one in rest]
            both = (*labels, *own)
            kept = (*(one for one in output if one in both),)
            kept += tuple(dict.fromkeys(one for one in both if one in waiting and one not in kept))
            x, labels = _product(x, labels, other, own, kept)
        held.append((x, labels))
    ((x, labels),) = held
    x = _arranged(x, labels, output)
    return pointwise.identity(x) if any(x is one for one in operands) else x


@functools.cache
def _of(count: int) -> Callable[..., Any]:
    """Returns the function of this many operands, the subscripts, and the method of choosing an order."""

    def function(*given: Any) -> Tensor:
        return _einsum(given[count], given[count + 1], given[:count])  # type: ignore[no-any-return]

    return composite(count, "einsum")(function)


def _written(given: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """Returns subscripts and operands, given the form with a list of numbers after each operand."""
    operands, lists = given[: len(given) // 2 * 2 : 2], given[1::2]
    last = given[-1] if len(given) % 2 and lists else None

    def term(places: Any) -> str:
        if not isinstance(places, list | tuple) or not all(
            one is Ellipsis or (isinstance(one, int) and 0 <= one < 52) for one in places
        ):
            behind = f", and {shown(places)} where numbers of axes are" if lists else ""
            raise ArgumentError(
                f"einsum was given {shown(given[0])} first{behind}.",
                why="It takes subscripts, 'ij,jk->ik', before all operands; or after each operand a list of "
                "numbers from 0 to 51, or Ellipsis.",
                site=here(),
            )
        letters = string.ascii_uppercase + string.ascii_lowercase
        return "".join("..." if one is Ellipsis else letters[one] for one in places)

    written = ",".join(term(one) for one in lists) if lists else term(None)
    return written if last is None else f"{written}->{term(last)}", operands


HOW = (True, False, "greedy", "optimal")


def einsum(subscripts: Any, /, *operands: Any, optimize: bool | str = "greedy") -> Tensor:
    """Returns sums of products over axes that letters name: "ij,jk->ik" is the product of two matrices.

    The letters before "->" name each operand's axes, those after it the axes of the result; letters missing
    from the result are summed over. A letter that occurs twice in one operand takes its diagonal. "..."
    stands for axes without letters, which broadcast. Without "->" the result has the letters that occur once,
    in alphabetical order. Like NumPy's einsum, it also takes lists of numbers after the operands: einsum(a,
    [0, 1], b, [1, 2], [0, 2]).

    Three or more operands are multiplied two at a time, in an order that `numpy.einsum_path` chooses when the
    line first runs: `optimize` is "greedy", "optimal", or False for the given order. Operands are converted
    to one dtype, which is that of the result. Raises ArgumentError for wrong subscripts, and ShapeError for
    shapes that do not fit.

    Args:
        subscripts: the letters of each operand's axes, and after "->" those of the result.
        operands: arrays or tensors of numbers.
        optimize: "greedy", "optimal", a bool, or a path of `numpy.einsum_path`: the order of the
            products.

    Returns:
        A tensor with an axis for each letter after the arrow.

    Raises:
        ArgumentError: if `subscripts`, `operands` or `optimize` has a value that is not allowed.
        DTypeError: if `operands` has the wrong dtype or type.
        ShapeError: if `operands` has the wrong shape, or names an axis that is not there.

    >>> import penstock as ps
    >>> x = ps.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> ps.einsum("ij,kj->ik", x, x)
    Tensor([[ 5., 11.],
     [11., 25.]], dtype=float32)
    >>> ps.einsum("ii", x)
    Tensor(5., dtype=float32)
    """
    if type(subscripts) is not str:
        subscripts, operands = _written((subscripts, *operands))
    if not isinstance(optimize, bool | str) or optimize not in HOW:
        raise ArgumentError(
            f"einsum: optimize is {shown(optimize)}.",
            remedy="Give 'greedy', 'optimal' or False.",
            site=here(),
        )
    if not operands:
        raise _refused(subscripts, "there are no operands.", remedy="Give them after the subscripts.")
    return _of(len(operands))(*operands, subscripts, optimize)  # type: ignore[no-any-return]


__all__ = ["einsum"]
