"""The ledger: every write, who made it, in which step, where, and by how much."""

import numpy as np
import pytest

import penstock as ps
from penstock.errors import PenstockError
from penstock.flow.ledger import ledger
from penstock.trace.recorder import local


def here() -> int:
    """The line of the caller."""
    import sys

    return sys._getframe(1).f_lineno


def test_each_write_of_a_step_has_its_own_entry(tier):
    x = ps.Variable(0.5, name="x")
    adam = ps.optimizers.Adam(0.1)
    with ledger(values=True) as entries:
        for _ in range(3):
            with ps.GradientTape() as tape:
                energy = x**2
            adam.apply_gradients([(tape.gradient(energy, x), x)])
            x.assign_add(0.5)
    assert [(entry.step, entry.by) for entry in entries] == [
        (step, by) for step in (1, 2, 3) for by in ("Adam", "assign_add")
    ]
    lines = {entry.by: entry.site.line for entry in entries}
    assert lines["assign_add"] == lines["Adam"] + 1
    assert [entry.change for entry in entries.of(x)[1::2]] == pytest.approx([0.5] * 3)
    # Each entry begins where the one before ended, and the last is what the variable holds.
    for before, after in zip(entries.entries, entries.entries[1:]):
        assert after.before == pytest.approx(before.after, rel=1e-6)
    assert entries.entries[-1].after == x.numpy()
    assert {entry.variable for entry in entries.state} == {"adam/mean/x", "adam/square/x", "adam/step"}


def test_the_change_is_a_norm():
    v = ps.Variable([1.0, 2.0], name="v")
    with ledger() as entries:
        v.assign([4.0, 6.0])
    (entry,) = entries
    assert entry.change == pytest.approx(5.0)
    assert (entry.before, entry.after) == (None, None)


def test_complex_and_integer_changes():
    z, n = ps.Variable(1 + 1j, name="z"), ps.Variable([1, 2], name="n")
    with ledger() as entries:
        z.assign(4 + 5j)
        n.assign_add([2, 0])
    assert [entry.change for entry in entries] == pytest.approx([5.0, 2.0])


def test_a_step_ends_where_a_line_writes_again():
    a, b = ps.Variable(0.0, name="a"), ps.Variable(0.0, name="b")
    with ledger() as entries:
        for _ in range(3):
            for variable in (a, b):
                variable.assign_add(1.0)
            a.numpy()
            a.assign_sub(0.5)
    assert [entry.step for entry in entries] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert entries.steps == 3


def test_what_was_pending_before_is_not_in_it():
    a = ps.Variable(0.0, name="a")
    a.assign_add(1.0)
    with ledger() as entries:
        pass
    assert len(entries) == 0
    a.assign_add(1.0)
    assert len(entries) == 0
    assert str(entries) == "The ledger is empty: nothing was written."


def test_what_is_pending_at_the_end_is_in_it():
    a = ps.Variable(0.0, name="a")
    with ledger() as entries:
        a.assign_add(1.0)
        assert len(entries) == 0
    assert len(entries) == 1


def test_writes_inside_a_tape():
    a, w = ps.Variable(0.0, name="a"), ps.Variable(2.0, name="w")
    with ps.GradientTape() as tape:
        with ledger() as entries:
            a.assign(w * 3)
        loss = w * w
    assert [entry.variable for entry in entries] == ["a"]
    assert float(tape.gradient(loss, w)) == 4.0


def test_an_error_closes_it_and_a_failed_step_is_not_in_it():
    table = ps.Variable([1.0, 2.0], name="table")
    entries = ledger()
    with pytest.raises(ps.errors.RangeError), entries:
        table.assign_add([1.0, 1.0])
        ps.take(table, ps.asarray([5])).numpy()
    assert len(entries) == 0
    assert table.numpy().tolist() == [1.0, 2.0]


def test_two_ledgers_see_the_same():
    a = ps.Variable(0.0, name="a")
    with ledger() as outer:
        a.assign_add(1.0)
        with ledger() as inner:
            a.assign_add(2.0)
    assert [entry.change for entry in outer] == [1.0, 2.0]
    assert [entry.change for entry in inner] == [2.0]


def test_a_ledger_is_not_opened_twice():
    entries = ledger()
    with entries, pytest.raises(PenstockError, match="open already"):
        entries.__enter__()


def test_no_ledger_inside_a_captured_step():
    a = ps.Variable(0.0, name="a")

    @ps.step
    def move():
        with ledger():
            a.assign_add(1.0)

    with pytest.raises(PenstockError, match="around the calls of the step"):
        move()
    assert local.trace.capturing is None


def test_a_captured_step_is_noted(tier):
    a = ps.Variable(1.0, name="a")

    @ps.step
    def shrink():
        a.assign_sub(a * 0.5)
        a.assign_add(0.25)

    with ledger() as entries:
        for _ in range(3):
            shrink()
    assert [(entry.step, entry.by) for entry in entries] == [
        (step, by) for step in (1, 2, 3) for by in ("assign_sub", "assign_add")
    ]
    assert [entry.change for entry in entries] == pytest.approx([0.5, 0.25, 0.375, 0.25, 0.3125, 0.25])


def test_rows_are_written_too(tier):
    table = ps.Variable(np.zeros((5, 2), np.float32), name="table")
    with ps.GradientTape() as tape:
        loss = ps.sum(ps.take(table, ps.asarray([1, 1, 3]), axis=0))
    with ledger() as entries:
        ps.optimizers.SGD(1.0).apply_gradients([(tape.gradient(loss, table), table)])
    (entry,) = entries
    assert entry.change == pytest.approx(np.sqrt(2 * 2.0**2 + 2 * 1.0**2))


def test_a_watched_loop_ends_where_an_unwatched_one_does(tier):
    def loop():
        x = ps.Variable([0.5, -1.5], name="x")
        optimizer = ps.optimizers.SGD(0.1, momentum=0.9)
        for _ in range(30):
            with ps.GradientTape() as tape:
                loss = ps.sum(x * x * x - x)
            optimizer.apply_gradients([(tape.gradient(loss, x), x)])
        return x.numpy().tolist()

    alone = loop()
    with ledger() as entries:
        watched = loop()
    assert watched == alone
    assert len(entries) == 30


def test_the_table_of_a_few_writes():
    a = ps.Variable(0.0, name="a")
    with ledger() as entries:
        a.assign_add(1.0)
        a.assign(5.0)
        line = here()
    header, first, second = str(entries).splitlines()
    assert header.split() == ["step", "variable", "by", "where", "|change|"]
    assert first.split()[:3] == ["1", "a", "assign_add"]
    assert first.endswith(f"test_ledger.py:{line - 2}         1")
    assert second.split()[-1] == "4"


def test_the_table_of_many_writes_has_a_row_for_each_writer():
    a, b = ps.Variable(0.0, name="a"), ps.Variable(0.0, name="b")
    with ledger() as entries:
        for turn in range(40):
            a.assign_add(2.0)
            if turn == 0:
                b.assign(3.0)
    header, first, second = str(entries).splitlines()
    assert header.split("  ")[0].strip() == "variable"
    assert first.split()[0::2][:1] + first.split()[-3:] == ["a", "1–40", "40", "2"]
    assert second.split()[-3:] == ["1", "1", "3"]


def test_a_second_loop_begins_a_step_of_its_own():
    a, b = ps.Variable(0.0, name="a"), ps.Variable(0.0, name="b")
    with ledger() as entries:
        for _ in range(3):
            a.assign_add(1.0)
        for _ in range(3):
            b.assign_add(1.0)
            a.assign_sub(1.0)
    assert [(entry.step, entry.variable) for entry in entries] == [
        (1, "a"), (2, "a"), (3, "a"), (4, "b"), (4, "a"), (5, "b"), (5, "a"), (6, "b"), (6, "a"),
    ]  # fmt: skip
    assert entries.steps == 6


def test_a_line_that_is_reached_later_belongs_to_its_turn():
    a, b = ps.Variable(0.0, name="a"), ps.Variable(0.0, name="b")
    with ledger() as entries:
        for turn in range(5):
            a.assign_add(1.0)
            if turn in (1, 3):
                b.assign_add(1.0)
    assert [entry.step for entry in entries.of(b)] == [2, 4]
    assert entries.steps == 5
