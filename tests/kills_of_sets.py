"""Kills processes while they save a checkpoint together, and checks the files left behind.

Run by test_checkpoint.py. A program of its own: it forks, which a process with JAX's threads had better
not do.
"""

import os
import signal
import socket
import sys
from pathlib import Path

import numpy as np

import penstock as ps
from penstock.errors import PenstockError
from penstock.state import sets
from penstock.state.peers import joined

TRACED = {"replace", "target", "write", "_write_part", "_commit", "_remove", "_confirm"}
"""The functions that change files on the disk."""
COUNT, STRIDE = 2, 3


class Connected:
    """This process among a few that are joined by sockets; the first of them hears all the others."""

    count = COUNT

    def __init__(self, number, ends):
        self.number, self.ends = number, ends

    def told(self, what, said):
        try:
            if self.number:
                self.ends[0].sendall(f"{what}\n{said}\0".encode())
                return self.heard(self.ends[0]).split("\1")
            every = [said]
            for end in self.ends:
                name, _, other = self.heard(end).partition("\n")
                assert name == what, (name, what)
                every.append(other)
            for end in self.ends:
                end.sendall(("\1".join(every) + "\0").encode())
            return every
        except OSError as error:
            raise PenstockError(f"a process is gone: {error}") from None

    @staticmethod
    def heard(end):
        text = b""
        while not text.endswith(b"\0"):
            more = end.recv(65536)
            if not more:
                raise PenstockError("a process is gone")
            text += more
        return text[:-1].decode()

    def holds(self, value):
        return True


def generation(path):
    """The one number that fills a checkpoint; an error if it is incomplete or holds two numbers."""
    arrays, notes = sets.read(str(path))
    values = {float(one) for array in arrays.values() for one in np.unique(array)}
    assert len(arrays) == 3 and values == {notes["values"]["number"]}, (values, notes["values"])
    return values.pop()


def saving(number, ends, path, value, last):
    """Saves as one of several processes; is killed before this many lines have run."""
    joined.peers = Connected(number, ends)
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        if frame.f_code.co_name not in TRACED or "/state/" not in frame.f_code.co_filename:
            return None
        if event == "line":
            count += 1
            if count == last:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    variables = {f"w{i}": ps.Variable(np.full(20 * (i + 1), value, np.float32)) for i in range(3)}
    if last:
        sys.settrace(trace)
    ps.save(path, **variables, number=value)


def together(path, value, victim=0, last=0):
    """Saves in several processes, one of which dies before this many lines; returns whether it did."""
    pairs = [socket.socketpair() for _ in range(COUNT - 1)]
    processes = []
    for number in range(COUNT):
        process = os.fork()
        if not process:
            status = 1
            try:
                # A dead process's sockets are closed, if no other holds them.
                ends = [one for one, _ in pairs] if number == 0 else [pairs[number - 1][1]]
                for end in {end for pair in pairs for end in pair} - set(ends):
                    end.close()
                saving(number, ends, path, value, last if number == victim else 0)
                status = 0
            except PenstockError:
                status = 2
            finally:
                os._exit(status)
        processes.append(process)
    for pair in pairs:
        for end in pair:
            end.close()
    statuses = [os.waitpid(one, 0)[1] for one in processes]
    others = [os.waitstatus_to_exitcode(one) for number, one in enumerate(statuses) if number != victim]
    assert all(one in (0, 2) for one in others), statuses
    return os.WIFSIGNALED(statuses[victim])


def main(path):
    """Kills each of the processes before every third line that a save runs."""
    value = 1.0
    together(path, value)
    for victim in range(COUNT):
        before = {False: 0, True: 0}
        line = 1
        while True:
            line += STRIDE
            dies = together(path, value + 1.0, victim, line)
            found = generation(path)
            assert found in (value, value + 1.0), (found, value)
            before[found > value] += 1
            value = found
            if not dies:
                break
        assert before[False] > 20, before
        print(f"process {victim} was killed {line // STRIDE} times in {line} lines: {before}")
    together(path, value)
    left = sorted(one.name for one in path.parent.iterdir())
    assert len(left) == COUNT + 1 and left[-1] == path.name + sets.INDEX, left
    ps.save(path, w=ps.Variable(np.ones(3, np.float32)))
    assert [one.name for one in path.parent.iterdir()] == [path.name], "one file takes the place of a set"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
