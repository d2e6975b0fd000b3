"""The engine: observers come and go in any order, and programs are compiled while other threads run."""

import ast
import threading
from pathlib import Path

import numpy as np
import pytest

import penstock as ps
from penstock.flow.inspection import Inspection
from penstock.flow.recorder import Recorder
from penstock.testing import use_engine
from penstock.tiers import choice, xla
from penstock.trace.engine import Engine, Observers, engine
from penstock.trace.local import local
from together import in_a_thread, in_threads

SOURCES = Path(ps.__file__).parent


# -- observers -----------------------------------------------------------------------------------------------


def test_observers_leave_in_any_order():
    seen = []
    first, second, third = (lambda what, number=number: seen.append((number, what)) for number in (1, 2, 3))
    observers = Observers()
    for one in (first, second, third):
        observers.add(one)
    observers.tell("all")
    observers.remove(first)
    observers.tell("two")
    observers.remove(third)
    observers.tell("one")
    observers.remove(second)
    assert not observers
    assert seen == [(1, "all"), (2, "all"), (3, "all"), (2, "two"), (3, "two"), (2, "one")]


def test_an_observer_that_leaves_during_a_call_disturbs_no_other():
    seen = []
    observers = Observers()

    def leaves(what):
        seen.append(("leaves", what))
        observers.remove(leaves)

    with observers.joined_by(leaves), observers.joined_by(lambda what: seen.append(("stays", what))):
        observers.tell(1)
        observers.tell(2)
    assert seen == [("leaves", 1), ("stays", 1), ("stays", 2)]
    assert not observers


def test_functions_are_installed_once():
    one = Engine()
    one.install(run=print)
    assert one.run is print
    with pytest.raises(AssertionError, match="run"):
        one.install(run=repr)


def test_only_the_engine_sets_its_attributes():
    """A hook that replaces another is lost, or restores the earlier one."""
    found = []
    for path in SOURCES.rglob("*.py"):
        source = path.read_text()
        if path.name == "engine.py" or "engine." not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                base = node.value
                if isinstance(base, ast.Name) and base.id == "engine":
                    found.append(f"{path.name}:{node.lineno}: engine.{node.attr}")
    assert not found


def test_checks_and_ledgers_that_overlap():
    """Each sees the events while it is open, whichever closes first."""
    x = ps.Variable(0.0, name="x")

    def add():
        x.assign_add(1.0)
        ps.wait()

    outer, inner = Inspection(Recorder()), Inspection(Recorder())
    outer.__enter__()
    add()
    inner.__enter__()
    ledger = ps.ledger()
    ledger.__enter__()
    add()
    outer.__exit__(None, None, None)
    add()
    with ps.contract(updates="x"):
        inner.__exit__(None, None, None)
        add()
    ledger.__exit__(None, None, None)
    add()
    assert (outer.steps.count, inner.steps.count, len(list(ledger))) == (2, 2, 3)
    assert not any(engine.observers.values())
    assert not local.trace.guards


def test_checks_in_two_threads():
    opened, closed = threading.Barrier(2), threading.Barrier(2)
    variables = [ps.Variable(0.0, name=name) for name in "ab"]

    def inspected(number):
        def loop():
            with Inspection(Recorder()) as inspection:
                opened.wait(60)
                for _ in range(20):
                    variables[number].assign_add(1.0)
                    ps.wait()
                closed.wait(60)
            return inspection

        return loop

    for inspection in in_threads(inspected(0), inspected(1)):
        subjects = inspection.report("", None).subjects
        written = {one.path: sum(writer.times for writer in one.writers.values()) for one in subjects}
        assert written == {"a": 20, "b": 20}
    assert not any(engine.observers.values())
    assert [float(one) for one in variables] == [20.0, 20.0]


def test_a_run_that_fails_is_reported():
    told = []
    table = ps.Variable([1.0, 2.0], name="table")
    with engine.failures.joined_by(lambda lost, error: told.append((lost.variables, lost.writes, error))):
        with pytest.raises(ps.errors.RangeError):
            ps.take(table, ps.asarray([7])).numpy()
        float(table[0])
    ((variables, writes, error),) = told
    assert variables == [table] and not writes and isinstance(error, ps.errors.RangeError)


# -- compiling -----------------------------------------------------------------------------------------------


class Slow:
    """Replaces the compiler: waits for permission to continue, or fails."""

    def __init__(self, monkeypatch, error=None):
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.programs = []
        self.error = error
        compiled = xla.compiled

        def slow(module, lowered, program, looped=False):
            self.programs.append(program)
            self.begun.set()
            assert self.go_on.wait(60), "nobody let the compiler go on"
            if self.error is not None:
                error, self.error = self.error, None
                raise error
            return compiled(module, lowered, program, looped)

        monkeypatch.setattr(xla, "compiled", slow)


def fresh(start):
    """Make a variable whose programs are not compiled yet: each has a new shape."""
    fresh.length += 1
    return ps.Variable(np.full(fresh.length, start, np.float32))


fresh.length = 4000


def plainly(x):
    def run():
        x.assign(x * 2.0 + 1.0)
        ps.wait(x)

    return run


def captured(x):
    @ps.step
    def run():
        x.assign(x * 2.0 + 1.0)

    return run


def repeated(x):
    return ps.repeat(captured(x), 1)


WAYS = {"plain": plainly, "step": captured, "repeat": repeated}


@pytest.mark.parametrize("way", WAYS)
def test_others_go_on_while_a_program_is_compiled(monkeypatch, way):
    x, y = fresh(1.0), ps.Variable(5.0)
    slow = Slow(monkeypatch)
    with use_engine("xla"):
        run = WAYS[way](x)

        def others():
            assert slow.begun.wait(60)
            with use_engine("numpy"):
                y.assign_add(1.0)
                seen = float(y), float(x[0]), float(y * 2.0)
            choice.settings.engine = "xla"
            slow.go_on.set()
            return seen

        _, seen = in_threads(run, others)
        # A reader of the plain loop gets the pending value; a step's call takes effect later, all at once.
        assert seen == (6.0, 3.0 if way == "plain" else 1.0, 12.0)
        assert x.numpy().tolist() == [3.0] * x.shape[0]
        assert x.version == 1


@pytest.mark.parametrize("way", WAYS)
def test_writes_of_other_threads_meanwhile_are_not_lost(monkeypatch, way):
    x = fresh(1.0)
    slow = Slow(monkeypatch)
    with use_engine("xla"):
        run = WAYS[way](x)

        def others():
            assert slow.begun.wait(60)
            with use_engine("numpy"):
                x.assign_add(np.full(x.shape, 10.0, np.float32))
                x.numpy()
            choice.settings.engine = "xla"
            slow.go_on.set()

        in_threads(run, others)
        # The plain line wrote before the other; a step's call wrote after it.
        assert x.numpy()[0] == (13.0 if way == "plain" else 23.0)
        assert x.version == 2


@pytest.mark.parametrize("way", WAYS)
def test_two_threads_compile_a_common_program_once(monkeypatch, way):
    x = fresh(1.0)
    slow = Slow(monkeypatch)
    with use_engine("xla"):
        run = WAYS[way](x)

        def late():
            assert slow.begun.wait(60)
            threading.Timer(0.2, slow.go_on.set).start()
            run()

        in_threads(run, late)
        assert x.numpy()[0] == 7.0
    assert len(slow.programs) == 1


@pytest.mark.parametrize("error", [MemoryError("full"), KeyboardInterrupt()], ids=["failed", "interrupted"])
@pytest.mark.parametrize("way", WAYS)
def test_a_compilation_that_fails_changes_nothing(monkeypatch, way, error):
    x = fresh(1.0)
    slow = Slow(monkeypatch, error)
    slow.go_on.set()
    with use_engine("xla"):
        run = WAYS[way](x)
        with pytest.raises(type(error)):
            run()
        assert (x.numpy()[0], x.version) == (1.0, 0)
        assert x._pending is None and not local.trace.pending
        assert in_a_thread(lambda: x.numpy()[0]) == 1.0
        run()
        assert (x.numpy()[0], x.version) == (3.0, 1)


def test_who_waits_for_a_compilation_that_fails_compiles_itself(monkeypatch):
    x, y = fresh(1.0), ps.Variable(0.0)
    slow = Slow(monkeypatch, MemoryError("full"))

    def both(variable):
        def run():
            (variable * 3.0 + y).numpy()
            return True

        return run

    with use_engine("xla"):

        def late():
            assert slow.begun.wait(60)
            threading.Timer(0.2, slow.go_on.set).start()
            return both(x)()

        def fails():
            with pytest.raises(MemoryError):
                both(x)()
            return True

        assert in_threads(fails, late) == [True, True]
    assert len(slow.programs) == 2
