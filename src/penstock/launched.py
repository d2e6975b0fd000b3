"""One of the processes started by `penstock run --processes`: it joins the others and reports progress."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterable
from typing import Any

from penstock.errors import PenstockError
from penstock.tiers.placement import in_force
from penstock.trace.source_site import PACKAGE, display_file

PIPE = "PENSTOCK_LAUNCHED"
"""The environment variable with the numbers of two pipes to the launcher of this process."""
INTERVAL = 0.1
"""Seconds between two messages."""
WHERE = signal.SIGUSR2 if hasattr(signal, "SIGUSR2") else None
"""The signal that requests a process's present line."""


class Beat:
    """Reports to the launcher, at intervals, the steps that the program has made together with others.

    It does not read the program's frames, which would keep values alive: on a signal, Python's faulthandler
    prints where the program is.
    """

    def __init__(self, pipe: int, traces: int) -> None:
        for one in (pipe, traces):
            os.set_inheritable(one, False)
        self.pipe = pipe
        self.lock = threading.Lock()
        self.over = threading.Event()
        self.say(main=threading.get_ident())
        if WHERE is not None:
            faulthandler.register(WHERE, file=traces, all_threads=True)
        threading.Thread(target=self._run, name="penstock-beat", daemon=True).start()

    def _run(self) -> None:
        while not self.over.wait(INTERVAL):
            try:
                self.say(line=last_line(), taken=taken())
            except OSError:
                # The launcher is gone, and nothing else would end this process.
                os._exit(1)

    def say(self, **words: Any) -> None:
        """Sends a few words."""
        with self.lock:
            os.write(self.pipe, (json.dumps(words) + "\n").encode())

    def end(self, error: BaseException | None) -> None:
        """Reports how the program has ended."""
        self.over.set()
        words: dict[str, Any] = {"ended": time.time(), "taken": taken(), "alone": in_force.placement is None}
        if error is not None:
            places = [(one.f_code.co_filename, line) for one, line in traceback.walk_tb(error.__traceback__)]
            site = getattr(error, "site", None)
            words["line"] = str(site) if site is not None else innermost(reversed(places))
            fact = error.fact if isinstance(error, PenstockError) else str(error)
            words["error"] = f"{type(error).__name__}: {fact}" if fact else type(error).__name__
        self.say(**words)


def innermost(places: Iterable[tuple[str, int]]) -> str:
    """Returns the innermost of these lines that is the user's; "" if there is none.

    >>> innermost([(json.__file__, 3), ("somewhere/train.py", 7)])
    'somewhere/train.py:7'
    """
    own = (PACKAGE, os.path.join(os.path.dirname(os.__file__), ""), "<frozen")
    for file, line in places:
        if not file.startswith(own) and "site-packages" not in file:
            return f"{display_file(file)}:{line}"
    return ""


def last_line() -> str:
    """Returns the line of the last step that this process has taken together with others."""
    file, line = "", 0
    with contextlib.suppress(KeyError, AttributeError):
        file, line = sys.modules["penstock.distribution.peers"].progress.place
    return innermost([(file, line)]) if line else ""


def taken() -> int:
    """Returns the number of joint actions of this process: steps whose devices wait, and messages."""
    found = 0
    with contextlib.suppress(KeyError, AttributeError):
        # The program imports these modules, and may be in the middle of doing so.
        found += sum(one.rounds for one in sys.modules["penstock.distribution.peers"].present_service)
        found += sum(one.taken_together() for one in sys.modules["penstock.distribution.in_force"].placings())
    return found


def begin() -> Beat | None:
    """Joins this process to the others, if it was launched with some."""
    text = os.environ.pop(PIPE, "")
    if not text:
        return None
    beat = Beat(*map(int, text.split(",")))
    from penstock.distribution.processes import initialize

    try:
        initialize()
    except PenstockError as error:
        beat.end(error)
        raise
    return beat
