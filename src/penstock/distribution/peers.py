"""Processes that run one program: they exchange what each is about to do, and detect differences.

Messages go through the service with which JAX joins processes; values go only through XLA's collectives.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.errors import PenstockError
from penstock.functions.keys import generator
from penstock.state.peers import joined
from penstock.tiers.program import Program, fingerprint
from penstock.trace.source_site import here, user_frame

PATIENCE = "PENSTOCK_PATIENCE"
"""The environment variable with the number of seconds that a process waits for another one."""
SECONDS = 600.0
_SLICE = 2_000
"""The longest wait in milliseconds, so that an interrupt is noticed."""


def patience() -> float:
    """Returns the number of seconds that a process waits for another."""
    text = os.environ.get(PATIENCE, "")
    try:
        return float(text) if text else SECONDS
    except ValueError:
        raise PenstockError(
            f"{PATIENCE} is {text!r}.", remedy="Set it to a number of seconds, or unset it.", site=here()
        ) from None


class Service:
    """This process among all that `initialize` has joined. The first one relays the messages."""

    def __init__(self, client: Any, number: int, count: int) -> None:
        self.client, self.number, self.count = client, number, count
        self.rounds = 0
        self.lock = threading.Lock()

    def told(self, what: str, said: str) -> list[str]:
        """Sends a text to all processes, and returns the text of each, by number; see state/peers.py."""
        progress.note()
        with self.lock:
            self.rounds += 1
            place = f"penstock/{self.rounds}"
            own = json.dumps([what, said])
            found: list[str] | str
            if self.number:
                self.client.key_value_set(f"{place}/{self.number}", own)
                found = json.loads(self._heard(f"{place}/all", 0, what, patience() + 10))
            else:
                found = self._gathered(place, own, what)
                self.client.key_value_set(f"{place}/all", json.dumps(found))
                if self.rounds > 2:
                    # No process reads it any more: all have taken part in a later round.
                    self.client.key_value_delete(f"penstock/{self.rounds - 2}")
        if isinstance(found, str):
            raise _apart(found)
        return found

    def _gathered(self, place: str, own: str, what: str) -> Any:
        """Returns the text of each process, or the problem."""
        every = [own]
        deadline = time.monotonic() + patience()
        for number in range(1, self.count):
            try:
                every.append(
                    self._heard(f"{place}/{number}", number, what, max(0.1, deadline - time.monotonic()))
                )
            except PenstockError as error:
                return error.fact
        pairs = [json.loads(one) for one in every]
        for number, (name, _) in enumerate(pairs):
            if name != what:
                return f"Process 0 is about to {_doing(what)}, and process {number} to {_doing(name)}."
        return [said for _, said in pairs]

    def _heard(self, key: str, number: int, what: str, seconds: float) -> str:
        """Waits for the text of a process. Raises PenstockError if it is gone, or sends nothing in time."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                left = 1000 * (deadline - time.monotonic())
                text: str = self.client.blocking_key_value_get(key, max(1, round(min(_SLICE, left))))
                return text
            except Exception as error:
                if "DEADLINE_EXCEEDED" not in str(error):
                    raise _apart(f"Process {number} is gone: {' '.join(str(error).split())[:200]}") from None
            if time.monotonic() > deadline:
                raise _apart(
                    f"Process {number} has not come within {seconds:.3g} seconds at the point where "
                    f"process {self.number} is about to {_doing(what)}."
                )

    def holds(self, value: Any) -> bool:
        """Returns whether this process has the whole value."""
        return bool(getattr(value, "is_fully_addressable", True) or value.is_fully_replicated)


_DOING = {
    "program": "run a step that is new to it",
    "details": "say which step it runs",
    "seed": "take its first random numbers",
    "save": "save a checkpoint",
    "written": "finish its part of a checkpoint",
    "committed": "finish a checkpoint",
}


def _doing(what: str) -> str:
    return _DOING.get(what, what)


def _apart(fact: str) -> PenstockError:
    return PenstockError(
        fact,
        why="Processes run one program together: each must take every step that the others take, save when "
        "they save, and live as long.",
        remedy="Call it in every process, not under `if` in one of them; or set "
        f"{PATIENCE} to more seconds, if a process may take that long.",
        site=here(),
    )


def joined_by(client: Any, number: int, count: int) -> None:
    """Notes that this process has joined others, and makes all of them draw the same random numbers."""
    if count < 2:
        return
    service = Service(client, number, count)
    present = [generator.seed, generator.number]
    seed, drawn = json.loads(service.told("seed", json.dumps(present))[0])
    if [seed, drawn] != present:
        generator.start(seed)
        generator.number = drawn
    present_service.append(service)


present_service: list[Service] = []
"""This process among the others, if it has joined any."""


class Progress:
    """The file and line where this process last ran something together with others."""

    def __init__(self) -> None:
        self.place = "", 0

    def note(self) -> None:
        """Notes the user's line. Its frame is not kept: values that are kept alive are computed."""
        frame = user_frame(2)
        self.place = frame.f_code.co_filename, frame.f_lineno or 0


progress = Progress()


def install(together: bool) -> None:
    """Makes all processes write checkpoints together, if values are spread over them."""
    joined.peers = present_service[-1] if together and present_service else None


# -- one program ----------------------------------------------------------------------------------------


SAMPLED = 8
"""How many elements of a value are compared."""


class Handed:
    """The values put on devices by this process since the last comparison: others must have put the same.

    Split data is left out: each process puts its own part of it, and need not have the others'.
    """

    def __init__(self) -> None:
        self.values: dict[str, list[int | float]] = {}

    def note(self, name: str, value: Any) -> None:
        """Notes some elements of a value that is the same in every process."""
        if name in self.values:
            return
        flat = np.asarray(value).flat
        at = np.linspace(0, max(0, len(flat) - 1), min(len(flat), SAMPLED)).astype(int)
        found = flat[at]
        if found.dtype.kind == "c":
            found = np.stack([found.real, found.imag])
        number = int if found.dtype.kind in "iub" else float
        self.values[name] = [number(one) for one in found.reshape(-1)]

    def taken(self) -> dict[str, list[int | float]]:
        """Returns the notes and clears them."""
        found, self.values = self.values, {}
        return found


def agree(program: Program, layouts: Any, handed: Handed) -> None:
    """Raises PenstockError in every process if one of them is about to run a different program.

    Also if variables, random numbers or data that must be the same in all of them differ.
    """
    service = present_service[-1] if present_service else None
    if service is None:
        return
    places = [*map(_where, layouts.arguments), *map(_where, layouts.outputs)]
    own = [_digest([fingerprint(program), places]), handed.taken()]
    every = [json.loads(one) for one in service.told("program", json.dumps(own))]
    if any(one[0] != every[0][0] for one in every):
        found = [json.loads(one) for one in service.told("details", json.dumps(_lines(program, layouts)))]
        number = next(n for n, one in enumerate(every) if one[0] != every[0][0])
        raise _differ(number, found[number], found[0])
    for number, (_, values) in enumerate(every):
        for name in values.keys() & every[0][1].keys():
            if not _close(values[name], every[0][1][name]):
                raise _values_differ(number, name)


def _close(one: Sequence[int | float], other: Sequence[int | float]) -> bool:
    """Returns whether numbers are the same, up to rounding differences between processors."""
    scale = max([abs(x) for x in (*one, *other) if isinstance(x, float) and math.isfinite(x)], default=0.0)
    return len(one) == len(other) and all(
        a == b or abs(a - b) <= 1e-3 * scale or (math.isnan(a) and math.isnan(b))
        for a, b in zip(one, other, strict=True)
    )


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:24]


def _where(sharding: Any) -> str:
    """Describes how a value is split, in words that are the same in every process."""
    spec, mesh = getattr(sharding, "spec", None), getattr(sharding, "mesh", None)
    return f"{spec} {dict(mesh.shape)}" if mesh is not None else type(sharding).__name__


def _lines(program: Program, layouts: Any) -> list[str]:
    """Returns the inputs and operations of a program, a line for each."""
    lines = [f"takes {one!r} {_where(where)}" for one, where in zip(program.specs, layouts.arguments)]
    lines += [f"holds the constant {_short(one)}" for one in program.constants]
    for one in program.steps:
        given = ", ".join(f"{name}={_short(value)}" for name, value in one.given.items())
        taken = ", ".join(map(str, one.inputs))
        lines.append(f"{one.primitive.name}({taken}{given and '; '}{given}) {one.spec!r} at {one.site}")
    first = len(program.specs) + len(program.constants)
    for number, where in zip(program.outputs, layouts.outputs, strict=True):
        site = program.steps[number - first].site if number >= first else None
        lines.append(f"returns value {number} {_where(where)} at {site}")
    return lines


def _short(value: Any) -> str:
    text = re.sub(" at 0x[0-9a-f]+", "", " ".join(repr(value).split()))
    return text if len(text) <= 60 else f"{text[:40]}... {_digest(text)[:8]}"


def _differ(number: int, lines: Sequence[str], first: Sequence[str]) -> PenstockError:
    """Returns the error for programs that differ, in their inputs or in a line."""
    at = next((n for n, (one, other) in enumerate(zip(lines, first)) if one != other), None)
    at = min(len(lines), len(first)) if at is None else at
    data = all(text.startswith("takes ") for one in (lines, first) for text in one[at : at + 1])

    def shown(every: Sequence[str]) -> str:
        line = next((one.rpartition(" at ")[2] for one in every if " at " in one), "")
        if at >= len(every):
            return f"nothing more, in the step that begins at {line}"
        return every[at] + ("" if " at " in every[at] else f", in the step that begins at {line}")

    return PenstockError(
        f"Process {number} and process 0 do not run the same step: they differ in "
        + ("the data that it takes." if data else "what it does."),
        origin=f"process {number}: {shown(lines)}\nprocess 0: {shown(first)}",
        why="Processes run one program together: the same script, on data of the same shapes. No variable "
        "was changed.",
        remedy="Give every process the whole batch: each selects its own part."
        if data
        else "Start the same script with the same arguments in every process, and keep what it records "
        "independent of the number of the process.",
        site=here(),
    )


def _values_differ(number: int, name: str) -> PenstockError:
    return PenstockError(
        f"Process {number} and process 0 have different values in {name}.",
        why="Each process puts its part of a value on its devices, and what all of them hold must be the "
        "same. No variable was changed.",
        remedy="Create initial values from the same seed in every process: ps.random.seed(0), and "
        "np.random.default_rng(0) for NumPy's.",
        site=here(),
    )
