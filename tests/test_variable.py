"""Variables: values, versions, and writes that take effect together or not at all."""

import copy
import pickle

import numpy as np
import pytest

import penstock as ps
from penstock.errors import DTypeError, PenstockError, ShapeError

DTYPES = ["float32", "float64", "float16", "int32", "int64", "uint8", "bool", "complex64"]


def test_the_text_of_a_variable():
    x = ps.Variable([[1.0, 2.0, 3.0]], name="x", trainable=False)
    assert (x.path, x.name, x.shape, x.dtype, x.ndim, x.trainable, x.version) == (
        "x", "x", (1, 3), np.float32, 2, False, 0,
    )  # fmt: skip
    assert repr(x) == "Variable('x', [[1., 2., 3.]], dtype=float32, trainable=False)"
    assert len(x) == 1 and len(x.value()[0]) == 3
    assert ps.Variable(1.0).path != ps.Variable(1.0).path


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(1.0, "float32"), (1, "int64"), (True, "bool"), (1j, "complex64"), ([1, 2.5], "float32")]
    + [(np.float64(1), "float64")]
    + [(np.ones(2, dtype), dtype) for dtype in DTYPES],
)  # fmt: skip
def test_dtype_of_the_argument(value, dtype):
    assert ps.Variable(value).dtype == dtype
    assert ps.Variable(value).numpy().dtype == dtype


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_is_written_and_read(tier, dtype):
    x = ps.Variable([1, 0, 1], dtype=dtype)
    assert x.dtype == dtype
    x.assign(x)
    if dtype != "bool":
        x.assign_add(ps.asarray(np.ones(3, dtype)))
        assert x.numpy().tolist() == [2, 1, 2]
    assert x.numpy().dtype == dtype


def test_the_assign_family(tier):
    x = ps.Variable([1.0, 2.0, 3.0])
    assert x.assign([4.0, 5.0, 6.0]) is x
    assert x.assign_add([0.5, 0.75, 0.875]) is x
    assert x.assign_sub(ps.asarray([1.0, 1.0, 1.0])) is x
    assert x.assign_add(np.ones(3)) is x  # the data takes the variable's dtype
    assert x.version == 4
    assert x.numpy().tolist() == [4.5, 5.75, 6.875]
    whole = ps.Variable(5)
    assert int(whole.assign_sub(7)) == -2 and whole.dtype == np.int64


def test_chained_writes(tier):
    x = ps.Variable(1.0)
    assert float(x.assign(2.0).assign_add(3.0).assign_sub(0.5)) == 4.5
    assert x.version == 3


def test_a_variable_written_with_itself(tier):
    x = ps.Variable([1.0, 2.0])
    for _ in range(3):
        x.assign(x)
        x.assign_add(x)
        x.assign_sub(x * 0.5)
    assert x.numpy().tolist() == [1.0, 2.0]
    assert x.version == 9


def test_swapping_values(tier):
    a, b = ps.Variable(1.0), ps.Variable(2.0)
    for turn in range(5):
        held = a.value()
        a.assign(b)
        b.assign(held)
        assert (float(a), float(b)) == ((2.0, 1.0) if turn % 2 == 0 else (1.0, 2.0))


def test_swapping_without_looking(tier):
    a, b = ps.Variable([1.0]), ps.Variable([2.0])
    for _ in range(5):
        held = a.value()
        a.assign(b)
        b.assign(held)
    assert (a.numpy()[0], b.numpy()[0]) == (2.0, 1.0)


def test_a_rotation_of_three(tier):
    cells = [ps.Variable(float(n)) for n in range(3)]
    for _ in range(4):
        values = [one.value() for one in cells]
        for one, value in zip(cells, values[1:] + values[:1]):
            one.assign(value)
    assert [float(one) for one in cells] == [1.0, 2.0, 0.0]


def test_names_that_change_places(tier):
    a, b = ps.Variable(1.0), ps.Variable(10.0)
    first, second = a, b
    for _ in range(4):
        a.assign_add(b)
        a, b = b, a
    assert (float(first), float(second)) == (32.0, 53.0)


def test_two_names_for_one_variable(tier):
    def add(to, what):
        to.assign_add(what)
        return to * 1.0

    a, b = ps.Variable(1.0), ps.Variable(10.0)
    assert [float(add(a, a)), float(add(a, b)), float(add(b, b)), float(add(b, a))] == [2.0, 12.0, 20.0, 32.0]


def test_the_same_path_for_one_variable_and_for_two(tier):
    def write(first, second):
        first.assign(1.0)
        second.trainable = True
        second.assign(2.0)
        return float(first), float(second)

    a, b = ps.Variable(0.0), ps.Variable(0.0)
    assert write(a, a) == (2.0, 2.0)
    assert write(a, b) == (1.0, 2.0)
    assert write(b, a) == (1.0, 2.0)
    assert write(b, b) == (2.0, 2.0)


@pytest.mark.parametrize("pending", [False, True])
def test_setting_trainable_disturbs_nothing(tier, pending):
    a, b = ps.Variable(2.0), ps.Variable(3.0)
    for turn in range(3):
        product, lower = a * 1.0, a + 5.0
        b.assign(turn + 5.0) if pending else None
        b.trainable = not b.trainable
        value = turn + 5.0 if pending else 3.0
        assert float(product * b) == 2.0 * value
        b.trainable = not b.trainable
        assert float(lower * b) == 7.0 * value


def test_old_values_stay_what_they_were(tier):
    x = ps.Variable(1.0)
    kept = []
    for turn in range(6):
        kept.append(x.value())
        x.assign_add(1.0)
        kept.append(x.value())
        if turn % 2:
            x.numpy()
    assert [float(one) for one in kept] == [1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 5.0, 5.0, 6.0, 6.0, 7.0]


@pytest.mark.parametrize(
    "take", [lambda v: v.value(), ps.asarray, lambda v: v.astype("float32"), lambda v: v + 0.0]
)
def test_a_value_taken_before_or_after_the_write(tier, take):
    x = ps.Variable(1.0)

    def write(before):
        held = take(x) if before else None
        x.assign_sub(0.25)
        held = held if before else take(x)
        x.numpy()
        return float(held)

    assert [write(True), write(False), write(True), write(False)] == [1.0, 0.5, 0.5, 0.0]


def test_arrays_that_were_given_or_taken_are_the_users_own(tier):
    data = np.asarray([1.0, 2.0], np.float32)
    x = ps.Variable(data)
    data[0] = 9.0
    assert x.numpy().tolist() == [1.0, 2.0]
    x.assign(data)
    data[0] = 7.0
    assert x.numpy().tolist() == [9.0, 2.0]
    mine = x.numpy()
    mine[:] = 0.0
    view = np.asarray(x)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 5.0
    assert x.numpy().tolist() == [9.0, 2.0]


def test_a_variable_made_of_a_variable_or_tensor_is_its_own(tier):
    x = ps.Variable([1.0, 2.0])
    y, z = ps.Variable(x), ps.Variable(x * 2.0)
    x.assign_add([1.0, 1.0])
    y.assign_add([10.0, 10.0])
    assert [v.numpy().tolist() for v in (x, y, z)] == [[2.0, 3.0], [11.0, 12.0], [2.0, 4.0]]
    assert ps.Variable(x, dtype="float64").dtype == np.float64


def test_writes_of_several_variables_in_any_order(tier):
    a, b, c = (ps.Variable(v) for v in (1.0, 2.0, 3.0))
    for _ in range(3):
        c.assign(a + b)
        a.assign(c * 0.5)
        b.assign(a)
        c.assign_add(b)
    expected = [1.0, 2.0, 3.0]
    for _ in range(3):
        expected[2] = expected[0] + expected[1]
        expected[0] = expected[2] * 0.5
        expected[1] = expected[0]
        expected[2] += expected[1]
    assert [float(a), float(b), float(c)] == expected


def test_a_number_assigned_takes_the_variables_dtype():
    whole, exact = ps.Variable(1), ps.Variable(1.0, dtype="float64")
    exact.assign(0.1)
    assert exact.numpy() == 0.1
    whole.assign(2**40 + 1)
    assert int(whole) == 2**40 + 1


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), -0.0])
def test_special_numbers_are_kept(tier, value):
    x = ps.Variable(1.0)
    for one in (0.0, value, 0.0, value):
        x.assign(one)
        assert str(float(x)) == str(one)


def test_variables_are_compared_by_value_and_kept_by_identity():
    a, b = ps.Variable(1.0), ps.Variable(1.0)
    assert bool(a == b) and not bool(a != b)
    assert len({a, b, a}) == 2
    assert {a: 1}[a] == 1


def test_conversions(tier):
    x = ps.Variable(2.5)
    assert (float(x), int(x), bool(x), x.item(), f"{x:.1f}") == (2.5, 2, True, 2.5, "2.5")
    assert [float(one) for one in ps.Variable([1.0, 2.0])] == [1.0, 2.0]
    assert ps.Variable([[1.0], [2.0]]).tolist() == [[1.0], [2.0]]
    with pytest.raises(ShapeError):
        float(ps.Variable([1.0, 2.0]))
    with pytest.raises(TypeError):
        len(x)


# -- writes that are refused change nothing ------------------------------------------------------------------


def test_a_refused_write_changes_nothing(tier):
    x = ps.Variable([1.0, 2.0, 3.0], name="bias")
    pending = ps.Variable(1.0)
    pending.assign_add(1.0)
    for wrong, error in [
        ([1.0, 2.0], ShapeError),
        (1.0, ShapeError),
        (np.ones((3, 1)), ShapeError),
        (ps.asarray([1, 2, 3]), DTypeError),
        (ps.asarray(np.ones(3)), DTypeError),
        (pending, ShapeError),
        ("text", DTypeError),
        (None, PenstockError),
        ([1.0, None, 2.0], DTypeError),
        ([[1.0], [2.0, 3.0]], DTypeError),
    ]:
        for write in (x.assign, x.assign_add, x.assign_sub):
            with pytest.raises(error) as caught:
                write(wrong)
            assert caught.value.site.file == __file__
            assert x.version == 0
    assert x.numpy().tolist() == [1.0, 2.0, 3.0]
    assert float(pending) == 2.0 and pending.version == 1


def test_a_refused_write_does_not_end_the_step_of_others(tier):
    x, y = ps.Variable(1.0), ps.Variable([1.0, 2.0])
    x.assign_add(1.0)
    for _ in range(3):
        with pytest.raises(ShapeError):
            y.assign(3.0)
    y.assign_add([1.0, 1.0])
    assert float(x) == 2.0 and y.numpy().tolist() == [2.0, 3.0]
    assert (x.version, y.version) == (1, 1)


def test_fractions_do_not_fit_integers():
    whole = ps.Variable(1, name="count")
    with pytest.raises(PenstockError, match="count"):
        whole.assign(np.asarray(1.5))
    with pytest.raises(PenstockError):
        whole.assign(1.5)
    with pytest.raises(PenstockError):
        whole.assign_add(0.5)
    assert int(whole) == 1 and whole.version == 0


def test_numbers_too_large_are_refused():
    small = ps.Variable(1, dtype="int32", name="small")
    with pytest.raises(PenstockError, match="does not fit"):
        small.assign(2**40)
    with pytest.raises(PenstockError, match="does not fit"):
        ps.asarray([1, 2]) * 2**70
    assert int(small) == 1 and small.version == 0
    assert int(small * 3) == 3


def test_items_are_not_assigned():
    x = ps.Variable([1.0, 2.0])
    with pytest.raises(PenstockError, match="item assignment"):
        x[0] = 5.0
    with pytest.raises(PenstockError, match="item assignment"):
        x.value()[0] = 5.0


def test_augmented_operators_give_a_tensor(tier):
    x = ps.Variable(1.0)
    name = x
    name += 1.0
    assert isinstance(name, ps.Tensor) and float(name) == 2.0 and float(x) == 1.0


COPIES = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda one: pickle.loads(pickle.dumps(one))}


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("pending", [False, True])
def test_copies_of_variables_are_separate_variables(tier, how, pending):
    x = ps.Variable([1.0, 2.0], name="x", trainable=False)
    if pending:
        x.assign_add([1.0, 1.0])
    start = [2.0, 3.0] if pending else [1.0, 2.0]
    other = COPIES[how](x)
    assert (other.path, other.trainable, other.dtype) == ("x", False, x.dtype)
    for _ in range(2):
        other.assign([5.0, 6.0])
        y, z = x * 1.0, other * 1.0
        assert y.numpy().tolist() == start and z.numpy().tolist() == [5.0, 6.0]
        x.assign_add([1.0, 1.0])
        assert other.numpy().tolist() == [5.0, 6.0]
        x.assign_sub([1.0, 1.0])
    assert len({x, other}) == 2


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("pending", [False, True])
def test_copies_of_tensors_have_their_value(tier, how, pending):
    x = ps.Variable([1.0, 2.0])
    y = x * 3.0 if pending else ps.asarray([3.0, 6.0])
    other = COPIES[how](y)
    x.assign([7.0, 7.0])
    assert (other + 0.0).numpy().tolist() == other.numpy().tolist() == y.numpy().tolist() == [3.0, 6.0]


def test_a_model_and_its_optimizer_are_copied_together(tier):
    model = {"w": ps.Variable([1.0, 2.0], dtype="float64"), "b": ps.Variable(0.5, dtype="float64")}
    optimizer = ps.optimizers.SGD(0.1, momentum=0.9)

    def train(variables, optimizer):
        with ps.GradientTape() as tape:
            loss = ps.sum(variables["w"] ** 2) * variables["b"]
        names = list(variables.values())
        optimizer.apply_gradients(zip(tape.gradient(loss, names), names))

    for _ in range(3):
        train(model, optimizer)
    twin, twin_optimizer = copy.deepcopy((model, optimizer))
    for _ in range(3):
        train(model, optimizer)
    assert not np.allclose(twin["w"].numpy(), model["w"].numpy())
    for _ in range(3):
        train(twin, twin_optimizer)
    assert np.allclose(twin["w"].numpy(), model["w"].numpy(), rtol=1e-14)
    assert float(twin["b"]) == float(model["b"])
