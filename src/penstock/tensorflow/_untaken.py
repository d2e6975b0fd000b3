"""What the side of a fork that is not taken would use: see docs/decisions/0066.

TensorFlow traces both sides of an `if` on a tensor in a function, and the gradient of what only the other
side uses is zeros. Here Python runs one side; the other is tried out without values, once for each trace of
TensorFlow's, to find from which variables and tensors its results come.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

from penstock.errors import CaptureError
from penstock.functions.scratch import Guess, Scratch, scratch, valueless
from penstock.grad.backward import passes
from penstock.tensorflow._forks import MISSING, UNNAMED, Ended, Fork, fork_at
from penstock.tensorflow._modes import computes_at_once, inside, muted
from penstock.tensorflow._seeds import in_call, kept_at, on_a_side, on_a_turn
from penstock.tensorflow._side_prints import ended, hear, is_repeated, merged, over, say, speaking, turn
from penstock.tensorflow._tensor import EagerTensor, truth
from penstock.tensorflow._tensor_array import TensorArray
from penstock.trace.leaf import Leaf, OfVariable, TensorArgument
from penstock.trace.lengths import LengthError
from penstock.trace.local import local
from penstock.trace.nesting import Nesting
from penstock.trace.recorder import Trace
from penstock.trace.source_site import here, is_library, user_frame
from penstock.trace.spec import Spec, differentiable
from penstock.trace.structure import flat
from penstock.trace.tensor import Cell, Tensor

TRIALS, TURNS = 16, 1000
"""How many ways through a side are tried, and how many questions on one way are answered."""
Outputs = tuple[list[Any], bool]
"""The tensors and variables that a side gives, and whether some of them have no name in the program."""
Side = Callable[[], Outputs]


class _Beside(Nesting):
    """The place of a side that is tried out: what it writes is forgotten."""

    def refuse_write(self, variable: Any) -> None:
        """Refuses nothing."""


class Untaken(Scratch):
    """A trace in which a side is tried out.

    `answers` are those to its questions for the truth of tensors, the first ones given: a place that asks
    again gets the other answer, so that loops end. `asked` counts by place.
    """

    __slots__ = ("answers", "asked", "given")

    def __init__(self, numbers: bool = False, guess: Guess | None = None) -> None:
        super().__init__(numbers, guess)
        self.nested = _Beside(self.outer, "a branch that is not taken", here())
        self.given: Sequence[bool] = ()
        self.answers: list[bool] = []
        self.asked: dict[Any, int] = {}

    def answer(self, frame: FrameType) -> bool:
        """Returns the answer to a question."""
        if is_library(frame.f_code):
            frame = user_frame()
        place = frame.f_code, frame.f_lasti
        count = self.asked[place] = self.asked.get(place, 0) + 1
        if count > TURNS:
            raise CaptureError("A loop in a branch that is not taken does not end.")
        if count > 1:
            return count % 2 == 1
        number = len(self.answers)
        self.answers.append(self.given[number] if number < len(self.given) else True)
        return self.answers[-1]

    def follow(self, kind: str, *event: Any, **details: Any) -> Any:
        """Records an event; refuses the update of an optimizer, which counts."""
        if kind == "apply":
            raise CaptureError("A branch that is not taken updates nothing.")
        return super().follow(kind, *event, **details)


def asked(look: Callable[[], Any], frame: FrameType) -> bool:
    """Returns the truth of a tensor, of the value that `look` gives, where a function may be running.

    Tapes take a note of what the other side would use.
    """
    trace = local.trace
    if type(trace) is Untaken:
        return trace.answer(frame)
    answer = truth(look())
    _forked(trace, answer, frame)
    if in_call() and not computes_at_once(True):
        fork = fork_at(frame)
        if fork is not None and fork.turned is not None:
            if fork.loop is not None:
                on_a_turn(frame, fork.loop, answer != fork.turned)
            else:
                on_a_side(frame, fork.lines or fork.span, answer)
    return answer


def no_turns(one: Spec, frame: FrameType) -> None:
    """Takes a note of a loop over a tensor without elements of this shape and dtype."""
    if type(local.trace) is not Untaken:
        _forked(local.trace, False, frame, lambda: valueless(local.trace, one, EagerTensor))


def _forked(trace: Any, answer: bool, frame: FrameType, item: Callable[[], Any] | None = None) -> None:
    taped, shown = _taped(trace), speaking(trace)
    if not (taped or shown):
        return
    fork = fork_at(frame)
    others = () if fork is None else fork.others(answer)
    if fork is None:
        return
    if taped and fork.loop is not None and item is None and fork.turned is not None:
        _loop(trace, frame, fork, answer != fork.turned)
    # A loop that has turned has printed what TensorFlow prints of its body.
    shown = shown and not (fork.loop is not None and turn(frame, fork, answer))
    # Which side is taken is not known yet where several tensors decide.
    shown = shown and fork.turned is not None
    if not others or not (taped or shown):
        return
    given = {**frame.f_locals}

    def attempt(side: bool) -> Side:
        return lambda: _outputs(fork.run(side, given, frame.f_globals, item), fork.names)

    sides = {side: attempt(side) for side in (True, False) if fork.sides[side] is not None}
    place = frame.f_code, frame.f_lasti, others
    heard: list[Any] = []
    silent = (answer != fork.turned,) if shown else (None,)
    found = kept_at(
        place, lambda: _found(sides, others, given, trace, None if None in silent else heard, silent)
    )
    if heard:
        say(fork, frame, heard, bool(silent[0]))
    if not taped:
        return
    note = Note(trace, found, given, fork, frame)
    if found.unnamed:
        inside.unnamed = (*inside.unnamed, note)
    _note(trace, note)


def returned(results: Any, function: Any, notes: Sequence[Note]) -> None:
    """Gives forks that a function has returned from the results of the function as theirs."""
    code = getattr(function, "__code__", None)
    for note in notes:
        note.end(code, _leaves(results))


def called(chosen: Any, functions: Sequence[Callable[[], Any]], taken: int) -> None:
    """Takes a note of what the functions beside the one that was called, with this result, would use."""
    trace = local.trace
    if not _taped(trace):
        return
    place = (*(getattr(one, "__code__", one) for one in functions), taken)
    sides = {i: _result_of(one) for i, one in enumerate(functions)}
    others = tuple(i for i in sides if i != taken)
    found = kept_at(place, lambda: _found(sides, others, {}, trace))
    note = Note(trace, found, {})
    note.join(_leaves(chosen), False)
    _note(trace, note)


def joined(results: Any) -> None:
    """Takes a note that results belong to one operation: a gradient of one is a gradient of all."""
    if _taped(local.trace):
        joined_results(results)


def joined_results(results: Any) -> None:
    """Takes this note for tapes to which a function of TensorFlow, or a fork in one, is one operation."""
    trace: Any = local.trace
    leaves = _leaves(results)
    if len(leaves) > 1 and type(trace) is Trace:
        note = Note(trace, Found(), {})
        note.join(leaves, False)
        _note(trace, note)


def _result_of(function: Callable[[], Any]) -> Side:
    return lambda: (_leaves(function()), False)


def _taped(trace: Any) -> bool:
    """Returns whether TensorFlow would build a graph here, and a tape watches."""
    if type(trace) is not Trace or not trace.taping:
        return False
    return in_call() and not computes_at_once(True)


def _outputs(found: Any, names: Sequence[str]) -> Outputs:
    """Returns what a side gives, and whether some of it has no name."""
    if not isinstance(found, Ended):
        return _leaves(found), True
    values = found.values
    made = [
        one for name in names if values.get(name, MISSING) is not MISSING for one in _leaves(values[name])
    ]
    unnamed = [one for name, value in values.items() if name.startswith(UNNAMED) for one in _leaves(value)]
    return made + unnamed, bool(unnamed)


def _leaves(value: Any) -> list[Any]:
    return [one for one in flat(value) if isinstance(one, Tensor | Cell | TensorArray)]


def read_from(array: Any, result: Any) -> Any:
    """Returns what has been read from an array; its gradient is zeros for what else was written into it."""
    trace = local.trace
    if _taped(trace) and isinstance(result, Tensor):
        note = Note(trace, Found(), {})
        places = {slot_of(trace, result)} - {None}
        note.link(places, {_token(array), note.contents(array)})  # type: ignore[arg-type]
        _note(trace, note)
    return result


def _token(array: Any) -> int:
    """Returns the number by which tapes know an array: no slot, so below 0."""
    history = array._history
    if history.token is None:
        history.token = next(_numbers)
    return history.token  # type: ignore[no-any-return]


_numbers = itertools.count(-2, -1)


def looped(run: Callable[[], Any], given: Any) -> Any:
    """Returns what a loop gives that is run: its results belong to one operation, with all that it reads.

    `given` is what the loop begins with. TensorFlow's gradient of a loop is zeros for what none of its turns
    passes on.
    """
    trace: Any = local.trace
    if not _taped(trace):
        return run()
    begun = _Begun(trace, _leaves(given))
    found = run()
    begun.end(_leaves(found))
    return found


class _Begun:
    """A loop that is being run: where in the record it began, and with what."""

    def __init__(self, trace: Trace, leaves: Sequence[Any]) -> None:
        self.trace, self.generation, self.start = trace, trace.generation, trace.node.size
        self.note = Note(trace, Found(), {})
        self.note.take(leaves)

    def end(self, leaves: Sequence[Any]) -> None:
        """Takes a note of the loop, which has given these results."""
        if self.trace.generation == self.generation and local.trace is self.trace:
            self.note.join(leaves, False)
            self.note.extend(range(self.start, self.trace.node.size))
            _note(self.trace, self.note)


def _leaves_of(frame: FrameType, names: Sequence[str]) -> list[Any]:
    values = frame.f_locals
    return [one for name in names for one in _leaves(values.get(name))]


def _loop(trace: Any, frame: FrameType, fork: Fork, goes_on: bool) -> None:
    """Takes a note of a `while` that has ended; keeps where it began."""
    place = frame, fork.loop
    begun = inside.begun.pop(place, None)
    if begun is None or begun.trace is not trace or begun.generation != trace.generation:
        begun = _Begun(trace, _leaves_of(frame, fork.carried))
    if goes_on:
        inside.begun[place] = begun
    else:
        begun.end(_leaves_of(frame, fork.carried))


def turns_a_loop(frame: FrameType) -> bool:
    """Returns whether a frame makes what a `for` goes over, which TensorFlow makes a loop of its graph."""
    fork = fork_at(frame) if in_call() and not computes_at_once(True) else None
    return fork is not None and fork.loop is not None and fork.turned is False


def rows_over(rows: Iterator[Any], frame: FrameType) -> Iterator[Any]:
    """Yields rows of a tensor; takes a note of the loop that goes over them, if one does."""
    trace: Any = local.trace
    fork = fork_at(frame) if _taped(trace) else None
    if fork is None or fork.loop is None:
        yield from rows
        return
    begun = _Begun(trace, _leaves_of(frame, fork.carried))
    try:
        yield from rows
    finally:
        begun.end(_leaves_of(frame, fork.carried))


class Found:
    """What the sides that are not taken would use.

    `variables` are those that their results come from, by their numbers, and `tensors` the tensors: each by a
    local name and its place there, or as it is. `unnamed` says that some results have no name. `read` are the
    trainable variables, also of no result.
    """

    def __init__(self) -> None:
        self.variables: set[int] = set()
        self.tensors: dict[Any, Any] = {}
        self.unnamed = False
        self.read: dict[int, weakref.ref[Cell]] = {}


def _found(
    sides: dict[Any, Side], others: Sequence[Any], given: dict[str, Any], trace: Any,
    heard: list[Any] | None = None, silent: Sequence[Any] = (),
) -> tuple[Found, bool]:  # fmt: skip
    """Tries out the other sides; returns what they would use, and whether the next call would use the same.

    Where they create variables, all sides are tried in order, as TensorFlow traces them. `heard` takes what
    they print, except those that are `silent`.
    """
    places = {
        id(one): (name, i)
        for name, value in given.items()
        if isinstance(value, Tensor | TensorArray | list | tuple | dict)
        for i, one in enumerate(flat(value))
    }
    try:
        found = Found()
        for side in others:
            _try(sides[side], found, places, True, None if side in silent else heard)
    except LengthError:
        found = Found()
        for side, one in sides.items():
            listening = None if side in silent or side not in others else heard
            _try(one, found if side in others else Found(), places, False, listening)
    return found, all(isinstance(one, tuple) for one in found.tensors)


def _try(
    side: Side, found: Found, places: dict[int, Any], fixed: bool, heard: list[Any] | None = None
) -> None:
    """Runs a side without values in each way that its own forks allow; raises LengthError if `fixed`.

    That is where it would create a variable.
    """
    ways: list[tuple[bool, ...]] = [()]
    count = 0
    while ways and count < TRIALS:
        way = ways.pop()
        count += 1
        spoken: list[Any] = []
        with scratch(fixed, None, Untaken) as trace, muted(spoken):
            assert isinstance(trace, Untaken)
            trace.given = way
            try:
                outputs = side()
            except LengthError:
                if fixed:
                    raise
                outputs = [], False
            except (Exception, SystemExit):
                # What TensorFlow could not trace either, or needs a value: what it has read counts as read.
                outputs = [], False
            _collect(trace, outputs, found, places)
        if heard is not None:
            merged(heard, spoken)
        answers = tuple(trace.answers)
        ways += [(*answers[:i], not answers[i]) for i in range(len(way), len(answers))]


def _collect(trace: Untaken, outputs: Outputs, found: Found, places: dict[int, Any]) -> None:
    """Adds what one way through a side uses."""
    behind: list[frozenset[Any]] = []
    none: frozenset[Any] = frozenset()
    for call in trace.node.program():
        leaf = call.primitive
        if not differentiable(call.spec):
            behind.append(none)
        elif isinstance(leaf, OfVariable):
            behind.append(frozenset([("variable", leaf.variable)]))
        elif isinstance(leaf, TensorArgument):
            behind.append(frozenset([("tensor", leaf.entry)]))
        elif isinstance(leaf, Leaf):
            behind.append(none)
        else:
            behind.append(none.union(*(behind[one] for i, one in enumerate(call.inputs) if passes(call, i))))
    leaves, unnamed = outputs
    found.unnamed |= unnamed
    for one in _opened(leaves):
        if isinstance(one, Cell):
            found.variables.add(one._uid)
        elif isinstance(one, Tensor) and one._trace is trace:
            for kind, number in behind[one._slot]:
                if kind == "variable":
                    found.variables.add(trace.variables[number]._uid)
                else:
                    _add(found.tensors, trace.entries[number], places)
        else:
            _add(found.tensors, one, places)
    for one in trace.variables:
        if one._trainable:
            found.read[one._uid] = weakref.ref(one)


def _opened(leaves: Sequence[Any]) -> Iterator[Any]:
    """Yields what results come from: of an array that was written into, what it holds and held before."""
    for one in leaves:
        history = one._history if isinstance(one, TensorArray) else None
        if history is not None and history.tried:
            yield from (each for each in (history.origin, *history.written) if each is not None)
        elif history is not None or not isinstance(one, TensorArray):
            yield one


def _add(tensors: dict[Any, Any], one: Any, places: dict[int, Any]) -> None:
    place = places.get(id(one))
    tensors[id(one) if place is None else place] = one if place is None else None


class Note:
    """One visit of a fork, for the tapes that are open.

    `start` is where in the record it was. `links` has the slots that hold the results, None for whatever is
    recorded from then on, and the variables and slots that they come from in TensorFlow. `read` are the
    variables which the other side reads.
    """

    def __init__(
        self, trace: Trace, found: Found, given: dict[str, Any], fork: Fork | None = None,
        frame: FrameType | None = None,
    ) -> None:  # fmt: skip
        self.generation, self.start = trace.generation, trace.node.size
        self.links: list[tuple[set[int] | None, set[int], Any]] = []
        self.exact: list[tuple[set[int], set[int], set[int]]] = []
        self.turns = range(0)
        self.read, self._found, self._trace = found.read, found, trace
        self._fork, self._frame = fork, frame
        self._slots: set[int] = set()
        used = []
        for place, one in found.tensors.items():
            if isinstance(place, tuple):
                leaves = flat(given.get(place[0]))
                one = leaves[place[1]] if place[1] < len(leaves) else None
            used.append(one)
        self.take(used)

    def take(self, leaves: Sequence[Any], past: Any = None) -> None:
        """Counts these among what the results come from."""
        for one in leaves:
            if isinstance(one, TensorArray):
                if one._history is not None:
                    self._slots.add(self.contents(one, past))
            else:
                slot = slot_of(self._trace, one, past)
                if slot is not None:
                    self._slots.add(slot)

    def contents(self, array: Any, past: Any = None) -> int:
        """Returns the number of what an array holds now."""
        history = array._history
        held = history.mark
        if held is not None and held[0] == self.generation and not history.written:
            return held[1]  # type: ignore[no-any-return]
        slots = {slot_of(self._trace, one, past) for one in history.written} - {None}
        if held is not None and held[0] == self.generation:
            slots.add(held[1])
        mark = next(_numbers)
        history.mark, history.written = (self.generation, mark), []
        self.link({mark}, slots)  # type: ignore[arg-type]
        return mark

    def link(self, places: set[int], slots: set[int]) -> None:
        """Says that these slots come from those, whatever the program does later."""
        self.exact.append((places, set(), slots))

    def extend(self, turns: range) -> None:
        """Counts what is recorded in these slots, and what it reads, among what the results come from."""
        self.turns = turns

    def settle(self, past: Any) -> None:
        """Finds where the results are that the program has made on the side that was taken.

        `past` is the record, if the step has been run.
        """
        frame, self._frame = self._frame, None
        if frame is not None and self._fork is not None:
            values = frame.f_locals
            leaves = [one for name in self._fork.names for one in _leaves(values.get(name))]
            self.join(leaves, self._found.unnamed, past)

    def end(self, code: Any, results: Sequence[Any]) -> None:
        """Notes what has been returned, if this is a fork of the function that returns."""
        frame = self._frame
        if frame is not None and frame.f_code is code and self._trace.generation == self.generation:
            self._frame = None
            self.join(results, False)

    def join(self, leaves: Sequence[Any], unnamed: bool, past: Any = None) -> None:
        """Links these results with what they come from in TensorFlow, where they belong to one operation."""
        arrays = [one for one in leaves if isinstance(one, TensorArray) and one._history is not None]
        places = {slot_of(self._trace, one, past) for one in leaves} - {None} | {*map(_token, arrays)}
        self.take(arrays, past)
        slots: Any = self._slots | places
        if self._found.variables or slots:
            self.links.append((None if unnamed or not places else places, self._found.variables, slots))  # type: ignore[arg-type]


def slot_of(trace: Trace, one: Any, past: Any = None) -> int | None:
    """Returns the slot of a tensor or variable in a trace, or in the record of one that has been run."""
    if isinstance(one, Cell):
        found = None if past is not None else trace.identity(one, None)
        return found if isinstance(found, int) else None
    if not isinstance(one, Tensor):
        return None
    if past is not None:
        return one._slot if one._trace is None and getattr(one, "_past", None) is past else None
    return one._slot if one._trace is trace else trace.entered.get(id(one))


def _note(trace: Trace, note: Note) -> None:
    for tape in trace.tapes:
        if tape._open and not tape._paused and hasattr(tape, "_take_note"):
            tape._take_note(note)


def gradients_note(trace: Trace, links: Sequence[tuple[set[int], set[int], set[int]]]) -> None:
    """Takes a note of gradients, in slots, and from which variables and slots TensorFlow computes them."""
    note = Note(trace, Found(), {})
    note.links += links
    _note(trace, note)


def behind(
    calls: Sequence[Any], variables: Sequence[Cell], targets: Sequence[int | None], notes: Sequence[Note]
) -> tuple[set[int], set[int], tuple[set[int], set[int]]]:
    """Returns the variables and slots that targets come from, by sides that were not taken too.

    A target that is not in the record, None, is a number that a side gives. The third result has the
    variables and slots that these sides use themselves.
    """
    seen: set[int] = set()
    found: set[int] = set()
    crossed: tuple[set[int], set[int]] = (set(), set())
    stack = [one for one in targets if one is not None and one >= 0]
    last = max(stack, default=-1)
    turned: set[Note] = set()
    anywhere: list[tuple[Note, Any]] = []
    linked: dict[int, list[tuple[Note, int, int, Any]]] = {}
    for note in notes:
        for place, names, slots in note.exact:
            for slot in place:
                linked.setdefault(slot, []).append((note, 0, note.start, (names, slots)))
        for places, *ends in note.links:
            if places is None:
                anywhere.append((note, ends))
            for slot in places or ():
                linked.setdefault(slot, []).append((note, note.start, -1, ends))

    def cross(note: Note, names: set[int], slots: set[int]) -> None:
        nonlocal last
        last = max(last, *slots) if slots else last
        found.update(names)
        stack.extend(slots)
        crossed[0].update(names)
        crossed[1].update(slots)
        if note.turns and note not in turned:
            turned.add(note)
            for one in note.turns[: len(calls)]:
                # What a turn reads counts, even if nothing comes of it.
                reads = {one, *calls[one].inputs}
                stack.extend(reads)
                crossed[1].update(reads)

    if None in targets:
        for note, ends in anywhere:
            cross(note, *ends)
    while stack:
        slot = stack.pop()
        if slot in seen or slot >= len(calls):
            continue
        seen.add(slot)
        if slot >= 0:
            call = calls[slot]
            if call.variable is not None:
                found.add(variables[call.variable]._uid)
            stack += [one for i, one in enumerate(call.inputs) if passes(call, i)]
        for note, start, until, ends in linked.get(slot, ()):
            if last >= start or slot in targets:
                last = max(last, until)
                cross(note, *ends)
        for note, ends in anywhere:
            if slot >= note.start:
                cross(note, *ends)
    return found, seen, crossed


__all__ = [
    "Note", "Untaken", "asked", "behind", "called", "ended", "gradients_note", "hear", "is_repeated",
    "joined", "joined_results", "looped", "no_turns", "over", "read_from", "returned", "rows_over", "slot_of",
    "turns_a_loop",
]  # fmt: skip
