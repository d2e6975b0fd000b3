"""The gradient tape: its recording and its gradients, whenever programs run."""

import gc
import linecache
import sys
import threading

import numpy as np
import pytest

import penstock as ps
from penstock.errors import DTypeError, PenstockError, TapeError
from penstock.grad.rows import Rows
from penstock.testing import use_engine
from penstock.tiers import program, run
from penstock.trace.local import local


def end_step():
    """End the step that is being recorded, as the next pass of a training loop would."""
    ps.Variable(0.0).assign(1.0)
    with ps.GradientTape():
        pass


@pytest.fixture
def interpreted(monkeypatch):
    """Names of the primitives that the NumPy tier has computed, one for each computed value."""
    names = []
    interpret = run.interpret

    def counting(one, arguments, *more):
        names.extend(step.primitive.name for step in one.steps)
        return interpret(one, arguments, *more)

    monkeypatch.setattr(run, "interpret", counting)
    with use_engine("numpy"):
        yield names


# -- sources and targets -------------------------------------------------------------------------------------


def test_structure_of_sources_is_the_structure_of_gradients(tier):
    x, y = ps.Variable(2.0), ps.Variable(3.0)
    with ps.GradientTape(persistent=True) as tape:
        z = x * x * y
    assert float(tape.gradient(z, x)) == 12.0
    assert [float(g) for g in tape.gradient(z, [x, y])] == [12.0, 4.0]
    pair = tape.gradient(z, (y, x))
    assert isinstance(pair, tuple) and [float(g) for g in pair] == [4.0, 12.0]
    named = tape.gradient(z, {"b": y, "a": x})
    assert list(named) == ["b", "a"] and float(named["a"]) == 12.0 and float(named["b"]) == 4.0
    nested = tape.gradient(z, [{"x": x}, (y, [x])])
    assert float(nested[0]["x"]) == 12.0 and float(nested[1][0]) == 4.0 and float(nested[1][1][0]) == 12.0
    assert tape.gradient(z, []) == []


def test_one_source_asked_twice_gives_the_gradient_twice(tier):
    x = ps.Variable(2.0)
    with ps.GradientTape() as tape:
        y = x * x
    assert [float(g) for g in tape.gradient(y, [x, x])] == [4.0, 4.0]


def test_tensors_are_sources_when_watched(tier):
    x = ps.asarray([1.0, 2.0])
    with ps.GradientTape(persistent=True) as tape:
        unwatched = ps.sum(x * x)
        tape.watch(x)
        watched = ps.sum(x * x)
    assert tape.gradient(unwatched, x) is None
    assert tape.gradient(watched, x).numpy().tolist() == [2.0, 4.0]


def test_intermediate_values_are_sources(tier):
    x = ps.Variable(3.0)
    with ps.GradientTape() as tape:
        y = x * x
        z = y * y + x
    assert [float(g) for g in tape.gradient(z, [z, y, x])] == [1.0, 18.0, 109.0]


def test_source_made_after_the_target_has_no_gradient(tier):
    x = ps.Variable(3.0)
    with ps.GradientTape() as tape:
        y = x * x
        z = y + x
    assert tape.gradient(y, z) is None


def test_several_targets_count_as_their_sum(tier):
    x = ps.Variable(3.0)
    with ps.GradientTape(persistent=True) as tape:
        y, z = x * x, x * 2.0
    assert float(tape.gradient([y, z], x)) == 8.0
    assert float(tape.gradient({"y": y, "z": (z, z)}, x)) == 10.0
    assert [float(g) for g in tape.gradient((y, z), [x, y, z])] == [8.0, 1.0, 1.0]


def test_a_target_that_is_no_scalar_counts_as_its_sum(tier):
    x = ps.Variable([1.0, 2.0])
    with ps.GradientTape() as tape:
        y = x**3
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 12.0]


def test_a_variable_as_target(tier):
    x, other = ps.Variable([2.0, 3.0]), ps.Variable(1.0)
    for turn in range(3):
        with ps.GradientTape(persistent=True) as tape:
            assert tape.gradient(x, x).numpy().tolist() == [1.0, 1.0]
            read = x.value()
        assert tape.gradient(read, x).numpy().tolist() == [1.0, 1.0]
        assert tape.gradient(x, x).numpy().tolist() == [1.0, 1.0]
        assert tape.gradient(x, other) is None
        assert tape.gradient(other, other).numpy() == 1.0
        x.assign_add([1.0, 1.0])
        if turn:
            x.numpy()
        assert tape.gradient(x, x).numpy().tolist() == [1.0, 1.0]


def test_targets_made_outside_have_no_gradient(tier):
    x = ps.Variable(3.0)
    before = x * x
    with ps.GradientTape(persistent=True) as tape:
        doubled = before * 2.0
        inside = x * x
    after = inside * 2.0
    assert tape.gradient(doubled, x) is None
    assert tape.gradient(before, x) is None
    assert tape.gradient(after, x) is None
    assert float(tape.gradient(inside, x)) == 6.0


@pytest.mark.parametrize("step_ends", [False, True])
def test_a_read_before_the_tape_is_outside_whenever_the_step_ends(tier, step_ends):
    x = ps.Variable(3.0)
    early = x.value()
    if step_ends:
        end_step()
    with ps.GradientTape() as tape:
        y = early * early
    assert tape.gradient(y, x) is None


@pytest.mark.parametrize("step_ends", [False, True])
def test_second_order_of_a_first_tape_that_was_closed_before(tier, step_ends):
    x = ps.Variable(3.0)
    with ps.GradientTape() as first:
        y = x * x * x
    if step_ends:
        end_step()
    with ps.GradientTape() as second:
        slope = first.gradient(y, x)
    assert float(slope) == 27.0
    assert second.gradient(slope, x) is None


@pytest.mark.parametrize("wrong", [2.0, np.float32(2.0), np.ones(2), "x"])
def test_a_value_other_than_a_tensor_is_refused(wrong):
    x = ps.Variable(3.0)
    with ps.GradientTape(persistent=True) as tape:
        y = x * x
    with pytest.raises(PenstockError, match="source"):
        tape.gradient(y, wrong)
    with pytest.raises(PenstockError, match="target"):
        tape.gradient(wrong, x)
    with pytest.raises(PenstockError, match=r"watch|recording"):
        tape.watch(wrong)
    assert float(tape.gradient(y, x)) == 6.0


def test_integers_are_not_watched():
    with ps.GradientTape() as tape, pytest.raises(DTypeError, match="no derivative"):
        tape.watch(ps.asarray([1, 2]))


# -- watching ------------------------------------------------------------------------------------------------


def test_watching_is_left_to_watch(tier):
    x, y = ps.Variable(2.0), ps.Variable(3.0)
    with ps.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(y)
        z = x * y
    assert tape.gradient(z, x) is None
    assert float(tape.gradient(z, y)) == 2.0


def test_variables_that_are_not_trainable_are_watched_on_request(tier):
    x = ps.Variable(2.0, trainable=False)
    with ps.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x) is None
    with ps.GradientTape() as tape:
        tape.watch([x])
        y = x * x
    assert float(tape.gradient(y, x)) == 4.0


def test_a_watched_variable_stays_watched_when_it_is_written(tier):
    x = ps.Variable(2.0, trainable=False)
    with ps.GradientTape() as tape:
        tape.watch(x)
        x.assign_add(1.0)
        y = x * x
    assert float(tape.gradient(y, x)) == 6.0


def test_watch_does_not_outlive_its_tape(tier):
    x = ps.asarray(3.0)
    for _ in range(3):
        with ps.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        assert float(tape.gradient(y, x)) == 6.0
        with ps.GradientTape() as tape:
            y = x * x
        assert tape.gradient(y, x) is None


@pytest.mark.parametrize("at_once", [True, False])
def test_trainable_is_what_it_is_when_read(tier, at_once):
    x = ps.Variable(3.0, trainable=False)
    for trainable in (True, False, True, False):
        x.trainable = trainable
        with ps.GradientTape() as tape:
            y = x * x
        gradient = tape.gradient(y, x)
        assert (gradient is None) is not trainable
        if at_once:
            float(y)


def test_two_variables_in_the_places_of_one(tier):
    def slope(first, second):
        with ps.GradientTape() as tape:
            y = first * 2.0
            second.trainable = True
            z = y + second * 3.0
        return float(tape.gradient(z, second))

    a, b = ps.Variable(1.0), ps.Variable(2.0)
    assert [slope(a, a), slope(a, b), slope(b, b), slope(b, a)] == [5.0, 3.0, 5.0, 3.0]


# -- used up, persistent, reopened ---------------------------------------------------------------------------


def test_a_tape_gives_one_gradient(tier):
    x = ps.Variable(3.0)
    with ps.GradientTape() as tape:
        y = x * x
    assert float(tape.gradient(y, x)) == 6.0
    with pytest.raises(TapeError, match="already computed"):
        tape.gradient(y, x)


def test_a_persistent_tape_gives_many(tier):
    x = ps.Variable(3.0)
    with ps.GradientTape(persistent=True) as tape:
        y = x * x
        assert float(tape.gradient(y, x)) == 6.0
        z = y * x
        assert float(tape.gradient(z, x)) == 27.0
    assert [float(tape.gradient(one, x)) for one in (y, z, y)] == [6.0, 27.0, 6.0]


def test_a_tape_that_never_recorded():
    with pytest.raises(TapeError, match="not recorded"):
        ps.GradientTape().gradient(ps.asarray(1.0), ps.Variable(1.0))


def test_a_tape_asked_inside_stops_recording(tier):
    x = ps.Variable(3.0)
    with ps.GradientTape() as tape:
        y = x * x
        assert float(tape.gradient(y, x)) == 6.0
        x * 2.0
    with pytest.raises(TapeError):
        tape.gradient(y, x)


def test_a_tape_opened_again_goes_on(tier):
    x = ps.Variable(3.0)
    tape = ps.GradientTape(persistent=True)
    with tape:
        square = x * x
    gap = square * 2.0
    with tape:
        cube = square * x
    assert float(tape.gradient(cube, x)) == 27.0
    assert float(tape.gradient(square, x)) == 6.0
    assert tape.gradient(gap, x) is None


def test_a_tape_entered_twice_is_refused():
    tape = ps.GradientTape()
    with tape, pytest.raises(TapeError, match="already recording"), tape:
        pass
    x = ps.Variable(3.0)
    with tape:
        y = x * x
    assert float(tape.gradient(y, x)) == 6.0


def test_outside_its_block_a_tape_cannot_be_told_what_to_record():
    tape = ps.GradientTape()
    for ask in (tape.reset, lambda: tape.watch(ps.asarray(1.0)), lambda: tape.stop_recording().__enter__()):
        with pytest.raises(TapeError, match="not recording"):
            ask()


def test_tapes_side_by_side_and_crossed(tier):
    x = ps.Variable(3.0)
    first, second = ps.GradientTape(), ps.GradientTape()
    first.__enter__()
    square = x * x
    second.__enter__()
    cube = x * x * x
    first.__exit__(None, None, None)
    mixed = square * cube
    second.__exit__(None, None, None)
    assert second.gradient(mixed, x) is not None
    assert float(first.gradient([square, cube], x)) == 33.0


# -- when the step is over -----------------------------------------------------------------------------------


@pytest.mark.parametrize("steps_later", [0, 1, 3])
def test_a_persistent_tape_outlives_its_step(tier, steps_later):
    x, scale = ps.Variable(3.0), ps.asarray(2.0)
    with ps.GradientTape(persistent=True) as tape:
        tape.watch(scale)
        y = x * x * scale
        z = y + x
    for _ in range(steps_later):
        x.assign_add(1.0)
        end_step()
    assert float(tape.gradient(y, x)) == 12.0
    assert [float(g) for g in tape.gradient(z, [x, scale, y])] == [13.0, 9.0, 1.0]
    assert float(tape.gradient(y, x, output_gradients=ps.asarray(10.0))) == 120.0
    later = ps.asarray(10.0) * 1.0
    assert float(tape.gradient(y, x, output_gradients=later * later)) == 1200.0
    assert tape.gradient(later, x) is None
    assert tape.gradient(y, later) is None
    assert float(tape.gradient(y, later, unconnected_gradients="zero")) == 0.0


def test_tapes_kept_for_several_steps_answer_for_their_own(tier):
    x = ps.Variable(1.0)
    kept = []
    for turn in range(6):
        with ps.GradientTape(persistent=True) as tape:
            y = x**3 * (turn + 1.0)
        kept.append((tape, y, turn))
        x.assign_add(1.0)
        if turn >= 2:
            old, target, then = kept[turn - 2]
            assert float(old.gradient(target, x)) == 3.0 * (then + 1.0) ** 3
    assert [float(old.gradient(target, x)) for old, target, _ in kept] == [
        3.0 * (t + 1.0) ** 3 for *_, t in kept
    ]


def test_a_tape_that_is_not_persistent_outlives_its_step_too(tier):
    x = ps.Variable(3.0)
    with ps.GradientTape() as tape:
        y = x * x
    x.assign(10.0)
    end_step()
    assert float(tape.gradient(y, x)) == 6.0
    with pytest.raises(TapeError, match="already computed"):
        tape.gradient(y, x)


def test_second_order_after_the_step(tier):
    x = ps.Variable(2.0)
    with ps.GradientTape(persistent=True) as outer:
        with ps.GradientTape() as inner:
            y = x**4
        slope = inner.gradient(y, x)
    end_step()
    assert float(outer.gradient(slope, x)) == 48.0
    assert float(outer.gradient(y, x)) == 32.0


def test_rows_after_the_step(tier):
    table = ps.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with ps.GradientTape(persistent=True) as tape:
        y = ps.sum(ps.take(table, ps.asarray([2, 0, 2]), axis=0))
    now = tape.gradient(y, table).numpy().tolist()
    end_step()
    later = tape.gradient(y, table)
    assert isinstance(later, Rows)
    assert later.numpy().tolist() == now == [[1.0, 1.0], [0.0, 0.0], [2.0, 2.0]]


# -- writes and looks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("looked", [False, True])
def test_a_later_write_does_not_change_the_recording(tier, looked):
    x = ps.Variable(3.0)
    with ps.GradientTape() as tape:
        y = x * x
        x.assign(10.0)
        if looked:
            assert float(y) == 9.0
    assert float(tape.gradient(y, x)) == 6.0
    assert float(x) == 10.0


def test_a_write_between_forward_and_gradient(tier):
    x = ps.Variable(3.0)
    for turn in range(3):
        x.assign(3.0)
        with ps.GradientTape() as tape:
            y = x * x
        x.assign(10.0 + turn)
        assert float(tape.gradient(y, x)) == 6.0


def test_every_version_that_was_read_counts(tier):
    x = ps.Variable(2.0)
    with ps.GradientTape(persistent=True) as tape:
        y = x * x
        x.assign(5.0)
        z = x * x
        total = y + z
    assert float(tape.gradient(total, x)) == 14.0
    assert float(tape.gradient(y, x)) == 4.0
    assert float(tape.gradient(z, x)) == 10.0


def test_no_gradient_passes_through_an_assignment(tier):
    x, y = ps.Variable(2.0), ps.Variable(1.0)
    with ps.GradientTape() as tape:
        y.assign(x * x)
        z = y * 3.0
    assert [None if g is None else float(g) for g in tape.gradient(z, [x, y])] == [None, 3.0]


def test_looking_inside_keeps_the_history(tier):
    x = ps.Variable(2.0)
    with ps.GradientTape() as tape:
        y = x * x
        assert float(y) == 4.0
        z = y * y
        assert z.numpy() == 16.0
        bool(y > 1.0), repr(z), np.asarray(y), list(ps.asarray([1.0]) * y)
        u = z * x
    assert float(tape.gradient(u, x)) == 80.0


def test_a_value_looked_at_is_not_computed_again(interpreted):
    x = ps.Variable(2.0)
    with ps.GradientTape() as tape:
        y = ps.exp(x)
        float(y)
        z = ps.tanh(y)
        float(z)
        u = ps.sin(z)
    gradient = tape.gradient(u, x)
    float(gradient)
    float(u)
    for name in ("exp", "tanh", "sin"):
        assert interpreted.count(name) == 1, interpreted


def test_looks_in_a_loop_cost_one_computation_each(interpreted):
    x = ps.Variable(1.0)
    with ps.GradientTape() as tape:
        y = x * 1.0
        for _ in range(20):
            y = ps.tanh(y)
            float(y)
    assert interpreted.count("tanh") == 20
    float(tape.gradient(y, x))
    assert interpreted.count("tanh") == 20


def test_a_value_that_left_the_record_brings_no_gradient(tier):
    x = ps.Variable(3.0)
    with ps.GradientTape() as tape:
        y = x * x
        z = ps.asarray(y.numpy()) * 2.0 + float(y)
    assert tape.gradient(z, x) is None


def test_numpy_values_on_the_left_stay_in_the_record(tier):
    x = ps.Variable(3.0)
    for left in (np.float32(2.0), np.float64(2.0), np.int64(2), np.asarray(2.0, np.float32)):
        with ps.GradientTape() as tape:
            y = left * x
            z = left - (left + x) * (left / x)
        assert isinstance(y, ps.Tensor) and isinstance(z, ps.Tensor)
        assert float(tape.gradient(y, x)) == 2.0
    matrix = ps.Variable([[1.0, 2.0]])
    with ps.GradientTape() as tape:
        y = np.ones((3, 1), np.float32) @ matrix
    assert isinstance(y, ps.Tensor)
    assert tape.gradient(y, matrix).numpy().tolist() == [[3.0, 3.0]]


# -- stop_recording, reset, clean-up -------------------------------------------------------------------------


def test_stop_recording(tier):
    x = ps.Variable(3.0)
    with ps.GradientTape(persistent=True) as tape:
        y = x * x
        with tape.stop_recording():
            unseen = x * x * x
            assert float(tape.gradient(y, x)) == 6.0
        z = y + unseen + x
    assert float(tape.gradient(z, x)) == 7.0
    assert tape.gradient(unseen, x) is None


def test_stop_recording_within_itself(tier):
    x = ps.Variable(3.0)
    with ps.GradientTape() as tape:
        with tape.stop_recording():
            try:
                with tape.stop_recording():
                    pass
            except TapeError:
                pass  # as TensorFlow does; the outer one must still hold
            unseen = x * x
        z = x * 2.0 + unseen
    assert float(tape.gradient(z, x)) == 2.0


def test_stop_recording_touches_its_own_tape_only(tier):
    x = ps.Variable(3.0)
    with ps.GradientTape() as outer:
        with ps.GradientTape() as inner, inner.stop_recording():
            y = x * x
        z = y * 2.0
    assert inner.gradient(y, x) is None
    assert float(outer.gradient(z, x)) == 12.0


def test_reset(tier):
    x = ps.Variable(3.0)
    with ps.GradientTape(persistent=True) as tape:
        square = x * x
        tape.reset()
        triple = x * 3.0
        joined = square + triple
    assert tape.gradient(square, x) is None
    assert float(tape.gradient(triple, x)) == 3.0
    assert float(tape.gradient(joined, x)) == 3.0


def test_reset_each_turn_inside_one_tape(tier):
    x = ps.Variable(8.0)
    with ps.GradientTape(persistent=True) as tape:
        for turn in range(5):
            tape.reset()
            y = x * x
            assert float(tape.gradient(y, x)) == 2.0 * (8.0 - turn)
            x.assign_sub(1.0)
    assert float(x) == 3.0


def test_reset_forgets_watched_tensors(tier):
    t = ps.asarray(2.0)
    with ps.GradientTape() as tape:
        tape.watch(t)
        tape.reset()
        y = t * t
    assert tape.gradient(y, t) is None


def test_reset_of_an_inner_tape_leaves_the_outer_one_alone(tier):
    x = ps.Variable(3.0)
    with ps.GradientTape() as outer:
        y = x * x
        with ps.GradientTape() as inner:
            z = y * x
            inner.reset()
            u = z * x
        assert float(inner.gradient(u, x)) == 27.0
    assert float(outer.gradient(u, x)) == 108.0


def test_an_error_leaves_the_tape_closed_and_usable(tier):
    x = ps.Variable(3.0)
    tape = ps.GradientTape()
    with pytest.raises(KeyError), tape:
        y = x * x
        raise KeyError("halfway")
    assert local.trace.taping == 0
    assert float(tape.gradient(y, x)) == 6.0


def test_an_error_in_stop_recording_turns_recording_on_again(tier):
    x = ps.Variable(3.0)
    with ps.GradientTape() as tape:
        with pytest.raises(KeyError), tape.stop_recording():
            raise KeyError("halfway")
        y = x * x
    assert float(tape.gradient(y, x)) == 6.0


def test_a_failing_step_under_a_tape(tier):
    x = ps.Variable([1.0, 2.0], name="x")
    with ps.GradientTape() as tape:
        x.assign_add([1.0, 1.0])
        with pytest.raises(ps.errors.RangeError):
            ps.take(x, ps.asarray([7]), axis=0).numpy()
        y = ps.sum(x * x)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]
    assert x.version == 0
    with ps.GradientTape() as tape:
        y = ps.sum(x * x)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]


def test_a_tape_in_a_generator_that_is_left(tier):
    x = ps.Variable(3.0)

    def values():
        with ps.GradientTape() as tape:
            y = x * x
            yield y
            yield tape.gradient(y, x)

    left = values()
    assert float(next(left)) == 9.0
    left.close()
    del left
    gc.collect()
    assert local.trace.taping == 0
    assert [float(one) for one in values()] == [9.0, 6.0]


def test_recursion(tier):
    x = ps.Variable(2.0)

    def power(base, exponent):
        if exponent == 1:
            return base * 1.0
        with ps.GradientTape() as tape:
            result = base * power(base, exponent - 1)
        assert tape is not None
        return result

    def derivative(function, order):
        if order == 0:
            return function()
        with ps.GradientTape() as tape:
            y = derivative(function, order - 1)
        return tape.gradient(y, x)

    assert [float(derivative(lambda: power(x, 4), n)) for n in range(5)] == [16.0, 32.0, 48.0, 48.0, 24.0]


def test_a_tape_in_a_function_called_from_many_places(tier):
    x = ps.Variable(2.0)

    def slope(function):
        with ps.GradientTape() as tape:
            y = function(x)
        return tape.gradient(y, x)

    for _ in range(3):
        assert float(slope(lambda v: v * v)) == 4.0
        assert float(slope(lambda v: v * v * v)) == 12.0
        assert slope(lambda v: 2.0 * ps.stop_gradient(v)) is None


def test_another_thread_asks(tier):
    x = ps.Variable(3.0)
    with ps.GradientTape(persistent=True) as tape:
        y = x * x
    found = []

    def ask():
        try:
            found.append(float(tape.gradient(y, x)))
        except TapeError:
            found.append("refused")

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert found[0] in (6.0, "refused")
    assert float(tape.gradient(y, x)) == 6.0


# -- the arguments of gradient -------------------------------------------------------------------------------


def test_output_gradients(tier):
    x = ps.Variable([1.0, 2.0, 3.0])
    with ps.GradientTape(persistent=True) as tape:
        y = x * x
        z = x * 3.0
    weights = ps.asarray([1.0, 10.0, 100.0])
    assert tape.gradient(y, x, output_gradients=weights).numpy().tolist() == [2.0, 40.0, 600.0]
    assert tape.gradient(y, x, output_gradients=[1.0, 0.0, 1.0]).numpy().tolist() == [2.0, 0.0, 6.0]
    assert tape.gradient([y, z], x, output_gradients=[weights, None]).numpy().tolist() == [5.0, 43.0, 603.0]
    variable = ps.Variable([0.0, 0.0, 2.0])
    assert tape.gradient(y, x, output_gradients=variable).numpy().tolist() == [0.0, 0.0, 12.0]
    with pytest.raises(PenstockError, match=r"\(2,\).*\(3,\)"):
        tape.gradient(y, x, output_gradients=ps.asarray([1.0, 2.0]))
    with pytest.raises(PenstockError, match="structure"):
        tape.gradient([y, z], x, output_gradients=weights)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_output_gradients_that_are_no_tensors_take_the_dtype_of_the_target(dtype):
    x = ps.Variable([1.0, 2.0], dtype=dtype)
    with ps.GradientTape(persistent=True) as tape:
        y, total = x * x, ps.sum(x * x)
    for half in (0.5, np.float64(0.5), np.float32(0.5), np.asarray(0.5)):
        found = tape.gradient(total, x, output_gradients=half)
        assert found.numpy().tolist() == [1.0, 2.0] and found.dtype == np.dtype(dtype)
    for weights in ([1.0, 10.0], np.asarray([1.0, 10.0]), [1, 10]):
        assert tape.gradient(y, x, output_gradients=weights).numpy().tolist() == [2.0, 40.0]


def test_output_gradients_of_another_dtype_or_shape_are_refused_on_the_line_that_gives_them():
    x = ps.Variable([1.0, 2.0], dtype="float64")
    with ps.GradientTape(persistent=True) as tape:
        y = x * x
    for given, words in (
        (ps.asarray([1.0, 1.0]), r"output_gradients is float32\[2\], its target float64\[2\]"),
        (0.5, r"output_gradients has shape \(\), its target \(2,\)"),
        (ps.ones((3,), dtype="float64"), r"output_gradients has shape \(3,\), its target \(2,\)"),
    ):
        with pytest.raises(PenstockError, match=words) as caught:
            tape.gradient(y, x, output_gradients=given)  # here
        assert "# here" in linecache.getline(__file__, caught.value.site.line)


def test_gradients_are_linear_in_output_gradients(tier):
    x = ps.Variable([0.5, -1.5])
    with ps.GradientTape(persistent=True) as tape:
        y = ps.tanh(x) * x
    one = tape.gradient(y, x, output_gradients=ps.asarray([1.0, 0.0])).numpy()
    other = tape.gradient(y, x, output_gradients=ps.asarray([0.0, 1.0])).numpy()
    both = tape.gradient(y, x, output_gradients=ps.asarray([2.0, 4.0])).numpy()
    assert np.allclose(both, 2.0 * one + 4.0 * other, 1e-6)


def test_unconnected_gradients(tier):
    x, apart = ps.Variable([1.0, 2.0]), ps.Variable([[1.0], [2.0]])
    with ps.GradientTape(persistent=True) as tape:
        y = x * x
        apart * 2.0
    assert tape.gradient(y, apart) is None
    zeros = tape.gradient(y, apart, unconnected_gradients="zero")
    assert zeros.numpy().tolist() == [[0.0], [0.0]]
    found = tape.gradient(y, [x, apart], unconnected_gradients="zero")
    assert [one.numpy().tolist() for one in found] == [[2.0, 4.0], [[0.0], [0.0]]]
    never = ps.Variable(np.ones(3))
    assert tape.gradient(y, never, unconnected_gradients="zero").numpy().dtype == np.float64
    with pytest.raises(PenstockError, match="nought"):
        tape.gradient(y, x, unconnected_gradients="nought")


def test_a_zero_gradient_is_not_an_absent_one(tier):
    x = ps.Variable(0.0)
    with ps.GradientTape() as tape:
        y = x * x
    gradient = tape.gradient(y, x)
    assert gradient is not None and float(gradient) == 0.0


# -- higher order --------------------------------------------------------------------------------------------


def test_second_order(tier):
    x = ps.Variable(2.0)
    with ps.GradientTape() as outer:
        with ps.GradientTape() as inner:
            y = x**3
        slope = inner.gradient(y, x)
    assert float(slope) == 12.0
    assert float(outer.gradient(slope, x)) == 12.0


def test_third_order_of_one_persistent_tape(tier):
    x = ps.Variable(2.0)
    with ps.GradientTape(persistent=True) as tape:
        y = x**4
        first = tape.gradient(y, x)
        second = tape.gradient(first, x)
    assert [float(one) for one in (first, second, tape.gradient(second, x))] == [32.0, 48.0, 48.0]


def test_mixed_partial_derivatives(tier):
    x, y = ps.Variable(2.0), ps.Variable(5.0)
    with ps.GradientTape(persistent=True) as outer:
        with ps.GradientTape() as inner:
            z = x * x * y
        by_x, by_y = inner.gradient(z, [x, y])
    assert [float(g) for g in outer.gradient(by_x, [x, y])] == [10.0, 4.0]
    assert float(outer.gradient(by_y, x)) == 4.0
    assert outer.gradient(by_y, y) is None


def test_a_gradient_penalty_trains(tier):
    x = ps.Variable([1.0, -2.0])
    for _ in range(3):
        before = x.numpy()
        with ps.GradientTape() as outer:
            with ps.GradientTape() as inner:
                y = ps.sum(x**3)
            slope = inner.gradient(y, x)
            penalty = ps.sum(slope * slope)
        x.assign_sub(outer.gradient(penalty, x) * 0.001)
        assert np.allclose(x.numpy(), before - 0.001 * 36.0 * before**3, rtol=1e-5)


def test_differentiating_through_an_update(tier):
    start, rate = ps.Variable(1.0), ps.Variable(0.25)
    with ps.GradientTape() as outer:
        with ps.GradientTape() as inner:
            loss = (start - 3.0) ** 2
        adapted = start - rate * inner.gradient(loss, start)
        after = (adapted - 4.0) ** 2
    assert (float(adapted), float(after)) == (2.0, 4.0)
    assert [float(g) for g in outer.gradient(after, [start, rate])] == [-2.0, -16.0]


# -- long and large ------------------------------------------------------------------------------------------


def chain(length):
    x = ps.Variable(1.0)
    with ps.GradientTape() as tape:
        y = x * 1.0
        for _ in range(length):
            y = y + 0.0
        z = y * y
    gradient = tape.gradient(z, x)
    return float(z), float(gradient)


def test_a_chain_of_ten_thousand_operations():
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(400)
    try:
        with use_engine("numpy"):
            assert chain(10_000) == (1.0, 2.0)
            assert chain(10_000) == (1.0, 2.0)
    finally:
        sys.setrecursionlimit(limit)


def test_a_chain_of_five_hundred_operations_in_xla():
    with use_engine("xla"):
        assert chain(500) == (1.0, 2.0)


def test_a_chain_outside_every_tape():
    with use_engine("numpy"):
        x = ps.Variable(0.0)
        y = x + 0.0
        for turn in range(10_000):
            y = y + (turn % 3)
        assert float(y) == sum(turn % 3 for turn in range(10_000))


def test_a_long_chain_can_be_dropped():
    before = len(program.programs)
    with use_engine("numpy"):
        y = ps.Variable(1.0) * 1.0
        with ps.GradientTape():
            for _ in range(20_000):
                y = y * 1.0
        del y
    gc.collect()
    assert len(program.programs) <= before + 5


IDS = np.asarray([2, 0, 2])
ROWS_READ = {
    "take": lambda table: ps.take(table, IDS, axis=0),
    "an array": lambda table: table[IDS],
    "a tensor": lambda table: table[ps.asarray(IDS)],
    "a list": lambda table: table[[2, 0, 2]],
    "all of the rest": lambda table: table[IDS, :],
    "an ellipsis": lambda table: table[IDS, ...],
    "from behind": lambda table: table[IDS - 4],
    "several axes": lambda table: ps.reshape(table[IDS[None]], (3, 3)),
}


@pytest.mark.parametrize("how", ROWS_READ)
def test_rows_that_are_indexed_have_a_gradient_of_rows(tier, how):
    table = ps.Variable(np.arange(12.0, dtype=np.float32).reshape(4, 3), name="table_of_rows")
    with ps.GradientTape() as tape:
        loss = ps.sum(ROWS_READ[how](table) ** 2)
    found = tape.gradient(loss, table)
    assert isinstance(found, Rows)
    expected = np.zeros((4, 3), np.float32)
    np.add.at(expected, IDS, 2 * table.numpy()[IDS])
    assert np.array_equal(found.numpy(), expected)


@pytest.mark.parametrize("tier", ["numpy"], indirect=True)
def test_arithmetic_with_rows(tier):
    """Scaled rows stay rows; other operations give the result for the dense gradient, with a history."""
    table = ps.Variable(np.arange(12.0, dtype=np.float32).reshape(4, 3), name="table_of_arithmetic")
    with ps.GradientTape(persistent=True) as outer:
        with ps.GradientTape() as tape:
            loss = ps.sum(table[IDS] ** 3)
        rows = tape.gradient(loss, table)
        dense, other = rows.dense(), ps.ones((4, 3))
        for function in (lambda g: g * 2, lambda g: 2.0 * g, lambda g: g / 4, lambda g: -g,
                         lambda g: g * ps.asarray(0.5)):  # fmt: skip
            assert isinstance(function(rows), Rows)
            assert np.array_equal(function(rows).numpy(), function(dense).numpy())
        for function in (lambda g: g + 1, lambda g: 1 - g, lambda g: other * g, lambda g: g * other,
                         lambda g: g**2, lambda g: g[1], lambda g: table - 0.1 * g, lambda g: ps.exp(g / 99),
                         lambda g: g - g, lambda g: g / other, lambda g: ps.sum(g)):  # fmt: skip
            a, b = function(rows), function(dense)
            assert isinstance(a, ps.Tensor) and np.allclose(a.numpy(), b.numpy())
            one, two = outer.gradient(a, table), outer.gradient(b, table)
            assert (one is None) == (two is None) and (one is None or np.allclose(one.numpy(), two.numpy()))
