"""Limits for executables: bytes, and memory mappings of the system. See docs/decisions/0024."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol
from weakref import ref

from penstock.tiers.program import Program
from penstock.trace.budget import budget

MAPS = Path("/proc/self/maps")
MOST = Path("/proc/sys/vm/max_map_count")
SHARE = 0.7
"""The share of the mappings that Linux grants a process which may be in use when a program is compiled."""
STEPS = 1_000
"""After this many newly compiled operations, the mappings in use are counted."""


class Tenant(Protocol):
    """Something that holds executables and can drop them, to be compiled again later."""

    @property
    def last_used(self) -> int: ...

    @property
    def size_of_compiled(self) -> int: ...

    def let_go(self) -> None: ...


class Room:
    """Executables. `count` is the number of programs compiled, `unseen` their steps since the last check."""

    def __init__(self) -> None:
        self.count = self.unseen = 0
        self.tenants: set[ref[Tenant]] = set()
        """Not a WeakSet, which may not grow during an iteration: a thread compiles without the lock."""

    def enter(self, program: Program) -> None:
        """Makes room for a program that is about to be compiled."""
        self.unseen += 1 + len(program.steps)
        if self.unseen > STEPS:
            self.unseen = 0
            if is_full():
                budget.press()

    def entered(self, tenant: Tenant, size: int) -> None:
        """Notes an executable of about this many bytes."""
        self.tenants.add(ref(tenant, self.tenants.discard))
        budget.take(budget.compiled, size)

    def weigh(self) -> Iterator[tuple[int, int, Tenant]]:
        """Yields the holders of executables."""
        for tenant in [found for one in list(self.tenants) if (found := one()) is not None]:
            size = tenant.size_of_compiled
            if size:
                yield tenant.last_used, size, tenant

    def drop(self, things: list[Any]) -> int:
        """Drops executables; a path that runs again is compiled again."""
        for tenant in things:
            tenant.let_go()
        if things:
            gc.collect()
        return 0

    def wasted(self) -> int:
        """Returns 0: any executable may be run again."""
        return 0


def is_full() -> bool:
    """Returns whether this process uses most of the mappings that the system grants it."""
    try:
        most = int(MOST.read_text())
        with MAPS.open("rb") as file:
            return sum(1 for _ in file) > SHARE * most
    except OSError:
        # Systems other than Linux have no such limit.
        return False


room = Room()
budget.compiled.kinds.append(room)
