"""Writes split by cause: the parts of each, replayed on the value before, give the value after to the bit."""

import sys
import threading

import ml_dtypes
import numpy as np
import pytest

import penstock as ps
import random_programs
from accelerators import on_accelerator
from counting import count_compilations, launches
from penstock.errors import PenstockError
from penstock.optimizers.attribution import difference, replay, same_bits
from penstock.testing import use_engine
from penstock.trace.engine import engine
from penstock.trace.local import local
from penstock.trace.tree import tree
from test_optimizers_properties import ALL, WHOLE, data, gradients_for


def replayed(entries):
    """Replays a ledger with public names alone: from the first value before to the last one after."""
    values = {}
    for entry in entries:
        before = values.get(entry.variable, entry.before)
        assert same_bits(before, entry.before).all()
        values[entry.variable] = entry.replay()
        assert values[entry.variable].dtype == entry.after.dtype
        assert same_bits(values[entry.variable], entry.after).all(), entry
    return values


def conserved(entries, *variables):
    """Checks that a ledger obeys the law, and that these variables have the values it records."""
    assert entries.conserved and not entries.unrecorded
    values = replayed(entries)
    for variable in variables:
        assert values[variable.path].tobytes() == variable.numpy().tobytes()


def attributed(entries):
    """Returns the share of rounding in each write, relative to the other causes and the value itself."""
    found = []
    for entry in entries:
        size = sum(norm for cause, norm in entry.parts.items() if cause != "rounding")
        size += np.linalg.norm(entry.before.astype(np.float64))
        found.append(entry.parts.get("rounding", 0.0) / (size + 1e-30))
    return max(found)


# -- optimizers ----------------------------------------------------------------------------------------------

OPTIONS = [
    {}, {"global_clipnorm": 0.3, "weight_decay": 0.1}, {"clipnorm": 0.3, "gradient_accumulation_steps": 2},
    {"clipvalue": 0.2, "loss_scale_factor": 8.0}, {"loss_scale_factor": "dynamic", "weight_decay": 0.1},
    {"use_ema": True, "ema_overwrite_frequency": 2, "finite": "skip"},
]  # fmt: skip
EPSILON = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-5, "float64": 1e-13}


# The parts are compiled with the step, which takes seconds: what NumPy shows for all, XLA shows for one set
# of options each, and for two optimizers in every dtype.
COMPILED = ("momentum", "adamw")
CASES = [("numpy", name, dtype) for name in ALL for dtype in EPSILON] + [
    ("xla", name, dtype) for name in ALL for dtype in EPSILON if name in COMPILED or dtype == "float32"
]


def shared_out(name, dtype):
    """The options that NumPy tries: all in float32, in another dtype a third, others for each optimizer."""
    if dtype == "float32":
        return OPTIONS
    return OPTIONS[(list(ALL).index(name) + list(EPSILON).index(dtype)) % 3 :: 3]


@pytest.mark.parametrize(("tier", "name", "dtype"), CASES, indirect=["tier"])
@pytest.mark.filterwarnings("ignore:.*scale_loss")
def test_every_optimizer_in_every_dtype(tier, name, dtype):
    wanted = np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    compiled = OPTIONS[1::2] if dtype == "float32" and name in COMPILED else OPTIONS[4:5]
    for options in shared_out(name, dtype) if tier == "numpy" else compiled:
        variables = [
            ps.Variable(data().astype(wanted), name="kernel"),
            ps.Variable(data(1, (3,)).astype(wanted), name="bias"),
        ]
        optimizer = ALL[name](**options)
        with ps.ledger(split=True) as entries:
            for turn in range(3):
                optimizer.learning_rate = optimizer.learning_rate * 0.9
                optimizer.apply_gradients(zip(gradients_for(turn, variables), variables))
        assert len(entries) == 6
        conserved(entries, *variables)
        assert attributed(entries) <= EPSILON[dtype], (options, [entry.parts for entry in entries])
        causes = {"gradient", "momentum", "decay", "clip", "scale", "state", "rounding"}
        assert all(set(entry.parts) <= causes for entry in entries)
        wanted_causes = {"gradient"}
        wanted_causes |= {"clip"} if any("clip" in one for one in options) else set()
        wanted_causes |= {"scale"} if "loss_scale_factor" in options else set()
        assert all(wanted_causes <= set(entry.parts) for entry in entries)


ROWS = [
    (tier, name, rows)
    for tier in ("numpy", "xla")
    for name in ALL
    for rows in ("exact", "lazy")
    if (tier == "numpy" or name in COMPILED) and not (name in WHOLE and rows == "lazy")
]


@pytest.mark.parametrize(("tier", "name", "rows"), ROWS, indirect=["tier"])
def test_rows_of_a_table(tier, name, rows):
    table = ps.Variable(data(5, (6, 3)), name="table")
    optimizer = ALL[name](rows=rows, global_clipnorm=1.0, weight_decay=0.1)
    with ps.ledger(split=True) as entries:
        for ids in ([1, 1, 4], [2, 1]):
            with ps.GradientTape() as tape:
                loss = ps.sum(ps.take(table, ps.asarray(ids), axis=0) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, table), table)])
    conserved(entries, table)
    assert attributed(entries) <= 1e-5
    if rows == "lazy":
        # What was not read has no part in anything.
        assert not any(np.any(part[[0, 2, 3, 5]]) for part in entries.entries[0].added.values())


@pytest.mark.parametrize("rows", ["exact", "lazy"])
def test_rows_of_a_large_table(tier, rows):
    table = ps.Variable(data(5, (500, 8)), name="table")
    optimizer = ps.optimizers.Adagrad(0.1, rows=rows, clipnorm=1.0)
    with ps.ledger(values=True, split=True) as entries:
        for start in (0, 100):
            with ps.GradientTape() as tape:
                loss = ps.sum(ps.take(table, ps.asarray(np.arange(start, start + 200)), axis=0) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, table), table)])
    conserved(entries, table)
    assert attributed(entries) <= 1e-5


def mixed_step():
    """A perceptron with all that may write: a frozen layer, BatchNorm, clipping, decay, an assignment."""
    rng = np.random.default_rng(0)
    ps.random.seed(0)
    inputs, labels = ps.asarray(rng.standard_normal((32, 6)).astype(np.float32)), rng.integers(0, 3, 32)
    layers = [ps.layers.Dense(8, activation="relu"), ps.layers.Dense(8), ps.layers.BatchNormalization()]
    model = ps.layers.Sequential([*layers, ps.layers.Dense(3)], name="net")
    model(inputs)
    layers[0].trainable = False
    seen = ps.Variable(0, name="seen")
    optimizer = ps.optimizers.AdamW(0.01, weight_decay=0.1, global_clipnorm=0.5)

    def step():
        with ps.GradientTape() as tape:
            loss = ps.mean(ps.losses.softmax_cross_entropy(model(inputs, training=True), labels))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        seen.assign_add(32)

    return step, model, seen


def test_a_step_with_every_kind_of_writer(tier):
    step, model, seen = mixed_step()
    with ps.ledger(values=True, split=True) as entries:
        for _ in range(4):
            step()
    written = [one for one in model.variables if entries.of(one)]
    conserved(entries, *written, seen)
    frozen = [one for one in model.variables if not entries.of(one)]
    assert {one.path for one in frozen} == {"net/0/kernel", "net/0/bias"}
    assert {by: set().union(*(e.parts for e in entries if e.by == by)) for by in ("state", "assign_add")} == {
        "state": {"state"}, "assign_add": {"assign"},
    }  # fmt: skip
    moved = [entry for entry in entries if entry.by == "AdamW"]
    assert {*moved[0].parts} >= {"gradient", "momentum", "clip", "decay"}
    # A bias before BatchNorm has no gradient but rounding, and Adam makes a step of it: it is reported as
    # such, in either tier, since its gradient is that of the tier. A GPU's programs round it differently.
    attributable = [one for one in entries if one.variable != "net/1/bias" or not on_accelerator()]
    assert attributed(attributable) <= 1e-4
    assert entries.state and all(entry.replayed for entry in entries.state)
    assert {cause for entry in entries.state for cause in entry.parts} <= {"state", "rounding"}


def test_a_captured_step_is_split_as_a_loop_is():
    with use_engine("xla"):
        tables = []
        for capture in (False, True):
            step, _, _ = mixed_step()
            step = ps.step(step) if capture else step
            with ps.ledger(values=True, split=True) as entries:
                for _ in range(3):
                    step()
            assert entries.conserved
            replayed(entries)
            tables.append(
                [(e.step, e.variable, *e.parts.values()) for e in entries if "rounding" not in e.parts]
            )
        assert tables[0] and len(tables[0]) == len(tables[1])


def test_a_repeated_step_is_split_too(tier):
    weight = ps.Variable(4.0, name="weight")
    optimizer = ps.optimizers.SGD(0.1, momentum=0.5)

    @ps.step
    def step():
        with ps.GradientTape() as tape:
            loss = weight * weight
        optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])

    with ps.ledger(split=True) as entries:
        ps.repeat(step, 5)()
    assert len(entries) == 5
    conserved(entries, weight)


def test_the_sum_is_reported_with_its_signs(tier):
    """Adam, then an assignment: the step is the sum of both contributions."""
    weight = ps.Variable(1.0, name="weight")
    adam = ps.optimizers.Adam(0.1)
    with ps.ledger(split=True) as entries:
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = weight**2
            adam.apply_gradients([(tape.gradient(loss, weight), weight)])
            weight.assign_add(0.5)
    first, second = entries.entries[:2]
    assert float(first.added["gradient"]) == pytest.approx(-0.1, rel=1e-5)
    assert float(first.added["momentum"]) == 0.0
    assert {cause: float(part) for cause, part in second.added.items()} == {"assign": pytest.approx(0.5)}
    conserved(entries, weight)


def test_a_loss_that_was_not_scaled_shows_the_share_of_the_division(tier):
    """2 -> 1.99998784 instead of 1.6: 32767 of 32768 parts of the gradient are gone."""
    weight = ps.Variable(2.0, name="weight")
    optimizer = ps.optimizers.SGD(0.1, loss_scale_factor=32768.0)
    with ps.ledger(split=True) as entries, pytest.warns(UserWarning, match="scale_loss"):
        with ps.GradientTape() as tape:
            loss = weight * weight
        optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
    (entry,) = entries
    assert float(weight) == pytest.approx(1.99998784, abs=1e-7)
    # The gradient as given is taken for one of a scaled loss, and the division takes all but a trace of it.
    assert float(entry.added["gradient"]) == pytest.approx(-0.4, rel=1e-6)
    assert float(entry.added["scale"]) == pytest.approx(0.4 * (1 - 1 / 32768), rel=1e-6)
    conserved(entries, weight)


# -- other writers -------------------------------------------------------------------------------------------


def test_assignments_states_loads_and_averages(tier, tmp_path):
    weight = ps.Variable(np.array([1.0, 2.0], np.float32), name="weight")
    optimizer = ps.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5)
    ps.save(tmp_path / "start.safetensors", weight)
    with ps.ledger(split=True) as entries:
        weight.assign_sub(weight * 0.5)
        optimizer.apply_gradients([(ps.asarray([1.0, -1.0]), weight)])
        with optimizer.averaged():
            weight.numpy()
        ps.load(tmp_path / "start.safetensors", weight)
    conserved(entries, weight)
    assert [(entry.by, next(iter(entry.parts))) for entry in entries] == [
        ("assign_sub", "assign"), ("SGD", "gradient"), ("assign", "assign"), ("assign", "assign"),
        ("load", "load"),
    ]  # fmt: skip


def test_integers_truth_values_and_complex_numbers(tier):
    count, seen = ps.Variable(np.int64(2**62), name="count"), ps.Variable([True, False], name="seen")
    wave = ps.Variable(np.array([1 + 2j, 3j], np.complex64), name="wave")
    small = ps.Variable(np.array([250, 3], np.uint8), name="small")
    with ps.ledger(split=True) as entries:
        count.assign_add(2**61 + 1)
        seen.assign([False, True])
        wave.assign(wave * (0.1 - 1j))
        small.assign_add([10, 1])
    assert small.numpy().tolist() == [4, 4]
    conserved(entries, count, seen, wave, small)
    assert int(entries.of("count")[0].added["assign"]) == 2**61 + 1


AWKWARD = [
    0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e30, -1e30, 1e-30, 5e-324, 0.1, 0.3, 1e300, 1 / 3,
]  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16, np.complex64])
def test_any_value_is_led_to_any_other(dtype):
    before, after = (grid.ravel().astype(np.float64) for grid in np.meshgrid(AWKWARD, AWKWARD))
    with np.errstate(all="ignore"):
        before, after = before.astype(dtype), after.astype(dtype)
        if np.dtype(dtype).kind == "c":
            before, after = before + 1j * after.real[::-1], after + 1j * before.real[::-1]
    reached = replay(before, difference(before, "assign", after))
    assert reached.dtype == after.dtype and same_bits(reached, after).all()
    # The comparison distinguishes zeros by their sign.
    assert not same_bits(np.float32(0.0), np.float32(-0.0)) and same_bits(np.nan, -np.nan)


def test_non_finite_values_are_replayed_as_well(tier):
    weight = ps.Variable(np.array([1.0, np.inf, -np.inf, np.nan, -0.0], np.float32), name="weight")
    with ps.ledger(split=True) as entries:
        ps.optimizers.SGD(0.1, weight_decay=0.1).apply_gradients([(ps.asarray([1.0, 0, 0, 0, 0]), weight)])
        weight.assign([np.inf, 0.0, -0.0, 2.0, np.nan])
    assert entries.conserved
    replayed(entries)


# -- the law -------------------------------------------------------------------------------------------------


def meddle(variable, value):
    """Writes a variable's memory without the engine's knowledge."""
    memory = np.array(value, variable.dtype)
    variable._value = memory if isinstance(variable._value, np.ndarray) else ps.tiers.xla.on_device(memory)


def test_an_unrecorded_change_is_found(tier):
    weight, other = ps.Variable([1.0, 2.0], name="weight"), ps.Variable(1.0, name="other")
    with ps.ledger(split=True) as entries:
        for turn in range(3):
            weight.assign_add([1.0, 1.0])
            ps.wait(weight)
            if turn == 1:
                meddle(weight, [6.0, 8.0])
        other.assign_add(1.0)
        ps.wait(other)
        meddle(other, 5.0)
    one, last = entries.unrecorded
    assert (one.variable, one.by, one.site, one.terms) == ("weight", "nobody", None, ("unrecorded",))
    assert one.step == 2 and one.change == pytest.approx(5.0)
    assert one.before.tolist() == [3.0, 4.0] and one.after.tolist() == [6.0, 8.0]
    assert last.variable == "other" and last.change == pytest.approx(3.0)
    assert not entries.conserved and all(entry.replayed for entry in entries)
    assert "There is no record that 'weight' changed by 5 after step 2." in str(entries)


def test_memory_that_was_written_in_place_is_found():
    with use_engine("numpy"):
        weight = ps.Variable([1.0, 2.0], name="weight")
        with ps.ledger(split=True) as entries:
            weight.assign_add([1.0, 1.0])
            ps.wait(weight)
            weight._value.setflags(write=True)
            weight._value[0] = 9.0
            weight.assign_add([1.0, 1.0])
    assert [one.change for one in entries.unrecorded] == [7.0]


def test_writes_that_another_thread_reads_are_recorded_as_well():
    with use_engine("numpy"):
        weight = ps.Variable(1.0, name="weight")
        with ps.ledger(split=True) as entries:
            weight.assign_add(1.0)
            found = []
            thread = threading.Thread(target=lambda: found.append(float(weight)))
            thread.start()
            thread.join()
            weight.assign_add(2.0)
        assert found == [2.0] and float(weight) == 4.0
    assert [entry.change for entry in entries] == [1.0, 2.0]
    conserved(entries, weight)


def test_a_split_that_does_not_add_up_is_reported(monkeypatch):
    from penstock.flow import causes

    monkeypatch.setattr(causes, "difference", lambda before, cause, after: {cause: np.float64(0.25)})
    weight = ps.Variable(1.0, name="weight")
    with ps.ledger(split=True) as entries:
        weight.assign_add(0.5)
    assert not entries.conserved and entries.entries[0].replayed is False
    assert "do not add up to the new value, first those of 'weight' in step 1" in str(entries)


def test_a_rule_that_tells_a_wrong_share_is_noticed(monkeypatch):
    """Parts are computed separately from the step: the remainder is reported as rounding."""
    rule = type(ps.optimizers.SGD(0.1).rule)
    honest = rule.shares

    def shares(self, value, gradient, state, numbers):
        told = honest(self, value, gradient, state, numbers)
        return told._replace(of_gradient=lambda one: told.of_gradient(one) * 2.0)

    monkeypatch.setattr(rule, "shares", shares)
    weight = ps.Variable(np.ones(3, np.float32), name="weight")
    with ps.ledger(split=True) as entries:
        ps.optimizers.SGD(0.1).apply_gradients([(ps.asarray([1.0, 1.0, 1.0]), weight)])
    assert attributed(entries) > 0.01


# -- requests and their cost ---------------------------------------------------------------------------------


def test_only_requested_writes_are_split():
    one, two = ps.Variable(1.0, name="one"), ps.Variable(np.ones(200, np.float32), name="two")
    with ps.ledger(split="one") as entries:
        one.assign_add(1.0)
        two.assign_add(np.ones(200))
    first, second = entries
    assert first.parts == {"assign": 1.0} and second.parts is None and second.replayed is None
    assert entries.columns()["assign"] == [1.0, None]
    with ps.ledger(split=True) as entries:
        two.assign_add(np.ones(200))
    (entry,) = entries
    assert entry.parts["assign"] == pytest.approx(np.sqrt(200.0)) and entry.added is None
    with pytest.raises(PenstockError, match=r"ps\.ledger\(values='two', split=True\)"):
        entry.replay()
    with ps.ledger() as plain:
        one.assign_add(1.0)
    assert plain.entries[0].parts is None
    with pytest.raises(PenstockError, match=r"ps\.ledger\(split=True\)"):
        assert plain.conserved
    with pytest.raises(ps.errors.SelectionError, match="'lagre'"):
        ps.ledger(split="lagre")


def counts_of(act):
    """Returns how many events, compilations and launches an act has caused, and the slots of its path."""
    sizes = []

    def note(commit):
        sizes.append(commit.node.size)

    before = tree.count, count_compilations(), launches()
    engine.commits.add(note)
    try:
        act()
    finally:
        engine.commits.remove(note)
    after = tree.count, count_compilations(), launches()
    return tuple(b - a for a, b in zip(before, after)), sizes


def test_it_costs_nothing_where_it_is_not_asked_for(monkeypatch):
    """A ledger without it records, compiles and launches as much as the same loop under any observer."""
    from penstock.flow import causes

    def forbidden(*given):
        raise AssertionError("computed although nobody has asked")

    with use_engine("xla"):
        step, _, _ = mixed_step()

        def loop():
            for _ in range(3):
                step()
            ps.wait()

        loop()
        alone = counts_of(loop)
        monkeypatch.setattr(causes, "accounts", forbidden)
        monkeypatch.setattr(causes, "Balance", forbidden)

        def with_ledger():
            with ps.ledger():
                loop()

        assert counts_of(with_ledger) == alone
        monkeypatch.undo()

        def with_split():
            with ps.ledger(split=True) as entries:
                loop()
            assert entries.conserved

        (nodes, _, _), sizes = counts_of(with_split)
        # A requested split does not change the recording either: it computes separately.
        assert (nodes, sizes) == (alone[0][0], alone[1])


def test_values_are_those_of_an_unwatched_loop(tier):
    found = []
    for split in (False, True):
        step, model, _ = mixed_step()
        if split:
            with ps.ledger(split=True):
                for _ in range(5):
                    step()
        else:
            for _ in range(5):
                step()
        found.append([one.numpy().tobytes() for one in model.variables])
    assert found[0] == found[1]


def test_nothing_is_kept_at_the_path_without_being_asked():
    weight, optimizer = ps.Variable([1.0], name="weight"), ps.optimizers.Adam(0.1)
    with ps.ledger():
        optimizer.apply_gradients([(ps.asarray([1.0]), weight)])
        node = local.trace.node
        ps.wait(weight)
    assert not [name for name in node.facts if "parts" in name]


# -- tables, frames, pictures --------------------------------------------------------------------------------


def two_causes(steps=2):
    weight, other = ps.Variable(1.0, name="weight"), ps.Variable(0.0, name="other")
    optimizer = ps.optimizers.SGD(0.1, momentum=0.5, clipvalue=1.0)
    with ps.ledger(split=True) as entries:
        for _ in range(steps):
            optimizer.apply_gradients([(ps.asarray(3.0), weight)])
            other.assign_add(2.0)
    return entries


def test_the_table_has_a_column_for_each_cause():
    header, *lines = str(two_causes()).splitlines()
    assert header.split()[:9] == [
        "step", "variable", "by", "where", "|change|", "gradient", "momentum", "clip", "assign",
    ]  # fmt: skip
    assert [line.split()[4:9] for line in lines[:4]] == [
        ["0.1", "0.3", "0", "0.2", "·"], ["2", "·", "·", "·", "2"],
        ["0.15", "0.3", "0.05", "0.2", "·"], ["2", "·", "·", "·", "2"],
    ]  # fmt: skip
    assert lines[4] == (
        "Replayed: 6 writes, optimizers' own state included; the parts of each add up to the new value, "
        "to the last bit."
    )


def test_the_table_of_many_writes_has_means():
    header, first, second, *_ = str(two_causes(20)).splitlines()
    assert header.split()[-5:-1] == ["gradient", "momentum", "clip", "assign"]
    assert first.split()[6:9] == ["0.3", "0.09", "0.2"] and second.split()[-2] == "2"


@pytest.mark.parametrize("library", ["pandas", "polars", "columns"])
def test_a_frame_has_them_too(library):
    if library != "columns":
        pytest.importorskip(library)
    frame = two_causes().frame(library)
    assert list(frame["gradient"]) == pytest.approx([0.3, 0.0, 0.3, 0.0], rel=1e-6)
    assert list(frame["momentum"]) == pytest.approx([0.0, 0.0, 0.05, 0.0], rel=1e-6)
    assert list(frame["assign"]) == [0.0, 2.0, 0.0, 2.0]


def test_a_picture_of_the_causes(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    entries = two_causes(10)
    figure = entries.plot_split(tmp_path / "split.png")
    assert (tmp_path / "split.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    one, two = figure.axes
    assert [panel.get_title("left") for panel in (one, two)] == ["weight", "other"]
    assert {text.get_text() for text in one.texts} == {"gradient", "momentum", "clip", "change"}
    gradient, momentum, clip, change = (line.get_ydata() for line in one.lines[:4])
    # A single number keeps its sign, and the causes add up to the change.
    assert np.allclose(gradient, -0.3) and np.allclose(clip, 0.2)
    assert np.allclose(gradient + momentum + clip, change, rtol=1e-5)
    assert [text.get_text() for text in two.texts] == ["assign"]
    (only,) = entries.plot_split(variables="weight").axes
    assert only.get_title("left") == "weight"
    with ps.ledger() as plain:
        pass
    with pytest.raises(PenstockError, match="no write of these variables was split"):
        plain.plot_split()
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(PenstockError, match=r"penstock\[plot\]"):
        entries.plot_split()


# -- random programs -----------------------------------------------------------------------------------------


def replay_random_programs(seeds, turns):
    """Holds a random program for each seed to the law; returns how many writes that were."""
    writes = 0
    for seed in seeds:
        program = random_programs.Writer(seed).program(turns)
        with ps.ledger(values=True, split=True) as entries:
            random_programs.run(program, ps)
        text = f"seed {seed}\n{random_programs.pasteable(program)}"
        assert entries.conserved, text
        values = {}
        for entry in entries:
            before = values.get(entry.variable, entry.before)
            values[entry.variable] = entry.replay()
            assert same_bits(before, entry.before).all(), f"{text}\n{entry}"
            assert same_bits(values[entry.variable], entry.after).all(), f"{text}\n{entry}"
        assert not entries.entries or attributed(entries) < 1e-9, text
        writes += len(entries)
    return writes


@pytest.mark.filterwarnings("ignore:No gradient")
def test_the_law_holds_in_random_programs():
    """Tapes in tapes, looks in the middle, four optimizers, assignments to six variables, in any order."""
    with use_engine("numpy"):
        assert replay_random_programs(range(60), 4) > 300


@pytest.mark.filterwarnings("ignore:No gradient")
def test_the_law_holds_in_random_programs_in_xla():
    with use_engine("xla"):
        assert replay_random_programs(range(100, 104), 3) > 20
