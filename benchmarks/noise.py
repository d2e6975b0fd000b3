"""How busy the machine was with other people's work while something was measured."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path


class Noise:
    """Starts counting when made; `cores()` is the mean number of cores others used since, None if unknown."""

    def __init__(self) -> None:
        self.wall, self.all, self.own = time.perf_counter(), all_seconds(), own_seconds()

    def cores(self) -> float | None:
        now = all_seconds()
        if self.all is None or now is None:
            return None
        others = (now - self.all) - (own_seconds() - self.own)
        return max(0.0, others / (time.perf_counter() - self.wall))


def all_seconds() -> float | None:
    """Processor seconds that all processes have used since the machine started."""
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    except OSError:
        return None
    user, nice, system, _idle, _waiting, hard, soft, stolen = (int(field) for field in fields[1:9])
    return (user + nice + system + hard + soft + stolen) / os.sysconf("SC_CLK_TCK")


def own_seconds() -> float:
    """Processor seconds of this process and of the children it has waited for."""
    mine, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return mine.ru_utime + mine.ru_stime + children.ru_utime + children.ru_stime
