"""What Python's `print` writes on both sides of a fork, and once in a loop, in a function that is traced.

See docs/decisions/0066. The side that is not taken is tried out; what it prints is kept, and written before
or after what the other side prints: the side for true comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from penstock.tensorflow._forks import Fork, fork_at
from penstock.tensorflow._modes import computes_at_once, inside
from penstock.tensorflow._seeds import in_call
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.source_site import user_frame
from penstock.trace.structure import flat
from penstock.trace.tensor import Tensor


def speaking(trace: Any) -> bool:
    """Returns whether TensorFlow traces a function now, and Python's `print` writes on both sides."""
    if type(trace) is not Trace or inside.traced or trace.capturing or not in_call():
        return False
    return not computes_at_once(True) and not (inside.turns and _turning(_stack()))


def turn(frame: FrameType, fork: Fork, answer: bool) -> bool:
    """Counts a turn of a loop; returns whether there has been one."""
    place = frame, fork.loop
    count = inside.turns.get(place, 0)
    inside.turns[place] = count + 1 if answer != fork.turned else 0
    return count > 0


def over(rows: Iterator[Any], frame: FrameType) -> Iterator[Any]:
    """Yields rows of a tensor, and counts the turns of the loop that goes over them."""
    fork = fork_at(frame) if speaking(local.trace) else None
    place = None if fork is None else (frame, fork.loop)
    for number, one in enumerate(rows, start=1):
        if place is not None:
            inside.turns[place] = number
        yield one
    if place is not None:
        inside.turns[place] = 0


def hear(write: Any, values: Sequence[Any], options: dict[str, Any]) -> None:
    """Takes what a side that is tried out prints; nothing of a tensor, which has no value there."""
    frame = user_frame(1)
    # A function that has been called before is traced by now.
    spoken = inside.spoken if inside.traced == inside.trying else None
    if spoken is not None and not any(isinstance(one, Tensor) for one in flat(values)):
        texts = [str(one) for one in values]
        spoken.append(((frame.f_code, frame.f_lasti, *texts), write, texts, options))


def merged(known: list[Any], more: Sequence[Any]) -> None:
    """Adds what another way through a side prints: what both print stays in its order."""
    keys = [one[0] for one in known]
    for number, one in enumerate(more):
        if one[0] not in keys:
            after = next((keys.index(each[0]) for each in more[number:] if each[0] in keys), len(keys))
            known.insert(after, one)
            keys.insert(after, one[0])


def say(fork: Fork, frame: FrameType, heard: Sequence[Any], last: bool) -> None:
    """Prints what the other side does, `last` if that is after the side that is taken."""
    if last and fork.lines is not None:
        inside.postponed = (*inside.postponed, (frame, fork.lines, heard))
    else:
        _write(heard)


def _write(heard: Sequence[Any]) -> None:
    for _, write, texts, options in heard:
        if inside.heard is not None:
            inside.heard.append((write, texts, options))
        write(*texts, **options)


def is_repeated() -> bool:
    """Prints what forks have postponed that the program has left; returns whether a loop turns again."""
    stack = _stack()
    _left(stack)
    return _turning(stack)


def _stack() -> list[FrameType]:
    """Returns the frames of the program, the innermost first."""
    found: list[FrameType] = []
    frame: FrameType | None = user_frame(1)
    while frame is not None:
        found.append(frame)
        frame = frame.f_back
    return found


def _turning(stack: Sequence[FrameType]) -> bool:
    """Returns whether a loop over a tensor turns again, whose body TensorFlow traces once."""
    return any(
        count > 1 and lines is not None and frame in stack and lines[0] <= frame.f_lineno <= lines[1]
        for (frame, lines), count in inside.turns.items()
    )


def ended() -> None:
    """Prints what forks have postponed whose function has returned."""
    _left(_stack())
    if not inside.depth:
        inside.turns.clear()
        inside.begun.clear()


def _left(stack: Sequence[FrameType]) -> None:
    """Prints what forks have postponed that end before where the program is: the inner ones first."""
    waiting: list[Any] = []
    left: list[Any] = []
    for one in inside.postponed:
        frame, (first, last), _ = one
        (waiting if frame in stack and first <= frame.f_lineno <= last else left).append(one)
    inside.postponed = tuple(waiting)
    while left:
        # The last one that was reached, unless one of its own frame ended before it.
        one = left[-1]
        one = min((each for each in left if each[0] is one[0]), key=lambda each: each[1][1])
        left.remove(one)
        _write(one[2])


__all__ = ["ended", "hear", "is_repeated", "merged", "over", "say", "speaking", "turn"]
