"""An interrupt at any line leaves a step done or not done: variables, versions, counts and ledger agree."""

import _thread
import dis
import functools
import linecache
import sys
import threading

import numpy as np
import pytest

import penstock as ps
from penstock import paddle
from penstock.trace.engine import engine
from penstock.trace.fast_path import launch
from penstock.trace.local import local
from penstock.trace.tree import tree

REPEATS = 3
COMMITS = {"_commit", "_finish", "clear", "commit", "past", "renew"}
"""Functions that hand out the values of a run, and return the trace to the root."""
RECORDS = {
    "_read_again",
    "_read_anew",
    "_record",
    "assigned",
    "build",
    "enter",
    "follow",
    "mark",
    "read_held",
}
"""Functions that move the cursor of a trace."""


class Stop(KeyboardInterrupt):
    """An interrupt that no user typed."""


@functools.cache
def comprehensions(code):
    """The offsets of comprehensions in a function: from Python 3.12 on they have no separate frame.

    In Python 3.12 and 3.13, the handlers around a comprehension miss an exception that a tracer raises in it.
    They catch those of signals: of 39,000 that came in a comprehension under a lock, none left the lock
    taken.
    """
    names = {one.offset: one.opname for one in dis.get_instructions(code)}
    entries = dis.Bytecode(code).exception_entries
    return [(one.start, one.end) for one in entries if names[one.target] != "PUSH_EXC_INFO"]


def interrupted(call, number, within=None):
    """Calls, with an interrupt at the line with this number; returns whether the call had that many lines.

    Lines are those of the library, or of the functions named in `within` alone. Lines that open a block with
    `with` or `try` get none: no signal arrives before Python has entered the block, or left it.
    """
    left = number

    def at_line(frame, event, _):
        nonlocal left
        if event != "line" or any(a <= frame.f_lasti < b for a, b in comprehensions(frame.f_code)):
            return at_line
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
        if not line.lstrip().startswith(("with ", "try:")):
            left -= 1
            if left == -1:
                raise Stop
        return at_line

    def at_call(frame, event, _):
        code = frame.f_code
        named = within is None or code.co_name in within
        return at_line if named and "penstock" in code.co_filename else None

    before = sys.gettrace()
    sys.settrace(at_call)
    try:
        call()
    except Stop:
        pass
    finally:
        sys.settrace(before)
    assert others_may_run(), "the lock was kept"
    return left < 0


def others_may_run():
    """Whether another thread can take the lock of the engine."""
    taken = []

    def take():
        if engine.lock.acquire(timeout=5.0):
            taken.append(True)
            engine.lock.release()

    other = threading.Thread(target=take)
    other.start()
    other.join()
    return bool(taken)


class Loop:
    """Two variables that move by one at every step, in opposite directions; `way` says how the steps run."""

    def __init__(self, way, **options):
        self.a = ps.Variable(0.0, dtype="float64", name="a")
        self.b = ps.Variable(0.0, dtype="float64", name="b")
        self.optimizer = ps.optimizers.SGD(1.0, **options)
        self.size = REPEATS if way == "repeat" else 1
        captured = ps.step(self.turn)
        self.take = {"loop": self.turn, "step": captured, "repeat": ps.repeat(captured, REPEATS)}[way]

    def turn(self):
        with ps.GradientTape() as tape:
            loss = self.b - self.a
        self.optimizer.apply_gradients(
            zip(tape.gradient(loss, [self.a, self.b]), [self.a, self.b], strict=True)
        )
        return loss

    def call(self):
        return float(self.take())

    def state(self):
        """Steps by the values, by the versions and by the count of the optimizer: all are one number."""
        for tape in local.trace.tapes:
            if tape._open:
                tape.__exit__(None, None, None)
        return float(self.a), -float(self.b), self.a.version, self.b.version, self.optimizer.applied


@pytest.mark.parametrize("way", ["loop", "step", "repeat"])
@pytest.mark.parametrize("options", [{}, {"finite": "skip"}], ids=["plain", "skipping"])
def test_an_interrupt_at_any_line_leaves_a_step_done_or_not_done(tier, way, options):
    loop = Loop(way, **options)
    for _ in range(20):
        loop.call()
    number = done = 0
    while True:
        (before,) = set(loop.state())
        if not interrupted(loop.call, number):
            break
        (after,) = set(loop.state())
        assert 0 <= after - before <= loop.size
        assert tier == "numpy" or after - before in (0, loop.size)
        done += after > before
        loop.call()
        assert set(loop.state()) == {after + loop.size}, number
        number += 1
    assert 0 < done < number


@pytest.mark.parametrize("way", ["loop", "step", "repeat"])
def test_an_interrupt_in_a_commit_leaves_the_ledger_right(tier, way):
    loop = Loop(way)
    for _ in range(20):
        loop.call()
    number = 0
    while True:
        (before,) = set(loop.state())
        with ps.ledger() as ledger:
            there = interrupted(loop.call, number, COMMITS)
            (after,) = set(loop.state())
        if not there:
            break
        assert len(ledger.entries) == 2 * (after - before)
        loop.call()
        assert set(loop.state()) == {after + loop.size}
        number += 1
    assert number


@pytest.mark.parametrize("way", ["loop", "step"])
def test_an_interrupt_while_the_ledger_notes_a_step_leaves_nothing_of_it(tier, way):
    loop = Loop(way)
    for _ in range(20):
        loop.call()
    number = 0
    while True:
        (before,) = set(loop.state())
        with ps.ledger() as ledger:
            there = interrupted(loop.call, number, {"_write_down", "_entry", "writes_of"})
            (after,) = set(loop.state())
            assert after == before or not there
            assert len(ledger.entries) == 2 * (after - before)
            loop.call()
            assert len(ledger.entries) == 2 * (after - before + 1)
        if not there:
            break
        number += 1
    assert number


def test_an_interrupt_while_a_path_is_met_for_the_first_time(tier):
    number = 0
    while True:
        loop = Loop("loop")
        tree.root.edges.clear()
        there = interrupted(loop.call, number, COMMITS | RECORDS | {"_apply", "run", "_execute"})
        (after,) = set(loop.state())
        assert after in (0, 1)
        loop.call()
        assert set(loop.state()) == {after + 1}
        if not there:
            break
        number += 1
    assert number


def test_an_interrupt_at_any_line_of_a_paddle_step():
    weight = paddle.to_tensor([8.0], dtype="float64", stop_gradient=False)
    optimizer = paddle.optimizer.SGD(1.0, parameters=[weight])

    def step():
        weight.sum().backward()
        optimizer.step()
        optimizer.clear_grad()
        return float(weight)

    for _ in range(20):
        step()
    number = 0
    while True:
        optimizer.clear_grad()
        before = float(weight), weight._version
        if not interrupted(step, number, COMMITS | {"begin"}):
            break
        after = float(weight), weight._version
        assert after in (before, (before[0] - 1.0, before[1] + 1))
        optimizer.clear_grad()
        assert step() == after[0] - 1.0
        number += 1
    assert number


def test_an_interrupt_in_an_update_of_variables_with_pending_writes():
    number, down = 0, ps.asarray(np.float64(-1.0))
    while True:
        a, b = (ps.Variable(0.0, dtype="float64") for _ in range(2))
        optimizer = ps.optimizers.SGD(1.0)
        tree.root.edges.clear()

        def turn(a=a, b=b, optimizer=optimizer):
            a.assign_add(1.0)
            b.assign_add(1.0)
            optimizer.apply_gradients([(down, a), (down, b)])

        there = interrupted(turn, number, {"_apply", "assigned", "assigned_together"})
        done, versions = optimizer.applied, (a.version, b.version)
        assert (float(a), float(b)) == versions and done in (0, 1)
        turn()
        assert (optimizer.applied, a.version, b.version) == (done + 1, versions[0] + 2, versions[1] + 2)
        if not there:
            break
        number += 1
    assert number


def test_an_interrupt_while_assignments_are_met_for_the_first_time():
    """Each is done or not done, and what comes after on the same path has the right operands."""
    states = [(1.0, 0.0, 2.0), (4.0, 0.0, 2.0), (4.0, 0.5, 2.0), (0.0, 0.5, 2.0)]
    number = 0
    while True:
        a, rate, b = (ps.Variable(one, dtype="float64") for one in states[0])
        data = ps.asarray(np.float64(3.0))
        tree.root.edges.clear()

        def turn(a=a, rate=rate, b=b, data=data):
            a.assign_add(data)
            rate.assign(0.5)
            b.assign(a * rate)
            a.assign_sub(b * 2.0)

        there = interrupted(turn, number, RECORDS)
        versions = a.version, rate.version, b.version
        sums = float(data + b), float(a - b), float(data * rate)
        state = float(a), float(rate), float(b)
        assert state in states
        assert sums == (3.0 + state[2], state[0] - state[2], 3.0 * state[1])
        assert all(0 <= one <= most for one, most in zip(versions, (2, 1, 1), strict=True))
        turn()
        assert (a.version, rate.version, b.version) == (versions[0] + 2, versions[1] + 1, versions[2] + 1)
        assert (float(rate), float(b)) == (0.5, (state[0] + 3.0) / 2)
        if not there:
            break
        number += 1
    assert number


def test_a_signal_during_a_launch_comes_after_its_outputs_are_kept():
    """Python handles a signal that came during a call as soon as the call has returned."""
    box = []
    with pytest.raises(KeyboardInterrupt):
        launch(box, _thread.interrupt_main, ())
        while True:
            pass
    assert box == [None]


def test_a_step_that_fails_is_not_counted():
    table, index = ps.Variable([1.0, 2.0], name="table"), ps.Variable(0, name="index")
    optimizer = ps.optimizers.SGD(1.0)
    for chosen in (0, 5):
        index.assign(chosen)
        with ps.GradientTape() as tape:
            loss = ps.take(table, index, axis=0)
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])
        if chosen:
            with pytest.raises(ps.errors.RangeError):
                table.numpy()
    assert (optimizer.applied, table.version) == (1, 1)
    assert table.numpy().tolist() == [0.0, 2.0]
