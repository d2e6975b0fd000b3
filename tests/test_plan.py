"""Plans: tiers agree, donated buffers are invisible, a failed or interrupted run changes nothing."""

import dataclasses
import functools
import gc
import re
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import penstock as ps
from accelerators import on_accelerator
from counting import count_compilations, launches
from penstock.flow.replays import values_of
from penstock.testing import use_engine
from penstock.tiers import choice, executables, xla
from penstock.tiers.program import extract, programs
from penstock.trace.engine import engine
from penstock.trace.local import local
from penstock.trace.tree import tree

# -- donation ------------------------------------------------------------------------------------------------


LARGE = 4096
"""Enough elements that XLA gives a buffer its own memory, and reuses it if allowed."""


def grown(x, times=3):
    """Write a variable over and over, as a training loop does."""
    for _ in range(times):
        x.assign_add(np.ones(x.shape, x.dtype))
        ps.wait(x)


def place(x):
    """Where in memory a variable's value is; a reference to the value would keep it from being donated."""
    return x._value.unsafe_buffer_pointer()


def test_an_overwritten_buffer_is_donated(compiled):
    x = ps.Variable(np.zeros(LARGE, np.float32))
    grown(x)
    before = place(x)
    grown(x, 1)
    assert place(x) == before, "without donation a training step needs twice the memory"
    held = x.value()
    grown(x, 1)
    assert place(x) != before and (held.numpy() == 4.0).all()


def test_a_training_step_donates_its_variables_and_state(compiled):
    x = ps.Variable(np.zeros(LARGE, np.float32))
    optimizer = ps.optimizers.Adam(0.1)

    def turn():
        with ps.GradientTape() as tape:
            loss = ps.sum((x - 1.0) ** 2)
        optimizer.apply_gradients([(tape.gradient(loss, x), x)])

    for _ in range(4):
        turn()
    ps.wait(x)
    touched = [x, *optimizer.slots(x).values()]
    before = [place(one) for one in touched]
    turn()
    ps.wait(x)
    assert [place(one) for one in touched] == before


class Deep:
    """Layers whose weights and means are all alike, so that any may take the place of any other."""

    def __init__(self, batch=4):
        rng = np.random.default_rng(0)
        self.weights = [ps.Variable(rng.normal(size=(64, 64)).astype(np.float32) * 0.1) for _ in range(4)]
        self.optimizer, self.x = ps.optimizers.Adam(0.01), ps.asarray(np.ones((batch, 64), np.float32))

    def turn(self):
        with ps.GradientTape() as tape:
            h = self.x
            for weight in self.weights:
                h = ps.tanh(h @ weight)
            loss = ps.mean(ps.square(h))
        gradients = tape.gradient(loss, self.weights)
        self.optimizer.apply_gradients(zip(gradients, self.weights, strict=True))
        return gradients

    @property
    def cells(self):
        return [*self.weights, *(one for w in self.weights for one in self.optimizer.slots(w).values())]


def copies(made):
    """How often an executable copies a matrix of `Deep`."""
    return len(re.findall(r"= f32\[64,64\]\S* copy\(", made.as_text()))


@pytest.mark.parametrize(("batch", "held"), [(4, "nothing"), (5, "gradients"), (6, "a weight")])
def test_a_new_value_takes_the_memory_of_its_old_one(compiled, batch, held):
    """No value is copied on its way in or out, even if others of its shape are returned or kept."""
    model, first = Deep(batch), len(xla.compilations)
    kept = before = None
    for turn in range(4):
        made = model.turn()
        if held == "gradients":
            kept = made
        del made
        ps.wait(model.weights[0])
        if held == "a weight":
            kept = model.weights[1].value()
        moved = [one for one in model.cells if held != "a weight" or one is not model.weights[1]]
        assert turn < 2 or [place(one) for one in moved] == before
        before = [place(one) for one in moved]
    assert (kept is None) == (held == "nothing")
    if on_accelerator():
        return  # the options that spare XLA's copies are those of the processor
    counts = [copies(program.compiled[donated].made) for program, donated in xla.compilations[first:]]
    assert counts == ([0, 0] if held == "a weight" else [0])


@pytest.mark.parametrize("order", [(1, 0), (1, 2, 0), (2, 0, 1), (1, 1, 0)])
@pytest.mark.parametrize("computed", [(), (0,), (1,), (0, 1)])
def test_variables_that_exchange_their_values_share_no_memory(compiled, order, computed):
    """No output takes the memory of two variables, whichever of them is written as it was read."""
    variables = [ps.Variable(np.arange(4.0) + 10 * one) for one in range(len(order))]
    expected = [one.numpy() for one in variables]
    for _ in range(4):
        values = [one * 1.0 if at in computed else one.value() for at, one in enumerate(variables)]
        for one, source in zip(variables, order, strict=True):
            one.assign(values[source])
        del values
        ps.wait(*variables)
        expected = [expected[source] for source in order]
        for one, want in zip(variables, expected, strict=True):
            np.testing.assert_array_equal(one.numpy(), want)


WALKS = {
    "scan": lambda x: ps.scan(lambda total, row: (total * 0.5 + ps.sum(row), total), x[0, 0] * 1.0, x)[0],
    "map": lambda x: ps.sum(ps.map(lambda row: ps.sum(row * row), x)),
    "while_loop": lambda x: ps.while_loop(lambda n: n < 90.0, lambda n: n * 1.5 + ps.sum(x), x[0, 1] * 1.0),
    "cond": lambda x: ps.cond(x[0, 0] < 0.5, lambda: ps.sum(x * 3.0), lambda: ps.sum(x)),
    "zeta": lambda x: ps.sum(ps.special.zeta(x + 2.0, x + 3.0)),
}
"""Values that are computed by a loop over a variable, or beside one."""
REPLACED = {
    "a variable": lambda x, y: y.value(),
    "a new value": lambda x, y: y * 0.5,
    "its own new value": lambda x, y: x * 0.9,
}


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize("value", REPLACED)
@pytest.mark.parametrize("slope", [False, True], ids=["", "with its gradient"])
def test_what_a_loop_reads_is_not_overwritten_before(walk, value, slope):
    """The new value does not depend on the loop, so nothing else puts the write after the last read."""
    seen = {}
    for tier in ("numpy", "xla"):
        with use_engine(tier):
            x, y = (ps.Variable(np.arange(16.0).reshape(4, 4) / one) for one in (8, 5))
            seen[tier] = []
            for _ in range(3):
                with ps.GradientTape() as tape:
                    found = WALKS[walk](x)
                if slope and walk != "while_loop":
                    found = found + ps.sum(tape.gradient(found, x) * y)
                del tape
                x.assign(REPLACED[value](x, y))
                seen[tier].append(float(found))
                y.assign(y * 0.9)
    np.testing.assert_allclose(seen["xla"], seen["numpy"])


def test_a_repeated_step_of_few_values_with_many_readers(compiled):
    """XLA has a part for loops over few values, which knows no barriers."""
    variables = [ps.Variable(0.01 * one) for one in range(30)]

    def turn():
        total = variables[0] * 1.0
        for one in variables:
            total = ps.tanh(total + one)
        for one in variables:
            one.assign(one * total)
        return total

    repeated = [float(ps.repeat(turn, times)()) for times in (2, 1)]
    for number, one in enumerate(variables):
        one.assign(0.01 * number)
    plain = [float(turn()) for _ in range(3)]
    np.testing.assert_allclose(repeated, plain[1:], rtol=1e-5)


def test_a_repeated_step_copies_nothing_on_its_way_in_or_out(compiled):
    model, results = Deep(), []
    steps = ps.repeat(model.turn, 3)
    for _ in range(3):
        results = steps()
        ps.wait(model.weights[0])
        before = [place(one) for one in model.cells]
    steps()
    ps.wait(model.weights[0])
    assert [place(one) for one in model.cells] == before and len(results) == 4


SEEING = [
    lambda x: np.asarray(x),
    lambda x: np.asarray(x.value()),
    lambda x: np.asarray(x)[:3],
    lambda x: memoryview(np.asarray(x)),
    lambda x: x.value(),
    lambda x: ps.asarray(x),
    lambda x: ps.Variable(x),
    lambda x: ps.Variable(x.value()),
    lambda x: ps.Variable(np.zeros(x.shape, x.dtype)).assign(x),
    lambda x: [x.value()],
    lambda x: functools.partial(abs, x.value()),
    lambda x: iter([np.asarray(x)]),
]
"""Ways to hold on to the value that a variable has."""


def seen_by(seen):
    """The value that a program has kept, as an array."""
    if callable(seen) and not isinstance(seen, ps.Tensor):
        seen = seen()
    if hasattr(seen, "__next__"):
        seen = next(seen)
    if isinstance(seen, list):
        (seen,) = seen
    return np.asarray(seen)


@pytest.mark.parametrize("see", SEEING)
@pytest.mark.parametrize("when", ["computed", "pending"])
def test_a_value_that_the_program_holds_is_not_overwritten(compiled, see, when):
    x = ps.Variable(np.zeros(LARGE, np.float32))
    grown(x)
    if when == "pending":
        x.assign_add(np.ones(LARGE, np.float32))
    expected = 3.0 if when == "computed" else 4.0
    seen = see(x)
    grown(x)
    assert (seen_by(seen) == expected).all()
    assert (x.numpy() == expected + 3.0).all()
    # And once the program releases it, the next steps donate again.
    del seen
    gc.collect()
    grown(x)
    before = place(x)
    grown(x, 1)
    assert place(x) == before


@pytest.mark.usefixtures("processor")
def test_memory_shared_by_dlpack_is_not_overwritten(compiled):
    x = ps.Variable(np.zeros(LARGE, np.float32))
    grown(x)
    value = x.value()
    if not hasattr(value, "__dlpack__"):
        pytest.skip("tensors have no __dlpack__ yet")
    shared = np.from_dlpack(value)
    del value
    grown(x)
    assert (shared == 3.0).all()


def test_two_variables_of_one_value(compiled):
    x = ps.Variable(np.zeros(LARGE, np.float32))
    y = ps.Variable(np.ones(LARGE, np.float32))
    for turn in range(4):
        y.assign(x)
        grown(x, 1)
        assert (y.numpy() == turn).all() and (x.numpy() == turn + 1).all()
        grown(y, 1)
        assert (y.numpy() == turn + 1).all() and (x.numpy() == turn + 1).all()


def test_swaps_of_donated_buffers(compiled):
    x, y = ps.Variable(np.zeros(LARGE, np.float32)), ps.Variable(np.ones(LARGE, np.float32))
    for turn in range(5):
        held = x.value()
        x.assign(y)
        y.assign(held)
        del held
        ps.wait(x, y)
        assert (x.numpy() == (turn + 1) % 2).all() and (y.numpy() == turn % 2).all()


def test_values_held_across_training_steps(tier):
    x = ps.Variable(np.zeros(LARGE, np.float32))
    optimizer = ps.optimizers.SGD(1.0, momentum=0.5)
    history, losses = [], []
    for _ in range(6):
        history.append(x.value())
        with ps.GradientTape() as tape:
            loss = ps.sum(x)
        losses.append(loss)
        optimizer.apply_gradients([(tape.gradient(loss, x), x)])
    value, velocity = 0.0, 0.0
    for held, loss in zip(history, losses):
        assert np.allclose(held.numpy(), value) and np.allclose(float(loss), LARGE * value)
        velocity = 0.5 * velocity - 1.0
        value += velocity
    assert np.allclose(x.numpy(), value)


@pytest.mark.parametrize("looked", ["loss", "gradient", "variable", "nothing"])
def test_values_that_a_tape_still_needs_are_not_donated(tier, looked):
    x = ps.Variable(np.full(LARGE, 3.0, np.float32))
    for _ in range(3):
        x.assign(np.full(LARGE, 3.0, np.float32))
        with ps.GradientTape(persistent=True) as tape:
            y = x * x
            x.assign(np.full(LARGE, 10.0, np.float32))
            z = ps.sum(y * x)
            if looked == "loss":
                float(z)
            elif looked == "gradient":
                tape.gradient(z, x).numpy()
            elif looked == "variable":
                x.numpy()
        assert (tape.gradient(y, x).numpy() == 6.0).all()
        assert (tape.gradient(z, x).numpy() == 10.0 * 6.0 + 9.0).all()
        x.assign_add(np.ones(LARGE, np.float32))
        ps.wait(x)
        assert (tape.gradient(y, x).numpy() == 6.0).all()


def test_observers_see_values_before_and_after(tier):
    x = ps.Variable(np.zeros(8, np.float32), name="x")
    seen = []

    def observer(commit):
        seen.extend((v.path, np.array(before), np.array(after)) for v, before, after in commit.writes)

    grown(x)
    engine.commits.add(observer)
    try:
        grown(x)
    finally:
        engine.commits.remove(observer)
    grown(x)
    assert [(path, before[0], after[0]) for path, before, after in seen] == [
        ("x", k + 3.0, k + 4.0) for k in range(3)
    ]
    assert (x.numpy() == 9.0).all()


def test_observers_find_values_of_a_heavy_program_that_takes_numbers():
    """They are arguments of the program, one for each variable, and one constant of the path."""
    rng = np.random.default_rng(0)
    a, b = (ps.asarray(rng.normal(size=shape).astype(np.float32)) for shape in ((100, 3000), (3000, 100)))
    total, count = ps.Variable(5.0), ps.Variable(5.0)
    seen = []

    def observer(commit):
        calls = commit.node.program()
        slots = [call.slot for call in calls if call.primitive.name in ("matmul", "sum", "add", "version")]
        bare = dataclasses.replace(commit, computed=None)
        assert commit.computed is not None and commit.computed.known
        found, expected = values_of(commit, calls, slots), values_of(bare, calls, slots)
        seen.extend(np.array_equal(found[slot], expected[slot]) for slot in slots)

    with use_engine("numpy"):
        ps.wait()
        engine.commits.add(observer)
        try:
            for metric in (total, count):
                metric.assign(0.0)
            count.assign_add(1.0)
            total.assign_add(ps.sum(a @ b))
            ps.wait(total)
        finally:
            engine.commits.remove(observer)
    assert len(seen) > 3 and all(seen)


# -- tiers ---------------------------------------------------------------------------------------------------


DTYPES = ["float64", "float32", "float16", "int64", "int32", "uint8", "bool", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_are_the_same_in_both_tiers(dtype):
    """64 bits stay 64 bits: of data, variables, numbers baked in and numbers bound, at first and later."""
    results = {}
    for tier in ("numpy", "xla"):
        with use_engine(tier):
            x = ps.Variable(np.asarray([1, 0, 3]).astype(dtype))
            data = ps.asarray(np.asarray([1, 1, 2]).astype(dtype))
            seen = []
            for i in range(5):
                y = (x * data) if dtype != "bool" else (x & data)
                z = ps.where(x == data, y, data)
                w = y + i if dtype not in ("bool", "uint8") else y
                seen += [one.numpy() for one in (y, z, w)]
                x.assign(z)
            results[tier] = seen
    for one, other in zip(results["numpy"], results["xla"]):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)


def test_sixty_four_bits_survive_every_way_in(compiled):
    exact = 1.0 + 2.0**-40
    x = ps.Variable(exact, dtype="float64")
    whole = ps.Variable(2**53 + 1)
    for i in range(4):
        number = exact + i
        assert (x * 1.0).numpy() == exact
        assert (x + number).numpy() == exact + number
        assert ((x + number) * 2.0).numpy() == (exact + number) * 2.0
        assert (ps.asarray(np.float64(number)) + x).numpy() == exact + number
        assert (ps.asarray(np.asarray(exact)) * number).numpy() == exact * number
        assert (whole + i).numpy() == 2**53 + 1 + i
        assert ((whole + i) * 3).numpy() == (2**53 + 1 + i) * 3
        with ps.GradientTape() as tape:
            y = x * number
        assert tape.gradient(y, x).numpy() == number
        x.assign(x * 1.0)
        whole.assign(whole + 0)


def test_special_numbers_baked_and_bound(tier):
    x = ps.Variable([1.0, -1.0, 0.0])
    numbers = [0.0, -0.0, 1.0, 1, True, False, 0, float("nan"), float("inf"), -float("inf"), 2**31, -(2**62)]
    for _ in range(2):
        for number in [*numbers, *reversed(numbers)]:
            with np.errstate(all="ignore"):
                expected = np.asarray([1.0, -1.0, 0.0], np.float32) * np.float32(number)
            got = (x * number).numpy()
            assert got.dtype == np.float32
            assert np.array_equal(got, expected, equal_nan=True)
            assert np.array_equal(np.signbit(got), np.signbit(expected)) or np.isnan(expected).any()


def test_numbers_of_one_value_and_several_types(tier):
    x = ps.asarray([2, 3])

    def add(number):
        return x + number

    for _ in range(3):
        assert add(1).dtype == np.int64
        assert add(1.0).dtype == np.float32
        assert add(True).dtype == np.int64
        assert add(1j).dtype == np.complex64
        assert add(np.float64(1)).dtype == np.float64
        assert add(np.int8(1)).dtype == np.int64
        assert [add(n).numpy().tolist() for n in (1, 1.0, True, 0, False)] == [[3, 4]] * 3 + [[2, 3]] * 2


def test_complex_zeros_keep_their_signs(tier):
    x = ps.asarray(np.asarray([1 + 1j, -1 - 1j], np.complex64))
    for number in (complex(0.0, 0.0), complex(0.0, -0.0), complex(-0.0, 0.0), complex(0.0, 0.0)):
        got, expected = (x + number).numpy(), x.numpy() + np.complex64(number)
        assert np.array_equal(got, expected)
    zero = ps.asarray(np.asarray([0j], np.complex64) * -1)
    for number in (complex(0.0, 0.0), complex(-0.0, -0.0)):
        got, expected = (zero + number).numpy(), zero.numpy() + np.complex64(number)
        assert np.signbit(got.real) == np.signbit(expected.real), number


@pytest.mark.parametrize("turns", [3, choice.HOT_RUNS + 4])
def test_engines_agree_on_a_training_loop(turns):
    results = {}
    for name in choice.ENGINES:
        with use_engine(name):
            x = ps.Variable([0.5, -1.5], dtype="float64")
            optimizer = ps.optimizers.Adam(0.1)
            for i in range(turns):
                optimizer.learning_rate = 0.1 / (1 + i)
                with ps.GradientTape() as tape:
                    loss = ps.sum(ps.tanh(x * (i * 0.25)) * x)
                optimizer.apply_gradients([(tape.gradient(loss, x), x)])
            results[name] = x.numpy()
    assert np.allclose(results["numpy"], results["xla"], rtol=1e-12)
    assert np.allclose(results["numpy"], results["auto"], rtol=1e-12)


def test_the_engine_may_change_between_steps():
    x = ps.Variable([1.0, 2.0])
    expected = np.asarray([1.0, 2.0], np.float32)
    for name in ("numpy", "xla", "numpy", "auto", "xla", "numpy") * 2:
        with use_engine(name):
            with ps.GradientTape() as tape:
                y = ps.sum(x * x)
            x.assign_sub(tape.gradient(y, x) * 0.25)
            expected = expected * 0.5
            assert x.numpy().tolist() == expected.tolist()


def test_empty_and_large_shapes(tier):
    empty = ps.Variable(np.zeros((0, 3), np.float32))
    for _ in range(3):
        with ps.GradientTape() as tape:
            y = ps.sum(empty * 2.0)
        assert tape.gradient(y, empty).numpy().shape == (0, 3) and float(y) == 0.0
        empty.assign(empty + 1.0)
    large = ps.Variable(np.ones((300, 400), np.float32))
    assert float(ps.sum(large @ large.T)) == 300.0 * 300.0 * 400.0


# -- programs ------------------------------------------------------------------------------------------------


def test_unreachable_values_are_not_computed(compiled):
    x = ps.Variable(1.5)
    y = ps.sin(x)
    ps.cos(x)
    z = ps.tanh(y)
    del y
    before = len(xla.compilations)
    float(z)
    program, _ = xla.compilations[before]
    assert [step.primitive.name for step in program.steps] == ["sin", "tanh"]
    assert len(program.outputs) == 1


def test_equal_steps_are_computed_once():
    x = ps.Variable(1.5)
    y = ps.sin(x) + ps.sin(x) * 2.0 + ps.sin(x) * 2.0
    assert isinstance(y, ps.Tensor)
    program, taken = extract(local.trace.node.program(), [y._slot])
    names = [step.primitive.name for step in program.steps]
    assert names.count("sin") == 1 and names.count("multiply") == 1 and len(taken) == 1
    assert "sin" in repr(program)


@pytest.mark.parametrize("start", [0.0, np.float32(0.0), np.zeros(())], ids=["number", "scalar", "array"])
def test_the_first_step_of_an_epoch_is_no_program_of_its_own(compiled, start):
    """Metrics are reset before it: what they start with is the program's data, and may not be overwritten."""
    rng = np.random.default_rng(0)
    data = ps.asarray(rng.normal(size=(601, 300)).astype(np.float32))
    weights = ps.Variable(rng.normal(size=(300, 300)).astype(np.float32))
    total, count = ps.Variable(0.0), ps.Variable(0.0)
    seen, means = [], []

    def observer(commit):
        seen.extend((float(old), float(new)) for one, old, new in commit.writes if one is count)

    def epoch():
        for metric in (count, total):
            metric.assign(start)
        for _ in range(3):
            total.assign_add(ps.mean((data @ weights) ** 2))
            count.assign_add(1.0)
            weights.assign(weights * 0.9)
            ps.wait()
        means.append(float(total / count))

    epoch()
    epoch()
    engine.commits.add(observer)
    try:
        epoch()
    finally:
        engine.commits.remove(observer)
    epoch()
    heavy = [one for one in programs.values() if one.compiled and data._spec in one.specs]
    kept = [len(donated) for one in heavy for donated in one.compiled]
    assert len(heavy) == 1 and len(kept) <= 2, "the first step of an epoch is compiled again"
    assert seen == [(3.0, 1.0), (1.0, 2.0), (2.0, 3.0)] and start == 0.0
    assert means == pytest.approx([means[0] * 0.9 ** (6 * k) for k in range(4)], rel=1e-4)


@pytest.mark.parametrize("way", ["step", "repeat"])
def test_a_heavy_captured_step_may_assign_a_number(tier, way):
    rng = np.random.default_rng(0)
    data, weights = (ps.asarray(rng.normal(size=(400, 400)).astype(np.float32)) for _ in range(2))
    total = ps.Variable(5.0)

    @ps.step
    def turn(x):
        total.assign(0.0)
        total.assign_add(ps.sum(x @ weights))
        return total * 1.0

    for _ in range(4):
        if way == "step":
            turn(data)
        else:
            ps.repeat(turn, 3)(data)
    assert total.numpy() == pytest.approx(np.sum(data.numpy() @ weights.numpy()), rel=1e-3)


def test_small_data_is_copied_for_a_program_that_overwrites_it(compiled):
    """Compiling again takes as long as a thousand copies, and is worth it after so many."""
    x = ps.Variable(np.zeros(3, np.float32))
    data = np.ones(3, np.float32)

    def turn(starts):
        if starts:
            x.assign(data)
        x.assign_add(x * 0.5)
        ps.wait(x)

    turn(False)
    held = [one for one in programs.values() if one.compiled and x._spec in one.specs and len(one.steps) == 2]
    before = sum(len(one.compiled) for one in held)
    for count in (executables.LOANS, executables.LOANS + 3):
        while sum(one.loans for one in held) < count and before == sum(len(one.compiled) for one in held):
            turn(True)
        turn(False)
        assert (data == 1.0).all() and x.numpy() == pytest.approx(np.full(3, 2.25))
    assert sum(len(one.compiled) for one in held) == before + 1


def test_a_step_that_keeps_a_value_compiles_nothing_until_copies_cost_as_much(compiled, monkeypatch):
    """After an evaluation, say, something still holds the value before; the next steps overwrite it again."""
    x = ps.Variable(np.ones((LARGE, 3), np.float32))
    size = x._spec.nbytes
    before = set(programs)

    def turn(keeps):
        held = x._value if keeps else None
        x.assign_add(x * 0.5)
        ps.wait(x)
        return held

    turn(False)
    made = [one for key, one in programs.items() if key not in before and one.compiled]
    assert [len(one.compiled) for one in made] == [1]
    monkeypatch.setattr(executables, "LENT_A_PIECE", 3 * size // made[0].pieces + 1)
    kept = [turn(keeps) for keeps in (True, False, True, True)]
    assert [len(one.compiled) for one in made] == [1] and made[0].lent == 3 * size
    for turns, one in enumerate([kept[0], kept[2], kept[3]]):
        assert (np.asarray(one) == np.float32(1.5) ** (1 + turns + (turns > 0))).all()
    turn(True)
    assert [len(one.compiled) for one in made] == [2] and made[0].lent == 3 * size


def test_a_program_that_overwrites_nothing_is_compiled_once(compiled):
    """A guard on a value computed on the way: what the run would overwrite makes no difference."""
    table = ps.Variable(np.zeros((LARGE, 2), np.float32))
    at = ps.Variable(np.float32(1.0))
    before = set(programs)
    for start in (False, True, False):
        if start:
            table.assign(np.ones((LARGE, 2), np.float32))
        table.assign(table * ps.sum(ps.take(table, ps.astype(at * 2.0, "int32"), axis=0)))
        ps.wait(table)
    made = [one for key, one in programs.items() if key not in before and one.compiled]
    assert [len(one.compiled) for one in made] == [1]
    assert float(table[0, 0]) == 2.0 * 4.0


def test_a_compilation_can_be_explained(compiled):
    def loss(v):
        return ps.sum(ps.sin(v) * 3.0)

    float(loss(ps.Variable(np.ones(5, np.float32))))
    float(loss(ps.Variable(np.ones(6, np.float32))))
    program, _ = xla.compilations[-1]
    assert "float32[5] to float32[6]" in xla.explain_compilation(program)
    float(ps.sum(ps.sin(ps.Variable(np.ones(6, np.float32))) * 4.0))
    assert "3.0 became 4.0" in xla.explain_compilation(xla.compilations[-1][0])


def test_a_compilation_for_other_kept_values_says_so(compiled):
    """No number and no operation has changed: only whether the program reads the loss."""
    x = ps.Variable(np.ones(3, np.float32))

    def train(look):
        with ps.GradientTape() as tape:
            loss = ps.mean(ps.log(x * x + 1.0))
        x.assign_sub(tape.gradient(loss, x) * 0.1)
        if not look:
            del loss
        ps.wait(x)

    def line(make):
        before = len(ps.compilations())
        make()
        (made,) = ps.compilations()[before:]
        return re.sub(r"\(\S*test_plan.py", "(here", made)

    line(lambda: train(False))
    at = train.__code__.co_firstlineno + 2
    assert line(lambda: train(True)) == f"compiled again: the value of mean (here:{at}) is now kept"

    def chain(*wanted):
        a = ps.sin(x)
        b = ps.cos(a)
        c = ps.tanh(b)
        kept = [one for name, one in zip("abc", (a, b, c), strict=True) if name in wanted]
        del a, b, c
        return [one.numpy() for one in kept]

    line(lambda: chain("a", "b"))
    at = chain.__code__.co_firstlineno
    assert line(lambda: chain("c")) == (
        f"compiled again: the value of tanh (here:{at + 3}) is now kept; the value of sin (here:{at + 1}), "
        f"the value of cos (here:{at + 2}) are no longer kept"
    )


def test_a_step_that_is_not_looked_at_runs_once(compiled):
    x = ps.Variable(1.0)
    ps.wait(x)
    before = launches()
    for _ in range(10):
        x.assign_add(1.0)
    ps.wait(x)
    assert launches() - before == 10 and float(x) == 11.0


def test_waiting_is_enough():
    x = ps.Variable(1.0)
    x.assign_add(1.0)
    ps.wait()
    assert local.trace.pending == {} and x._pending is None
    y = x * 2.0
    ps.wait(y)
    assert y._value is not None
    x.assign_add(1.0)
    found = []
    thread = threading.Thread(target=lambda: (ps.wait(x), found.append(float(x))))
    thread.start()
    thread.join()
    assert found == [3.0]


def test_plans_of_one_node_are_bounded():
    """A path with ever new sets of kept values does not collect plans without limit."""
    with use_engine("numpy"):
        x = ps.Variable(1.0)
        for pattern in range(300):
            made = []
            for bit in range(9):
                value = x * 1.0
                if pattern >> bit & 1:
                    made.append(value)
                del value
            x.assign_add(0.0)
            ps.wait(x)
            assert all(float(one) == 1.0 for one in made)
        x.assign_add(0.0)
        assert max(len(node.plans) for node in local.trace.node.path()) <= 200
        assert max(len(node.plans) for node in tree.walk()) <= 200


# -- interrupts ----------------------------------------------------------------------------------------------


INTERRUPTS = """
import random, signal, sys, time
import penstock as ps
from penstock.testing import assert_idle, use_engine
from penstock.trace.engine import engine
from penstock.trace.local import local
from penstock.trace.tree import tree

class Stop(KeyboardInterrupt): pass
armed = False
def handler(*_):
    global armed
    if armed:
        armed = False
        raise Stop
signal.signal(signal.SIGALRM, handler)
a, b = ps.Variable(0.0, dtype="float64"), ps.Variable(0.0, dtype="float64")
optimizer = ps.optimizers.SGD(1.0)
def turn():
    with ps.GradientTape() as tape:
        loss = b - a
    optimizer.apply_gradients(zip(tape.gradient(loss, [a, b]), [a, b]))
captured = ps.step(turn)
many = ps.repeat(captured, 5)
def turns(count):
    if sys.argv[2] == "repeat":
        for _ in range(count // 5):
            many()
        count %= 5
    for _ in range(count):
        (turn if sys.argv[2] == "loop" else captured)()
def look(when):
    x, y = float(a), float(b)
    assert x + y == 0.0, (when, x, y)
    return x
rng = random.Random(0)
hits = 0
with use_engine(sys.argv[1]):
    turns(40)
    end = time.monotonic() + 40.0
    # A machine with other work to do takes longer until so many interrupts have come at a bad moment.
    while hits < 400 and time.monotonic() < end:
        before = look("before")
        try:
            armed = True
            signal.setitimer(signal.ITIMER_REAL, rng.uniform(2e-5, 1.5e-3))
            turns(50)
            after = look("uninterrupted")
            armed = False
            assert after == before + 50.0
        except Stop:
            hits += 1
        finally:
            armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            assert_idle()  # closes a tape whose own __exit__ was interrupted
        except AssertionError:
            pass
        after = look("interrupted")
        assert before <= after <= before + 50.0, (before, after)
        versions = a.version, b.version
        turns(3)
        assert look("afterwards") == after + 3.0, (after, look("afterwards"))
        assert (a.version, b.version) == (versions[0] + 3, versions[1] + 3)
assert hits > 20, hits
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs timers")
@pytest.mark.parametrize("way", ["loop", "step", "repeat"])
@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_interrupts_at_any_moment(engine, way):
    """Ctrl-C in a training loop leaves each step complete or undone, and the loop can continue."""
    command = [sys.executable, "-c", INTERRUPTS, engine, way]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.xla
@pytest.mark.parametrize("way", ["loop", "a step", "repeat"])
def test_an_interrupt_while_jax_prepares_the_first_launch_loses_no_value(monkeypatch, way):
    """At the first launch of an executable JAX runs Python code, after old values have been overwritten."""
    from jax._src.interpreters.pxla import ExecuteReplicated

    # Of a length for each way, or they would share an executable.
    start = np.arange(4.0 + len(way), dtype="float32")
    w = ps.Variable(start)
    left = [1]

    def turn():
        w.assign(w * 1.5 + 1.0)

    run = turn if way == "loop" else ps.step(turn) if way == "a step" else ps.repeat(turn, 3)
    launched = ExecuteReplicated.__call__

    def interrupted(self, *arguments):
        outputs = launched(self, *arguments)
        if left:
            left.pop()
            signal.raise_signal(signal.SIGINT)
        return outputs

    monkeypatch.setattr(ExecuteReplicated, "__call__", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with use_engine("xla"), pytest.raises(KeyboardInterrupt):
            for _ in range(20):
                run()
                ps.wait(w)
    finally:
        signal.signal(signal.SIGINT, before)
    assert not left
    expected = start * 1.5 + 1.0
    if way == "repeat":
        expected = (expected * 1.5 + 1.0) * 1.5 + 1.0
    np.testing.assert_allclose(w.numpy(), expected)
    with use_engine("xla"):
        run()
    assert np.isfinite(w.numpy()).all()


def test_nothing_here_compiles_without_end():
    assert count_compilations() <= len(programs) * 5
