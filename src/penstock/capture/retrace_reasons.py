"""Why a step is recorded again, in words, and the error for objects that it must not create."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from penstock.capture.objects import Role, arguments_by_name, attributes_of, role_of
from penstock.capture.pytree import is_nested
from penstock.errors import CaptureError
from penstock.trace.convert import as_tensor
from penstock.trace.kinds import kind_of
from penstock.trace.tensor import Cell, Tensor

if TYPE_CHECKING:
    from penstock.capture.methods import Own
    from penstock.capture.recording import Capture


def described(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any], own: Own | None
) -> dict[str, str]:
    """Returns each argument by the name of its parameter: shape and dtype, or the value itself.

    For a method, the other parts of the key are included.
    """
    named = arguments_by_name(function, arguments, options).items()
    found = {part: text for name, one in named for part, text in _parts(name, one)}
    for name, one in (own.attributes() if own is not None else {}).items():
        found |= _parts(f"self.{name}", one, fixed=True)
    return found


def _parts(name: str, thing: Any, fixed: bool = False) -> Iterator[tuple[str, str]]:
    """Yields the description of a thing, part by part; numbers count if it is `fixed`."""
    role = role_of(thing)
    if role is Role.VARIABLE:
        yield name, f"Variable {thing.path!r}"
    elif role is Role.DATA and not (fixed and isinstance(thing, int | float | complex)):
        yield name, repr((thing if isinstance(thing, Tensor) else as_tensor(thing))._spec)
    elif is_nested(thing, role):
        kind: Any = kind_of(thing, composites=True)
        rest, parts = kind.apart(thing)
        yield name, f"{type(thing).__name__} of {len(parts)}"
        for number, one in enumerate(parts):
            yield from _parts(name + kind.label(type(thing), rest, number), one, fixed)
    else:
        yield name, repr(thing)
        for key, one in attributes_of(thing) if role is Role.OBJECT else ():
            if role_of(one) is Role.VALUE or isinstance(one, int | float | complex):
                yield f"{name}.{key}", repr(one)


def reason(name: str, earlier: Iterable[Capture], given: dict[str, str], before: Capture | None) -> str:
    """Returns why a step is recorded, compared with the closest earlier call or with `before`."""
    if before is not None:
        return f"{name} was recorded again: {'; '.join(_changes(before))}"
    others = [capture.described for capture in earlier]
    if not others:
        what = ", ".join(f"{part} {text}" for part, text in given.items())
        return f"{name} was recorded" + (f" for {what}" if what else "")
    closest = max(others, key=lambda one: len(one.items() & given.items()))
    moved = [
        f"argument {part!r} went from {closest.get(part, 'nothing')} to {given.get(part, 'nothing')}"
        for part in dict.fromkeys([*closest, *given])
        if closest.get(part) != given.get(part)
    ]
    same = "; the rest is unchanged" if len(moved) < len(given) else ""
    return (
        f"{name} was recorded again: {'; '.join(moved) or 'a different object with the same contents'}{same}"
    )


def _changes(before: Capture) -> Iterator[str]:
    variable: Any
    for variable, trainable, locked in before.flags:
        for flag, old, new in (
            ("trainable", trainable, variable._trainable),
            ("locked", locked, variable._locked is not None),
        ):
            if old != new:
                last = next((one for one in reversed(variable.flags) if one.name == flag), None)
                by = f", by {last.by} at {last.site}" if last is not None else ""
                yield f"Variable {variable.path!r}: {flag} went from {old} to {new}{by}"
    for number in before.baked:
        if number.has_changed():
            yield (
                f"{type(number.owner).__name__}.{number.attribute} went from {number.number!r} to "
                f"{getattr(number.owner, number.attribute)!r}; from now on each call reads it again"
            )


def made_inside(name: str, made: Sequence[Any]) -> CaptureError:
    """Returns the error to raise for a step that creates variables or optimizers in each recording."""
    first = made[0]
    what = f"Variable {first.path!r}" if isinstance(first, Cell) else f"{type(first).__name__} optimizer"  # type: ignore[attr-defined]
    more = f" and {len(made) - 1} more" if len(made) > 1 else ""
    return CaptureError(
        f"A {what}{more} is created inside the captured step {name!r}, so each recording makes another one.",
        why="Replays would keep using the one from the recording, and the next recording would start from "
        "scratch.",
        remedy=f"Move line {first.site.line} of {first.site.file.rpartition('/')[2]} out of {name!r}, "
        "before its first call.",
        site=first.site,
    )
