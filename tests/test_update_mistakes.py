"""Mistakes people make with updates: the resulting numbers, in both tiers, and the messages on them.

The numbers are worked out by hand, from the rules as they are written in the optimizers' docstrings.
"""

import math

import numpy as np
import pytest

import penstock as ps


def split(act):
    """Runs a function under a ledger that splits writes; the law must hold."""
    with ps.ledger(split=True) as entries:
        act()
    assert entries.conserved
    return entries


def added(entry, *causes):
    """What these causes have added to a scalar."""
    return [float(entry.added.get(cause, 0.0)) for cause in causes]


# -- which value a gradient is of ----------------------------------------------------------------------------


def test_a_gradient_is_of_the_value_that_was_read(tier):
    weight = ps.Variable(2.0, name="weight")
    with ps.GradientTape() as tape:
        square = weight * weight
    weight.assign(10.0)
    assert float(tape.gradient(square, weight)) == 4.0


def test_an_update_between_two_losses_leaves_the_second_as_it_was_recorded(tier):
    """Adversaries whose losses are recorded together: the maker's gradient is of the judge as it was."""
    found = []
    for early in (False, True):
        maker, judge = ps.Variable(1.0, name="maker"), ps.Variable(2.0, name="judge")
        sgd = ps.optimizers.SGD(0.1)
        with ps.GradientTape(persistent=True) as tape:
            verdict = judge * maker
            judging, making = verdict**2, -verdict
        if early:
            sgd.apply_gradients([(tape.gradient(judging, judge), judge)])
        found.append(float(tape.gradient(making, maker)))
        assert float(judge) == pytest.approx(2.0 - 0.1 * 4.0 if early else 2.0)
    assert found == [-2.0, -2.0]


@pytest.mark.parametrize(("order", "slope"), [(2, 2 * 0.8 * 0.8), (1, 2 * 0.8)])
def test_the_order_of_a_gradient_through_an_update(tier, order, slope):
    weight = ps.Variable(1.0, name="weight")
    with ps.GradientTape() as outer:
        with ps.GradientTape() as inner:
            loss = weight * weight
        step = inner.gradient(loss, weight)
        if order == 1:
            step = ps.stop_gradient(step)
        fast = weight - 0.1 * step
        after = fast * fast
    assert float(outer.gradient(after, weight)) == pytest.approx(slope)


def test_fast_weights_that_are_assigned_have_no_history(tier):
    weight, fast = ps.Variable(1.0, name="weight"), ps.Variable(0.0, name="fast", trainable=False)
    with ps.GradientTape() as outer:
        with ps.GradientTape() as inner:
            loss = weight * weight
        fast.assign(weight - 0.1 * inner.gradient(loss, weight))
        after = fast * fast
    assert outer.gradient(after, weight) is None
    assert ps.explain(after, weight).reason == "overwritten"
    assert float(after) == pytest.approx(0.64)


# -- momentum and decay that are left over -------------------------------------------------------------------

ZEROS = {
    "SGD that decays": (
        lambda: ps.optimizers.SGD(0.1, weight_decay=0.5), 0.75, 0.75 * 0.95**3, ("decay",),
    ),
    "SGD with momentum": (
        lambda: ps.optimizers.SGD(0.1, momentum=0.9), 0.8, 0.8 - 0.2 * (0.9 + 0.81 + 0.729), ("momentum",),
    ),
    "AdamW": (lambda: ps.optimizers.AdamW(0.1, weight_decay=0.5), 0.85, 0.5767, ("momentum", "decay")),
    "Adam": (lambda: ps.optimizers.Adam(0.1), 0.9, 0.7388, ("momentum",)),
}  # fmt: skip


@pytest.mark.parametrize("name", ZEROS)
def test_zeros_in_place_of_a_gradient_move_a_variable(name, tier):
    """None leaves a variable unchanged; with zeros, momentum and decay move it, and the ledger says which."""
    make, first, last, causes = ZEROS[name]
    for gradient in (None, 0.0):
        weight, other = ps.Variable(1.0, name="weight"), ps.Variable(1.0, name="other")
        optimizer = make()
        optimizer.apply_gradients([(ps.asarray(2.0), weight)])
        assert float(weight) == pytest.approx(first, abs=1e-4)

        def three(gradient=gradient, weight=weight, other=other, optimizer=optimizer):
            for _ in range(3):
                given = None if gradient is None else ps.asarray(gradient)
                optimizer.apply_gradients([(given, weight), (ps.asarray(1.0), other)])

        if gradient is None:
            with pytest.warns(UserWarning, match="No gradient for 1 of 2 variables"):
                entries = split(three)
            assert float(weight) == pytest.approx(first, abs=1e-4) and entries.of(weight) == []
            continue
        entries = split(three)
        assert float(weight) == pytest.approx(last, abs=1e-4)
        for entry in entries.of(weight):
            assert added(entry, "gradient") == [0.0]
            moved = added(entry, *causes)
            assert all(part < 0.0 for part in moved)
            assert math.fsum(moved) == pytest.approx(float(entry.after - entry.before), rel=1e-4)


def test_decay_follows_a_gradient_of_zeros_and_stops_where_it_is_frozen(tier):
    """A gradient of zero does not freeze a variable: decoupled decay still moves it. A locked one stays."""
    for locked, wanted in ((False, 0.95), (True, 1.0)):
        weight = ps.Variable(1.0, name="weight")
        optimizer = ps.optimizers.AdamW(0.1, weight_decay=0.5)
        if locked:
            with ps.freeze(weight), pytest.raises(ps.errors.LockedError):
                optimizer.apply_gradients([(ps.asarray(0.0), weight)])
        else:
            (entry,) = split(lambda o=optimizer, w=weight: o.apply_gradients([(ps.asarray(0.0), w)]))
            assert added(entry, "gradient", "momentum", "decay") == pytest.approx([0.0, 0.0, -0.05])
        assert float(weight) == pytest.approx(wanted)


# -- scaling, clipping, accumulating -------------------------------------------------------------------------


def test_clipping_before_the_scale_is_taken_off(tier):
    """Scale 1024, gradient 5, limit 1: clipped too early, the step is a 1024th of the intended one."""
    by_hand = ps.Variable(1.0, name="by_hand")
    with ps.GradientTape() as tape:
        loss = by_hand * 5.0 * 1024.0
    clipped = ps.clip_by_norm(tape.gradient(loss, by_hand), 1.0) / 1024.0
    by_hand.assign_sub(0.1 * clipped)
    assert float(by_hand) == pytest.approx(0.999902, abs=1e-6)
    weight = ps.Variable(1.0, name="weight")
    optimizer = ps.optimizers.SGD(0.1, loss_scale_factor=1024.0, clipnorm=1.0)

    def train():
        with ps.GradientTape() as tape:
            loss = optimizer.scale_loss(weight * 5.0)
        optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])

    (entry,) = split(train)
    assert float(weight) == pytest.approx(0.9)
    assert added(entry, "gradient", "scale", "clip") == pytest.approx([-512.0, 511.5, 0.4])


@pytest.mark.parametrize(("reduction", "wanted"), [("sum", 0.6), ("mean", 0.9)])
def test_micro_batches_are_summed_or_averaged(tier, reduction, wanted):
    weight = ps.Variable(1.0, name="weight")
    optimizer = ps.optimizers.SGD(
        0.1, gradient_accumulation_steps=4, gradient_accumulation_reduction=reduction
    )

    def train():
        for _ in range(4):
            optimizer.apply_gradients([(ps.asarray(1.0), weight)])

    entries = split(train)
    assert float(weight) == pytest.approx(wanted)
    # Three calls that only accumulate, then one that moves by the sum of all gradients.
    assert [added(entry, "gradient")[0] for entry in entries] == pytest.approx([0, 0, 0, wanted - 1.0])


@pytest.mark.parametrize(
    ("clear", "values"),
    [("never", [0.9, 0.7, 0.4]), ("too early", [1.0, 1.0, 1.0]), ("after", [0.9, 0.8, 0.7])],
)
def test_gradients_that_are_not_cleared_add_up_in_paddle(clear, values, tier):
    import penstock.paddle as paddle

    weight = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
    sgd = paddle.optimizer.SGD(0.1, parameters=[weight])
    found = []
    for _ in range(3):
        loss = weight.sum()
        loss.backward()
        if clear == "too early":
            sgd.clear_grad()
        sgd.step()
        if clear == "after":
            sgd.clear_grad()
        found.append(float(weight))
    assert found == pytest.approx(values)


def test_clipping_by_value_turns_the_gradient(tier):
    """Three ways to clip: two of them keep the direction of each gradient, one that of all together."""
    given = [np.array([3.0, 4.0], np.float32), np.array([0.5], np.float32)]
    together = np.concatenate(given)
    turned = {}
    for option in ("clipvalue", "clipnorm", "global_clipnorm"):
        variables = [ps.Variable(np.zeros_like(one), name=f"v{one.size}") for one in given]
        ps.optimizers.SGD(1.0, **{option: 1.0}).apply_gradients(
            [(ps.asarray(one), variable) for one, variable in zip(given, variables)]
        )
        moved = -np.concatenate([variable.numpy() for variable in variables])
        cosine = moved @ together / (np.linalg.norm(moved) * np.linalg.norm(together))
        turned[option] = math.degrees(math.acos(min(1.0, float(cosine))))
    assert turned["clipvalue"] == pytest.approx(15.9, abs=0.1)
    assert turned["global_clipnorm"] == pytest.approx(0.0, abs=0.1)
    assert turned["clipnorm"] == pytest.approx(20.9, abs=0.1)


# -- who is moved --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "moves"), [("exact", True), ("lazy", False)])
def test_momentum_moves_a_row_that_was_not_read(tier, rows, moves):
    """A table of four rows: ids [1, 1], then [2]. Adam still moves row 1, unless it is told not to."""
    table = ps.Variable(np.ones((4, 2), np.float32), name="table")
    adam = ps.optimizers.Adam(0.1, rows=rows)

    def train():
        for ids in ([1, 1], [2]):
            with ps.GradientTape() as tape:
                loss = ps.sum(ps.take(table, ps.asarray(ids), axis=0))
            adam.apply_gradients([(tape.gradient(loss, table), table)])

    first, second = split(train)
    assert np.allclose(first.after[1], 0.9) and np.array_equal(first.after[[0, 2, 3]], np.ones((3, 2)))
    assert bool((second.after[1] != second.before[1]).any()) == moves
    assert bool(second.added["momentum"][1].any()) == moves
    assert not second.added["gradient"][[0, 1, 3]].any() and second.added["gradient"][2].all()


def test_a_term_of_weight_zero_has_a_gradient_of_zero(tier):
    """A path and no slope: no gradient is missing, and only decay moves the term's own variable."""
    main, extra = ps.Variable(1.0, name="main"), ps.Variable(1.0, name="extra")
    sgd = ps.optimizers.SGD(0.1, weight_decay=0.5)

    def train():
        with ps.GradientTape() as tape:
            loss = main**2 + 0.0 * extra**2
        gradients = tape.gradient(loss, [main, extra])
        assert float(gradients[1]) == 0.0 and ps.explain(loss, extra).reason == "flows"
        sgd.apply_gradients(zip(gradients, [main, extra]))

    entries = split(train)
    assert added(entries.of(extra)[0], "gradient", "decay") == pytest.approx([0.0, -0.05])


def test_a_variable_made_of_a_frozen_one_is_trained():
    """Only the value is taken over, not the flag."""
    source = ps.Variable([1.0, 2.0], name="source", trainable=False)
    copy = ps.Variable(source, name="copy")
    ps.freeze(source)
    assert copy.trainable and not copy.locked
    copy.assign_add([1.0, 1.0])
    assert source.numpy().tolist() == [1.0, 2.0]
    ps.unfreeze(source)


UNOWNED = """\
import penstock as ps

base = ps.Variable(2.0, name="base", trainable=False)
head = ps.Variable(3.0, name="head")
other = ps.Variable(1.0, name="other")
optimizer = ps.optimizers.SGD(0.1)
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = (base * head) ** 2 + other**2
    by_head, by_other = tape.gradient(loss, [head, other])
    optimizer.apply_gradients([(by_other, other)])
"""


def test_a_gradient_that_is_never_applied_shows_in_the_five_bits(check):
    report = check(UNOWNED, split=True)
    assert {one.path: (one.bits, one.gradient) for one in report.variables} == {
        "base": ("0 1 0 0 0", "frozen"), "head": ("1 1 1 0 0", "flows"), "other": ("1 1 1 1 1", "flows"),
    }  # fmt: skip
    assert report.conservation.holds


def test_a_guarded_step_writes_nothing_and_says_so(tier):
    weight = ps.Variable(1.0, name="weight")
    optimizer = ps.optimizers.Adam(0.1, finite="skip")

    def train():
        for slope in (math.inf, 1.0):
            optimizer.apply_gradients([(ps.asarray(slope), weight)])

    first, second = split(train)
    assert (float(first.before), float(first.after)) == (1.0, 1.0)
    assert not any(added(first, "gradient", "momentum", "decay"))
    # The step that was left out is not counted: the next one is Adam's first.
    assert float(second.after) == pytest.approx(0.9) and int(optimizer.iterations) == 1


def test_statistics_of_a_layer_count_only_while_it_is_frozen(check):
    """A layer's writes before it was frozen are no mistake; its later writes are."""
    program = (
        "import penstock as ps\n"
        "layer, head = ps.layers.BatchNormalization(name='norm'), ps.layers.Dense(1, name='head')\n"
        "x = ps.random.normal((8, 3))\n"
        "optimizer = ps.optimizers.SGD(0.01)\n"
        "def step(training):\n"
        "    with ps.GradientTape() as tape:\n"
        "        loss = ps.mean(head(layer(x, training=training)) ** 2)\n"
        "    found = [*layer.trainable_variables, *head.trainable_variables]\n"
        "    optimizer.apply_gradients(list(zip(tape.gradient(loss, found), found)))\n"
        "for _ in range(4):\n    step(True)\n"
        "for one in layer.trainable_variables:\n    one.trainable = False\n"
        "for _ in range(4):\n    step(AFTER)\n"
    )
    for after, expected in ((False, []), (True, ["PS403"])):
        report = check(program.replace("AFTER", str(after)))
        assert [one.code for one in report.findings if one.severity != "note"] == expected
