"""What a user can get wrong: the error names variable, values, line and remedy, and nothing is changed."""

import re

import numpy as np
import pytest

import penstock as ps
from penstock.errors import (
    AbandonedError,
    DTypeError,
    NoGradientsError,
    PenstockError,
    RangeError,
    ShapeError,
    TapeError,
)
from penstock.trace.engine import engine
from penstock.trace.local import local


@pytest.fixture
def model():
    """Variables with a write pending, which a failing step must leave as they were."""
    kernel = ps.Variable(np.arange(6.0, dtype=np.float32).reshape(3, 2), name="kernel")
    bias = ps.Variable([0.5, -0.5], name="bias")
    yield kernel, bias
    assert kernel.numpy().tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]] and kernel.version == 0
    assert bias.numpy().tolist() == [0.5, -0.5] and bias.version == 0


def told(caught, *words):
    """Check the site of an error (the line marked with "# here") and that its text holds these words."""
    error = caught.value
    assert isinstance(error, PenstockError)
    text = str(error)
    for word in words:
        assert re.search(word, text), f"{word!r} is not in:\n{text}"
    assert error.site is not None, text
    assert error.site.file == __file__, text
    with open(__file__) as lines:
        line = lines.read().split("\n")[error.site.line - 1]
    assert "# here" in line, f"{line!r} is blamed\n{text}"
    assert f"test_bad_input.py:{error.site.line}" in text
    assert len(text.splitlines()) >= 3, f"fact, place and a reason or remedy:\n{text}"
    assert not re.search(r"site-packages|penstock/(trace|ops|tiers|grad)/|0x[0-9a-f]{6}", text), text


def in_traceback(caught):
    return [entry.path.name for entry in caught.traceback]


# -- shapes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "operate",
    [
        lambda k, b: k + k.T,  # here
        lambda k, b: k * ps.asarray([1.0, 2.0, 3.0]),  # here
        lambda k, b: k @ b.value()[None],  # here
        lambda k, b: k @ ps.asarray([1.0, 2.0, 3.0]),  # here
        lambda k, b: np.ones((4, 2), np.float32) - k,  # here
        lambda k, b: ps.maximum(k, ps.zeros((4, 1))),  # here
        lambda k, b: ps.where(k > 0.0, k, ps.zeros((5,))),  # here
        lambda k, b: ps.concat([k, b]),  # here
        lambda k, b: ps.stack([k, b]),  # here
        lambda k, b: ps.reshape(k, (4, 2)),  # here
        lambda k, b: ps.broadcast_to(k, (3, 3)),  # here
        lambda k, b: ps.sum(k, axis=2),  # here
        lambda k, b: ps.losses.softmax_cross_entropy(k, ps.asarray([0, 1])),  # here
        lambda k, b: ps.losses.squared_error(k, ps.zeros((4, 2))),  # here
    ],
)
def test_shapes_that_do_not_fit(tier, model, operate):
    kernel, bias = model
    with pytest.raises(ShapeError) as caught:
        operate(kernel, bias)
    told(caught, r"\(3, 2\)|3, 2\]|3 rows|2 axes")


def test_a_shape_error_says_where_each_operand_came_from(tier, model):
    kernel, _bias = model
    hidden = ps.tanh(kernel) * 2.0  # made
    with pytest.raises(ShapeError) as caught:
        hidden + ps.zeros((3,))  # here
    told(caught, r"\(3, 2\) and \(3,\)", r"multiply at .*test_bad_input.py:\d+", "Reshape")
    with pytest.raises(ShapeError) as caught:
        kernel + kernel.T  # here
    told(caught, "'kernel'", r"created at .*test_bad_input.py:\d+", r"float32\[2, 3\]")


def test_an_error_under_a_tape_leaves_it_usable(tier, model):
    kernel, bias = model
    with ps.GradientTape() as tape:
        with pytest.raises(ShapeError):
            kernel + ps.zeros((7,))
        y = ps.sum(kernel * bias)
    assert tape.gradient(y, bias).numpy().tolist() == [6.0, 9.0]


def test_the_same_bad_line_is_refused_each_time(tier, model):
    kernel, _bias = model
    for _ in range(3):
        for width in (2, 3, 2):
            other = ps.zeros((width,))
            if width == 2:
                assert (kernel * other).shape == (3, 2)
                continue
            with pytest.raises(ShapeError) as caught:
                kernel * other  # here
            told(caught, r"\(3, 2\) and \(3,\)")


# -- dtypes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "operate",
    [
        lambda k: ps.exp(ps.asarray([1, 2])),  # here
        lambda k: ps.tanh(ps.asarray([True])),  # here
        lambda k: -ps.asarray([True, False]),  # here
        lambda k: ps.take(k, ps.asarray([0.5]), axis=0),  # here
        lambda k: k[ps.asarray([1.5])],  # here
        lambda k: k["name"],  # here
        lambda k: ps.asarray("text"),  # here
        lambda k: ps.asarray([1.0, None]),  # here
        lambda k: ps.asarray({"a": 1}),  # here
        lambda k: ps.asarray([[1.0], [2.0, 3.0]]),  # here
        lambda k: ps.Variable("text"),  # here
        lambda k: ps.Variable([{}]),  # here
    ],
)
def test_dtypes_that_make_no_sense(model, operate):
    with pytest.raises(PenstockError) as caught:
        operate(model[0])
    told(caught)


# -- assigning -----------------------------------------------------------------------------------------------


def test_assigning_a_wrong_shape(tier, model):
    kernel, bias = model
    for wrong in ([1.0, 2.0, 3.0], 1.0, np.ones((2, 1))):
        with pytest.raises(ShapeError) as caught:
            bias.assign(wrong)  # here
        told(caught, "'bias'", r"float32\[2\]", r"created at .*test_bad_input.py:\d+", "Reshape")
    with pytest.raises(ShapeError) as caught:
        bias.assign_add(ps.sum(kernel, axis=1))  # here
    told(caught, "'bias'", r"float32\[3\]", r"value: made by sum at .*test_bad_input.py:\d+", "assign_add")
    with pytest.raises(ShapeError) as caught:
        bias.assign_sub(kernel)  # here
    told(caught, "'bias'", "'kernel'")


def test_assigning_a_wrong_dtype(tier, model):
    _kernel, bias = model
    with pytest.raises(DTypeError) as caught:
        bias.assign(ps.asarray([1, 2]))  # here
    told(caught, "'bias'", "int64", "astype")
    count = ps.Variable(3, name="count")
    with pytest.raises(PenstockError) as caught:
        count.assign(0.5)  # here
    told(caught, "'count'")
    assert int(count) == 3


# -- indices -------------------------------------------------------------------------------------------------


def gather(table, ids):
    return ps.take(table, ids, axis=0)  # here


@pytest.mark.parametrize("ids", [[0, 3], [-4, 0], [[1], [7]], 3, [2**40]])
@pytest.mark.parametrize("computed", [False, True])
def test_gather_out_of_range(tier, model, ids, computed):
    kernel, bias = model
    bad = next(one for one in np.asarray(ids).ravel() if not -3 <= one < 3)
    indices = ps.asarray(ids) + (ps.asarray(0) if computed else 0) if computed else ps.asarray(ids)
    kernel.assign_add(ps.ones_like(kernel))
    bias.assign(bias * 2.0)
    picked = gather(kernel, indices)
    with pytest.raises(RangeError) as caught:
        picked.numpy()
    told(caught, rf"index {bad}\b", "axis 0", "3 entries", "No variable was changed")


def use_gather(table, bias, ids, kind):
    with ps.GradientTape() as tape:
        picked = ps.take(table, ids, axis=0)  # here
        loss = ps.sum(picked * bias)
    gradient = tape.gradient(loss, table)
    del picked, loss
    if kind == "write":
        table.assign_sub(gradient.dense())  # here
    else:
        optimizer = {"sgd": ps.optimizers.SGD, "adam": ps.optimizers.Adam}[kind](0.1)
        optimizer.apply_gradients([(gradient, table)])  # here


@pytest.mark.parametrize("ids", [[0, 3], [-4, 0]])
@pytest.mark.parametrize("computed", [False, True])
@pytest.mark.parametrize("kind", ["sgd", "adam", "write"])
def test_gather_out_of_range_in_a_training_step(tier, model, ids, computed, kind):
    """Nobody looks at the loss, so only the update reads the indices."""
    kernel, bias = model
    indices = ps.asarray(ids)
    if computed:
        indices = indices * 1 + ps.asarray(0)
    use_gather(kernel, bias, indices, kind)
    with pytest.raises(RangeError) as caught:
        kernel.numpy()
    told(caught, rf"index {next(i for i in ids if not -3 <= i < 3)}\b", "3 entries")


@pytest.mark.parametrize("turns", [1, 25])
def test_a_bad_batch_after_good_ones(model, turns):
    """A plan that has run before, and may be compiled by now, refuses the batch as at first."""
    _kernel, bias = model
    from penstock.testing import use_engine

    table = ps.Variable(np.ones((3, 2), np.float32), name="table")
    with use_engine("auto"):
        for _ in range(turns):
            use_gather(table, bias, ps.asarray([0, 2]), "sgd")
        before, version = table.numpy(), table.version
        use_gather(table, bias, ps.asarray([0, 4]), "sgd")
        with pytest.raises(RangeError, match="index 4"):
            ps.wait()
        assert np.array_equal(table.numpy(), before) and table.version == version
        use_gather(table, bias, ps.asarray([1, 1]), "sgd")
        assert not np.array_equal(table.numpy(), before) and table.version == version + 1


def test_labels_out_of_range(tier, model):
    kernel, _bias = model
    loss = ps.losses.softmax_cross_entropy(kernel, ps.asarray([0, 2, 1]))  # here
    kernel.assign_sub(ps.ones_like(kernel))
    with pytest.raises(RangeError) as caught:
        loss.numpy()
    told(caught, "index 2", "label")


def test_indices_known_at_once_are_refused_at_once(model):
    kernel, _bias = model
    for wrong in (3, -4):
        with pytest.raises(RangeError) as caught:
            kernel[wrong]  # here
        told(caught, str(wrong), "3 entries")
    with pytest.raises(RangeError) as caught:
        kernel[0, 0, 0]  # here
    told(caught, "3 indices", r"\(3, 2\)")


def test_a_tensor_as_index_counts_from_the_end_and_no_further(tier, model):
    kernel, _bias = model
    assert kernel[ps.asarray([-1, 0])].numpy().tolist() == [[4.0, 5.0], [0.0, 1.0]]
    for wrong in (3, -4):
        picked = kernel[ps.asarray([wrong])]  # here
        with pytest.raises(RangeError) as caught:
            picked.numpy()
        told(caught, "3 entries")


@pytest.mark.parametrize("way", ["plain", "computed", "checkpoint", "scan"])
def test_a_program_that_was_met_on_another_line_blames_its_own(tier, model, way):
    """Lines that record the same program share it, but not each other's messages."""
    table, ids = ps.asarray(np.ones((2, 3), np.float32)), ps.asarray([5, 0])

    def first():
        if way == "plain":
            return ps.take(table, ids, axis=0)
        if way == "computed":
            return ps.exp(ps.take(table, ids + ps.asarray(1), axis=0))
        if way == "checkpoint":
            return ps.checkpoint(lambda x: ps.take(x, ids, axis=0))(table)
        return ps.scan(lambda c, i: (c, ps.take(table, i, axis=0)), 0.0, ids)[1]

    def second():
        if way == "plain":
            return ps.take(table, ids, axis=0)  # here
        if way == "computed":
            return ps.exp(ps.take(table, ids + ps.asarray(1), axis=0))  # here
        if way == "checkpoint":
            return ps.checkpoint(lambda x: ps.take(x, ids, axis=0))(table)  # here
        return ps.scan(lambda c, i: (c, ps.take(table, i, axis=0)), 0.0, ids)[1]  # here

    for ask in (first, second, first, second):
        with pytest.raises(RangeError) as caught:
            ask().numpy()
        if ask is second:
            told(caught, "index [56]")


# -- a step that fails ---------------------------------------------------------------------------------------


def test_all_writes_of_a_failing_step_are_taken_back(tier, model):
    kernel, bias = model
    other = ps.Variable(1.0)
    other.assign_add(1.0)
    kernel.assign(kernel * 2.0)
    bias.assign(ps.take(bias, ps.asarray([0, 9]), axis=0))
    kernel.assign_add(ps.ones_like(kernel) * bias)
    with pytest.raises(RangeError):
        ps.wait()
    assert float(other) == 1.0 and other.version == 0


def test_values_of_the_failed_step_say_so(tier, model):
    kernel, bias = model
    before = ps.sum(bias)
    bad = gather(kernel, ps.asarray([5]))
    after = bad * 2.0
    with pytest.raises(RangeError):
        after.numpy()
    for lost in (bad, after, before):
        with pytest.raises(AbandonedError, match=r"failed: RangeError: take: index 5"):
            lost.numpy()
        with pytest.raises(AbandonedError):
            (lost * 2.0).numpy()
        with pytest.raises(AbandonedError):
            bias.assign_add(lost)
            bias.numpy()
        assert "Error" not in repr(lost.shape)


class Interrupted(KeyboardInterrupt):
    pass


def test_an_interrupt_in_the_middle_of_a_run(model, monkeypatch):
    from penstock.ops.table import table
    from penstock.testing import use_engine

    kernel, bias = model
    cosine = table["cos"].numpy

    def interrupted(x):
        raise Interrupted

    with use_engine("numpy"):
        for _ in range(2):
            kernel.assign(kernel * 2.0)
            bias.assign(ps.cos(bias))
            object.__setattr__(table["cos"], "numpy", interrupted)
            try:
                with pytest.raises(Interrupted):
                    ps.wait()
            finally:
                object.__setattr__(table["cos"], "numpy", cosine)
            assert kernel.version == 0 and bias.version == 0
        other = ps.Variable([0.5, -0.5])
        other.assign(ps.cos(other))
        assert np.allclose(other.numpy(), np.cos([0.5, -0.5]))


@pytest.mark.parametrize("error", [Interrupted, ValueError])
@pytest.mark.parametrize("times", [1, 99])
def test_an_observer_that_raises(tier, model, error, times):
    """Whatever an observer does, a step takes full effect or none, and the next one works."""
    x, y = ps.Variable(1.0), ps.Variable(2.0)
    left = [times]

    def observer(commit):
        if left[0]:
            left[0] -= 1
            raise error("halfway")

    engine.commits.add(observer)
    try:
        x.assign_add(1.0)
        y.assign_add(1.0)
        with pytest.raises(error):
            ps.wait()
    finally:
        engine.commits.remove(observer)
    assert (float(x), float(y), x.version, y.version) in [(1.0, 2.0, 0, 0), (2.0, 3.0, 1, 1)]
    before = float(x)
    x.assign_add(1.0)
    assert float(x) == before + 1.0
    assert local.trace.pending == {}


def test_an_error_of_the_users_own_loses_nothing(tier):
    x = ps.Variable(1.0)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), ps.GradientTape():
            x.assign_add(1.0)
            1 / 0  # noqa: B018
    assert float(x) == 4.0 and x.version == 3


# -- tapes and optimizers ------------------------------------------------------------------------------------


def test_a_used_up_tape(tier, model):
    _kernel, bias = model
    with ps.GradientTape() as tape:
        y = ps.sum(bias)
    tape.gradient(y, bias)
    with pytest.raises(TapeError) as caught:
        tape.gradient(y, bias)  # here
    told(caught, "already computed", r"tape opened at .*test_bad_input.py:\d+", "persistent=True")


def test_no_gradients_for_any_variable(model):
    kernel, bias = model
    unread = ps.Variable(1.0, name="unread")
    with ps.GradientTape() as tape:
        loss = ps.sum(ps.stop_gradient(kernel)) + ps.sum(ps.round(bias))
    variables = [kernel, bias, unread]
    pairs = list(zip(tape.gradient(loss, variables), variables))
    with pytest.raises(NoGradientsError) as caught:
        ps.optimizers.SGD(0.1).apply_gradients(pairs)  # here
    told(
        caught,
        "No gradients provided for any variable",
        "'kernel'.*stop_gradient|stop_gradient.*kernel",
        "bias",
        "unread",
    )
    assert isinstance(caught.value, ValueError)


def test_wrong_pairs(model):
    kernel, bias = model
    with ps.GradientTape() as tape:
        loss = ps.sum(kernel * bias)
    gradients = tape.gradient(loss, [kernel, bias])
    with pytest.raises(ShapeError) as caught:
        ps.optimizers.SGD(0.1).apply_gradients(zip(gradients, [bias, kernel]))  # here
    told(caught, "'bias'", r"float32\[3, 2\]", r"float32\[2\]", "zip")


def test_values_that_do_not_fit_a_python_number(model):
    kernel, bias = model
    for look in (float, int, bool, lambda v: v.item()):  # here
        with pytest.raises(PenstockError) as caught:
            look(bias)  # here
        told(caught, r"\(2,\)")
    with pytest.raises(PenstockError) as caught:
        if kernel > 0.0:  # here
            pass
    told(caught, r"\(3, 2\)")


def test_the_users_frame_comes_first_in_the_traceback(model):
    kernel, _bias = model
    with pytest.raises(ShapeError) as caught:
        kernel + ps.zeros((7,))
    assert in_traceback(caught)[0] == "test_bad_input.py"
