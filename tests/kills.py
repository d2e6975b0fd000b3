"""Kills processes while they save a checkpoint, and checks the files left behind. Run by test_checkpoint.py.

A program of its own: it forks, which a process with JAX's threads had better not do.
"""

import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

import penstock as ps

TRACED = ("checkpoint.py", "files.py", "notes.py", "safetensors", "pathlib.py", "shutil.py")
KILLS = 40


def contents(number: float, size: int) -> dict[str, ps.Variable]:
    """Three variables that hold one number."""
    return {f"w{i}": ps.Variable(np.full(size * (i + 1), number, np.float32)) for i in range(3)}


def generation(path: Path) -> float:
    """The one number that fills a file; an error if the file is incomplete or holds two numbers."""
    arrays = load_file(path)
    values = {float(one) for array in arrays.values() for one in np.unique(array)}
    assert len(arrays) == 3 and len(values) == 1, (list(arrays), values)
    return values.pop()


def child(work: Callable[[], object]) -> int:
    """Starts a process that does this and ends."""
    process = os.fork()
    if not process:
        try:
            work()
        finally:
            os._exit(0)
    return process


def dying(last: int, path: Path, new: dict[str, ps.Variable]) -> None:
    """Saves, and is killed before the line of this number is run."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        if not any(part in frame.f_code.co_filename for part in TRACED):
            return None
        if event == "line":
            count += 1
            if count == last:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)
    ps.save(path, **new)


def at_every_line(path: Path) -> None:
    """Kills one process before each line that a save runs."""
    old, new = contents(1.0, 200), contents(2.0, 200)
    seen = []
    while True:
        if seen and seen[-1] == 1.0:
            # The old file is still there; the leftover files of the killed process are removed.
            for one in {*path.parent.iterdir()} - {path}:
                shutil.rmtree(one)
        else:
            ps.save(path, **old)
        _, status = os.waitpid(child(lambda: dying(len(seen) + 1, path, new)), 0)
        seen.append(generation(path))
        if not os.WIFSIGNALED(status):
            break
    assert seen == sorted(seen), "once the new file is there it stays"
    assert {*seen} == {1.0, 2.0} and len(seen) > 30
    print(f"killed before each of {len(seen) - 1} lines; the new file was there from line {seen.index(2.0)}")


def at_any_instant(path: Path) -> None:
    """Kills processes that save large files over and over, after random times."""
    both = [contents(number, 200_000) for number in (1.0, 2.0)]
    took = 0.0
    for one in both * 2:
        start = time.perf_counter()
        ps.save(path, **one)
        took = max(took, time.perf_counter() - start)
    chance, seen, partial, kills = random.Random(0), set(), 0, 0

    def forever() -> None:
        while True:
            for one in both:
                ps.save(path, **one)

    # A disk may be slow today: kill until both files and a half-written one have been seen.
    while kills < KILLS or (kills < 20 * KILLS and not (len(seen) == 2 and partial)):
        process = child(forever)
        time.sleep(chance.random() * 4 * took)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        kills += 1
        partial += len(list(path.parent.iterdir())) > 1
        seen.add(generation(path))
    assert seen == {1.0, 2.0}
    assert partial, "none was killed in the middle of a file"
    print(f"{kills} kills, {partial} of them in the middle of a file")


if __name__ == "__main__":
    target = Path(sys.argv[2])
    {"at_every_line": at_every_line, "at_any_instant": at_any_instant}[sys.argv[1]](target)
    ps.save(target, **contents(3.0, 10))
    assert [one.name for one in target.parent.iterdir()] == [target.name], "leftovers are swept away"
