"""Captured steps: forbidden objects, reasons for new recordings, and many calls in one executable."""

import copy
import gc

import numpy as np
import pytest

import penstock as ps
from penstock.errors import AbandonedError, CaptureError, PenstockError
from penstock.testing import use_engine
from source_lines import line
from test_plan import LARGE, SEEING, place, seen_by

# -- objects that a step makes -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [ps.optimizers.SGD, ps.optimizers.Adam])
def test_an_optimizer_made_in_each_recording(kind):
    """It would be one optimizer for all replays, and another one in a plain loop."""
    weight = ps.Variable(1.0, name="weight")

    @ps.step
    def train():
        optimizer = kind(0.1)
        with ps.GradientTape() as tape:
            loss = weight**2
        optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])

    for _ in range(2):
        with pytest.raises(CaptureError) as caught:
            train()
        assert caught.value.site.line == line() - 8
        assert f"{kind.__name__} optimizer is created inside the captured step 'train'" in caught.value.fact
        assert f"Move line {line() - 10} of test_step.py out of 'train'" in str(caught.value)
    assert weight.numpy() == 1.0 and weight.version == 0


def test_a_variable_made_in_each_recording():
    @ps.step
    def train(x):
        total = ps.Variable(0.0, name="total")
        total.assign_add(ps.sum(x))
        return total * 1.0

    with pytest.raises(CaptureError, match="Variable 'total' is created inside the captured step"):
        train(np.ones(3, np.float32))


def test_objects_made_once_and_kept_are_allowed(tier):
    made = {}

    @ps.step
    def train(x):
        if "optimizer" not in made:
            made["weight"] = ps.Variable(1.0, name="weight")
            made["optimizer"] = ps.optimizers.Adam(0.1)
        weight = made["weight"]
        with ps.GradientTape() as tape:
            loss = ps.sum(x) * weight**2
        made["optimizer"].apply_gradients([(tape.gradient(loss, weight), weight)])

    for size in (2, 3, 2, 3):
        train(np.ones(size, np.float32))
    assert made["weight"].version == 4 and made["optimizer"].applied == 4


def test_objects_made_on_reentry_only():
    kept = []

    @ps.step
    def train(x):
        if x.shape[0] > 2:
            kept.append(ps.Variable(0.0, name="late"))
        return ps.sum(x)

    train(np.ones(2, np.float32))
    with pytest.raises(CaptureError, match="Variable 'late'"):
        train(np.ones(3, np.float32))


def test_state_that_an_optimizer_makes_later_is_its_own_business():
    one, two = ps.Variable(1.0, name="one"), ps.Variable(1.0, name="two")
    adam = ps.optimizers.Adam(0.1)

    @ps.step
    def train(which):
        variable = one if which == "one" else two
        with ps.GradientTape() as tape:
            loss = variable**2
        adam.apply_gradients([(tape.gradient(loss, variable), variable)])

    for which in ("one", "two", "one"):
        train(which)
    assert (one.version, two.version) == (2, 1)


# -- why it is recorded again ------------------------------------------------------------------------------


def test_a_step_says_why_it_was_recorded():
    weight, other = ps.Variable(1.0, name="weight"), ps.Variable(1.0, name="other")
    sgd = ps.optimizers.SGD(0.1)

    @ps.step
    def train(batch, mode, pair=None):
        weight.assign_sub(ps.mean(batch) * 0.0)
        sgd.apply_gradients([(weight * 1.0, other)])
        return weight.trainable

    pair = {"a": np.ones(2, np.float32)}
    train(np.ones((32, 4), np.float32), "train", pair)
    train(np.ones((32, 4), np.float32), "train", pair)
    train(np.ones((17, 4), np.float32), "train", pair)
    train(np.ones((17, 4), np.float32), "check", pair)
    train(np.ones((17, 4), np.float32), "check", {"a": np.ones(3, np.float32)})
    where = line() + 1
    weight.trainable = False
    train(np.ones((17, 4), np.float32), "check", pair)
    sgd.learning_rate = 0.2
    train(np.ones((17, 4), np.float32), "check", pair)
    sgd.learning_rate = 0.3
    train(np.ones((17, 4), np.float32), "check", pair)
    assert train.recordings[:-2] == [
        "train was recorded for batch float32[32, 4], mode 'train', pair dict of 1, pair['a'] float32[2]",
        "train was recorded again: argument 'batch' went from float32[32, 4] to float32[17, 4]; "
        "the rest is unchanged",
        "train was recorded again: argument 'mode' went from 'train' to 'check'; the rest is unchanged",
        "train was recorded again: argument \"pair['a']\" went from float32[2] to float32[3]; "
        "the rest is unchanged",
    ]
    assert train.recordings[-2].startswith(
        "train was recorded again: Variable 'weight': trainable went from True to False, by assignment at "
    )
    assert train.recordings[-2].endswith(f"test_step.py:{where}")
    assert train.recordings[-1] == (
        "train was recorded again: SGD.learning_rate went from 0.1 to 0.2; "
        "from now on each call reads it again"
    )


# -- a recording is no call --------------------------------------------------------------------------------


def test_a_step_inside_another_is_part_of_it_from_the_first_line_on(tier):
    """Also where nothing was recorded before it: its writes are those of the step around."""
    total = ps.Variable(0.0, name="total")

    @ps.step
    def inner():
        total.assign_add(1.0)

    inner()

    @ps.step
    def outer():
        inner()
        return total * 1.0

    assert [float(outer()) for _ in range(3)] == [2.0, 3.0, 4.0] and total.version == 4


def test_an_argument_that_the_function_has_kept_is_refused(tier):
    """Its slot in the recording of the step has another meaning in another path."""
    kept = []

    @ps.step
    def double(x):
        kept.append(x)
        return x * 2.0

    assert float(double(3.0)) == 6.0
    other = ps.Variable(7.0)
    for use in (lambda: kept[0].numpy(), lambda: float(other * 1.0 + kept[0] * 2.0)):
        with pytest.raises(AbandonedError, match="argument of the captured step 'double'"):
            use()


def test_an_interrupt_after_the_launch_counts_the_update_too():
    class Interrupted(list):
        def __setitem__(self, place, value):
            if armed:
                armed.pop()
                raise KeyboardInterrupt
            super().__setitem__(place, value)

    armed = []
    x = ps.Variable(0.0, name="x")
    optimizer = ps.optimizers.SGD(1.0)
    optimizer._count = Interrupted([0])

    @ps.step
    def descend():
        optimizer.apply_gradients([(ps.asarray(-1.0), x)])

    descend()
    armed.append(1)
    with pytest.raises(KeyboardInterrupt):
        descend()
    descend()
    assert (float(x), x.version, optimizer.applied) == (3.0, 3, 3)


def test_a_rate_by_a_python_function_is_recorded_once():
    x = ps.Variable(0.0)
    optimizer = ps.optimizers.SGD(lambda step: 1.0 if step < 2 else 0.5)

    @ps.step
    def descend():
        optimizer.apply_gradients([(ps.asarray(-1.0), x)])

    found = []
    for _ in range(4):
        descend()
        found.append(float(x))
    assert found == [1.0, 2.0, 2.5, 3.0] and len(descend.recordings) == 1


def test_a_copy_of_a_step_records_for_itself():
    x = ps.Variable(1.0)
    holder = {"step": ps.step(lambda y: x * y)}
    assert float(holder["step"](2.0)) == 2.0
    copied = copy.deepcopy(holder)["step"]
    assert not copied.captures and float(copied(3.0)) == 3.0 and len(copied.recordings) == 1


# -- many calls in one executable --------------------------------------------------------------------------


def training():
    rng = np.random.default_rng(0)
    weights = ps.Variable(rng.standard_normal((4, 3)).astype(np.float32), name="weights")
    count = ps.Variable(0, name="count", trainable=False)
    adam = ps.optimizers.Adam(0.05)

    @ps.step
    def train(x):
        with ps.GradientTape() as tape:
            noisy = x + ps.random.normal(x.shape) * 0.1
            loss = ps.mean((noisy @ weights - 1.0) ** 2)
        adam.apply_gradients([(tape.gradient(loss, weights), weights)])
        count.assign_add(1)
        return {"loss": loss, "x": x}

    return train, weights, count, adam


@pytest.mark.parametrize("engine", ["numpy", "xla", "auto"])
def test_many_calls_come_to_the_same_as_one_by_one(engine):
    x = np.random.default_rng(1).standard_normal((8, 4)).astype(np.float32)
    with use_engine(engine):
        results = []
        for repeated in (False, True):
            train, weights, count, adam = training()
            ps.random.seed(3)
            if repeated:
                many = ps.repeat(train, 20)
                many(x)
                last = many(x)
            else:
                for _ in range(40):
                    last = train(x)
            assert (weights.version, count.numpy(), adam.applied) == (40, 40, 40)
            following = ps.random.key().numpy().tolist()
            results.append((weights.numpy(), float(last["loss"]), last["x"].numpy().tolist(), following))
    (one, loss, x_one, key), (two, loss_two, x_two, key_two) = results
    assert np.allclose(one, two, rtol=1e-5, atol=1e-6) and loss == pytest.approx(loss_two, rel=1e-4)
    assert x_one == x_two and key == key_two


def test_many_calls_are_one_launch():
    from counting import count_compilations

    count = ps.Variable(0.0, name="count")

    @ps.step
    def add(x):
        count.assign_add(x)

    with use_engine("xla"):
        many = ps.repeat(add, 1000)
        before = count_compilations()
        many(2.0)
        many(1.0)
        ps.repeat(add, 7)(1.0)
        assert count_compilations() == before, "not even one call was compiled: the loop is the executable"
        (capture,) = add.captures.values()
        assert len(capture.loop.compiled) == 1
    assert count.numpy() == 3007.0 and count.version == 2007


def repeated_addition(size=LARGE, times=3):
    """A variable, and a function that adds one to it this many times."""
    x = ps.Variable(np.zeros(size, np.float32), name="x")

    @ps.step
    def add():
        x.assign_add(ps.ones(x.shape))

    return x, ps.repeat(add, times)


def test_many_calls_write_over_variables_and_state():
    """Otherwise the loop would hold every old value together with the new one."""
    with use_engine("xla"):
        x = ps.Variable(np.zeros(LARGE, np.float32))
        adam = ps.optimizers.Adam(0.1)

        @ps.step
        def train():
            with ps.GradientTape() as tape:
                loss = ps.sum((x - 1.0) ** 2)
            adam.apply_gradients([(tape.gradient(loss, x), x)])
            return loss

        many = ps.repeat(train, 10)
        many()
        touched = [x, *adam.slots(x).values()]
        before = [place(one) for one in touched]
        many()
        many()
        assert [place(one) for one in touched] == before
        (capture,) = train.captures.values()
        assert [donated for donated, _ in capture.loop.compiled] == [capture.loop.state]
    assert x.version == 30 and abs(float(x.numpy()[0]) - 1.0) < 0.5


@pytest.mark.parametrize("see", SEEING)
def test_many_calls_leave_values_that_the_program_holds(see):
    with use_engine("xla"):
        x, many = repeated_addition()
        many()
        seen = see(x)
        many()
        many()
        assert (seen_by(seen) == 3.0).all() and (x.numpy() == 9.0).all()
        del seen
        gc.collect()
        many()
        before = place(x)
        many()
        assert place(x) == before and (x.numpy() == 15.0).all()


def test_two_variables_of_one_value_are_both_right_after_many_calls():
    with use_engine("xla"):
        x, many = repeated_addition()
        many()
        y = ps.Variable(x)

        @ps.step
        def both():
            x.assign_add(ps.ones(x.shape))
            y.assign_sub(x)

        ps.repeat(both, 3)()
        assert (x.numpy() == 6.0).all() and (y.numpy() == 3.0 - (4.0 + 5.0 + 6.0)).all()


def test_a_value_a_variable_swaps_with_another_survives_many_calls():
    with use_engine("xla"):
        x, y = ps.Variable(np.zeros(LARGE, np.float32)), ps.Variable(np.ones(LARGE, np.float32))

        @ps.step
        def swap():
            old = x.value()
            x.assign(y)
            y.assign(old)

        for times in (1, 2, 3):
            ps.repeat(swap, times)()
        assert (x.numpy() == 0.0).all() and (y.numpy() == 1.0).all()


def test_many_calls_that_are_refused_leave_every_value():
    with use_engine("xla"):
        x = ps.Variable(np.zeros(LARGE, np.float32))
        table = ps.Variable([1.0, 2.0])

        @ps.step
        def walk(ids):
            x.assign_add(ps.sum(ps.take(table, ids)) * ps.ones(x.shape))

        many = ps.repeat(walk, 4)
        many(np.array([0, 1]))
        with pytest.raises(ps.errors.RangeError, match="index 5"):
            many(np.array([0, 5]))
        assert (x.numpy() == 12.0).all() and x.version == 4


def test_a_ledger_sees_every_call():
    count = ps.Variable(0.0, name="count")

    @ps.step
    def add():
        count.assign_add(1.0)

    with use_engine("xla"):
        with ps.ledger() as ledger:
            ps.repeat(add, 5)()
        assert [entry.step for entry in ledger] == [1, 2, 3, 4, 5]


def test_an_index_computed_on_the_way_is_checked():
    place, table = ps.Variable(0, name="place"), ps.Variable([1.0, 2.0, 3.0], name="table")
    total = ps.Variable(0.0, name="total")

    @ps.step
    def walk():
        total.assign_add(ps.take(table, place))
        place.assign_add(1)

    with use_engine("xla"):
        ps.repeat(walk, 3)()
        assert total.numpy() == 6.0
        with pytest.raises(ps.errors.RangeError):
            ps.repeat(walk, 3)()
        assert total.numpy() == 6.0


def test_ids_that_are_data_are_checked_before_the_loop():
    table = ps.Variable([1.0, 2.0, 3.0], name="table")
    total = ps.Variable(0.0, name="total")

    @ps.step
    def walk(ids):
        total.assign_add(ps.sum(ps.take(table, ids)))

    with use_engine("xla"):
        ps.repeat(walk, 4)(np.array([0, 2]))
        assert total.numpy() == 16.0
        with pytest.raises(ps.errors.RangeError, match="index 5"):
            ps.repeat(walk, 4)(np.array([0, 5]))
        assert total.numpy() == 16.0


def test_a_contract_holds_for_many_calls():
    one, two = ps.Variable(0.0, name="one"), ps.Variable(0.0, name="two")

    @ps.step(updates=one)
    def train():
        two.assign_add(1.0)

    with pytest.raises(ps.errors.ContractBroken):
        ps.repeat(train, 100)()
    assert two.numpy() == 0.0


@pytest.mark.parametrize("times", [0, -1, 2.0, True, "ten"])
def test_how_many_calls(times):
    with pytest.raises(PenstockError, match="Give a whole number of at least 1"):
        ps.repeat(lambda: None, times)
