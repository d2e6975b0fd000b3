"""Several scripts in one call: each is checked in its own process, and the reports are combined."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence


@contextlib.contextmanager
def terminated() -> Iterator[list[int]]:
    """Makes the termination signal stop a script as Ctrl-C does; yields the signals received.

    A script that handles the signal itself continues to do so.
    """
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield came
        return

    def stop(number: int, _: object) -> None:
        came.append(number)
        raise KeyboardInterrupt("terminated")

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield came
    finally:
        if signal.getsignal(signal.SIGTERM) is stop:
            signal.signal(signal.SIGTERM, before)


def check_each(scripts: Sequence[str], options: Sequence[str], arguments: Sequence[str], form: str) -> int:
    """Checks scripts one after another and prints their reports; returns the worst exit status.

    `options` are those of penstock, `arguments` those for each script. The reports are one list in
    JSON, and one log with a run for each script in SARIF.
    """
    worst, said = 0, []
    for script in scripts:
        command = [sys.executable, "-m", "penstock", "check", *options, script, "--", *arguments]
        sys.stdout.flush()
        stdout = None if form == "text" else subprocess.PIPE
        with terminated() as by_signal, subprocess.Popen(command, stdout=stdout, encoding="utf-8") as child:
            try:
                text, _ = child.communicate()
            except KeyboardInterrupt:
                # Ctrl-C has also reached the child, which reports its observations and ends.
                for number in by_signal:
                    child.send_signal(number)
                child.wait()
                return 128 + (by_signal[0] if by_signal else 2)
        status = child.returncode
        worst = max(worst, status if status >= 0 else 2)
        if status in (130, 143):
            return status
        if form != "text":
            said.append(text)
    if form != "text" and (text := _together(said, form)):
        print(text, flush=True)
    return worst


def _together(said: Sequence[str], form: str) -> str:
    if form == "github":
        return "".join(said).rstrip("\n")
    reports = [json.loads(one) for one in said if one.strip()]
    if form == "sarif" and reports:
        whole = {**reports[0], "runs": [run for one in reports for run in one["runs"]]}
        return json.dumps(whole, indent=2, ensure_ascii=False)
    return json.dumps(reports, indent=2, ensure_ascii=False)


__all__ = ["check_each", "terminated"]
