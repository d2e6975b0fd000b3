"""Starts a script in several processes of this machine, which join each other, and ends them together."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from penstock.distribution.checked import simulated_in
from penstock.distribution.peers import PATIENCE
from penstock.distribution.processes import ADDRESSES, COUNT, NUMBER
from penstock.errors import PenstockError
from penstock.launched import PIPE, WHERE, innermost

SECONDS = 300.0
"""How long a process may keep the others waiting, unless --patience says otherwise."""
_ENDED_SECONDS = 10.0
"""How long other processes may wait for one that has ended."""
_GRACE = 3.0
"""How long a process may take to end by itself after an interrupt, and to deliver its output."""
_ANSWERING = 0.3
"""How many seconds a process may take to report its line."""
_GATHERING = 0.5
"""If one process fails, others fail because of it: the cause is one of the failures within this time."""
_CHATTER = re.compile(
    r"(\[Gloo\] Rank|is connected to|peer ranks\.?|Expected number of connected peer ranks is :|[\d\s]+)+"
)
"""Lines that JAX prints when processes join; threads print them at the same time, so parts come in any
order."""
_PARTNER = re.compile(r"Gloo|connection (closed|reset)|is gone|coordination|heartbeat", re.IGNORECASE)
"""Texts of errors that another process has caused."""


class Launched:
    """One process: its last message, and how it ended, if it has."""

    def __init__(self, number: int, process: subprocess.Popen[str], pipe: int, traces: int) -> None:
        self.number, self.process, self.pipe, self.traces = number, process, pipe, traces
        self.main = 0
        self.line, self.taken, self.alone = "", 0, False
        self.error: str | None = None
        self.ended: float | None = None
        self.moved = time.monotonic()
        self._rest = b""

    def hear(self) -> bool:
        """Reads a message of the process; returns False when there are no more."""
        text = os.read(self.pipe, 65536)
        *lines, self._rest = (self._rest + text).split(b"\n")
        for one in lines:
            words: dict[str, Any] = json.loads(one)
            if words.get("taken", self.taken) != self.taken:
                self.taken, self.moved = words["taken"], time.monotonic()
            self.line = words.get("line") or self.line
            self.main = words.get("main", self.main)
            self.alone = words.get("alone", self.alone)
            self.error = words.get("error", self.error)
            self.ended = words.get("ended", self.ended)
        return bool(text)

    def asked(self) -> None:
        """Reads the line that the process reports on request."""
        text = b""
        while select.select([self.traces], [], [], 0)[0] and (more := os.read(self.traces, 65536)):
            text += more
        found = place_in(text.decode(errors="replace"), self.main)
        self.line = found or self.line

    @property
    def status(self) -> int | None:
        """The exit status, negative for a signal; None while the process runs."""
        return self.process.returncode

    @property
    def failed(self) -> bool:
        """Whether the process has failed, even if it has not left yet."""
        return self.error is not None or bool(self.status)

    @property
    def at(self) -> str:
        """Where the process is or was, in words."""
        return f" at {self.line}" if self.line else ", before its first line"


def launch(
    count: int, options: Sequence[str], script: Sequence[str], devices: int | None, patience: float | None
) -> int:
    """Runs `penstock run` in several processes and relays their output; returns the exit status.

    `options` are those of penstock, `script` the script and its arguments. Each process finds `devices`
    devices, if that is given. A process that fails, or that keeps the others waiting for longer than
    `patience` seconds, ends all of them.
    """
    patience = SECONDS if patience is None else patience
    command = [sys.executable, "-m", "penstock", "run", *options, *script]
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    variables = {
        PATIENCE: f"{patience + 30:g}",
        **os.environ,
        ADDRESSES: f"localhost:{port}",
        COUNT: str(count),
    }
    if devices is not None:
        variables.update(simulated_in(variables, devices))
    every: list[Launched] = []
    relays: list[threading.Thread] = []
    speaking = threading.Lock()
    try:
        for number in range(count):
            hears, says = os.pipe()
            reads, writes = os.pipe()
            process = subprocess.Popen(
                command,
                env={**variables, NUMBER: str(number), PIPE: f"{says},{writes}", **_share(number, count)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                bufsize=1,
                pass_fds=(says, writes),
            )
            os.close(says)
            os.close(writes)
            every.append(Launched(number, process, hears, reads))
            for source, sink in ((process.stdout, sys.stdout), (process.stderr, sys.stderr)):
                relays.append(threading.Thread(target=_relay, args=(number, source, sink, speaking)))
                relays[-1].daemon = True
                relays[-1].start()
        said, status = _watch(every, patience)
    except KeyboardInterrupt:
        # Ctrl-C in the terminal has interrupted them all.
        said, status = "", 130
        for one in every:
            with contextlib.suppress(subprocess.TimeoutExpired):
                one.process.wait(_GRACE)
    finally:
        # Kill at once: JAX keeps processes alive after a request to end, and checkpoints are complete at any
        # moment.
        for one in reversed(every):
            # The first process last: the others report errors when it ends.
            one.process.kill()
            one.process.wait()
        for relay in relays:
            relay.join(_GRACE)
        for launched in every:
            os.close(launched.pipe)
            os.close(launched.traces)
    if said:
        print(f"penstock: {said}", file=sys.stderr, flush=True)
    elif not status and count > 1 and all(one.alone for one in every):
        print(
            f"penstock: No distribution was set, so each of the {count} processes did all of the work: "
            "write ps.distribution.set_distribution(ps.distribution.DataParallel()) before the model is "
            "created.",
            file=sys.stderr,
        )
    return status


def _share(number: int, count: int) -> dict[str, str]:
    """Returns the GPUs for a process: its share of the existing ones, if they can be divided equally."""
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    if named is None:
        present = sorted(int(one.name[6:]) for one in Path("/dev").glob("nvidia[0-9]*"))
        found = list(map(str, present))
    else:
        found = [one for one in named.split(",") if one]
    if len(found) < count or len(found) % count:
        return {}
    part = len(found) // count
    return {"CUDA_VISIBLE_DEVICES": ",".join(found[number * part : (number + 1) * part])}


def _relay(number: int, source: TextIO, sink: TextIO, speaking: threading.Lock) -> None:
    """Relays the output of a process, each line with the process's number."""
    for line in source:
        if "peer ranks" in line and _CHATTER.fullmatch(line):
            continue
        with speaking:
            sink.write(f"[{number}] {line}" if line.endswith("\n") else f"[{number}] {line}\n")
            sink.flush()


# -- watching ---------------------------------------------------------------------------------------------


def _watch(every: Sequence[Launched], patience: float) -> tuple[str, int]:
    """Waits until all processes have ended; returns a message about any failure, and the status."""
    hearing = selectors.DefaultSelector()
    for one in every:
        hearing.register(one.pipe, selectors.EVENT_READ, one)
    failing: float | None = None
    while True:
        for key, _ in hearing.select(0.1):
            if not key.data.hear():
                hearing.unregister(key.fileobj)
        for one in every:
            one.process.poll()
        if failing is None and any(one.failed for one in every):
            failing = time.monotonic()
        if failing is not None:
            if time.monotonic() - failing > _GATHERING:
                return _failure(every)
            continue
        if all(one.status == 0 for one in every):
            return "", 0
        late = _late(every, patience)
        if late:
            return _hang(every, late), 1


def _late(every: Sequence[Launched], patience: float) -> list[Launched]:
    """Returns the processes that others wait for, if there has been no progress for too long."""
    ahead = max(one.taken for one in every)
    behind = [one for one in every if one.taken < ahead]
    still = time.monotonic() - max(one.moved for one in every)
    gone = any(one.ended is not None for one in behind)
    return behind if behind and still > (min(patience, _ENDED_SECONDS) if gone else patience) else []


def _failure(every: Sequence[Launched]) -> tuple[str, int]:
    """Says which process failed first, how and where, and what the others did; also returns its status."""

    def rank(one: Launched) -> tuple[bool, bool, float]:
        # A killed process is a cause; an error about another process is not.
        killed = one.error is None and (one.status or 0) < 0
        return (not killed, bool(one.error and _PARTNER.search(one.error)), one.ended or 0.0)

    first = min((one for one in every if one.failed), key=rank)
    _ask(every)
    if first.error is not None:
        how = f"failed{first.at}: {first.error}"
    elif (first.status or 0) < 0:
        number = -(first.status or 0)
        name = signal.Signals(number).name if number in set(signal.Signals) else str(number)
        how = f"was killed by {name}" + (f"; its last joint step was{first.at}" if first.line else "")
        if number == signal.SIGKILL:
            how += " (the system also does this when memory runs out)"
    else:
        how = f"ended with status {first.status}{first.at}"
    status = first.status or 1
    said = f"Process {first.number} {how.removesuffix('.')}. {_others(every, [first])}"
    return said, status if status > 0 else 128 - status


def _hang(every: Sequence[Launched], late: Sequence[Launched]) -> str:
    """Says which processes keep the others waiting, and where."""
    still = time.monotonic() - max(one.moved for one in every)
    ahead = max(one.taken for one in every)
    _ask(every)
    parts = [
        f"process {one.number} "
        + ("has finished" if one.ended is not None else f"has been{one.at}")
        + f", after {one.taken} of {ahead} joint steps"
        for one in late
    ]
    waits = ", and ".join(parts)
    return (
        f"Nothing has moved for {still:.0f} seconds: {waits}. {_others(every, late)} If a process "
        "may take that long, give --patience SECONDS."
    )


def _ask(every: Sequence[Launched]) -> None:
    """Requests the present line of all processes that still run."""
    running = [one for one in every if one.status is None and one.ended is None and one.main]
    if WHERE is None or not running:
        return
    for one in running:
        one.process.send_signal(WHERE)
    time.sleep(_ANSWERING)
    for one in running:
        one.asked()


def place_in(text: str, thread: int) -> str:
    """Returns the user's line of a thread, from the text of Python's faulthandler about all threads."""
    places: list[tuple[str, int]] = []
    own = False
    for line in text.splitlines():
        begins = re.search(r"hread 0x([0-9a-f]+)", line)
        if begins:
            own = int(begins[1], 16) == thread
        elif own and (found := re.search(r'File "(.*)", line (\d+)', line)):
            places.append((found[1], int(found[2])))
    return innermost(places)


def _others(every: Sequence[Launched], told: Sequence[Launched]) -> str:
    running = [one for one in every if one not in told and one.status is None and one.error is None]
    rest = [f"process {one.number}{one.at}" for one in running]
    ended = f"The others were ended: {', '.join(rest)}." if rest else ""
    return f"{ended} The last saved checkpoint is complete: load it to continue from there.".strip()


def require_unix() -> None:
    """Raises PenstockError on systems where processes cannot inherit a pipe."""
    if os.name != "posix":
        raise PenstockError(
            "--processes is not available on this system.",
            remedy="Start each process yourself, with ps.distribution.initialize(address, count, number).",
        )


__all__ = ["launch", "require_unix"]
