"""Unknown lengths: names and expressions of names, with which shape rules compute.

A `Length` takes the place of a number in a shape. Sums, differences, products, quotients and remainders of
lengths are lengths again, kept as polynomials, so that two that are always equal are equal. A comparison is
answered if it has the same answer whatever the names stand for. Any other is a question: inside `explore`,
which tries a rule out, each answer is assumed in turn, and the rule passes if it passes for one of them. Each
run then checks its actual lengths by the same rule, on numbers.
"""

from __future__ import annotations

import contextlib
import math
import operator
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

import numpy as np

from penstock.errors import CaptureError, PenstockError
from penstock.trace.polynomials import (
    ONE,
    Name,
    Part,
    Product,
    Terms,
    at_least,
    bracketed,
    interval,
    is_extreme,
    key_of,
    polynomial,
    summed,
    terms_of,
    times,
)

RUNS = 96
"""How many combinations of answers are tried at most before a rule counts as wrong."""
QUESTIONS = 48
"""How many questions one run may ask: a loop over an unknown length would never end."""
WORK = 3000
"""How often one run may check a comparison against the assumptions: a loop could take long."""
INTRICATE = 24
"""How many quotients and extremes a length may hold at most, counted where they occur."""
SIDES = 6
"""How many answers of a successful run are reversed, to see whether the result depends on them."""

R = TypeVar("R")


class LengthError(CaptureError):
    """A question that needs the value of a length before it is known."""


def unknown(label: str, least: int | None = 0) -> Any:
    """Returns a length that is known only by name.

    >>> batch = unknown("batch")
    >>> batch * 3 - batch, (2 * batch) // 2, batch >= 0
    (2 * batch, batch, True)
    """
    return Length({frozenset([(Name(label, least), 1)]): 1})


def _atom(kind: str, a: Any, b: Any) -> Any:
    """Returns a quotient or an extreme of two lengths, or a new name if the expression is too large."""
    part = Part(kind, a, b)
    if part.size <= INTRICATE:
        return Length({frozenset([(part, 1)]): 1})
    low, _ = interval({frozenset([(part, 1)]): 1}, {})
    return unknown("None", low)


def _made(terms: Terms) -> Any:
    """Returns the length of a polynomial, or a number if no name is left in it."""
    if 0 in terms.values():
        terms = {product: factor for product, factor in terms.items() if factor}
    if not terms:
        return 0
    if len(terms) == 1 and ONE in terms:
        return terms[ONE]
    return Length(terms)


class Length:
    """An unknown whole number: a polynomial in names, with numbers as factors.

    It hashes and appears in shapes as numbers do. Code that needs its value raises LengthError.
    """

    __slots__ = ("__weakref__", "hash", "key", "terms")

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.key = frozenset(terms.items())
        self.hash = hash(self.key)

    def __reduce__(self) -> tuple[Any, ...]:
        # Names hash by identity, so a process that unpickles them must hash them again.
        return Length, (self.terms,)

    # -- arithmetic ------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Any:
        terms = terms_of(other)
        return _real(other) if terms is None else _made(summed(self.terms, terms))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        terms = terms_of(other)
        return _real(other) if terms is None else _made(summed(self.terms, terms, -1))

    def __rsub__(self, other: Any) -> Any:
        terms = terms_of(other)
        return _real(other) if terms is None else _made(summed(terms, self.terms, -1))

    def __mul__(self, other: Any) -> Any:
        if type(other) is int:
            return Length({own: n * other for own, n in self.terms.items()}) if other else 0
        if isinstance(other, list | tuple):
            self.__index__()
        terms = terms_of(other)
        return _real(other) if terms is None else _made(times(self.terms, terms))

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        return self * -1

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return maximum(self, -self)

    def __pow__(self, power: Any) -> Any:
        return math.prod([self] * power) if type(power) is int and power >= 0 else Amount(None, None)

    def __floordiv__(self, other: Any) -> Any:
        return _real(other) if terms_of(other) is None else _quotient(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _real(other) if terms_of(other) is None else _quotient(other, self)

    def __mod__(self, other: Any) -> Any:
        return _real(other) if terms_of(other) is None else self - other * _quotient(self, other)

    def __rmod__(self, other: Any) -> Any:
        return _real(other) if terms_of(other) is None else other - self * _quotient(other, self)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __truediv__(self, other: Any) -> Any:
        return _real(other) if terms_of(other) is None else Amount(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _real(other) if terms_of(other) is None else Amount(other, self)

    def __trunc__(self) -> Any:
        return self

    __ceil__ = __floor__ = __trunc__

    def __round__(self, digits: int = 0) -> Any:
        return self

    # -- comparisons -----------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> Any:
        if type(other) is Length:
            return self is other or self.key == other.key or _is_zero(self - other)
        return NotImplemented if terms_of(other) is None else _is_zero(self - other)

    def __hash__(self) -> int:
        return self.hash

    def __ne__(self, other: object) -> Any:
        found = self.__eq__(other)
        return found if found is NotImplemented else not found

    def __lt__(self, other: Any) -> Any:
        return _below(self, other, 1)

    def __le__(self, other: Any) -> Any:
        return _below(self, other, 0)

    def __gt__(self, other: Any) -> Any:
        return _below(-self, -other, 1)

    def __ge__(self, other: Any) -> Any:
        return _below(-self, -other, 0)

    def __bool__(self) -> bool:
        return not _is_zero(self)

    # -- what it refuses -------------------------------------------------------------------------------------

    def __index__(self) -> int:
        present = _present()
        found = self if present is None else value(self, present.values)
        return found if type(found) is int else _refuse(found)

    __int__ = __index__

    def __float__(self) -> float:
        return float(self.__index__())

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if dtype is not None and np.dtype(dtype) != object:
            return np.asarray(self.__index__(), dtype)
        made = np.empty((), object)
        made[()] = self
        return made

    def item(self) -> Any:
        """Returns the length itself, as a NumPy number returns its value."""
        return self

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __repr__(self) -> str:
        words = sorted(
            (
                str(factor),
                "*".join(sorted(f"{part}**{power}" if power > 1 else str(part) for part, power in product)),
            )
            for product, factor in self.terms.items()
            if product
        )
        text = ""
        for factor, word in sorted(words, key=lambda pair: pair[0].startswith("-")):
            shown = bracketed(word) if " " in word and factor.lstrip("-") != "1" else word
            shown = shown.replace("*", " * ") if " " not in shown else shown
            shown = shown if factor.lstrip("-") == "1" else f"{factor.lstrip('-')} * {shown}"
            sign = "-" if factor.startswith("-") else "+"
            text = f"{text} {sign} {shown}" if text else f"-{shown}" if sign == "-" else shown
        number = self.terms.get(ONE, 0)
        return f"{text} {'-' if number < 0 else '+'} {abs(number)}" if number else text

    def __format__(self, wanted: str) -> str:
        return str(self)


def _refuse(value: Any) -> NoReturn:
    raise LengthError(
        f"The value of {value} is not known yet.",
        why="It is a length that is known only once there are values.",
        remedy="Compute with tensors, or give the length when you declare the input.",
    )


class Amount:
    """A number that depends on lengths and need not be whole, such as 1 / n. It has no value either."""

    __slots__ = ("above", "below")

    def __init__(self, above: Any, below: Any) -> None:
        self.above, self.below = above, below

    def __floor__(self) -> Any:
        return self._value() if self.above is None else self.above // self.below

    def __ceil__(self) -> Any:
        return self._value() if self.above is None else (self.above + self.below - 1) // self.below

    __int__ = __trunc__ = __floor__

    def _value(self, *_: Any) -> NoReturn:
        _refuse("a number that depends on lengths")

    def __float__(self) -> float:
        # If both lengths are assumed to be known, so is the quotient.
        return self._value() if self.above is None else int(self.above) / int(self.below)

    def _compute(self, *others: Any) -> Any:
        return Amount(None, None) if all(map(_is_number, others)) else NotImplemented

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = __pow__ = __rpow__ = _compute
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __abs__ = _compute
    __lt__ = __le__ = __gt__ = __ge__ = __index__ = __bool__ = _value

    def __repr__(self) -> str:
        return "?" if self.above is None else f"{bracketed(self.above)} / {bracketed(self.below)}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number | Length | Amount)


def _real(other: Any) -> Any:
    """Returns the result of a length and a fractional number; NotImplemented for other operands."""
    return Amount(None, None) if isinstance(other, float | np.floating | Amount) else NotImplemented


# -- what shape rules compute ------------------------------------------------------------------------------


def is_symbolic(value: Any) -> bool:
    """Returns whether a number, or any of several, is unknown."""
    if isinstance(value, list | tuple):
        return any(map(is_symbolic, value))
    return type(value) is Length or type(value) is Amount


def whole(value: Any) -> Any:
    """Does the same as operator.index, also for unknown lengths and for tensors that hold one."""
    if type(value) is Length:
        return value
    try:
        return int(operator.index(value))
    except (LengthError, TypeError):
        held = getattr(value, "_value", None)
        if isinstance(held, np.ndarray) and held.dtype == object and held.size == 1:
            return held.item()
        raise


def real(value: Any) -> Any:
    """Does the same as float, also for unknown lengths."""
    return Amount(value, 1) if type(value) is Length else value if type(value) is Amount else float(value)


def maximum(*values: Any) -> Any:
    """Returns the largest of lengths, as an expression if it is unknown."""
    return _extreme("max", values)


def minimum(*values: Any) -> Any:
    """Returns the smallest of lengths, as an expression if it is unknown."""
    return _extreme("min", values)


def _extreme(kind: str, values: Sequence[Any]) -> Any:
    if not is_symbolic(list(values)):
        return max(values) if kind == "max" else min(values)
    if any(type(one) is Amount for one in values):
        return Amount(None, None)
    sides: list[Any] = []
    for one in (side for given in values for side in _sides(kind, given)):
        # Do not use facts that hold only for the assumed answers: the result must hold for every number.
        if any(_surpasses(kind, other, one) for other in sides):
            continue
        sides = [other for other in sides if not _surpasses(kind, one, other)]
        sides.append(one)
    sides.sort(key=str)
    found = sides[0]
    for one in sides[1:]:
        found = _atom(kind, found, one)
    return found


def _sides(kind: str, given: Any) -> list[Any]:
    """Returns the operands of a length that is an extreme of this kind, or the length itself if it is not."""
    terms = polynomial(given)
    split = next((one for one, n in terms.items() if n == 1 and is_extreme(one)), None)
    if split is None:
        return [given]
    ((part, _),) = split
    if part.kind != kind:
        return [given]
    rest = _made({own: n for own, n in terms.items() if own != split})
    return [one for side in (part.a, part.b) for one in _sides(kind, rest + side)]


def _surpasses(kind: str, a: Any, b: Any) -> bool:
    """Returns whether a is never smaller than b, or, for the smallest, never larger."""
    difference = a - b if kind == "max" else b - a
    if type(difference) is not Length:
        return bool(difference >= 0)
    low, _ = interval(difference.terms, {})
    return low is not None and low >= 0


def _ordered(a: Any, b: Any) -> tuple[Any, Any]:
    """Returns two lengths in an order that does not depend on which was given first."""
    return (a, b) if str(a) <= str(b) else (b, a)


def broadcast(*lengths: Any) -> Any:
    """Returns the length that lengths broadcast to, None if they do not."""
    found: Any = 1
    for one in lengths:
        found = _broadcast(found, one)
        if found is None:
            return None
    return found


def _broadcast(a: Any, b: Any) -> Any:
    if alike(a, b) or alike(b, 1):
        return a
    if alike(a, 1) or _certainly(a, 1):
        return b
    if _certainly(b, 1) or _certainly(a, b):
        return a
    known, other = (b, a) if is_symbolic(a) else (a, b)
    if not is_symbolic(other) or _apart(a, b):
        return None
    if not is_symbolic(known):
        # The other is 1, or the same, or an error: the result is the known one in each case.
        return known
    return _atom("broadcast", *_ordered(a, b))


def alike(a: Any, b: Any) -> bool:
    """Returns whether two lengths are the same expression."""
    if type(a) is Length or type(b) is Length:
        return a is b or (type(a) is type(b) and a.key == b.key)
    return bool(a == b)


def _certainly(a: Any, b: Any) -> bool:
    difference = a - b
    return _decided(difference, "zero") is True if type(difference) is Length else difference == 0


def _apart(a: Any, b: Any) -> bool:
    """Returns whether two lengths cannot broadcast: neither can be 1, and they cannot be equal."""
    never = [_decided(d, "zero") is False if type(d) is Length else d != 0 for d in (a - b, a - 1, b - 1)]
    return all(never)


def broadcasts_to(own: Any, wanted: Any) -> bool:
    """Returns whether an axis can be repeated to a length: it is as long, or has one entry."""
    if alike(own, wanted) or alike(own, 1):
        return True
    if not is_symbolic((own, wanted)):
        return False
    return any(_certainly(own, n) for n in (1, wanted)) or not _apart_from(own, wanted)


def _apart_from(own: Any, wanted: Any) -> bool:
    never = [_decided(d, "zero") is False if type(d) is Length else d != 0 for d in (own - wanted, own - 1)]
    return all(never)


def bounds(part: slice, length: Any) -> tuple[Any, Any, int]:
    """Returns start, stop and step of what a slice picks from an axis, as slice.indices does."""
    given = [None if one is None else whole(one) for one in (part.start, part.stop, part.step)]
    if not is_symbolic([length, *(one for one in given if one is not None)]):
        return slice(*given).indices(length)
    start, stop, step = given
    step = 1 if step is None else step
    if is_symbolic(step):
        _refuse(step)
    low, high = (0, length) if step > 0 else (-1, length - 1)

    def inside(one: Any, default: Any) -> Any:
        if one is None:
            return default
        place = one if one >= 0 else one + length
        return minimum(maximum(place, low), high)

    return (
        inside(start, low if step > 0 else high),
        inside(stop, high if step > 0 else low),
        step,
    )


def count(start: Any, stop: Any, step: int) -> Any:
    """Returns how many entries range(start, stop, step) has."""
    if not is_symbolic((start, stop, step)):
        return len(range(start, stop, step))
    across = stop - start if step > 0 else start - stop
    return maximum(0, (across + abs(step) - 1) // abs(step))


def array(values: Any, dtype: Any) -> Any:
    """Returns lengths as an array of a dtype, or as an array of objects if one is unknown."""
    if not is_symbolic(values):
        return np.asarray(values, dtype)
    return np.asarray(values, object)


def _quotient(a: Any, b: Any) -> Any:
    above, below = polynomial(a), polynomial(b)
    if len(below) == 1:
        ((product, factor),) = below.items()
        if product:
            return _by_product(a, above, b, product, factor)
        if factor < 0:
            return _quotient(-a, -b)
        if factor == 0:
            raise ZeroDivisionError("integer division or modulo by zero")
        split = next((one for one, n in above.items() if n == 1 and is_extreme(one)), None)
        if split is not None and factor != 1:
            ((part, _),) = split
            if part.kind != "broadcast":
                # A quotient of the larger of two is the larger of two quotients.
                rest = _made({own: n for own, n in above.items() if own != split})
                return _extreme(part.kind, [(rest + one) // factor for one in (part.a, part.b)])
        out = {own: n // factor for own, n in above.items()}
        rest = {own: n - factor * out[own] for own, n in above.items()}
        # The remainder adds nothing if it is less than the divisor for all values of the names.
        left = _made(rest)
        if type(left) is not Length:
            return _made(summed(out, {ONE: left // factor}))
        inner = _lone_quotient(rest)
        if inner is not None:
            # (a // m + c) // k is (a + c * m) // (m * k).
            part, number = inner
            return _made(summed(out, polynomial((part.a + number * part.b) // (part.b * factor))))
        return _made(summed(out, polynomial(_atom("//", left, factor))))
    if key_of(a) == key_of(b):
        return 1
    return _atom("//", a, b)


def _lone_quotient(terms: Terms) -> tuple[Part, int] | None:
    """Returns the quotient and the number whose sum a polynomial is; None for any other polynomial."""
    lone = [product for product in terms if product]
    if len(lone) != 1 or terms[lone[0]] != 1 or len(lone[0]) != 1:
        return None
    ((part, power),) = lone[0]
    inside = power == 1 and isinstance(part, Part) and part.kind == "//" and not is_symbolic(part.b)
    return (part, terms.get(ONE, 0)) if inside else None


def _by_product(a: Any, above: Terms, b: Any, product: Product, factor: int) -> Any:
    """Divides by a product of names, term by term if every term is divisible."""
    made: Terms = {}
    for own, n in above.items():
        powers = dict(own)
        for part, power in product:
            powers[part] = powers.get(part, 0) - power
        if n % factor or any(power < 0 for power in powers.values()):
            return _atom("//", a, b)
        left = frozenset((part, power) for part, power in powers.items() if power)
        made[left] = made.get(left, 0) + n // factor
    return _made(made)


def value(expression: Any, names: Mapping[Name, Any]) -> Any:
    """Returns a length with values in place of its names; names without a value stay."""
    if type(expression) is not Length:
        return expression
    total: Any = 0
    for product, factor in expression.terms.items():
        one: Any = factor
        for part, power in product:
            one = one * _part_value(part, names) ** power
        total = total + one
    return total


def _part_value(part: Any, names: Mapping[Name, Any]) -> Any:
    if isinstance(part, Name):
        return names.get(part, None) if part in names else Length({frozenset([(part, 1)]): 1})
    a, b = value(part.a, names), value(part.b, names)
    if part.kind == "//":
        return a // b if is_symbolic(b) or b else 0
    if part.kind == "broadcast":
        found = broadcast(a, b)
        # Lengths that do not broadcast are refused where they are computed.
        return maximum(a, b) if found is None else found
    return maximum(a, b) if part.kind == "max" else minimum(a, b)


def names_in(expression: Any) -> set[Name]:
    """Returns the names that a length, or a structure of lengths, depends on."""
    if isinstance(expression, list | tuple):
        return set().union(*map(names_in, expression))
    if type(expression) is not Length:
        return set()
    found: set[Name] = set()
    for product in expression.terms:
        for part, _ in product:
            found |= {part} if isinstance(part, Name) else names_in(part.a) | names_in(part.b)
    return found


# -- certain facts -----------------------------------------------------------------------------------------


class _ContradictionError(ValueError):
    """The assumed answers contradict each other."""


class Supposed:
    """The assumptions while a rule is tried out: the answers given, and what follows from them."""

    def __init__(self, answers: Sequence[bool]) -> None:
        self.answers = list(answers)
        self.given: list[bool] = []
        self.work = 0
        self.known: dict[Any, bool] = {}
        self.positive: list[Terms] = []
        self.values: dict[Name, Any] = {}
        self.least: dict[Name, int] = {}

    def ask(self, expression: Length, kind: str) -> bool:
        """Returns the assumed answer to an undecided question: is it zero, or is it at least zero?"""
        if len(self.given) >= QUESTIONS:
            _refuse(expression)
        place = len(self.given)
        answer = self.answers[place] if place < len(self.answers) else _likely(expression, kind)
        self.given.append(answer)
        self.known[kind, expression.key] = answer
        if kind == "zero":
            self.known[kind, (-expression).key] = answer
            if answer:
                self._solve(expression)
        else:
            self._add(expression.terms if answer else polynomial(-expression - 1))
        return answer

    def _add(self, fact: Terms) -> None:
        """Notes that an expression is at least zero; together with earlier facts, that may make it zero."""
        opposite = {product: -n for product, n in fact.items()}
        _, high = interval(fact, self.least)
        if high is not None and high < 0:
            raise _ContradictionError
        closed = high == 0 or any(at_least(summed(opposite, one, -1), 0, self.least) for one in self.positive)
        self.positive.append(fact)
        self._raise(fact)
        zero = _made(fact)
        if closed and type(zero) is Length:
            if self.known.get(("zero", zero.key)) is False:
                raise _ContradictionError
            self._solve(zero)

    def _raise(self, terms: Terms) -> None:
        """Notes the least value of a name, if that is the fact."""
        rest = {product: factor for product, factor in terms.items() if product}
        if len(rest) == 1:
            ((product, factor),) = rest.items()
            if factor == 1 and len(product) == 1:
                ((part, power),) = product
                if isinstance(part, Name) and power == 1:
                    low = -terms.get(ONE, 0)
                    self.least[part] = max(low, self.least.get(part, low))

    def _solve(self, expression: Length) -> None:
        """Notes the value of a name if an expression that is zero determines it."""
        lone = _lone_quotient(expression.terms)
        if lone is not None:
            # a // k + c is zero if a + c * k is in 0 .. k - 1.
            within = lone[0].a + lone[1] * lone[0].b
            self._add(polynomial(within))
            self._add(polynomial(lone[0].b - 1 - within))
            return
        for product, factor in expression.terms.items():
            if len(product) == 1 and abs(factor) == 1:
                ((part, power),) = product
                if not isinstance(part, Name) or power != 1:
                    continue
                rest = _made({own: n for own, n in expression.terms.items() if own != product})
                if part not in names_in(rest):
                    stands_for = -rest if factor == 1 else rest
                    self.values = {k: value(v, {part: stands_for}) for k, v in self.values.items()}
                    self.values[part] = stands_for
                    return


class _Asked(threading.local):
    """The assumptions of this thread, innermost last."""

    def __init__(self) -> None:
        self.supposed: list[Supposed] = []


_asked = _Asked()


def _present() -> Supposed | None:
    return _asked.supposed[-1] if _asked.supposed else None


def _is_zero(difference: Any) -> bool:
    if type(difference) is not Length:
        return bool(difference == 0)
    return _answered(difference, "zero")


def _below(a: Any, b: Any, gap: int) -> Any:
    """Returns whether a + gap <= b."""
    if terms_of(b) is None:
        return NotImplemented
    difference = b - a - gap
    return _answered(difference, "least") if type(difference) is Length else difference >= 0


def _answered(expression: Length, kind: str) -> bool:
    present = _present()
    if present is not None:
        present.work += 1 + len(present.positive)
        if present.work > WORK:
            _refuse(expression)
    found = _decided(expression, kind)
    if found is not None:
        return found
    if present is None:
        _refuse(expression)
    return present.ask(value(expression, present.values) if present.values else expression, kind)


def _decided(expression: Any, kind: str) -> bool | None:
    """Returns whether an expression is zero (or at least zero); None if that is not certain."""
    present = _present()
    if present is not None and present.values and not names_in(expression).isdisjoint(present.values):
        # Not for nothing: it would decide again what each broadcast in the expression comes to.
        expression = value(expression, present.values)
    if type(expression) is not Length:
        return bool(expression == 0) if kind == "zero" else bool(expression >= 0)
    terms, opposite = expression.terms, {product: -n for product, n in expression.terms.items()}
    least: Mapping[Name, int] = {}
    facts: Sequence[Terms] = ()
    if present is not None:
        known = present.known.get((kind, expression.key))
        if known is not None:
            return known
        least, facts = present.least, present.positive
    low, high = interval(terms, least)
    if kind == "least":
        if low is not None and low >= 0:
            return True
        if high is not None and high < 0:
            return False
        if any(at_least(summed(terms, fact, -1), 0, least) for fact in facts):
            return True
        return False if any(at_least(summed(opposite, fact, -1), 1, least) for fact in facts) else None
    if (low is not None and low > 0) or (high is not None and high < 0):
        return False
    if terms.get(ONE, 0) % math.gcd(*(n for product, n in terms.items() if product)):
        return False
    sides = [summed(side, fact, -1) for fact in facts for side in (terms, opposite)]
    return False if any(at_least(side, 1, least) for side in sides) else None


def _likely(expression: Length, kind: str) -> bool:
    """Returns the answer to try first: the one for lengths that are long, even and all different."""
    order = sorted(names_in(expression), key=lambda name: (name.label, id(name)))
    found = value(expression, {name: 5040**3 * (2 * i + 3) for i, name in enumerate(order)})
    return bool(found == 0 if kind == "zero" else found >= 0)


# -- trying out --------------------------------------------------------------------------------------------


def explore(rule: Callable[[], R], reduced: Callable[[R, Callable[[Any], Any]], R], joined: Any = None) -> R:
    """Returns the result of a rule for unknown lengths; raises its error if no answer helps.

    The rule is called with an assumed answer to each question that it asks, the likely ones first; if it
    raises an error, the latest answer that has not been reversed is reversed. `reduced(result, f)` puts
    f(length) in place of each length of a result. Where the other answer to a question succeeds too,
    `joined(result, other, same)` returns what both results have in common; `same(a, b)` compares lengths
    there.
    """
    failure: Exception | None = None
    answers: list[bool] = []
    turned: list[bool] = []
    for _ in range(RUNS):
        supposed, found, error = _supposing(rule, answers)
        if error is None:
            break
        failure = error if failure is None or isinstance(failure, _ContradictionError) else failure
        answers, turned = supposed.given, turned + [False] * (len(supposed.given) - len(turned))
        while answers and turned[len(answers) - 1]:
            answers = answers[:-1]
        if not answers:
            raise failure
        answers = [*answers[:-1], not answers[-1]]
        turned = [*turned[: len(answers) - 1], True]
    else:
        assert failure is not None
        raise failure
    result: R = found
    if joined is not None:
        given = supposed.given
        for place in range(min(len(given), SIDES)):
            if place < len(turned) and turned[place]:
                continue
            try:
                side, other, error = _supposing(rule, [*given[:place], not given[place]])
            except Exception:
                continue
            if error is None:

                def same(a: Any, b: Any, side: Supposed = side) -> bool:
                    with _under(side):
                        difference = value(a - b, side.values)
                        return (
                            difference == 0
                            if type(difference) is int
                            else _decided(difference, "zero") is True
                        )

                result = joined(result, other, same)
    return reduced(result, lambda one: value(one, supposed.values))


def _supposing(rule: Callable[[], Any], answers: Sequence[bool]) -> tuple[Supposed, Any, Exception | None]:
    supposed = Supposed(answers)
    with _under(supposed):
        try:
            return supposed, rule(), None
        except LengthError:
            raise
        except (PenstockError, ValueError, IndexError) as error:
            return supposed, None, error


@contextlib.contextmanager
def _under(supposed: Supposed) -> Iterator[None]:
    _asked.supposed.append(supposed)
    try:
        yield
    finally:
        _asked.supposed.pop()


__all__ = [
    "Amount", "Length", "LengthError", "Name", "alike", "array", "bounds", "broadcast", "broadcasts_to",
    "count", "explore", "is_symbolic", "maximum", "minimum", "names_in", "real", "unknown", "value", "whole",
]  # fmt: skip
