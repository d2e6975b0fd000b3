"""Room for compiled programs: all are let go before the system has none left: docs/decisions/0024."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Protocol
from weakref import WeakSet

from penstock.tiers.program import Program, programs
from penstock.trace.tree import tree

MAPS = Path("/proc/self/maps")
MOST = Path("/proc/sys/vm/max_map_count")
SHARE = 0.7
"""Of the mappings Linux grants a process, those that may be taken when a program is compiled."""
STEPS = 1_000
"""After so many steps of newly compiled programs it is looked how many mappings are taken."""


class Tenant(Protocol):
    """Something that holds compiled programs of its own, and can do without for a while."""

    def let_go(self) -> None: ...


class Room:
    """What is compiled: `held` counts the steps since all was let go, `unseen` those since it was looked."""

    def __init__(self) -> None:
        self.held = self.unseen = 0
        self.tenants: WeakSet[Tenant] = WeakSet()

    def enter(self, program: Program) -> None:
        """Makes room for a program that is about to be compiled."""
        size = 1 + len(program.steps)
        self.held += size
        self.unseen += size
        if self.unseen > STEPS:
            self.unseen = 0
            if is_full():
                self.clear()

    def clear(self) -> None:
        """Lets go of every compiled program; one that is still run is compiled again at its next pass."""
        self.held = self.unseen = 0
        tree.clear_plans()
        for program in list(programs.values()):
            program.compiled.clear()
        for tenant in list(self.tenants):
            tenant.let_go()
        gc.collect()


def is_full() -> bool:
    """Returns whether this process has taken most of the mappings that the system grants it."""
    try:
        most = int(MOST.read_text())
        with MAPS.open("rb") as file:
            return sum(1 for _ in file) > SHARE * most
    except OSError:
        # Systems other than Linux have no such limit.
        return False


room = Room()
