"""The recorder against an eager engine: random programs must see the same values in any order of runs."""

import contextlib
import itertools
import random

import numpy as np
import pytest

import penstock as ps
import random_programs
from memory import bounded
from penstock.testing import assert_idle, use_engine
from penstock.tiers import choice
from penstock.trace.local import local
from penstock.trace.tree import tree


def wrong(program):
    """Says how a program's values differ from the eager engine's; starts and ends with an empty trace."""
    with contextlib.suppress(Exception):
        local.trace.run(True)
    with contextlib.suppress(AssertionError):
        assert_idle()
    return random_programs.difference(program, ps)


def kind(found):
    """The beginning of the message on a wrong program: a smaller one must be wrong in the same way."""
    return (found or "").split(":")[0][:12]


def same_kind(wrong, wanted):
    return lambda program: kind(wrong(program)) == wanted


def check(seeds, turns):
    check_programs(random_programs.Writer, seeds, turns, wrong)


def check_programs(writer, seeds, turns, wrong):
    """Run a program for each seed; show the first wrong one, as small as it gets."""
    fit = 0
    for seed in seeds:
        program = writer(seed).program(turns)
        fit += random_programs.fit(program)
        if found := wrong(program):
            small = random_programs.shrink(program, same_kind(wrong, kind(found)))
            pytest.fail(
                f"seed {seed}: {found}\n\n{random_programs.pasteable(small)}\n{wrong(small) or found}",
                pytrace=False,
            )
    assert fit > len(seeds) * 0.9, "most programs must be worth asking"


BLOCKS = 4


@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_programs_in_numpy(block):
    with use_engine("numpy"):
        check(range(block * 200, block * 200 + 200), 8)


@pytest.mark.parametrize("block", range(2))
def test_random_programs_in_xla(block):
    with use_engine("xla"):
        check(range(block * 12, block * 12 + 12), 5)


@pytest.mark.parametrize("block", range(3))
def test_random_programs_that_change_tiers_on_the_way(block, monkeypatch):
    monkeypatch.setattr(choice, "HOT_RUNS", 2)
    with use_engine("auto"):
        check(range(block * 15, block * 15 + 15), 11)


def test_random_programs_while_next_to_nothing_is_kept():
    with bounded(100_000), use_engine("numpy"):
        check(range(10_000, 10_150), 6)


def test_random_programs_that_are_run_every_few_events(monkeypatch):
    from penstock.trace import recorder

    monkeypatch.setattr(recorder, "SHORT_DEPTH", 3)
    monkeypatch.setattr(recorder, "IDLE_DEPTH", 5)
    monkeypatch.setattr(recorder, "STRAIGHT_DEPTH", 5)
    monkeypatch.setattr(recorder, "TAPED_SLOTS", 7)
    with use_engine("numpy"):
        check(range(20_000, 20_200), 6)


def test_the_comparison_notices_a_wrong_engine(monkeypatch):
    """Plant an error in the oracle of random programs; it must be found and reduced."""
    import eager_shadow

    right = eager_shadow.Tensor.__mul__

    def slightly_wrong(self, other):
        made = right(self, other)
        made.array = made.array * (1.0 + 1e-6)
        return made

    monkeypatch.setattr(eager_shadow.Tensor, "__mul__", slightly_wrong)
    random_programs.expected.cache_clear()
    with use_engine("numpy"):
        found = [program for program in map(random_program, range(20)) if wrong(program)]
        assert len(found) > 10
        small = random_programs.shrink(found[0], wrong)
        assert len(random_programs.source(small).splitlines()) <= 8


def random_program(seed):
    return random_programs.Writer(seed).program(4)


def test_the_eager_engine_agrees_with_differences():
    """What the random programs are compared with is itself right: first and second derivatives."""
    import eager_shadow as eager

    def value(x, y):
        return eager.tanh(x * y - x**3) * x + eager.total((y - x) * 2.0) ** 2

    rng = np.random.default_rng(0)
    for _ in range(5):
        a, b = rng.standard_normal(2)
        x, y = eager.Variable(a), eager.Variable(b)
        with eager.GradientTape() as outer:
            with eager.GradientTape() as inner:
                z = value(x, y)
            slope = inner.gradient(z, x)
        curve = outer.gradient(slope, y)
        step = 1e-5

        def at(p, q):
            return float(value(eager.Variable(p), eager.Variable(q)))

        first = (at(a + step, b) - at(a - step, b)) / (2 * step)
        corners = [at(a + i * step, b + j * step) * i * j for i in (1, -1) for j in (1, -1)]
        second = sum(corners) / (4 * step * step)
        assert np.isclose(float(slope), first, rtol=1e-6)
        assert np.isclose(float(curve), second, rtol=1e-3, atol=1e-3)


def test_the_tree_can_be_walked():
    """Each node once, however many keys it may be found under."""
    x = ps.Variable(2.0)
    with use_engine("numpy"):
        for _ in range(2):
            y = x * 1.5
            for _ in range(60):
                y = y * 2.0 - y
            float(y)
    seen = [id(node) for node in itertools.islice(tree.walk(), tree.count + 2)]
    assert len(seen) == len(set(seen)) <= tree.count + 1


# -- the tree ------------------------------------------------------------------------------------------------


def nodes_for(function, times=3):
    """Returns how many nodes the tree grows by on each pass."""
    grown = []
    for _ in range(times):
        ps.wait(ps.Variable(0.0).assign(1.0))
        before = tree.count
        function()
        grown.append(tree.count - before)
    return grown


def test_a_path_is_recorded_once():
    x = ps.Variable(2.0)

    def turn():
        with ps.GradientTape() as tape:
            y = ps.tanh(x * 2.0 + 1.0) ** 2
        x.assign_sub(tape.gradient(y, x) * 0.1)
        ps.wait(x)

    with use_engine("numpy"):
        grown = nodes_for(turn)
    assert grown[0] > 5 and grown[1:] == [0, 0]


def test_paths_are_shared_by_variables_of_one_kind():
    def turn(v):
        v.assign(ps.tanh(v * 2.0))
        ps.wait(v)

    turn(ps.Variable(1.0))
    before = tree.count
    turn(ps.Variable(5.0))
    assert tree.count == before
    turn(ps.Variable([5.0]))
    assert tree.count > before


def test_branches_come_back_to_their_own_paths():
    x = ps.Variable(1.0, dtype="float64")
    expected = 1.0
    rng = random.Random(0)
    grown = []
    for _ in range(60):
        before = tree.count
        if rng.random() < 0.5:
            x.assign(x * 0.5 + 1.0)
            expected = expected * 0.5 + 1.0
        else:
            x.assign_sub(x * x * 0.125)
            expected -= expected * expected * 0.125
        assert abs(float(x) - expected) < 1e-12
        grown.append(tree.count - before)
    assert not any(grown[30:])


def test_one_line_called_with_ever_other_things():
    """The same bytecode meets tensors, variables, numbers, arrays, several shapes and dtypes."""
    rng = np.random.default_rng(0)
    kinds = [
        ps.Variable,
        ps.asarray,
        lambda a: a,
        lambda a: ps.asarray(a) * 1,
        lambda a: float(a.ravel()[0]),
        lambda a: int(a.ravel()[0]),
        lambda a: a.ravel()[0],
        lambda a: a.tolist(),
    ]

    def line(a, b):
        return a * b

    with use_engine("numpy"):
        for _ in range(400):
            a = rng.integers(-3, 4, rng.choice([0, 1, 2]) * (2,) or ()).astype(
                rng.choice(["float64", "int64"])
            )
            b = rng.integers(-3, 4, rng.choice([0, 1]) * (2,) or ()).astype("float64")
            left, right = kinds[rng.integers(0, 4)](a), kinds[rng.integers(0, len(kinds))](b)
            if isinstance(left, np.ndarray):
                left = ps.asarray(left)
            got = line(left, right) if rng.random() < 0.5 else line(right, left)
            other = b if isinstance(right, np.ndarray | ps.Tensor | ps.Variable | list) else b.ravel()[0]
            assert isinstance(got, ps.Tensor)
            assert np.array_equal(got.numpy(), a * other)


def test_numbers_go_from_baked_to_bound_and_stay_right(tier):
    x = ps.Variable([1.0, 2.0], dtype="float64")
    rng = random.Random(1)

    def line(first, second):
        return (x * first + second) * first

    for turn in range(40):
        first = rng.choice([0.5, 0.5, 0.5, rng.random(), 2, True, -0.0, 0])
        second = rng.choice([1.5, 1.5, rng.random(), 3]) if turn > 5 else 1.5
        expected = (np.asarray([1.0, 2.0]) * first + second) * first
        assert np.allclose(line(first, second).numpy(), expected, rtol=1e-15)


def test_the_same_number_object_changes_nothing():
    """A NaN that is one object must not be found by identity where another NaN stood."""
    nan = float("nan")
    x = ps.Variable(1.0)
    for number in (nan, float("nan"), nan, 1.0, nan, np.nan):
        assert np.isnan(float(x * number)) == np.isnan(number)


def test_newly_made_code_is_not_taken_for_old_code():
    """Another code object may get a freed one's address: entries found by it must still fit."""
    for turn in range(200):
        names = {"x": ps.Variable(3.0), "ps": ps}
        text = ["y = x * 2.0", "y = x + 2.0", "y = x - 2.0", "y = ps.sum(x) * 4.0", "y = (x * x) * 2.0"][
            turn % 5
        ]
        exec(compile(text, f"<{turn}>", "exec"), names)
        assert float(names["y"]) == [6.0, 5.0, 1.0, 12.0, 18.0][turn % 5]


def test_standard_library_code_calls_on_the_users_behalf(tier):
    import functools
    import operator
    import statistics

    x, y = ps.Variable(2.0), ps.Variable(3.0)
    for _ in range(3):
        assert float(functools.reduce(operator.mul, [x, y, x])) == 12.0
        assert [float(v) for v in map(operator.add, [x, y], [1.0, y])] == [3.0, 6.0]
        assert float(sum([x, y, x], start=ps.asarray(0.0))) == 7.0
        assert float(max([x, y], key=float)) == 3.0
        assert [float(v) for v in sorted([y, x])] == [2.0, 3.0]
        assert statistics.mean([float(x), float(y)]) == 2.5


def test_a_trace_that_is_too_long_is_run_on_the_way(tier):
    x = ps.Variable(1.0, dtype="float64")
    y = x * 1.0
    for i in range(700):
        y = y * 1.001 + (i % 2)
        if i % 50 == 0:
            x.assign_add(1.0)
    expected = 1.0
    for i in range(700):
        expected = expected * 1.001 + (i % 2)
    assert np.isclose(float(y), expected, rtol=1e-12) and float(x) == 15.0
