"""Seeds of operations: which stream of Philox an operation draws from, as TensorFlow decides it.

Two numbers decide a stream: the global seed and that of the operation. Without either, numbers differ from
run to run. In an eager program, an operation that has no seed is given one by Python's generator, which the
global seed has started, so it has a stream of its own; operations of one kind and one seed go on with one
stream. `tf.random.set_seed` starts everything afresh. In a graph, and in a function that `tf.function` has
made, operations without a seed are numbered, and each has a stream, which a session, or the function, goes on
with.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from penstock.functions import keys
from penstock.functions.philox_keys import Counting, PhiloxKey, common, key_of_words
from penstock.functions.scratch import Scratch
from penstock.ops.validation import plain
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._traces import kind_of
from penstock.trace.local import local
from penstock.trace.source_site import here

if TYPE_CHECKING:
    import random

UNSET = 87654321
"""The value that TensorFlow uses in place of a global seed that was not set."""
_LARGEST = (1 << 31) - 1
VISITS = 64
"""Of how many visits of one place, in one call, each is told apart: a loop may come there again and again."""
Pair = tuple[int, int]


class Streams:
    """The streams of a session, or of all eager operations."""

    def __init__(self) -> None:
        self.streams: dict[Any, Counting] = {}
        self._lock = threading.Lock()

    def stream(self, place: Any, pair: Pair) -> Counting:
        """Returns the stream of the operation at a place."""
        with self._lock:
            found = self.streams.get((place, pair))
            if found is None:
                found = self.streams[place, pair] = Counting(*pair)
            return found

    def noted(self) -> dict[Any, int]:
        """Returns how far every stream is."""
        return {place: stream.drawn for place, stream in self.streams.items()}

    def restore(self, noted: dict[Any, int]) -> None:
        """Takes every stream back to where it was."""
        for place, stream in self.streams.items():
            stream.drawn = noted.get(place, 0)


def pair_of(common_seed: int | None, seed: int | None, next_seed: Callable[[], int]) -> Pair | None:
    """Returns both seeds of an operation; None if nothing decides its numbers."""
    if common_seed is None:
        if seed is None:
            return None
        first, second = UNSET, seed % _LARGEST
    else:
        first, second = common_seed % _LARGEST, (next_seed() if seed is None else seed) % _LARGEST
    # Two zeros would stand for numbers that differ from run to run.
    return (first, second) if first or second else (0, _LARGEST)


class _Eager:
    """The global seed, and the streams of the operations that a program runs as it is written."""

    def __init__(self) -> None:
        self.seed: int | None = None
        self._random: random.Random | None = None
        self.streams = Streams()

    def begin(self, seed: int) -> None:
        self.seed, self._random = seed, None
        self.streams = Streams()

    def pair(self, seed: int | None) -> Pair | None:
        return pair_of(self.seed, seed, self._next)

    def _next(self) -> int:
        if self._random is None:
            # Imported by the first draw, for the sake of programs without one.
            import random

            self._random = random.Random(self.seed)
        return self._random.randint(0, _LARGEST)


class _Traced:
    """The streams of one signature of a function, with the global seed that it was traced under."""

    def __init__(self, seed: int | None) -> None:
        self.seed = seed
        self.chosen: dict[Any, Any] = {}
        self._begin()

    def _begin(self) -> None:
        self.started, self._streams = eager.streams, Streams()
        self.inner: dict[Any, Calls] = {}

    @property
    def streams(self) -> Streams:
        """The streams; `tf.random.set_seed` starts them afresh, but keeps the seed."""
        if self.started is not eager.streams:
            self._begin()
        return self._streams

    def inside(self, place: Any, calls: Calls) -> Calls:
        """Returns what a function draws from that is called at a place of this one."""
        if self.started is not eager.streams:
            self._begin()
        found = self.inner.get((place, calls))
        if found is None:
            found = self.inner.setdefault((place, calls), Calls(self))
        return found

    def forget(self, path: tuple[Any, ...]) -> None:
        """Forgets the streams of a graph that is run inside, by its place, and of the graphs in it."""
        for place, pair in list(self.streams.streams):
            if place[0][: len(path)] == path:
                del self._streams.streams[place, pair]
        for place, calls in list(self.inner):
            if place[0][: len(path)] == path:
                del self.inner[place, calls]


class Calls:
    """The streams of a function that `tf.function` has made, for each signature, as TensorFlow traces it.

    The global seed is that of the first call, unless `frozen` is one.
    """

    def __init__(self, frozen: _Traced | None = None) -> None:
        self.frozen = frozen
        self.traced: dict[Any, _Traced] = {}

    def of(self, arguments: Any, options: Any) -> _Traced:
        """Returns the streams of calls with such arguments."""
        named_kinds = ((name, kind_of(one)) for name, one in options.items())
        signature = (*map(kind_of, arguments), *named_kinds)
        found = self.traced.get(signature)
        if found is None:
            seed = eager.seed if self.frozen is None else self.frozen.seed
            found = self.traced.setdefault(signature, _Traced(seed))
        return found


class _Call:
    """One call of a function of `tf.function`; `number` counts its draws that have no seed of their own.

    `visits` counts how often the call has come to a place: see `kept_at`. `sides` are the sides of forks that
    are being run, each a graph of its own: its frame and lines, and where the graph around it was. `reached`
    counts the forks in each graph, by its path. `again` makes the call once more: see `of_call`.
    """

    again: Callable[[], Any] | None = None

    def __init__(self, calls: Calls, arguments: Any, options: Any) -> None:
        self.calls, self.arguments, self.options = calls, arguments, options
        self.number = self.places = 0
        # The loops that are being run, by their places: the body of each is a graph of its own.
        self.path: tuple[Any, ...] = ()
        self.visits: dict[Any, int] = {}
        self.reached: dict[tuple[tuple[Any, ...], Any], int] = {}
        self.sides: list[tuple[FrameType, tuple[int, ...], tuple[Any, ...]]] = []
        self._traced: _Traced | None = None

    def turn(self, frame: FrameType, lines: tuple[int, ...], goes_on: bool) -> None:
        """Begins a turn of a `while`, which goes on with the streams of the one before; or ends the loop."""
        place = frame.f_code, lines, "turns"
        for number, (own, those, _) in enumerate(self.sides):
            if own is frame and those == lines:
                self._back_to(number)
                break
        else:
            self.leave()
            self.reached[self.path, place] = self.reached.get((self.path, place), 0) + 1
        if goes_on:
            path = (*self.path, (place, self.reached[self.path, place], True))
            for one in [one for one in self.reached if one[0][: len(path)] == path]:
                # The forks of a turn are those of the turn before.
                del self.reached[one]
            self.sides.append((frame, lines, (self.path, self.places, self.number)))
            self.path, self.places, self.number = path, 0, 0

    def enter(self, frame: FrameType, lines: tuple[int, ...], place: Any, answer: bool) -> None:
        """Begins a side of an `if`: its draws without a seed are numbered from 0."""
        for number, (own, those, _) in enumerate(self.sides):
            if own is frame and those == lines:
                # The next turn of a loop around it.
                self._back_to(number)
                break
        self.leave()
        count = self.reached[self.path, place] = self.reached.get((self.path, place), 0) + 1
        self.sides.append((frame, lines, (self.path, self.places, self.number)))
        self.path, self.places, self.number = (*self.path, (place, count, answer)), 0, 0

    def leave(self) -> None:
        """Ends the sides that the program has left."""
        if self.sides:
            running = set()
            frame: FrameType | None = sys._getframe(1)
            while frame is not None:
                running.add(id(frame))
                frame = frame.f_back
            for number, (own, lines, _) in enumerate(self.sides):
                if id(own) not in running or not _is_in(own, lines):
                    self._back_to(number)
                    break

    def _back_to(self, number: int) -> None:
        self.path, self.places, self.number = self.sides[number][2]
        del self.sides[number:]

    @property
    def traced(self) -> _Traced:
        """The streams of this signature; looked up for calls that draw."""
        if self._traced is None:
            self._traced = self.calls.of(self.arguments, self.options)
        return self._traced

    def inner(self, calls: Calls) -> Calls:
        """Returns what a function draws from that is called here: each place has streams of its own."""
        self.leave()
        self.places += 1
        return self.traced.inside((self.path, self.places), calls)

    def key(self, seed: int | None, kind: Any, blocks: int) -> PhiloxKey:
        """Returns the key of the next draw of this call."""
        self.leave()
        pair = self.pair(seed)
        self.places += 1
        if pair is None:
            return common.key()
        return self.traced.streams.stream((self.path, self.places, kind), pair).key(blocks)

    def pair(self, seed: int | None) -> Pair | None:
        """Returns both seeds of the next draw; one without its own seed is numbered."""
        self.leave()
        return pair_of(self.traced.seed, seed, self._next)

    def _next(self) -> int:
        self.number += 1
        return self.number - 1


def _is_in(frame: FrameType, lines: tuple[int, ...]) -> bool:
    """Returns whether a frame stands on these lines, or within an expression that spans this."""
    if len(lines) == 2:
        return lines[0] <= frame.f_lineno <= lines[1]
    found = _position(frame.f_code, frame.f_lasti)
    if None in found:
        return lines[0] <= frame.f_lineno <= lines[2]
    first, last, start, end = found
    return lines[:2] <= (first, start) and (last, end) <= lines[2:]


@lru_cache(1024)
def _position(code: CodeType, instruction: int) -> tuple[Any, ...]:
    return next(itertools.islice(code.co_positions(), instruction // 2, None))


class Turns:
    """The turns of a Python loop over a tensor or a data set: in a function of `tf.function`, a graph's loop.

    Its body is a graph of its own, whose draws without a seed are numbered from 0; each turn goes on with the
    streams of the one before, and so does the next call, unless the loop is to begin `afresh`, as one over a
    data set does.
    """

    def __init__(self, afresh: bool = False) -> None:
        self._call = _scope.owner if isinstance(_scope.owner, _Call) else None
        if self._call is not None:
            self._call.leave()
            self._depth = len(self._call.sides)
            self._call.places += 1
            self._around = self._call.path, self._call.places, self._call.number
            self._path = (*self._call.path, self._call.places)
            if afresh:
                self._call.traced.forget(self._path)

    def begin(self) -> None:
        """Begins a turn."""
        if self._call is not None:
            del self._call.sides[self._depth :]
            for path, place in list(self._call.reached):
                if path[: len(self._path)] == self._path:
                    # The forks of a turn are those of the turn before.
                    del self._call.reached[path, place]
            self._call.path, self._call.places, self._call.number = self._path, 0, 0

    def call(self, function: Callable[..., Any], *given: Any) -> Any:
        """Returns the result of a function, called for a turn; draws after it are in the graph around."""
        call = self._call
        if call is None:
            return function(*given)
        around = call.path, call.places, call.number
        self.begin()
        try:
            return function(*given)
        finally:
            del call.sides[self._depth :]
            call.path, call.places, call.number = around

    def end(self) -> None:
        """Ends the loop, also one that is left early."""
        call, self._call = self._call, None
        if call is not None and call.path[: len(self._path)] == self._path:
            del call.sides[self._depth :]
            call.path, call.places, call.number = self._around

    def over(self, items: Iterator[Any]) -> Iterator[Any]:
        """Yields items, each for a turn."""
        try:
            for one in items:
                self.begin()
                yield one
        finally:
            self.end()


class Mapped:
    """What a function draws from that a data set is mapped with: each pass over it begins afresh."""

    def __init__(self) -> None:
        owner = _scope.owner
        self._traced = _Traced(owner.traced.seed if isinstance(owner, _Call) else eager.seed)

    def calls(self) -> Calls:
        """Returns the streams of one pass."""
        return Calls(self._traced)


class _Operation:
    """One operation of a graph, as a session runs it: its seeds are those it was built with."""

    def __init__(self, streams: Streams, operation: Any) -> None:
        self.streams, self.operation = streams, operation
        self.seeds = iter(enumerate(operation.details["seeds"]))

    def key(self, seed: int | None, kind: Any, blocks: int) -> PhiloxKey:
        """Returns the key of the next draw of this operation."""
        number, pair = next(self.seeds)
        if pair is None:
            return common.key()
        return self.streams.stream((self.operation, number), pair).key(blocks)


class Drawn(Exception):
    """Numbers that a seed decides were drawn where none can be."""


class _Scope(threading.local):
    """What the draws of this thread belong to: an operation of a graph, the call of a function, or neither.

    `noted` takes the seeds of the draws of an operation that is being built. `refused` says that a draw that
    a seed decides raises Drawn.
    """

    owner: Any = None
    noted: list[Any] | None = None
    refused: bool = False


eager = _Eager()
_scope = _Scope()


def start(seed: int) -> None:
    """Starts all numbers of the process afresh: `seed` is the global seed."""
    keys.seed(seed % (1 << 64))
    eager.begin(seed)


@contextlib.contextmanager
def of_operation(streams: Streams, operation: Any) -> Iterator[None]:
    """Assigns the draws inside to one operation of a graph."""
    before, _scope.owner = _scope.owner, _Operation(streams, operation)
    try:
        yield
    finally:
        _scope.owner = before


@contextlib.contextmanager
def of_call(
    calls: Calls, arguments: Any, options: Any, apart: bool = False, again: Callable[[], Any] | None = None
) -> Iterator[None]:
    """Assigns the draws inside to the call of a function that `tf.function` has made.

    A function that is called in another one has streams of each place, unless it is `apart`. `again` makes
    the call once more, where TensorFlow may trace it twice.
    """
    before = _scope.owner
    if isinstance(before, _Call) and not apart:
        calls, again = before.inner(calls), None
    _scope.owner = _Call(calls, arguments, options)
    _scope.owner.again = again
    try:
        yield
    finally:
        _scope.owner = before


def chosen_once(choose: Callable[[], Any], draws: bool = True) -> Any:
    """Returns what is chosen where TensorFlow traces a function: later calls of the trace keep the choice.

    Outside of a function of a graph it chooses anew. If it `draws`, the first of two traces draws before.
    """
    call = _scope.owner
    if not isinstance(call, _Call):
        return choose()
    call.leave()
    call.places += 1
    kept, place = (call.calls.frozen or call.traced).chosen, (call.path, call.places)
    if place not in kept:
        if draws and call.again is not None:
            _pass_first_trace(call)
        kept[place] = choose()
    return kept[place]


def pass_first_trace(prints: bool = True) -> None:
    """Lets the first of two traces of the present call go first, if there is one and it has not yet."""
    call = _scope.owner
    if isinstance(call, _Call) and call.again is not None:
        _pass_first_trace(call, prints)


@contextlib.contextmanager
def of_no_function() -> Iterator[None]:
    """Assigns the draws inside to no function: no later call of one makes them again."""
    before, _scope.owner = _scope.owner, None
    try:
        yield
    finally:
        _scope.owner = before


def _pass_first_trace(call: _Call, prints: bool = False) -> None:
    """Lets the first of two traces of a call choose what no graph keeps."""
    from penstock.tensorflow._first_traces import pass_first

    again, call.again = call.again, None
    assert again is not None
    _scope.owner = _Call(Calls(), call.arguments, call.options)
    try:
        pass_first(again, prints)
    finally:
        _scope.owner = call


def kept_at(place: Any, make: Callable[[], tuple[Any, bool]]) -> Any:
    """Returns what is found where TensorFlow traces a function, at each visit of a place for itself.

    `make` says too whether later calls of the trace may keep it.
    """
    call = _scope.owner
    call.leave()
    number = call.visits[place] = min(call.visits.get(place, 0) + 1, VISITS)
    kept = (call.calls.frozen or call.traced).chosen
    if (place, number) in kept:
        return kept[place, number]
    around = call.path, call.places, call.number
    found, keeps = make()
    # What is only tried out draws nothing.
    call.path, call.places, call.number = around
    if keeps:
        kept[place, number] = found
    return found


def kept_of_call() -> dict[Any, Any] | None:
    """Returns what later calls of a function with such arguments find again; None where no function runs."""
    call = _scope.owner
    return (call.calls.frozen or call.traced).chosen if isinstance(call, _Call) else None


def on_a_turn(frame: FrameType, lines: tuple[int, int], goes_on: bool) -> None:
    """Says that the function which is running turns a `while` on these lines of a frame, or has left it."""
    if isinstance(_scope.owner, _Call):
        _scope.owner.turn(frame, lines, goes_on)


def on_a_side(frame: FrameType, lines: Any, answer: bool) -> None:
    """Says that the function which is running goes on with a side of a fork at this place of a frame."""
    if isinstance(_scope.owner, _Call):
        _scope.owner.enter(frame, lines, (frame.f_code, frame.f_lasti, "sides"), answer)


def in_call() -> bool:
    """Returns whether a function of a graph is running: one of `tf.function`, or of a data set."""
    return isinstance(_scope.owner, _Call)


@contextlib.contextmanager
def without_draws() -> Iterator[None]:
    """Raises Drawn at a draw inside that a seed decides, and takes back how draws were numbered."""
    before, _scope.refused = _scope.refused, True
    call = _scope.owner if isinstance(_scope.owner, _Call) else None
    around = (call.path, call.places, call.number) if call is not None else None
    try:
        yield
    except Drawn:
        if call is not None and around is not None:
            call.path, call.places, call.number = around
        raise
    finally:
        _scope.refused = before


@contextlib.contextmanager
def noting() -> Iterator[list[Any]]:
    """Gives a list which takes the seed, or None, of every draw inside, where only shapes are worked out."""
    before, _scope.noted = _scope.noted, []
    try:
        yield _scope.noted
    finally:
        _scope.noted = before


def key_of(seed: Any, kind: Any, shape: Sequence[int], each: int = 256) -> PhiloxKey:
    """Returns the key of the next draw of an operation with this seed, or without.

    `kind` tells operations of an eager program apart; TensorFlow reserves `each` blocks for each number of
    the shape. Raises ArgumentError for a seed that is not a whole number.
    """
    number = whole_seed(seed)
    if isinstance(local.trace, Scratch):
        # Only shapes are worked out here.
        if _scope.noted is not None:
            _scope.noted.append(number)
        return key_of_words((0,) * 6, common)
    if _scope.refused and _is_decided(number):
        raise Drawn
    blocks = math.prod(shape) * each
    if _scope.owner is not None:
        return _scope.owner.key(number, kind, blocks)  # type: ignore[no-any-return]
    pair = eager.pair(number)
    if pair is None:
        return common.key()
    if number is None:
        return Counting(*pair).key(blocks)
    return eager.streams.stream(kind, pair).key(blocks)


def key_of_pair(pair: Pair, kind: Any, blocks: int) -> PhiloxKey:
    """Returns the key of the next draw of an operation that is given both seeds; zeros decide nothing."""
    owner = _scope.owner
    if not any(pair) or isinstance(local.trace, Scratch):
        return common.key()
    if isinstance(owner, _Operation):
        return owner.streams.stream((owner.operation, kind), pair).key(blocks)
    if isinstance(owner, _Call):
        owner.places += 1
        return owner.traced.streams.stream((owner.path, owner.places, kind), pair).key(blocks)
    return eager.streams.stream(kind, pair).key(blocks)


def _is_decided(seed: int | None) -> bool:
    """Returns whether a seed decides the next draw of a program that is run, or of a function."""
    owner = _scope.owner
    if isinstance(owner, _Operation):
        return False
    return seed is not None or (eager.seed if owner is None else owner.traced.seed) is not None


def seeds_of(seed: Any) -> Pair | None:
    """Returns both seeds of what draws on its own from here on; None if nothing decides its numbers."""
    number = whole_seed(seed)
    owner = _scope.owner
    return owner.pair(number) if isinstance(owner, _Call) else eager.pair(number)


def whole_seed(seed: Any) -> int | None:
    """Returns a seed as a Python number; raises ArgumentError if it is neither a whole number nor None."""
    number = plain(seed)
    if number is not None and (isinstance(number, bool) or not isinstance(number, int)):
        raise ArgumentError(
            f"seed is {seed!r}.",
            remedy="Give a whole number, or none: seed=7.",
            site=here(),
        )
    return number
