"""The ledger: every write, who made it, in which step, where, and by how much."""

import itertools
import linecache
import sys

import numpy as np
import pytest

import penstock as ps
from penstock.errors import PenstockError
from penstock.flow.ledger import ledger
from penstock.trace.local import local


def here() -> int:
    """The line of the caller."""
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
    # Each entry begins where the one before ended, and the last ends at the variable's value.
    for before, after in zip(entries.entries, entries.entries[1:]):
        assert after.before == pytest.approx(before.after, rel=1e-6)
    assert entries.entries[-1].after == x.numpy()
    assert {entry.variable for entry in entries.state} == {"adam/x/momentum", "adam/x/velocity", "adam/step"}


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


def test_writes_pending_before_are_not_in_it():
    a = ps.Variable(0.0, name="a")
    a.assign_add(1.0)
    with ledger() as entries:
        pass
    assert len(entries) == 0
    a.assign_add(1.0)
    assert len(entries) == 0
    assert str(entries) == "The ledger is empty: nothing was written."


def test_writes_pending_at_the_end_are_in_it():
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


def test_a_second_loop_begins_a_new_step():
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


# -- trajectories ------------------------------------------------------------------------------------------


def three_weights(steps=60):
    """Descent on one weight towards the product of two others, which a stop_gradient holds still."""
    rng = np.random.default_rng(0)
    w1, w2, w3 = (
        ps.Variable(rng.standard_normal((5, 1)).astype(np.float32), name=name) for name in ("w1", "w2", "w3")
    )
    optimizer = ps.optimizers.SGD(0.1)
    with ps.ledger() as entries:
        for _ in range(steps):
            x = rng.standard_normal((32, 5)).astype(np.float32)
            with ps.GradientTape() as tape:
                target = ps.stop_gradient(x @ (w2 * w3))
                loss = ps.mean((x @ w1 - target) ** 2)
            gradients = tape.gradient(loss, [w1, w2, w3])
            assert gradients[1:] == [None, None]
            optimizer.apply_gradients([(gradients[0], w1)])
    return entries, (w1, w2, w3)


def test_values_from_step_to_step(tier):
    entries, (w1, w2, w3) = three_weights()
    one, two, three = entries.trajectories().values()
    assert (one.variable, two.variable, three.variable) == ("w1", "w2", "w3")
    assert one.steps.tolist() == list(range(61)) and one.values.shape == (61, 5, 1)
    assert np.array_equal(one.values[-1], w1.numpy())
    assert np.allclose(one.values[-1], (w2 * w3).numpy(), atol=1e-2)
    changes = np.linalg.norm(np.diff(one.values, axis=0).reshape(60, -1), axis=1)
    assert np.allclose(changes, [entry.change for entry in entries.of("w1")], rtol=1e-5)
    for still, variable in ((two, w2), (three, w3)):
        assert not still.moved and np.array_equal(still.values, variable.numpy()[None])
        assert still.gradient == "stopped"
        assert "stop_gradient" in linecache.getline(still.cut.file, still.cut.line)
    ((by, site),) = one.writers
    assert by == "SGD" and "apply_gradients" in linecache.getline(site.file, site.line)


def test_several_writes_in_a_step_leave_its_last_value():
    a = ps.Variable(1.0, name="a")
    with ledger() as entries:
        for _ in range(3):
            a.assign_add(1.0)
            a.assign(a * 2.0)
    assert entries.trajectory(a).steps.tolist() == [0, 1, 2, 3]
    assert entries.trajectory("a").values.tolist() == [1.0, 4.0, 10.0, 22.0]


def test_large_variables_are_followed_on_request():
    large = ps.Variable(np.zeros(1000, np.float32), name="large")
    small = ps.Variable(0.0, name="small")

    def turn():
        large.assign_add(np.ones(1000))
        small.assign_add(1.0)

    with ledger() as entries:
        turn()
    assert entries.trajectory("small").values.tolist() == [0.0, 1.0]
    with pytest.raises(ps.errors.SelectionError, match=r"it has 1000 elements(.|\n)*values='large'"):
        entries.trajectory("large")
    with pytest.raises(ps.errors.SelectionError, match=r"No Variable 'smal'(.|\n)*'small'"):
        entries.trajectory("smal")
    with ledger(values=large) as entries:
        turn()
    assert entries.trajectory(large).values.shape == (2, 1000)
    assert entries.of("large")[0].after[0] == 2.0 and entries.of("small")[0].after is None
    with pytest.raises(ps.errors.SelectionError, match="ledger: the pattern 'lagre'"):
        ledger(values="lagre")


def test_values_of_a_trajectory_are_copies():
    a = ps.Variable([1.0, 2.0], name="a")
    with ledger() as entries:
        a.assign_add([1.0, 1.0])
    entries.trajectory(a).values[:] = 7.0
    assert a.numpy().tolist() == [2.0, 3.0]
    assert entries.trajectory(a).values.tolist() == [[1.0, 2.0], [2.0, 3.0]]


# -- frames ------------------------------------------------------------------------------------------------


def two_entries():
    a = ps.Variable(0.0, name="a")
    with ledger() as entries:
        for _ in range(2):
            a.assign_add(2.0)
    return entries


def test_columns():
    columns = two_entries().frame("columns")
    line = columns.pop("line")
    assert line[0] == line[1] and isinstance(line[0], int)
    assert columns == {
        "step": [1, 2], "variable": ["a", "a"], "by": ["assign_add"] * 2, "cause": ["assign"] * 2,
        "file": [__file__] * 2, "change": [2.0, 2.0],
    }  # fmt: skip


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_of_a_library(library):
    pytest.importorskip(library)
    entries = two_entries()
    frame = entries.frame(library)
    assert type(frame).__module__.split(".")[0] == library
    assert list(frame["change"]) == [2.0, 2.0] and list(frame.columns) == list(entries.columns())


def test_a_frame_of_an_unknown_or_missing_library(monkeypatch):
    entries = two_entries()
    with pytest.raises(PenstockError, match="'pandas', 'polars' or 'columns'"):
        entries.frame("excel")
    for library in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(PenstockError, match=f"pip install {library}"):
            entries.frame(library)


# -- pictures ----------------------------------------------------------------------------------------------


def test_the_three_weights_in_one_call(tmp_path):
    pytest.importorskip("matplotlib")
    entries, (_, w2, w3) = three_weights(40)
    figure = entries.plot(tmp_path / "three_weights.png", beside={"w2 * w3": w2 * w3})
    assert (tmp_path / "three_weights.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    panels = [panel for panel in figure.axes if panel.get_visible()]
    assert [panel.get_title("left") for panel in panels] == ["w1", "w2", "w3"]
    assert panels[0].get_title("right").startswith("SGD test_ledger.py:")
    assert all(panel.get_title("right").startswith("constant: stopped at ") for panel in panels[1:])
    assert [len(panel.texts) for panel in panels] == [5, 5, 5]
    solid = [line for line in panels[0].lines if line.get_linestyle() == "-" and len(line.get_xdata()) > 2]
    assert len(solid) == 5
    for i, one in enumerate(solid):
        assert one.get_xdata()[[0, -1]].tolist() == [0, 40]
        assert np.isclose(one.get_ydata()[-1], float((w2 * w3)[i, 0]), atol=0.05)
    assert [text.get_text() for text in panels[0].get_legend().get_texts()] == ["w2 * w3"]


def test_labels_do_not_overlap(tmp_path):
    pytest.importorskip("matplotlib")
    variables = [ps.Variable(1.0 + i * 1e-3, name=f"scalar_{i}") for i in range(6)]
    with ledger() as entries:
        for _ in range(3):
            for variable in variables:
                variable.assign_add(0.1)
    figure = entries.plot(variables="scalar_*", title="Six scalars")
    (panel,) = figure.axes
    figure.draw_without_rendering()
    extent = pytest.importorskip("matplotlib.text").Text.get_window_extent  # without its leader
    boxes = sorted((extent(text) for text in panel.texts), key=lambda box: box.y0)
    assert len(boxes) == 6
    assert all(lower.y1 <= upper.y0 + 1 for lower, upper in itertools.pairwise(boxes))
    assert all(box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1 and box.y0 >= 0 for box in boxes)


def test_no_picture_of_nothing_or_without_matplotlib(monkeypatch):
    with ledger() as empty:
        pass
    with pytest.raises(PenstockError, match="nothing to plot"):
        empty.plot()
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(PenstockError, match=r"penstock\[plot\]"):
        two_entries().plot()


# -- ways to write a variable -------------------------------------------------------------------------------


def square_step(weight, one, other=None):
    with ps.GradientTape() as tape:
        loss = weight**2
    gradient = tape.gradient(loss, weight)
    one.apply_gradients([(gradient, weight)])
    if other is not None:
        other.apply_gradients([(gradient, weight)])


def test_one_variable_in_two_optimizers_is_written_twice(tier):
    weight = ps.Variable(1.0, name="weight")
    with ledger() as entries:
        square_step(weight, ps.optimizers.SGD(0.1), ps.optimizers.SGD(0.1))
    assert weight.numpy() == pytest.approx(0.6)
    assert [(entry.step, entry.by) for entry in entries] == [(1, "SGD"), (1, "SGD")]
    assert [entry.change for entry in entries] == pytest.approx([0.2, 0.2])


def test_an_assignment_beside_adam_is_distinguished(tier):
    weight = ps.Variable(1.0, name="weight")
    adam = ps.optimizers.Adam(0.1)
    with ledger(values=weight) as entries:
        square_step(weight, adam)
        weight.assign_add(0.5)
    moved = {entry.by: float(entry.after - entry.before) for entry in entries}
    assert moved == {"Adam": pytest.approx(-0.1, rel=1e-5), "assign_add": pytest.approx(0.5)}
    assert weight.numpy() == pytest.approx(1.4)


@pytest.mark.parametrize(
    ("made_anew", "values"),
    [(False, [5.0, 4.0, 2.3, 0.31, -1.543]), (True, [5.0, 4.0, 3.2, 2.56, 2.048])],
)
def test_momentum_that_is_lost_shows_in_the_trajectory(made_anew, values, tier):
    weight = ps.Variable(5.0, name="weight")
    optimizer = ps.optimizers.SGD(0.1, momentum=0.9)
    with ledger() as entries:
        for _ in range(4):
            if made_anew:
                optimizer = ps.optimizers.SGD(0.1, momentum=0.9)
            square_step(weight, optimizer)
    assert entries.trajectory(weight).values.tolist() == pytest.approx(values, rel=1e-4)
    velocities = {entry.variable for entry in entries.state}
    assert len(velocities) == 1


def test_a_rebound_name_leaves_the_variable_alone():
    weight = bound = ps.Variable(2.0, name="weight")
    with ledger() as entries:
        with ps.GradientTape() as tape:
            loss = bound * bound
        bound = bound - 0.1 * tape.gradient(loss, bound)
        float(bound)
    assert len(entries) == 0 and weight.numpy() == 2.0 and weight.version == 0
    assert not entries.trajectory("weight").moved
