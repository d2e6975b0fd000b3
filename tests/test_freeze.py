"""Freezing: nothing writes to locked variables, and every flag says who set it."""

import copy
import pickle
import threading

import numpy as np
import pytest

import penstock as ps
from penstock.errors import LockedError, NoGradientsError, PenstockError, SelectionError
from penstock.trace.source_site import display_file
from source_lines import line

pytestmark = pytest.mark.usefixtures("no_others")

HERE = display_file(__file__)


def test_every_writer_is_refused_on_its_line(tier):
    table = ps.Variable(np.ones((3, 2), np.float32), name="locked/table")
    sgd, adam = ps.optimizers.SGD(0.1), ps.optimizers.Adam(0.1)
    where = line() + 1
    ps.freeze("locked/*")

    def rows():
        with ps.GradientTape() as tape:
            tape.watch(table)
            loss = ps.sum(ps.take(table, ps.asarray([1]), axis=0))
        sgd.apply_gradients([(tape.gradient(loss, table), table)])

    writers = {
        "assign": lambda: table.assign(np.zeros((3, 2))),
        "assign_add": lambda: table.assign_add(np.ones((3, 2))),
        "assign_sub": lambda: table.assign_sub(table),
        "SGD": rows,
        "Adam": lambda: adam.apply_gradients([(ps.ones((3, 2)), table)]),
    }
    for by, write in writers.items():
        with pytest.raises(LockedError) as caught:
            write()
        text = str(caught.value)
        assert caught.value.fact == f"{by} tried to write Variable 'locked/table', which is frozen."
        assert caught.value.site.file == __file__
        assert f"frozen by freeze('locked/*') at {HERE}:{where}" in text
        assert "unfreeze('locked/table')" in text
    assert table.version == 0
    assert np.array_equal(table.numpy(), np.ones((3, 2)))


def test_a_known_path_is_refused_too(tier):
    """The writes of a loop are found at once from the second turn on; a lock must not be overlooked there."""
    weight, other = ps.Variable(1.0, name="weight"), ps.Variable(0.0, name="other")
    adam = ps.optimizers.Adam(0.1)

    def turn():
        with ps.GradientTape() as tape:
            tape.watch(weight)
            loss = weight * weight
        adam.apply_gradients([(tape.gradient(loss, weight), weight)])

    def nudge():
        other.assign_add(weight * 2.0)

    for _ in range(5):
        turn()
        nudge()
    before = weight.numpy(), other.numpy()
    ps.freeze(weight, other)
    for write in (turn, nudge, turn):
        with pytest.raises(PenstockError, match="frozen"):
            write()
    assert (weight.numpy(), other.numpy()) == before
    ps.unfreeze(weight, other)
    turn()
    nudge()
    assert weight.numpy() != before[0] and other.numpy() != before[1]


def test_frozen_between_the_read_and_the_write():
    weight = ps.Variable(1.0, name="weight")
    sgd = ps.optimizers.SGD(0.1)

    def turn(between):
        with ps.GradientTape() as tape:
            loss = weight * weight
        gradient = tape.gradient(loss, weight)
        between()
        sgd.apply_gradients([(gradient, weight)])
        weight.assign_add(1.0)

    for _ in range(4):
        turn(lambda: setattr(weight, "trainable", weight.trainable))
    before = weight.numpy()
    for _ in range(2):
        with pytest.raises(PenstockError, match="frozen"):
            turn(lambda: ps.freeze(weight))
        assert weight.numpy() == before
        ps.unfreeze(weight)


def test_writes_before_the_freeze_take_effect():
    weight = ps.Variable(1.0, name="weight")
    weight.assign_add(1.0)
    ps.freeze(weight)
    with pytest.raises(LockedError):
        weight.assign_add(1.0)
    assert weight.numpy() == 2.0 and weight.version == 1


def test_another_thread_is_refused():
    weight = ps.Variable(1.0, name="weight")
    ready, go, seen = threading.Event(), threading.Event(), []

    def work():
        for turn in range(4):
            if turn == 3:
                ready.set()
                go.wait(10)
            try:
                weight.assign_add(weight * 1.0)
            except LockedError as error:
                seen.append(error)

    worker = threading.Thread(target=work)
    worker.start()
    ready.wait(10)
    ps.freeze(weight)
    go.set()
    worker.join()
    assert len(seen) == 1
    assert weight.numpy() == 8.0


def test_gradients_pass_through_frozen_layers_and_skip_their_variables():
    body, head = ps.Variable(2.0, name="body"), ps.Variable(3.0, name="head")
    ps.freeze(body)
    with ps.GradientTape() as tape:
        loss = (head * body) ** 2
    by_body, by_head = tape.gradient(loss, [body, head])
    assert by_body is None and float(by_head) == 24.0
    assert ps.explain(loss, body).reason == "frozen"


PITFALL = {
    "SGD with momentum": (lambda: ps.optimizers.SGD(0.1, momentum=0.9), 0.8, 0.3122),
    "Adam": (lambda: ps.optimizers.Adam(0.1), 0.9, 0.7388),
}


@pytest.mark.parametrize("name", PITFALL)
def test_remaining_momentum_moves_a_variable_unless_it_is_frozen(name, tier):
    make, after_one, after_four = PITFALL[name]

    def trained():
        weight, optimizer = ps.Variable(1.0, name="weight"), make()
        with ps.GradientTape() as tape:
            loss = weight**2
        optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
        assert weight.numpy() == pytest.approx(after_one, rel=1e-6)
        return weight, optimizer

    weight, optimizer = trained()
    for _ in range(3):
        optimizer.apply_gradients([(ps.asarray(0.0), weight)])
    assert weight.numpy() == pytest.approx(after_four, abs=5e-5)

    weight, optimizer = trained()
    ps.freeze(weight)
    for _ in range(3):
        with pytest.raises(PenstockError, match=r"'weight', which (is|has been) frozen"):
            optimizer.apply_gradients([(ps.asarray(0.0), weight)])
        with ps.GradientTape() as tape:
            loss = weight**2
        with pytest.raises(NoGradientsError, match="weight"):
            optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
    assert weight.numpy() == pytest.approx(after_one, rel=1e-6)
    assert optimizer.applied == 1


# -- flags and who set them ----------------------------------------------------------------------------------


def test_flags_say_who_set_them():
    made = line() + 1
    weight = ps.Variable(1.0, name="weight")
    ps.freeze(weight)
    ps.unfreeze("weight", of=[weight])
    weight.trainable = False
    assert [(flag.name, flag.value, flag.by, flag.site.line - made) for flag in weight.flags] == [
        ("trainable", True, "Variable", 0),
        ("locked", True, "freeze", 1),
        ("trainable", False, "freeze", 1),
        ("locked", False, "unfreeze('weight')", 2),
        ("trainable", True, "unfreeze('weight')", 2),
        ("trainable", False, "assignment", 3),
    ]
    assert str(weight.flags[-1]) == f"trainable=False by assignment at {HERE}:{made + 3}"


def test_a_loop_that_freezes_in_every_turn_keeps_few_settings():
    weight = ps.Variable(1.0, name="weight")
    for _ in range(300):
        with ps.freeze(weight):
            pass
    assert 32 < len(weight.flags) < 70
    assert weight.flags[0].by == "Variable" and weight.flags[-1].by == "the end of freeze"
    assert not weight.locked and weight.trainable


def test_a_flag_given_at_creation_is_distinguished_from_one_by_a_constructor():
    import penstock.tensorflow as tf

    assert ps.Variable(1.0, trainable=False).flags[0].by == "Variable"
    assert tf.Variable(1.0).flags[0].by == "ResourceVariable"


def test_trainable_and_locked_are_two_questions():
    weight = ps.Variable(1.0, name="weight")
    assert (weight.trainable, weight.locked) == (True, False)
    weight.trainable = False
    weight.assign(2.0)
    ps.freeze(weight)
    assert (weight.trainable, weight.locked) == (False, True)
    ps.unfreeze(weight)
    assert (weight.trainable, weight.locked) == (False, False)
    ps.freeze(weight)
    weight.trainable = True
    assert (weight.trainable, weight.locked) == (True, True)
    with pytest.raises(LockedError):
        weight.assign(2.0)
    ps.unfreeze(weight)
    assert (weight.trainable, weight.locked) == (True, False)


def test_freezing_a_frozen_variable_only_reports_it():
    one, two = ps.Variable(1.0, name="pair/one"), ps.Variable(1.0, name="pair/two")
    where = line() + 1
    assert repr(ps.freeze("pair/one")) == "frozen: pair/one"
    again = ps.freeze("pair/*")
    assert repr(again) == (f"frozen: pair/two; frozen already: pair/one since {HERE}:{where}")
    assert (again.changed, again.unchanged) == ([two], [one])
    assert len(one.flags) == 3
    assert repr(ps.unfreeze(one)) == "unfrozen: pair/one"
    assert repr(ps.unfreeze(one)) == "not frozen: pair/one"


def test_a_block_unfreezes_the_variables_that_it_froze():
    one, two = ps.Variable(1.0, name="one"), ps.Variable(1.0, name="two")
    ps.freeze(one)
    with pytest.raises(LockedError), ps.freeze(one, two) as frozen:
        assert len(frozen) == 2 and two.locked
        two.assign(3.0)
    assert one.locked and not two.locked and two.trainable
    two.assign(3.0)
    ps.unfreeze(one)


def test_a_copy_is_as_frozen_as_its_original():
    weight = ps.Variable(1.0, name="weight")
    ps.freeze(weight)
    for twin in (copy.deepcopy(weight), pickle.loads(pickle.dumps(weight))):
        assert twin.locked and not twin.trainable and twin.flags[-2].site == weight.flags[-2].site
        ps.unfreeze(twin)
        assert twin.trainable and weight.locked
    adam = ps.optimizers.Adam(0.1)
    adam.apply_gradients([(ps.asarray(1.0), ps.Variable(1.0, name="copied_with/it"))])
    twins = copy.deepcopy(adam).variables
    assert all(one.own for one in twins) and not any(one.locked for one in twins)


def test_a_pattern_that_matches_nothing_is_an_error():
    weight = ps.Variable(1.0, name="encoder/w")
    with pytest.raises(SelectionError, match="freeze: the pattern 'backbone/\\*' matches none of 1 variable"):
        ps.freeze("backbone/*", of=[weight])
    with pytest.raises(SelectionError, match="unfreeze"):
        ps.unfreeze("backbone/*", of=[weight])
    assert not weight.locked


# -- captured steps ------------------------------------------------------------------------------------------


def test_a_captured_step_honours_a_freeze(tier):
    weight, other = ps.Variable(1.0, name="weight"), ps.Variable(1.0, name="other")
    sgd = ps.optimizers.SGD(0.1)
    calls = []

    @ps.step
    def train():
        calls.append(1)
        wanted = [v for v in (weight, other) if v.trainable]
        with ps.GradientTape() as tape:
            loss = weight**2 + other**2
        sgd.apply_gradients(zip(tape.gradient(loss, wanted), wanted))

    for _ in range(3):
        train()
    ps.freeze(weight)
    before = weight.numpy()
    for _ in range(3):
        train()
    assert weight.numpy() == before and other.numpy() == pytest.approx(0.8**6)
    ps.unfreeze(weight)
    train()
    assert weight.numpy() == pytest.approx(0.8**4)
    assert len(calls) == 3


def test_a_captured_step_that_writes_a_frozen_variable_is_refused():
    weight, other = ps.Variable(1.0, name="weight"), ps.Variable(1.0, name="other")

    @ps.step
    def train():
        other.assign_add(1.0)
        weight.assign_add(1.0)

    train()
    ps.freeze(weight)
    for _ in range(2):
        with pytest.raises(LockedError) as caught:
            train()
        assert caught.value.site.line == line() - 7
    assert (weight.numpy(), other.numpy(), weight.version, other.version) == (2.0, 2.0, 1, 1)
    ps.unfreeze(weight)
    train()
    assert (weight.numpy(), other.numpy()) == (3.0, 3.0)


def test_a_flag_that_only_affected_the_recording_takes_effect(tier):
    """A penalty on the trainable variables: those that are not on the path influence it nevertheless."""
    one, two = ps.Variable(1.0, name="one"), ps.Variable(2.0, name="two")
    two.trainable = False

    @ps.step
    def penalty():
        return sum(v * v for v in (one, two) if v.trainable)

    assert float(penalty()) == 1.0
    two.trainable = True
    assert float(penalty()) == 5.0
    ps.freeze(one)
    assert float(penalty()) == 4.0


def test_freezing_inside_a_captured_step(tier):
    generator, critic = ps.Variable(1.0, name="generator/w"), ps.Variable(2.0, name="critic/w")

    @ps.step
    def train():
        with ps.freeze("critic/*", of=[critic]), ps.GradientTape() as tape:
            loss = generator * critic
        by_generator, by_critic = tape.gradient(loss, [generator, critic])
        assert by_critic is None
        generator.assign_sub(by_generator * 0.1)

    for _ in range(3):
        train()
    assert generator.numpy() == pytest.approx(0.4)
    assert not critic.locked
