"""Collectives of a compiled program: their kinds, the bytes they send, and the steps that need them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

from penstock.tiers.xla import SCOPE

SENT: dict[str, Callable[[int, int], int]] = {
    "all-reduce": lambda size, parts: 2 * size * (parts - 1) // parts,
    "all-gather": lambda size, parts: size * (parts - 1) // parts,
    "reduce-scatter": lambda size, parts: size * (parts - 1),
    "all-to-all": lambda size, parts: size * (parts - 1) // parts,
    "collective-permute": lambda size, parts: size,  # noqa: ARG005 - called as the others are
}
"""The bytes that each device sends in a ring, given the bytes of the result and the number of devices."""

_BYTES = {"pred": 1, "s4": 1, "u4": 1, "bf16": 2, "token": 0}
_ARRAY = re.compile(r"\b([a-z]+\d*[a-z\d]*)\[([\d,]*)\]")
_LINE = re.compile(r"^\s*(ROOT )?%?([\w.\-]+) = (.*?) ([a-z][\w\-]*)\((.*)$")
_COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.\-]+) \(.*\{\s*$")
_PLAIN = frozenset(
    ("copy", "bitcast", "convert", "transpose", "reshape", "copy-done", "copy-start", "broadcast")
)


@dataclass(frozen=True, slots=True)
class Collective:
    """One collective: `kind`, bytes of its result, bytes sent by each device, and the number of devices.

    `times` says how often it runs in a step, 0 if a loop decides. `steps` are the numbers of the program's
    steps that need it. `argument` is the number of the argument whose parts it gathers, if it does nothing
    else, and `elements` the number of elements of the result. `outputs` are the numbers of the program's
    outputs that are computed directly from it, if no step needs it: it moves them to their places.
    """

    kind: str
    size: int
    sent: int
    parts: int
    times: int
    steps: tuple[int, ...]
    argument: int | None
    elements: int
    outputs: tuple[int, ...] = ()


@dataclass(slots=True)
class _Instruction:
    name: str
    kind: str
    shape: str
    rest: str


def collectives(text: str, devices: int) -> list[Collective]:
    """Returns the collectives of a compiled module, from its text as XLA prints it."""
    computations = dict(_computations(text))
    times = _times(computations)
    found = []
    for owner, instructions in computations.items():
        by_name = {one.name: one for one in instructions}
        for one in instructions:
            kind = one.kind.removesuffix("-start")
            if kind not in SENT:
                continue
            arrays = _arrays(one.shape)
            if one.kind.endswith("-start") and kind != "all-reduce" and len(arrays) > 1:
                # Inputs come before results.
                arrays = arrays[len(arrays) // 2 :]
            size = sum(count * width for count, width in arrays)
            parts = _parts(one.rest, devices)
            if parts < 2 and kind != "collective-permute":
                continue
            steps = tuple(dict.fromkeys(int(number) for number in re.findall(SCOPE + r"(\d+)", one.rest)))
            outputs = () if steps or owner != "ENTRY" else _outputs(one, instructions)
            argument = _argument(one, by_name) if kind == "all-gather" else None
            elements = sum(count for count, _ in arrays)
            sent = SENT[kind](size, parts)
            found.append(
                Collective(kind, size, sent, parts, times[owner], steps, argument, elements, outputs)
            )
    return found


def _computations(text: str) -> Iterator[tuple[str, list[_Instruction]]]:
    """Yields the computations of a module by name, with their instructions; the entry is called ENTRY."""
    name = ""
    held: list[_Instruction] = []
    for line in text.splitlines():
        begins = _COMPUTATION.match(line)
        if begins:
            name, held = "ENTRY" if begins[1] else begins[2], []
        elif line.startswith("}"):
            yield name, held
        elif found := _LINE.match(line):
            held.append(_Instruction(found[2], found[4], found[3], found[5]))


def _times(computations: dict[str, list[_Instruction]]) -> dict[str, int]:
    """Returns how often each computation runs in a step: 0 if a loop decides as it runs."""
    found = dict.fromkeys(computations, 1)
    for _ in computations:
        changed = False
        for owner, instructions in computations.items():
            for one in instructions:
                if one.kind != "while":
                    continue
                body = re.search(r"body=%?([\w.\-]+)", one.rest)
                count = re.search(r'known_trip_count":\{"n":"(\d+)"', one.rest)
                turns = found[owner] * (int(count[1]) if count else 0)
                if body and body[1] in found and found[body[1]] != turns:
                    found[body[1]], changed = turns, True
        if not changed:
            break
    return found


def _arrays(shape: str) -> list[tuple[int, int]]:
    """Returns elements, and bytes of each, for the arrays of a shape."""
    found = []
    for kind, lengths in _ARRAY.findall(shape):
        width = _BYTES.get(kind)
        if width is None:
            bits = re.match(r"[a-z]+(\d+)", kind)
            width = max(1, int(bits[1]) // 8) if bits else 0
        found.append((prod(map(int, lengths.split(","))) if lengths else 1, width))
    return found


def _parts(rest: str, devices: int) -> int:
    """Returns the number of devices of a collective."""
    groups = re.search(r"replica_groups=\[(\d+),(\d+)\]", rest)
    if groups:
        return int(groups[2])
    mesh = re.search(r"replica_groups=mesh\[([^\]]*)\] \{([^}]*)\}", rest)
    if mesh:
        lengths = {name: int(length) for name, length in re.findall(r"'([^']+)'=(\d+)", mesh[1])}
        named = re.findall(r"'([^']+)'(?::\(\d+\)(\d+))?", mesh[2])
        return prod(int(part) if part else lengths.get(name, 1) for name, part in named)
    listed = re.search(r"replica_groups=\{\{([\d,]+)\}", rest)
    return len(listed[1].split(",")) if listed else devices


def _outputs(one: _Instruction, instructions: list[_Instruction]) -> tuple[int, ...]:
    """Returns the outputs that are computed from an instruction only by moves."""
    made = {one.name}
    found: tuple[int, ...] = ()
    for other in instructions[instructions.index(one) + 1 :]:
        operands = re.findall(r"%([\w.\-]+)", other.rest.partition(")")[0])
        if other is instructions[-1] and other.kind == "tuple":
            found = tuple(number for number, name in enumerate(operands) if name in made)
        elif other.kind in (*_PLAIN, "fusion", "get-tuple-element") and made & set(operands):
            made.add(other.name)
    return found


def _argument(one: Any, by_name: dict[str, _Instruction]) -> int | None:
    """Returns the program's argument that an instruction takes unchanged, apart from its arrangement."""
    for _ in range(20):
        operands = re.findall(r"%([\w.\-]+)", one.rest.partition(")")[0])
        if len(operands) != 1 or operands[0] not in by_name:
            return None
        one = by_name[operands[0]]
        if one.kind == "parameter":
            return int(one.rest.partition(")")[0])
        if one.kind not in _PLAIN and not (one.kind == "fusion" and "copy" in one.name + one.rest):
            return None
    return None
