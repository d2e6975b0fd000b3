"""Programs in processes of their own, begun by a process that has imported what nearly all of them import.

A process that imports Penstock and JAX computes for a second before its program's first line. Here one
process for each worker of the suite imports them and starts no thread; for each program it makes a child by
fork, with the program's arguments, folder, environment and streams. The child runs the program and ends as
Python does. Where forks are not to be trusted each program is begun as usual.

It is for programs of which nothing is asked that depends on what a process imports, or reads while it starts.
Programs about that are run by `subprocess`: see docs/decisions/0040.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import types
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

LATE = ("PENSTOCK_ENGINE", "PENSTOCK_QUIET", "PENSTOCK_CACHE_DIR", "PENSTOCK_PATIENCE")
"""Environment variables that Penstock reads late enough, or that are passed to it here."""


class Running:
    """A program that runs; it can be waited for, or killed."""

    def __init__(self, pid: int, end: socket.socket) -> None:
        self.pid, self._end = pid, end
        self.status: int | None = None

    def kill(self) -> None:
        """End the program at once."""
        if self.status is None:
            # It may have ended just now: no other process gets its number before `wait` returns.
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; returns its exit status, or minus the number of the signal that ended it."""
        if self.status is None:
            self._end.settimeout(timeout)
            self.status = int(_heard(self._end))
        return self.status


class Usual:
    """A program that was begun as usual, by the same methods."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.kill, self.pid = process.kill, process.pid

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; returns its exit status."""
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise TimeoutError from None


class Starter:
    """The process that begins others, one at a time; it is there from the first of them on."""

    def __init__(self) -> None:
        self._end: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._last: Running | None = None
        self._environment: dict[str, str] | None = None

    def begin(
        self,
        arguments: Sequence[object],
        streams: Sequence[int],
        cwd: object = None,
        env: Mapping[str, str] | None = None,
        imports: Sequence[str] = (),
    ) -> Running | Usual:
        """Begin `python *arguments`, with these descriptors as its standard input, output and errors.

        The modules of `imports` are there already for it, and for all that are begun later.
        """
        variables = dict(os.environ if env is None else env)
        if self._environment is None:
            self._environment = dict(os.environ)
        began = self._environment
        wrong = [
            name for name in variables
            if began.get(name) != variables[name] and (
                (name.startswith("PENSTOCK_") and name not in LATE)
                or (name.startswith(("PYTHON", "JAX_"))
                    and name not in ("PYTHONIOENCODING", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE"))
            )
        ]  # fmt: skip
        assert not wrong, f"{wrong} are read while a process starts: run this program by subprocess"
        if sys.platform != "linux":
            command, (given, out, errors) = [sys.executable, *map(str, arguments)], streams
            return Usual(
                subprocess.Popen(command, cwd=cwd, env=variables, stdin=given, stdout=out, stderr=errors)
            )
        end = self._connected()
        told = {
            "arguments": [str(one) for one in arguments],
            "cwd": str(cwd or os.getcwd()),
            "env": variables,
            "imports": list(imports),
        }
        if self._last is not None:
            # A test that failed has not waited for it.
            self._last.kill()
            self._last.wait(60)
        end.settimeout(60)
        socket.send_fds(end, [b"."], list(streams))
        end.sendall(json.dumps(told).encode() + b"\0")
        self._last = Running(int(_heard(end)), end)
        return self._last

    def _connected(self) -> socket.socket:
        if self._end is None:
            self._end, theirs = socket.socketpair()
            with theirs:
                number = theirs.fileno()
                self._process = subprocess.Popen(
                    [sys.executable, __file__, str(number)],
                    # What it imports is to leave XLA alone.
                    env={**(self._environment or {}), "PENSTOCK_ENGINE": "numpy"},
                    pass_fds=[number],
                    stdin=subprocess.DEVNULL,
                )
            atexit.register(self.close)
        return self._end

    def close(self) -> None:
        """Let the process end."""
        if self._end is not None and self._process is not None:
            self._end.close()
            self._process.wait()
            self._end = self._process = None


starter = Starter()


def run(
    arguments: Sequence[object],
    cwd: object = None,
    env: Mapping[str, str] | None = None,
    imports: Sequence[str] = (),
    timeout: float = 300.0,
) -> subprocess.CompletedProcess[str]:
    """Run `python *arguments` to its end, as `subprocess.run` does where output is captured as text."""
    command = [sys.executable, *map(str, arguments)]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors, open(os.devnull) as nothing:
        streams = [one.fileno() for one in (nothing, out, errors)]
        running = starter.begin(arguments, streams, cwd, env, imports)
        try:
            status = running.wait(timeout)
        except TimeoutError:
            running.kill()
            running.wait(60)
            raise subprocess.TimeoutExpired(command, timeout) from None
        for one in (out, errors):
            one.seek(0)
        return subprocess.CompletedProcess(command, status, out.read().decode(), errors.read().decode())


def _heard(end: socket.socket) -> str:
    """The next message, without the zero byte with which it ends."""
    text = b""
    while not text.endswith(b"\0"):
        waiting = end.recv(65536, socket.MSG_PEEK)
        if not waiting:
            raise EOFError
        # Read no byte of the message that follows.
        text += end.recv(waiting.find(b"\0") + 1 or len(waiting))
    return text[:-1].decode()


# -- in the process that begins others ----------------------------------------------------------------------


def _serve(end: socket.socket) -> dict[str, Any]:
    """Makes a child for each requested program; returns in the child, with the program to run."""
    while True:
        try:
            _, streams, _, _ = socket.recv_fds(end, 1, 3)
            told = json.loads(_heard(end))
        except (EOFError, KeyboardInterrupt, OSError):
            os._exit(0)  # the requesting process is gone
        for name in told["imports"]:
            with suppress(ImportError):
                importlib.import_module(name)
        gc.freeze()  # no collection should visit, and thereby copy, the pages that all children share
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # JAX warns about threads, but there are none here
            pid = os.fork()
        if not pid:
            end.close()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            return dict(told)
        for stream in streams:
            os.close(stream)
        with suppress(OSError):
            end.sendall(f"{pid}\0".encode())
        _, status = os.waitpid(pid, 0)
        with suppress(OSError):
            end.sendall(f"{os.waitstatus_to_exitcode(status)}\0".encode())


def _become(told: dict[str, Any]) -> None:
    """Makes this process look like a newly started one, and runs the program."""
    os.environ.clear()
    os.environ.update(told["env"])
    os.chdir(told["cwd"])
    encoding = os.environ.get("PYTHONIOENCODING") or "utf-8"
    # New streams: the existing ones refer to the former descriptors.
    sys.stdin = sys.__stdin__ = open(0, closefd=False)  # type: ignore[misc]  # noqa: SIM115
    for number, name, mistakes in ((1, "stdout", "strict"), (2, "stderr", "backslashreplace")):
        buffering = 1 if number == 2 or os.isatty(number) else -1
        stream = open(number, "w", buffering, encoding, mistakes, closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    from penstock.tiers import choice

    # It was begun with another; and JAX has no threads here that the child would miss.
    choice.settings.engine = os.environ.get("PENSTOCK_ENGINE", "auto")
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    arguments = told["arguments"]
    while arguments[0] == "-W":
        warnings.simplefilter(arguments[1])
        del arguments[:2]
    sys.path[:0] = [one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one]
    if arguments[0] == "-c":
        sys.argv = ["-c", *arguments[2:]]
        sys.path.insert(0, "")
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(arguments[1], "<string>", "exec"), vars(main))
    elif arguments[0] == "-m":
        sys.argv = arguments[1:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    del sys.path[0]  # this folder
    with suppress(ImportError):
        import jax  # noqa: F401
    import penstock.cli
    import penstock.flow.check  # noqa: F401

    gc.collect()
    _become(_serve(socket.socket(fileno=int(sys.argv[1]))))
