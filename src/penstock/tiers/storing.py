"""The values that XLA must compute once and store, although it would compute them again in each reader."""

from __future__ import annotations

from typing import Any

from penstock.tiers.program import Program, Step

LARGE = 1 << 16
"""A value of fewer elements is left to XLA, unless it is computed from many others."""
MANY = 16
"""A value that several steps read is stored if it depends on more values than this, however small it is: XLA
would compile all of it again into each reader, in time that grows with the square of their number."""
PART = 4
"""If an operand is smaller than the value by this factor, the time to read it does not matter."""
TALL = 128
"""A product of fewer rows is faster if its left operand is left as it is."""
APART = frozenset(("concat", "pick", "sort", "stored", "take"))
"""Operations that cost nothing themselves, but that XLA does not fuse into their readers."""


def stored(program: Program, looped: bool = False) -> frozenset[int]:
    """Returns the numbers of the steps whose values are stored: docs/decisions/0021.

    In a program that is `looped`, the body of a loop, only large ones are: XLA compiles loops over few values
    in a way that knows no barriers.

    XLA fuses elementwise operations into each of their readers, without a limit: along a chain of residual
    connections, each sum reads everything that was added before it. A value is stored where that moves less
    memory. If it is not stored, each of its readers reads all of its sources; if it is, the sources are read
    once, the value is written once, and each reader reads it. Small values cost no memory, but compile time.

    A matrix product is computed by a library, so its operands are written in any case: their other readers
    read them there. Libraries multiply a transposed left operand at half the speed: it is transposed before.
    """
    first = len(program.specs) + len(program.constants)
    specs = program.every_spec
    sizes = [one.size for one in specs]
    readers = [0] * len(sizes)
    for step in program.steps:
        for number in set(step.inputs):
            readers[number] += 1
    for number in program.outputs:
        readers[number] += 1
    products = [step for step in program.steps if step.primitive.name == "matmul" and step.spec.ndim == 2]
    written = {number for step in products for number in step.inputs}
    turned = {
        step.inputs[0] for step in products if step.spec.dtype.kind == "f" and step.spec.shape[0] >= TALL
    }
    sources: dict[int, frozenset[int]] = {}
    found: set[int] = set()
    for number, step in enumerate(program.steps, first):
        if sizes[number] >= LARGE and (
            asks(step) or (number in turned and step.primitive.name == "transpose")
        ):
            found.add(number - first)
        if not is_fused(step):
            continue
        read = frozenset().union(*(sources.get(one, {one}) for one in step.inputs))
        own = frozenset(one for one in read if sizes[one] * PART >= sizes[number])
        saved = readers[number] * len(own) > len(own) + 1 + readers[number]
        large = sizes[number] >= LARGE and (saved or (number in written and readers[number] > 1))
        if large or (readers[number] > 1 and len(read) > MANY and not looped):
            found.add(number - first)
        else:
            sources[number] = read
    return frozenset(found)


def asks(step: Step) -> bool:
    """Returns whether a step is there to have its operand stored: ops/stored.py."""
    return bool(step.primitive.name == "stored" and step.spec.dtype.kind == "f")


def is_fused(step: Step) -> bool:
    """Returns whether XLA computes a step inside its readers: an elementwise operation, or a move."""
    primitive: Any = step.primitive
    plain = not primitive.many and primitive.cost is None and primitive.name not in APART
    return plain and step.spec.dtype.kind == "f"
