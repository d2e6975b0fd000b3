"""Sums of products written as an equation, "ij,jk->ik", made of transpositions, products and sums."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

from penstock.errors import ShapeError
from penstock.functions.creation import eye
from penstock.functions.manipulation import permute_dims, reshape
from penstock.functions.products import matmul
from penstock.functions.statistics import sum as total
from penstock.ops.shape import broadcast_to
from penstock.trace.site import here


def einsum(equation: str, *operands: Any) -> Any:
    """Returns the sum of products that an equation asks for, in Einstein's convention, as `numpy.einsum`.

    Letters name axes, "..." stands for axes that broadcast. Without "->" the letters that stand once are
    kept, in alphabetical order. Raises ShapeError for an equation that does not fit the operands.

    >>> import penstock as ps
    >>> einsum("ij,j->i", ps.asarray([[1.0, 2.0], [3.0, 4.0]]), ps.asarray([1.0, 10.0]))
    Tensor([21., 43.], dtype=float32)
    """
    terms, result, sizes = _read(equation, [one.shape for one in operands])
    parts = [_diagonal(one, term) for one, term in zip(operands, terms, strict=True)]
    found, term = parts[0]
    for number, (other, letters) in enumerate(parts[1:], 1):
        later = set(result).union(*(one for _, one in parts[number + 1 :]))
        found, term = _product(found, term, other, letters, later, sizes)
    gone = [place for place, letter in enumerate(term) if letter not in result]
    if gone:
        found = total(found, axis=tuple(gone))
        term = "".join(letter for letter in term if letter in result)
    order = tuple(term.index(letter) for letter in result)
    return found if order == tuple(range(len(order))) else permute_dims(found, order)


def _refused(equation: str, why: str) -> ShapeError:
    return ShapeError(
        f"einsum: {why}.", origin=f"equation: {equation}", remedy="Name each axis by a letter.", site=here()
    )


def _read(equation: str, shapes: Sequence[Sequence[int]]) -> tuple[list[str], str, dict[str, int]]:
    """Returns the letters of each operand and of the result, dots spelt out, and the length of each."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(shapes):
        raise _refused(equation, f"{len(terms)} operands are named, and {len(shapes)} are given")
    spare = [one for one in string.ascii_letters if one not in text]
    widest = 0
    for term, shape in zip(terms, shapes, strict=True):
        if "..." in term:
            widest = max(widest, len(shape) - len(term.replace("...", "")))
    dots = "".join(spare[:widest])
    sizes: dict[str, int] = {}
    spelt = []
    for number, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        count = len(shape) - len(term.replace("...", ""))
        letters = term.replace("...", dots[widest - count :] if count > 0 else "")
        if len(letters) != len(shape) or count < 0 or not set(letters) <= set(string.ascii_letters):
            raise _refused(equation, f"operand {number} is {tuple(shape)}, and {term!r} does not fit it")
        for letter, length in zip(letters, shape, strict=True):
            known = sizes.setdefault(letter, length)
            if known != length:
                if 1 not in (known, length) or letter not in dots:
                    raise _refused(equation, f"{letter!r} is {known} long, and in operand {number} {length}")
                sizes[letter] = max(known, length)
        spelt.append(letters)
    if arrow:
        result = right.replace("...", dots)
    else:
        joined = "".join(term.replace("...", "") for term in terms)
        result = dots + "".join(sorted(one for one in set(joined) if joined.count(one) == 1))
    if len(set(result)) < len(result) or not set(result) <= set(sizes):
        raise _refused(equation, f"the result {right!r} is not made of letters that stand once")
    return spelt, result, sizes


def _diagonal(x: Any, letters: str) -> tuple[Any, str]:
    """Returns an operand with the diagonal in place of axes that have one letter."""
    for letter in dict.fromkeys(letters):
        while letters.count(letter) > 1:
            first, second = letters.index(letter), letters.rindex(letter)
            length = x.shape[first]
            mask = eye(length, dtype=x.dtype)
            shape = [length if place in (first, second) else 1 for place in range(len(letters))]
            x = total(x * reshape(mask, tuple(shape)), axis=second)
            letters = letters[:second] + letters[second + 1 :]
    return x, letters


def _product(a: Any, left: str, b: Any, right: str, kept: set[str], sizes: dict[str, int]) -> tuple[Any, str]:
    """Returns the product of two operands, summed over the letters that nothing asks for later."""
    a, left = _summed(a, left, kept | set(right))
    b, right = _summed(b, right, kept | set(left))
    shared = [one for one in left if one in right]
    batch = [one for one in shared if one in kept]
    inner = [one for one in shared if one not in kept]
    rows = [one for one in left if one not in right]
    columns = [one for one in right if one not in left]
    a = _arranged(a, left, [*batch, *rows, *inner], sizes, shared)
    b = _arranged(b, right, [*batch, *inner, *columns], sizes, shared)

    def length(letters: list[str]) -> int:
        found = 1
        for one in letters:
            found *= sizes[one]
        return found

    outer = tuple(sizes[one] for one in batch)
    made = matmul(
        reshape(a, (*outer, length(rows), length(inner))),
        reshape(b, (*outer, length(inner), length(columns))),
    )
    letters = [*batch, *rows, *columns]
    return reshape(made, tuple(sizes[one] for one in letters)), "".join(letters)


def _summed(x: Any, letters: str, kept: set[str]) -> tuple[Any, str]:
    gone = tuple(place for place, letter in enumerate(letters) if letter not in kept)
    if not gone:
        return x, letters
    return total(x, axis=gone), "".join(one for one in letters if one in kept)


def _arranged(x: Any, letters: str, wanted: list[str], sizes: dict[str, int], shared: list[str]) -> Any:
    """Returns an operand with its axes in another order, those of length 1 that broadcast at full length."""
    order = tuple(letters.index(one) for one in wanted)
    x = x if order == tuple(range(len(order))) else permute_dims(x, order)
    full = tuple(sizes[one] for one in wanted)
    return x if tuple(x.shape) == full else broadcast_to(x, shape=full)


__all__ = ["einsum"]
