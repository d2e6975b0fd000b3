"""Optimizers against Keras' own numbers and against arithmetic written out here, and their errors."""

import contextlib
import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import penstock as ps
from penstock.errors import NoGradientsError, PenstockError, ShapeError
from penstock.grad.rows import Rows
from penstock.optimizers import Adam
from penstock.optimizers.moments import AdaptiveMoments
from penstock.testing import use_engine
from penstock.tiers import xla

ORACLE = json.loads((Path(__file__).parent / "oracles" / "optimizers.json").read_text())


class KerasAdam(Adam):
    """Adam with Keras' place for epsilon, and its default."""

    _floor = "hat"

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7):
        super().__init__(learning_rate, beta_1, beta_2, epsilon)


MADE = {
    "sgd": lambda: ps.optimizers.SGD(0.1),
    "momentum": lambda: ps.optimizers.SGD(0.05, momentum=0.9),
    "nesterov": lambda: ps.optimizers.SGD(0.05, momentum=0.9, nesterov=True),
    "adam": lambda: ps.optimizers.Adam(0.05),
    "keras_adam": lambda: KerasAdam(0.05),
}
"""One of each, for the properties that all must have."""


@pytest.fixture(params=MADE)
def make(request):
    return MADE[request.param]


def step(optimizer, variable, gradient):
    optimizer.apply_gradients([(ps.asarray(gradient), variable)])


# -- the numbers ---------------------------------------------------------------------------------------------


OFFERED = {"learning_rate", "momentum", "nesterov", "beta_1", "beta_2", "epsilon"}
CASES = [c for c in ORACLE["optimizers"] if c["class"] in ("SGD", "Adam") and set(c["arguments"]) <= OFFERED]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_keras_agrees(tier, case):
    kind = {"SGD": ps.optimizers.SGD, "Adam": KerasAdam}[case["class"]]
    optimizer = kind(**case["arguments"])
    variable = ps.Variable(ORACLE["start"])
    rates = case.get("rates")
    track = np.asarray([ORACLE["start"], *case["values"]])
    # Twenty single-precision updates: a rounding or two each, of the largest value that element ever has.
    allowed = 4e-6 * np.abs(track).max(axis=0)
    if case["class"] == "Adam":
        # Keras corrects by 1 - beta_2**t with beta_2 in single precision, but averages with 1 - beta_2 not so
        # rounded: at 0.999 half a rounding is 3e-5 of the difference, its root 1.5e-5 of the way moved.
        allowed = allowed + 1.5e-5 * np.abs(np.diff(track, axis=0)).sum(axis=0)
    for number, (gradient, expected) in enumerate(zip(ORACLE["gradients"], case["values"])):
        if rates:
            optimizer.learning_rate = rates[number]
        step(optimizer, variable, np.asarray(gradient, np.float32))
        assert (np.abs(variable.numpy() - expected) <= allowed).all(), number


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 2e-6), ("float64", 1e-13)])
def test_adam_in_the_form_of_the_paper(tier, dtype, tolerance):
    """Kingma and Ba, algorithm 1; PyTorch's form: epsilon is added to the corrected root."""
    rate, one, two, epsilon = 0.01, 0.8, 0.95, 1e-3
    optimizer = ps.optimizers.Adam(rate, one, two, epsilon)
    start = np.asarray([1.0, -2.0, 0.5])
    variable = ps.Variable(start.astype(dtype))
    value, mean, square = start.copy(), np.zeros(3), np.zeros(3)
    for t in range(1, 13):
        gradient = np.asarray([0.5 * t, -1.0, 1e-4 * (t % 3)])
        mean = one * mean + (1 - one) * gradient
        square = two * square + (1 - two) * gradient**2
        value -= rate * (mean / (1 - one**t)) / (np.sqrt(square / (1 - two**t)) + epsilon)
        step(optimizer, variable, gradient.astype(dtype))
        assert np.allclose(variable.numpy(), value, rtol=tolerance, atol=tolerance), t
    slots = optimizer.slots(variable)
    assert np.allclose(slots["momentum"].numpy(), mean, rtol=tolerance)
    assert np.allclose(slots["velocity"].numpy(), square, rtol=tolerance)


def test_momentum_written_out(tier):
    for nesterov in (False, True):
        optimizer = ps.optimizers.SGD(0.1, momentum=0.5, nesterov=nesterov)
        variable = ps.Variable(1.0, dtype="float64")
        value, velocity = 1.0, 0.0
        for gradient in (1.0, -2.0, 0.5, 0.0):
            velocity = 0.5 * velocity - 0.1 * gradient
            value += 0.5 * velocity - 0.1 * gradient if nesterov else velocity
            step(optimizer, variable, np.asarray(gradient))
            assert abs(float(variable) - value) < 1e-15


def test_epsilon_has_its_place():
    outside, hat = ps.Variable(0.0), ps.Variable(0.0)
    step(ps.optimizers.Adam(1.0, epsilon=1e-2), outside, np.float32(1e-2))
    step(KerasAdam(1.0, epsilon=1e-2), hat, np.float32(1e-2))
    assert abs(float(outside) + 0.5) < 1e-5
    assert abs(float(hat) + 1.0 / (1.0 + 1.0 / np.sqrt(0.001))) < 1e-5
    assert AdaptiveMoments("hat").key() != AdaptiveMoments("outside").key()


# -- properties of every optimizer ---------------------------------------------------------------------------


def test_descends_a_parabola(tier, make):
    optimizer = make()
    x = ps.Variable([3.0, -4.0])
    for _ in range(200):
        with ps.GradientTape() as tape:
            loss = ps.sum((x - 1.0) ** 2)
        optimizer.apply_gradients([(tape.gradient(loss, x), x)])
    assert np.abs(x.numpy() - 1.0).max() < 0.6


def test_descends_rosenbrocks_valley(make):
    optimizer = make()
    optimizer.learning_rate = 0.001 if "SGD" in type(optimizer).__name__ else 0.02
    x = ps.Variable([-1.0, 1.5], dtype="float64")

    def height():
        return (1.0 - x[0]) ** 2 + 100.0 * (x[1] - x[0] ** 2) ** 2

    start = float(height())
    for _ in range(300):
        with ps.GradientTape() as tape:
            loss = height()
        optimizer.apply_gradients([(tape.gradient(loss, x), x)])
    assert float(height()) < start / 5


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_keeps_dtypes(tier, make, dtype):
    optimizer = make()
    x = ps.Variable(np.ones(2, dtype))
    for _ in range(2):
        step(optimizer, x, np.ones(2, dtype))
    assert x.numpy().dtype == dtype
    assert all(one.dtype == dtype for one in optimizer.slots(x).values())
    assert (x.numpy() < 1.0).all() and np.isfinite(x.numpy()).all()


def test_a_gradient_of_another_dtype_is_converted(tier, make):
    exact, mixed = ps.Variable([1.0, 2.0]), ps.Variable([1.0, 2.0])
    step(make(), exact, np.asarray([0.5, -0.5], np.float32))
    step(make(), mixed, np.asarray([0.5, -0.5], np.float64))
    assert exact.numpy().tolist() == mixed.numpy().tolist() and mixed.dtype == np.float32


def test_variables_of_several_dtypes_and_shapes_in_one_step(tier, make):
    together = [ps.Variable(1.0), ps.Variable(np.ones((2, 3))), ps.Variable(np.ones((0,), np.float32))]
    alone = [ps.Variable(1.0), ps.Variable(np.ones((2, 3))), ps.Variable(np.ones((0,), np.float32))]
    optimizer, others = make(), [make() for _ in alone]
    for turn in range(3):
        gradients = [ps.asarray(np.full(v.shape, 0.5 + turn, v.dtype)) for v in together]
        optimizer.apply_gradients(zip(gradients, together))
        for other, gradient, variable in zip(others, gradients, alone):
            other.apply_gradients([(gradient, variable)])
    for one, other in zip(together, alone):
        assert np.array_equal(one.numpy(), other.numpy())


def test_a_variable_listed_twice_is_moved_twice(tier, make):
    twice, one_by_one = ps.Variable(1.0), ps.Variable(1.0)
    optimizer, other = make(), make()
    for _ in range(3):
        optimizer.apply_gradients([(ps.asarray(1.0), twice), (ps.asarray(-3.0), twice)])
        if "adam" in type(optimizer).__name__.lower():
            continue  # the next test checks the step count after that
        other.apply_gradients([(ps.asarray(1.0), one_by_one)])
        other.apply_gradients([(ps.asarray(-3.0), one_by_one)])
        assert np.allclose(float(twice), float(one_by_one), 1e-6)
        assert twice.version == one_by_one.version


def test_adam_moves_a_variable_listed_twice_within_one_step(tier):
    """As Keras does: the second update finds the first one's state, and both count as one step."""
    x, optimizer = ps.Variable(1.0, dtype="float64"), ps.optimizers.Adam(0.1)
    value, mean, square = 1.0, 0.0, 0.0
    for t in (1, 2):
        optimizer.apply_gradients([(ps.asarray(np.asarray(g)), x) for g in (1.0, -3.0)])
        for g in (1.0, -3.0):
            mean, square = 0.9 * mean + 0.1 * g, 0.999 * square + 0.001 * g * g
            value -= 0.1 * mean / (1 - 0.9**t) / (np.sqrt(square / (1 - 0.999**t)) + 1e-8)
    assert abs(float(x) - value) < 1e-9


def test_pairs_may_come_and_go(tier, make):
    a, b, alone = ps.Variable(1.0), ps.Variable(2.0), ps.Variable(1.0)
    optimizer, other = make(), make()
    for turn in range(4):
        pairs = [(ps.asarray(1.0), a)] + [(ps.asarray(2.0), b)] * (turn % 2)
        optimizer.apply_gradients(pairs)
        other.apply_gradients([(ps.asarray(1.0), alone)])
    assert float(a) == float(alone)
    assert float(b) < 2.0 and b.version == 2 and a.version == 4


def test_two_optimizers_share_a_program_and_nothing_else(tier, make):
    a, b = ps.Variable(1.0), ps.Variable(1.0)
    first, second = make(), make()
    second.learning_rate = first.learning_rate * 2.0
    for _ in range(3):
        for optimizer, variable in ((first, a), (second, b)):
            step(optimizer, variable, np.float32(1.0))
    expected = ps.Variable(1.0)
    third = make()
    for _ in range(3):
        step(third, expected, np.float32(1.0))
    assert float(a) == float(expected) != float(b)


def test_two_optimizers_on_one_variable(tier):
    x = ps.Variable(1.0, dtype="float64")
    first, second = ps.optimizers.SGD(0.1, momentum=0.5), ps.optimizers.SGD(0.2)
    value, velocity = 1.0, 0.0
    for _ in range(4):
        with ps.GradientTape(persistent=True) as tape:
            loss = x * x
        first.apply_gradients([(tape.gradient(loss, x), x)])
        second.apply_gradients([(tape.gradient(loss, x), x)])
        slope = 2.0 * value
        velocity = 0.5 * velocity - 0.1 * slope
        value += velocity
        value -= 0.2 * slope
    assert abs(float(x) - value) < 1e-12


def test_an_optimizer_created_in_each_step_has_no_memory(tier):
    x = ps.Variable(1.0, dtype="float64")
    for _ in range(3):
        step(ps.optimizers.Adam(0.1), x, np.asarray(5.0))
    assert abs(float(x) - 0.7) < 1e-7


def test_inside_a_tape(tier, make):
    x, same = ps.Variable(2.0), ps.Variable(2.0)
    optimizer, other = make(), make()
    with ps.GradientTape(persistent=True) as tape:
        loss = x * x
        optimizer.apply_gradients([(tape.gradient(loss, x), x)])
        after = x * x
    step(other, same, np.float32(4.0))
    assert float(x) == float(same)
    assert np.isclose(float(tape.gradient(after, x)), 2.0 * float(x))


@pytest.mark.parametrize("name", ["learning_rate", "momentum", "beta_1", "beta_2", "epsilon"])
def test_hyper_parameters_may_change_at_any_time(tier, make, name):
    optimizer = make()
    if not hasattr(optimizer, name) or not getattr(optimizer, name):
        pytest.skip("has none")
    x, same = ps.Variable(1.0, dtype="float64"), ps.Variable(1.0, dtype="float64")
    for turn in range(4):
        value = getattr(optimizer, name) * (0.9 if turn else 1.0)
        setattr(optimizer, name, value)
        before = [x.numpy(), *(one.numpy() for one in optimizer.slots(x).values())]
        step(optimizer, x, np.asarray(1.0))
        fresh = make()
        for key in ("learning_rate", "momentum", "beta_1", "beta_2", "epsilon"):
            if hasattr(optimizer, key):
                setattr(fresh, key, getattr(optimizer, key))
        for _ in range(turn):
            step(fresh, same, np.asarray(1.0))  # only so that its state and step count exist
        same.assign(before[0])
        for slot, value in zip(fresh.slots(same).values(), before[1:]):
            slot.assign(value)
        step(fresh, same, np.asarray(1.0))
        assert np.isclose(float(x), float(same), rtol=1e-14), turn


@pytest.mark.parametrize("kind", ["tensor", "pending", "variable", "numpy"])
def test_a_rate_that_is_a_tensor_or_variable(tier, kind):
    x = ps.Variable(1.0)
    optimizer = ps.optimizers.SGD(0.1)
    variable = ps.Variable(0.2)
    expected, rate = 1.0, 0.2
    for _ in range(4):
        rate *= 0.5
        if kind == "variable":
            variable.assign(variable * 0.5)
            optimizer.learning_rate = variable
        elif kind == "pending":
            optimizer.learning_rate = ps.asarray(rate) * 1.0
        else:
            optimizer.learning_rate = ps.asarray(rate) if kind == "tensor" else np.float32(rate)
        with ps.GradientTape() as tape:
            loss = x * x
        gradient = tape.gradient(loss, x)
        optimizer.apply_gradients([(gradient, x)])
        expected -= rate * 2.0 * expected
    assert np.isclose(float(x), expected, rtol=1e-6)


def test_a_changing_rate_compiles_once(make):
    with use_engine("xla"):
        optimizer = make()
        x = ps.Variable([1.0, 2.0])
        compiled = []
        for turn in range(8):
            optimizer.learning_rate = 0.1 / (turn + 1)
            with ps.GradientTape() as tape:
                loss = ps.sum(x * x)
            optimizer.apply_gradients([(tape.gradient(loss, x), x)])
            x.numpy()
            compiled.append(len(xla.compilations))
        assert compiled[-1] == compiled[2], compiled


# -- rows ----------------------------------------------------------------------------------------------------


def rows_and_dense(ids, make, turns=3):
    """Values after training a table by row gradients, and by the same gradients made dense."""
    results = []
    for dense in (False, True):
        table = ps.Variable(np.arange(8.0).reshape(4, 2), name="table")
        optimizer = make()
        for turn in range(turns):
            with ps.GradientTape() as tape:
                picked = ps.take(table, ps.asarray(ids), axis=0)
                loss = ps.sum(picked * picked) * (turn + 1.0)
            gradient = tape.gradient(loss, table)
            assert isinstance(gradient, Rows)
            optimizer.apply_gradients([(gradient.dense() if dense else gradient, table)])
        results.append(table.numpy())
    return results


@pytest.mark.parametrize("ids", [[1], [2, 0], [3, 3, 3], [0, 1, 2, 3], [[1, 2], [2, 0]], []])
def test_row_gradients_move_a_table_as_dense_ones_do(tier, make, ids):
    rows, dense = rows_and_dense(np.asarray(ids, np.int64), make)
    assert np.allclose(rows, dense, rtol=1e-12, atol=1e-12)


def test_row_gradients_of_two_reads(tier, make):
    results = []
    for dense in (False, True):
        table = ps.Variable(np.arange(8.0).reshape(4, 2))
        with ps.GradientTape() as tape:
            loss = ps.sum(ps.take(table, ps.asarray([1, 2]), axis=0)) + ps.sum(
                ps.take(table, ps.asarray([2]), axis=0)
            )
        gradient = tape.gradient(loss, table)
        assert isinstance(gradient, Rows)
        make().apply_gradients([(gradient.dense() if dense else gradient, table)])
        results.append(table.numpy())
    assert np.allclose(*results, rtol=1e-12)


def test_a_table_read_whole_and_by_rows_has_a_dense_gradient(tier):
    table = ps.Variable(np.ones((3, 2)))
    with ps.GradientTape() as tape:
        loss = ps.sum(ps.take(table, ps.asarray([1]), axis=0)) + ps.sum(table * 2.0)
    gradient = tape.gradient(loss, table)
    assert isinstance(gradient, ps.Tensor)
    assert gradient.numpy().tolist() == [[2.0, 2.0], [3.0, 3.0], [2.0, 2.0]]


# -- errors --------------------------------------------------------------------------------------------------


@pytest.fixture
def unchanged():
    """A variable that has to be as it was in the end."""
    x = ps.Variable([1.0, 2.0], name="kernel")
    yield x
    assert x.numpy().tolist() == [1.0, 2.0] and x.version == 0


@pytest.mark.parametrize("shape", [(), (3,), (1, 2), (2, 1)])
def test_a_gradient_of_another_shape_is_refused(make, unchanged, shape):
    other = ps.Variable(1.0)
    with pytest.raises(ShapeError, match="kernel") as caught:
        make().apply_gradients([(ps.asarray(1.0), other), (ps.asarray(np.ones(shape)), unchanged)])
    assert caught.value.site.file == __file__
    assert float(other) == 1.0 and other.version == 0


def test_rows_of_another_table_are_refused(make, unchanged):
    table = ps.Variable(np.ones((4, 3), np.float32))
    with ps.GradientTape() as tape:
        loss = ps.sum(ps.take(table, ps.asarray([1]), axis=0))
    gradient = tape.gradient(loss, table)
    with pytest.raises(ShapeError, match="kernel"):
        make().apply_gradients([(gradient, unchanged)])


@pytest.mark.parametrize("wrong", [1.0, np.ones(2), "kernel", [1.0, 2.0]])
def test_a_gradient_that_is_no_tensor_is_refused(make, unchanged, wrong):
    with pytest.raises(PenstockError, match="kernel"):
        make().apply_gradients([(wrong, unchanged)])


@pytest.mark.parametrize("wrong", [1.0, np.ones(2), None, "x"])
def test_a_value_other_than_a_variable_is_refused(make, wrong):
    with pytest.raises(PenstockError, match="Variable"):
        make().apply_gradients([(ps.asarray([1.0, 1.0]), wrong)])


def test_a_tensor_in_the_place_of_a_variable_is_refused(make, unchanged):
    rebound = unchanged * 1.0
    with pytest.raises(PenstockError, match="Variable"):
        make().apply_gradients([(ps.asarray([1.0, 1.0]), rebound)])
    with pytest.raises(PenstockError, match="Variable"):
        make().apply_gradients([(unchanged, ps.asarray([1.0, 1.0]))])


def test_pairs_that_are_no_pairs_are_refused(make, unchanged):
    for wrong in (
        (ps.asarray([1.0, 1.0]), unchanged),
        [ps.asarray([1.0, 1.0]), unchanged],
        ps.asarray([1.0, 1.0]),
    ):
        with pytest.raises((PenstockError, TypeError, ValueError)):
            make().apply_gradients(wrong)


def test_no_gradients_at_all(make, unchanged):
    frozen = ps.Variable(1.0, name="frozen", trainable=False)
    with ps.GradientTape() as tape:
        loss = frozen * 2.0
    pairs = list(zip(tape.gradient(loss, [unchanged, frozen]), [unchanged, frozen]))
    with pytest.raises(NoGradientsError, match="kernel") as caught:
        make().apply_gradients(pairs)
    assert isinstance(caught.value, ValueError)
    assert "No gradients provided for any variable" in str(caught.value) and "frozen" in str(caught.value)
    assert caught.value.site.file == __file__
    with pytest.raises(NoGradientsError):
        make().apply_gradients([(None, unchanged)])


def test_some_absent_gradients_warn_and_are_left_out(tier, make, unchanged):
    x = ps.Variable(1.0, name="moved")
    with pytest.warns(UserWarning, match="kernel") as caught:
        make().apply_gradients([(None, unchanged), (ps.asarray(1.0), x)])
    assert caught[0].filename == __file__
    assert float(x) < 1.0


def test_an_empty_list_is_answered(make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.suppress(PenstockError):
            make().apply_gradients([])


def test_a_variable_that_is_not_trainable_moves_when_it_is_told_to(tier, make):
    x = ps.Variable(1.0, trainable=False)
    step(make(), x, np.float32(1.0))
    assert float(x) < 1.0 and not x.trainable
