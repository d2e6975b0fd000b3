"""Polynomials in names, and their bounds: unknown lengths are made of these."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

Product = frozenset[tuple[Any, int]]
"""A product: names, quotients and extremes, each with its power."""
Terms = dict[Product, Any]
"""A polynomial: the factor of each product."""
ONE: Product = frozenset()
Interval = tuple[Any, Any]
"""The least and the largest value, None for one without end."""


class Name:
    """The name of an unknown length: an axis of an input. Names are equal only by identity.

    `least` is a number below which it cannot be, None for a number that may be negative.
    """

    __slots__ = ("__weakref__", "label", "least")

    def __init__(self, label: str, least: int | None = 0) -> None:
        self.label, self.least = label, least

    def __str__(self) -> str:
        return self.label


class Part:
    """A quotient or an extreme of two lengths, or the length that two broadcast to."""

    __slots__ = ("a", "b", "hash", "key", "kind", "size")

    def __init__(self, kind: str, a: Any, b: Any) -> None:
        self.kind, self.a, self.b = kind, a, b
        self.key = (kind, key_of(a), key_of(b))
        self.hash = hash(self.key)
        self.size: int = 1 + sum(
            power * part.size
            for side in (a, b)
            for product in getattr(side, "terms", ())
            for part, power in product
            if isinstance(part, Part)
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Part, (self.kind, self.a, self.b)

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is Part and self.key == other.key)

    def __str__(self) -> str:
        if self.kind == "//":
            return f"{bracketed(self.a)} // {bracketed(self.b)}"
        return f"{self.kind}({self.a}, {self.b})"


def bracketed(value: Any) -> str:
    text = str(value)
    return f"({text})" if " " in text else text


def key_of(value: Any) -> Any:
    return getattr(value, "key", value)


def terms_of(value: Any) -> Terms | None:
    """Returns the polynomial of a length or a whole number, None of anything else."""
    if isinstance(value, int | np.integer):
        return {ONE: int(value)}
    return getattr(value, "terms", None)


def summed(a: Terms, b: Terms, factor: Any = 1) -> Terms:
    made = dict(a)
    for product, own in b.items():
        made[product] = made.get(product, 0) + factor * own
    return made


def times(a: Terms, b: Terms) -> Terms:
    made: Terms = {}
    for first, left in a.items():
        for second, right in b.items():
            powers = dict(first)
            for part, power in second:
                powers[part] = powers.get(part, 0) + power
            product = frozenset(powers.items())
            made[product] = made.get(product, 0) + left * right
    return made


def polynomial(value: Any) -> Terms:
    terms = terms_of(value)
    assert terms is not None
    return terms


def at_least(terms: Terms, limit: int, least: Mapping[Name, int]) -> bool:
    """Returns whether a polynomial is at least this large for all values of its names."""
    low, _ = interval(terms, least)
    return low is not None and low >= limit


def interval(terms: Terms, least: Mapping[Name, int]) -> Interval:
    """Returns the bounds of a polynomial; quotients and extremes are taken apart first.

    `least` holds the assumed least values of names.
    """
    return _interval(frozenset(terms.items()), frozenset(least.items()), frozenset(), 0)


@functools.lru_cache(8192)
def _interval(given: Product, supposed: Product, rests: frozenset[Any], depth: int) -> Interval:
    terms: Terms = dict(given)
    least: dict[Name, int] = dict(supposed)
    remainders: dict[Any, Interval] = dict(rests)
    scale = 1
    for _ in range(16):
        found = next((part for product in terms for part, _ in product if _is_quotient(part)), None)
        if found is None:
            break
        # a // b is (a - r) / b with the remainder r. Everything is multiplied by b, to keep to whole numbers.
        rest = ("rest", found)
        remainders[rest] = (0, found.b - 1)
        exact = summed(polynomial(found.a), {frozenset([(rest, 1)]): 1}, -1)
        highest = max(dict(product).get(found, 0) for product in terms)
        scale *= found.b**highest
        terms = replaced(terms, found, exact, found.b, highest)
    # Broadcast lengths come last: inside an extreme, such a length is more than a name.
    extremes = sorted((one for one in terms if depth < 4 and is_extreme(one)), key=_is_common)
    if extremes:
        ((part, _),) = extremes[0]
        left, right = (
            _interval(
                frozenset(replaced(terms, part, polynomial(one)).items()),
                supposed,
                frozenset(remainders.items()),
                depth + 1,
            )
            for one in (part.a, part.b)
        )
        low, high = _joined_interval(part.kind, terms[extremes[0]] > 0, left, right)
    else:
        low, high = _interval_of_products(terms, least, remainders)
    return None if low is None else -(-low // scale), None if high is None else high // scale


def _interval_of_products(
    terms: Terms, least: Mapping[Name, int], remainders: Mapping[Any, Interval]
) -> Interval:
    low: Any = 0
    high: Any = 0
    for product, factor in terms.items():
        own: Interval = (1, 1)
        for part, power in product:
            inner = remainders[part] if part in remainders else _part_interval(part, least)
            for _ in range(power):
                own = _product(own, inner)
        ends = tuple(None if end is None else factor * end for end in own)
        first, second = ends if factor >= 0 else ends[::-1]
        low = None if low is None or first is None else low + first
        high = None if high is None or second is None else high + second
    return low, high


def _is_quotient(part: Any) -> bool:
    """Returns whether a factor is a quotient by a number."""
    return isinstance(part, Part) and part.kind == "//" and type(part.b) is int


def is_extreme(product: Product) -> bool:
    """Returns whether a product is one extreme, or one length that two broadcast to, and nothing else."""
    if len(product) != 1:
        return False
    ((part, power),) = product
    return power == 1 and isinstance(part, Part) and part.kind != "//"


def _is_common(product: Product) -> bool:
    """Returns whether an extreme is what two lengths broadcast to."""
    ((part, _),) = product
    return bool(part.kind == "broadcast")


def _joined_interval(kind: str, rising: bool, a: Interval, b: Interval) -> Interval:
    """Returns the bounds of an expression that increases or decreases with a part."""
    lows, highs = (a[0], b[0]), (a[1], b[1])
    low = None if None in lows else min(lows)
    high = None if None in highs else max(highs)
    if kind == "broadcast":
        return low, high
    if (kind == "max") == rising:
        return max((n for n in lows if n is not None), default=None), high
    return low, min((n for n in highs if n is not None), default=None)


def replaced(terms: Terms, part: Part, by: Terms, scale: int = 1, highest: int = 0) -> Terms:
    """Returns a polynomial with another substituted for a part, which occurs to the power `highest` at most.

    It is multiplied by `scale` to that power; `by` counts as multiplied by `scale` already.
    """
    made: Terms = {}
    for product, factor in terms.items():
        power = dict(product).get(part, 0)
        rest = frozenset([(own, n) for own, n in product if own != part]) if power else product
        one: Terms = {rest: factor * scale ** (highest - power) if highest else factor}
        for _ in range(power):
            one = times(one, by)
        made = summed(made, one)
    return {product: factor for product, factor in made.items() if factor}


def _part_interval(part: Any, least: Mapping[Name, int]) -> Interval:
    if isinstance(part, Name):
        if part in least:
            own = least[part]
            return (own if part.least is None else max(own, part.least)), None
        return part.least, None
    (low, high), (lowest, most) = (interval(polynomial(one), least) for one in (part.a, part.b))
    if part.kind == "//":
        return (
            (0, high) if low is not None and low >= 0 and lowest is not None and lowest >= 0 else (None, None)
        )
    lows, highs = [low, lowest], [high, most]
    if part.kind == "max":
        return max((n for n in lows if n is not None), default=None), None if None in highs else max(highs)
    if part.kind == "min":
        return None if None in lows else min(lows), min((n for n in highs if n is not None), default=None)
    return None if None in lows else min(lows), None if None in highs else max(highs)


def _product(a: Interval, b: Interval) -> Interval:
    if a[0] is not None and a[0] >= 0 and b[0] is not None and b[0] >= 0:
        return a[0] * b[0], None if a[1] is None or b[1] is None else a[1] * b[1]
    if None in a or None in b:
        return None, None
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


__all__ = [
    "ONE", "Interval", "Name", "Part", "Product", "Terms", "at_least", "bracketed", "interval", "is_extreme",
    "key_of",
    "polynomial", "replaced", "summed", "terms_of", "times",
]  # fmt: skip
