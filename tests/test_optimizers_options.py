"""What surrounds a rule: clipping, decay, accumulation, averages, loss scaling, groups, refusals."""

import copy
import pickle

import numpy as np
import pytest

import penstock as ps
from penstock.errors import DTypeError, NonFiniteError, PenstockError, SelectionError
from penstock.grad.rows import Rows
from penstock.optimizers import LAMB, SGD, Adam, AdamW, Muon


def give(optimizer, *pairs):
    optimizer.apply_gradients([(ps.asarray(np.asarray(g, v.dtype)), v) for g, v in pairs])


# -- clipping ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "a", "b"),
    # The three ways on ([3, 4], [0.5]), as three frameworks give them.
    [("clipvalue", [1.0, 1.0], [0.5]), ("clipnorm", [0.6, 0.8], [0.5]),
     ("global_clipnorm", [0.5970223, 0.7960298], [0.0995037])],
)  # fmt: skip
def test_three_ways_of_clipping(tier, option, a, b):
    first, second = ps.Variable([0.0, 0.0]), ps.Variable([0.0])
    give(SGD(1.0, **{option: 1.0}), ([3.0, 4.0], first), ([0.5], second))
    assert np.allclose(first.numpy(), -np.asarray(a), rtol=1e-6)
    assert np.allclose(second.numpy(), -np.asarray(b), rtol=1e-6)


@pytest.mark.parametrize("option", ["clipvalue", "clipnorm", "global_clipnorm"])
def test_gradients_below_the_limit_stay(tier, option):
    x, same = ps.Variable([0.0, 0.0]), ps.Variable([0.0, 0.0])
    for _ in range(2):
        give(SGD(1.0, **{option: 100.0}), ([3.0, 0.0], x))
        give(SGD(1.0), ([3.0, 0.0], same))
        assert np.allclose(x.numpy(), same.numpy(), rtol=1e-6)
    give(SGD(1.0, **{option: 1.0}), ([0.0, 0.0], x))
    assert np.allclose(x.numpy(), same.numpy(), rtol=1e-6)


def test_a_limit_may_change_and_compiles_nothing(tier):
    x, optimizer = ps.Variable([0.0]), SGD(1.0, clipnorm=1.0)
    for limit in (1.0, 0.5, 0.25):
        optimizer.clipnorm = limit
        give(optimizer, ([10.0], x))
    assert np.isclose(float(x.numpy()[0]), -1.75)


def rows_of(ids, size=5):
    table = ps.Variable(np.arange(2.0 * size).reshape(size, 2))
    with ps.GradientTape() as tape:
        loss = ps.sum(ps.take(table, ps.asarray(ids), axis=0) ** 2)
    return tape.gradient(loss, table)


@pytest.mark.parametrize("ids", [[1], [1, 1, 3], [2, 0, 2, 2]])
def test_functions_that_clip_keep_rows_and_sum_them_once(tier, ids):
    dense = rows_of(ids).numpy()
    summed = rows_of(ids).summed()
    held = summed.values.numpy().any(axis=-1)
    assert np.allclose(summed.numpy(), dense) and summed.indices.numpy().tolist() == list(ids)
    assert len(set(np.asarray(ids)[held])) == held.sum(), "an id has two rows that are not zero"
    for function in (ps.clip_by_value, ps.clip_by_norm):
        clipped = function(rows_of(ids), 3.0)
        assert isinstance(clipped, Rows)
        assert np.allclose(clipped.numpy(), function(ps.asarray(dense), 3.0).numpy())
    other = ps.asarray(np.asarray([7.0]))
    (rows, second, absent), norm = ps.clip_by_global_norm([rows_of(ids), other, None], 3.0)
    wanted, wanted_norm = ps.clip_by_global_norm([ps.asarray(dense), other], 3.0)
    assert isinstance(rows, Rows) and absent is None and np.isclose(float(norm), float(wanted_norm))
    assert np.allclose(rows.numpy(), wanted[0].numpy()) and np.allclose(second.numpy(), wanted[1].numpy())
    assert np.isclose(float(ps.global_norm([rows_of(ids), other])), float(norm))


def test_a_norm_that_is_not_finite_makes_everything_nan(tier):
    (one, two), norm = ps.clip_by_global_norm([ps.asarray([np.inf]), ps.asarray([1.0])], 1.0)
    assert np.isinf(float(norm)) and np.isnan(one.numpy()).all() and np.isnan(two.numpy()).all()


@pytest.mark.parametrize("limit", [0.0, -1.0, "1", None, float("nan")])
def test_a_limit_that_is_none_is_refused(limit):
    for function in (ps.clip_by_value, ps.clip_by_norm):
        with pytest.raises(PenstockError, match=function.__name__):
            function(ps.asarray([1.0]), limit)
    with pytest.raises(PenstockError, match="clip_by_global_norm"):
        ps.clip_by_global_norm([ps.asarray([1.0])], limit)


def test_one_gradient_is_no_list():
    with pytest.raises(PenstockError, match="one gradient"):
        ps.clip_by_global_norm(ps.asarray([1.0]), 1.0)


# -- weight decay --------------------------------------------------------------------------------------------


def test_exempt_variables_do_not_decay(tier):
    kernel, bias = ps.Variable(1.0, name="net/kernel"), ps.Variable(1.0, name="net/bias")
    optimizer = SGD(0.5, weight_decay=0.5, exclude_from_weight_decay=["*/bias"])
    give(optimizer, (0.0, kernel), (0.0, bias))
    assert (float(kernel), float(bias)) == (0.75, 1.0)
    optimizer.weight_decay = None
    give(optimizer, (0.0, kernel))
    optimizer.weight_decay = 1.0
    give(optimizer, (0.0, kernel))
    assert float(kernel) == 0.375


def test_lamb_scales_its_decay_with_the_rest_and_spares_exempt_variables(tier):
    a, b, plain = (ps.Variable([3.0, 4.0], name=name) for name in ("a", "b", "plain"))
    give(LAMB(0.1, weight_decay=0.5, exclude_from_weight_decay=["b"]), ([1.0, -1.0], a), ([1.0, -1.0], b))
    give(LAMB(0.1), ([1.0, -1.0], plain))
    assert np.allclose(b.numpy(), plain.numpy()) and not np.allclose(a.numpy(), plain.numpy())


# -- accumulation --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("make", [lambda **o: SGD(0.5, momentum=0.5, **o), lambda **o: Adam(0.1, **o)])
def test_a_window_is_one_step_with_the_gradient_of_all(tier, make, reduction):
    x, same = ps.Variable([1.0, 2.0], dtype="float64"), ps.Variable([1.0, 2.0], dtype="float64")
    optimizer, other = make(gradient_accumulation_steps=3, gradient_accumulation_reduction=reduction), make()
    rng = np.random.default_rng(0)
    for _ in range(4):
        window = rng.standard_normal((3, 2))
        for turn, gradient in enumerate(window):
            before = x.numpy()
            give(optimizer, (gradient, x))
            assert (x.numpy() == before).all() == (turn < 2)
        give(other, (getattr(window, reduction)(axis=0), same))
        assert np.allclose(x.numpy(), same.numpy(), rtol=1e-12)


def test_a_window_is_clipped_as_a_whole(tier):
    x = ps.Variable([0.0], dtype="float64")
    optimizer = SGD(1.0, gradient_accumulation_steps=2, clipvalue=1.0)
    give(optimizer, ([5.0], x))
    give(optimizer, ([-4.5], x))
    assert np.isclose(x.numpy()[0], -0.25)


@pytest.mark.parametrize("make", [lambda **o: SGD(0.5, **o), lambda **o: Adam(0.5, rows="lazy", **o)])
def test_rows_are_accumulated_as_rows(tier, make):
    found = []
    for accumulate in (True, False):
        table = ps.Variable(np.arange(12.0).reshape(6, 2))
        optimizer = make(gradient_accumulation_steps=2) if accumulate else make()
        for first, second in (([1, 1, 4], [4, 0]), ([2, 3, 3], [2])):
            gradients = []
            for ids in (first, second):
                with ps.GradientTape() as tape:
                    loss = ps.sum(ps.take(table, ps.asarray(ids), axis=0) * 0.5)
                gradients.append(tape.gradient(loss, table))
                if accumulate:
                    optimizer.apply_gradients([(gradients[-1], table)])
            if not accumulate:
                one, two = gradients
                both = Rows(
                    ps.concat([one.indices, two.indices]),
                    ps.concat([one.values, two.values]) / 2.0,
                    one._spec,
                )
                optimizer.apply_gradients([(both, table)])
        found.append(table.numpy())
        if accumulate:
            assert optimizer.slots(table)["gradient_rows"].shape == (2, 3, 2)
    assert np.allclose(*found, rtol=1e-12)


def test_a_much_smaller_batch_is_accumulated_with_a_large_one(tier):
    """The rows that are missing to the first batch are filled up, however many they are."""
    for few in (np.arange(3), np.arange(0)):
        table = ps.Variable(np.ones((300, 8)))
        optimizer = SGD(1.0, gradient_accumulation_steps=2)
        for ids in (np.arange(200), few):
            with ps.GradientTape() as tape:
                loss = ps.sum(ps.take(table, ps.asarray(ids), axis=0))
            optimizer.apply_gradients([(tape.gradient(loss, table), table)])
        expected = np.ones((300, 8))
        for ids in (np.arange(200), few):
            expected[ids] -= 0.5
        assert np.allclose(table.numpy(), expected)


def test_more_rows_than_the_first_time_are_refused():
    table = ps.Variable(np.ones((5, 2)), name="table")
    optimizer = SGD(0.5, gradient_accumulation_steps=2)

    def step(ids):
        with ps.GradientTape() as tape:
            loss = ps.sum(ps.take(table, ps.asarray(ids), axis=0))
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])

    step([1, 2])
    with pytest.raises(PenstockError, match="2 rows a call for Variable 'table', and was given 3 rows"):
        step([1, 2, 3])
    step([4])
    assert np.allclose(table.numpy()[:, 0], [1.0, 0.75, 0.75, 1.0, 0.75])


# -- averages ------------------------------------------------------------------------------------------------


def test_averages_are_kept_swapped_and_put_in_place(tier):
    x = ps.Variable(0.0, dtype="float64")
    optimizer = SGD(1.0, use_ema=True, ema_momentum=0.75)
    average = None
    for turn in range(5):
        give(optimizer, (-1.0 - turn, x))
        average = float(x) if average is None else 0.75 * average + 0.25 * float(x)
    value = x.numpy()
    assert optimizer.slots(x)["average"].path.endswith("/average")
    with optimizer.averaged():
        assert np.isclose(float(x), average)
    assert x.numpy() == value
    with pytest.raises(RuntimeError, match="inside"), optimizer.averaged():
        raise RuntimeError("inside")
    assert x.numpy() == value
    optimizer.assign_averages()
    assert np.isclose(float(x), average)


def test_averages_replace_values_periodically(tier):
    x = ps.Variable(0.0, dtype="float64")
    optimizer = SGD(1.0, use_ema=True, ema_momentum=0.5, ema_overwrite_frequency=2)
    give(optimizer, (-1.0, x))
    assert float(x) == 1.0
    give(optimizer, (-1.0, x))
    assert float(x) == 1.5


def test_averages_that_are_not_there():
    with pytest.raises(PenstockError, match="use_ema"), SGD(1.0).averaged():
        pass
    with pytest.raises(PenstockError, match="no averages"):
        SGD(1.0, use_ema=True).assign_averages()


# -- loss scaling and finite gradients -----------------------------------------------------------------------


def test_a_scaled_loss_gives_the_same_step(tier):
    found = []
    for scale in (None, 1024.0, "dynamic"):
        x, optimizer = ps.Variable(3.0), Adam(0.1, loss_scale_factor=scale)
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = optimizer.scale_loss(x * x)
            optimizer.apply_gradients([(tape.gradient(loss, x), x)])
        found.append(float(x))
    assert np.allclose(found, found[0], rtol=1e-6)


def test_a_dynamic_scale_halves_skips_and_grows(tier):
    x = ps.Variable(1.0)
    optimizer = Adam(0.1, loss_scale_factor="dynamic", loss_scale_growth_steps=2)
    optimizer.scale_loss(x * 1.0)
    scale = next(one for one in optimizer.variables if one.path == "adam/loss_scale")
    seen = []
    for slope in (np.inf, 1.0, np.nan, 1.0, 1.0, 1.0, 1.0):
        before = float(x), int(optimizer.iterations)
        give(optimizer, (slope, x))
        moved = (float(x), int(optimizer.iterations)) != before
        seen.append((float(scale), moved))
    sizes = [16384.0, 16384.0, 8192.0, 8192.0, 16384.0, 16384.0, 32768.0]
    assert seen == list(zip(sizes, [False, True, False, True, True, True, True]))


def test_a_loss_that_was_never_scaled_is_reported_once():
    x, optimizer = ps.Variable(1.0), SGD(0.1, loss_scale_factor=8.0)
    with pytest.warns(UserWarning, match="scale_loss was never called") as caught:
        give(optimizer, (1.0, x))
    assert caught[0].filename == __file__
    give(optimizer, (1.0, x))


def test_a_step_that_is_not_finite_is_skipped_on_request(tier):
    x, y = ps.Variable(1.0), ps.Variable([1.0, 1.0])
    optimizer = Adam(0.1, finite="skip")
    give(optimizer, (1.0, x), ([1.0, 1.0], y))
    kept = [one.numpy().tobytes() for one in (x, y, *optimizer.variables)]
    give(optimizer, (1.0, x), ([np.nan, 1.0], y))
    assert [one.numpy().tobytes() for one in (x, y, *optimizer.variables)] == kept
    give(optimizer, (1.0, x), ([1.0, 1.0], y))
    assert float(x) < 0.85


def test_a_gradient_that_is_not_finite_is_refused_on_request(tier):
    x, kernel = ps.Variable(1.0), ps.Variable([1.0, 1.0], name="kernel")
    optimizer = Adam(0.1, finite=True)
    give(optimizer, (1.0, x), ([1.0, 1.0], kernel))
    kept = [one.numpy().tobytes() for one in (x, kernel, *optimizer.variables)]
    give(optimizer, (1.0, x), ([1.0, np.inf], kernel))
    with pytest.raises(NonFiniteError, match=r"'kernel' is not finite: inf at \[1\]") as caught:
        ps.wait(x)
    assert caught.value.site.file == __file__
    assert [one.numpy().tobytes() for one in (x, kernel, *optimizer.variables)] == kept
    give(optimizer, (1.0, x), ([1.0, 1.0], kernel))
    assert float(x) < 0.85


# -- groups --------------------------------------------------------------------------------------------------


def test_groups_have_their_own_hyper_parameters(tier):
    body, head = ps.Variable(0.0, name="body/w"), ps.Variable(0.0, name="head/w")
    optimizer = SGD(0.5, momentum=0.5, groups={"head/*": {"learning_rate": 1.0, "momentum": 0.0}})
    for _ in range(2):
        give(optimizer, (1.0, body), (1.0, head))
    assert (float(body), float(head)) == (-0.5 - 0.75, -2.0)
    optimizer.groups["head/*"].learning_rate = 0.25
    optimizer.learning_rate = 0.0
    give(optimizer, (1.0, head), (0.0, body))
    assert float(head) == -2.25
    assert repr(optimizer.groups["head/*"]) == "Group('head/*', learning_rate=0.25, momentum=0.0)"


def test_a_group_may_decay_alone(tier):
    body, head = ps.Variable(1.0, name="body/w"), ps.Variable(1.0, name="head/w")
    give(Adam(0.5, groups={"head": {"weight_decay": 0.5}}), (0.0, body), (0.0, head))
    assert (float(body), float(head)) == (1.0, 0.75)


def test_groups_in_a_captured_step_stay_live(tier):
    body, head = ps.Variable(0.0, name="body/w"), ps.Variable(0.0, name="head/w")
    optimizer = SGD(0.5, groups={"head/*": {"learning_rate": 1.0}})

    @ps.step
    def train():
        optimizer.apply_gradients([(ps.asarray(1.0), body), (ps.asarray(1.0), head)])

    rates = [1.0, 1.0, 0.5, 0.25, 0.125]
    for rate in rates:
        optimizer.groups["head/*"].learning_rate = rate
        train()
    assert (float(body), float(head)) == (-2.5, -sum(rates))


def test_two_optimizers_with_other_groups_share_no_path(tier):
    for turn in range(4):
        x = ps.Variable(0.0, name="head/w")
        options = {"groups": {"head/*": {"learning_rate": 1.0}}} if turn % 2 else {}
        optimizer = SGD(0.5, **options)
        for _ in range(2):
            give(optimizer, (1.0, x))
        assert float(x) == (-2.0 if turn % 2 else -1.0)


# -- errors --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SGD(-0.1), "SGD: learning_rate is -0.1"),
        (lambda: SGD(float("nan")), "learning_rate is nan"),
        (lambda: SGD("fast"), "learning_rate is 'fast'"),
        (lambda: SGD(True), "learning_rate is True"),
        (lambda: SGD(ps.asarray([0.1, 0.2])), r"learning_rate is float32\[2\]"),
        (lambda: SGD(0.1, momentum=1.5), "momentum is 1.5"),
        (lambda: Adam(0.1, beta_1=1.0), "beta_1 is 1.0"),
        (lambda: Adam(0.1, epsilon=-1.0), "epsilon is -1.0"),
        (lambda: AdamW(weight_decay=-1.0), "weight_decay is -1.0"),
        (lambda: SGD(0.1, rate=0.2), "does not take 'rate'"),
        (lambda: SGD(0.1, clipnorm=1.0, clipvalue=1.0), "clipvalue and clipnorm"),
        (lambda: SGD(0.1, clipnorm=-1.0), "clipnorm is -1.0"),
        (lambda: SGD(0.1, gradient_accumulation_steps=0), "gradient_accumulation_steps is 0"),
        (lambda: SGD(0.1, gradient_accumulation_steps=2.5), "gradient_accumulation_steps is 2.5"),
        (lambda: SGD(0.1, gradient_accumulation_reduction="max"), "gradient_accumulation_reduction is 'max'"),
        (lambda: SGD(0.1, use_ema=True, ema_momentum=2.0), "ema_momentum is 2.0"),
        (lambda: SGD(0.1, loss_scale_factor=0.0), "loss_scale_factor is 0.0"),
        (lambda: SGD(0.1, loss_scale_factor="static"), "loss_scale_factor is 'static'"),
        (lambda: SGD(0.1, rows="some"), "rows is 'some'"),
        (lambda: SGD(0.1, finite="maybe"), "finite is 'maybe'"),
        (lambda: LAMB(rows="lazy"), "LAMB: rows='lazy'"),
        (lambda: Muon(scale="huge"), "scale is 'huge'"),
        (lambda: SGD(0.1, groups={"head/*": {"lerning_rate": 1.0}}), "'lerning_rate'"),
        (lambda: SGD(0.1, groups={"head/*": {"learning_rate": -1.0}}), "'head/\\*': learning_rate is -1.0"),
        (lambda: SGD(0.1, groups={"head/*": 0.1}), "'head/\\*' is 0.1"),
    ],
)  # fmt: skip
def test_bad_arguments_are_refused(make, words):
    with pytest.raises(PenstockError, match=words) as caught:
        make()
    assert caught.value.site.file == __file__ and len(str(caught.value).splitlines()) >= 3


def test_bad_values_are_refused_when_they_are_set():
    x, optimizer = ps.Variable(1.0), Adam(0.1, groups={"variable*": {"learning_rate": 0.1}})
    for name, value in (("learning_rate", -1.0), ("beta_2", 1.0), ("rows", "x"), ("clipnorm", -1.0)):
        before = getattr(optimizer, name)
        with pytest.raises(PenstockError, match=name):
            setattr(optimizer, name, value)
        assert getattr(optimizer, name) == before
    with pytest.raises(PenstockError, match="cannot be set"):
        optimizer.groups = {}
    with pytest.raises(PenstockError, match="does not set 'beta_1'"):
        optimizer.groups["variable*"].beta_1 = 0.5
    give(optimizer, (1.0, x))
    assert np.isclose(float(x), 0.9)


@pytest.mark.parametrize(
    "options",
    [{"groups": {"haed/*": {"learning_rate": 1.0}}},
     {"weight_decay": 0.1, "exclude_from_weight_decay": ["haed/*"]}],
)  # fmt: skip
def test_a_pattern_that_matches_nothing_is_an_error(options):
    x = ps.Variable(1.0, name="head/w")
    optimizer = SGD(0.5, **options)
    with pytest.raises(SelectionError, match="haed") as caught:
        give(optimizer, (1.0, x))
    assert "head/w" in str(caught.value) and float(x) == 1.0 and not optimizer.slots(x)


def test_a_variable_in_two_groups_is_an_error():
    x = ps.Variable(1.0, name="head/w")
    optimizer = SGD(0.5, groups={"head/*": {"learning_rate": 1.0}, "*/w": {"learning_rate": 2.0}})
    with pytest.raises(PenstockError, match=r"'head/w' is in two groups, 'head/\*' and '\*/w'"):
        give(optimizer, (1.0, x))


def test_the_state_of_an_optimizer_is_not_to_be_trained():
    x, adam = ps.Variable(1.0, name="w"), Adam(0.1)
    give(adam, (1.0, x))
    momentum = adam.slots(x)["momentum"]
    for other in (SGD(0.1), adam):
        with pytest.raises(PenstockError, match=r"'adam/w/momentum', which Adam 'adam' keeps"):
            give(other, (1.0, momentum))


def test_a_variable_that_was_not_there_when_it_was_built():
    x, other, optimizer = ps.Variable(1.0), ps.Variable(1.0, name="other"), Adam(0.1)
    optimizer.build([x])
    with pytest.raises(PenstockError, match="was not built for Variable 'other'"):
        give(optimizer, (1.0, x), (1.0, other))
    assert (float(x), float(other)) == (1.0, 1.0)


@pytest.mark.parametrize(("value", "make"), [(3, SGD), (1 + 2j, Adam)])
def test_variables_that_cannot_be_moved(value, make):
    x = ps.Variable(value, name="count")
    with pytest.raises(DTypeError, match="cannot move Variable 'count'"):
        make(0.1).apply_gradients([(ps.asarray(x.numpy()), x)])


def test_complex_variables_descend(tier):
    x = ps.Variable(np.asarray([1 + 2j], np.complex64))
    SGD(0.5, momentum=0.5).apply_gradients([(ps.asarray(np.asarray([2 - 2j], np.complex64)), x)])
    assert np.allclose(x.numpy(), [3j])


# -- other ---------------------------------------------------------------------------------------------------


def test_a_hyper_parameter_that_was_zero_comes_into_use(tier):
    x, optimizer = ps.Variable(0.0), SGD(1.0)
    give(optimizer, (1.0, x))
    optimizer.momentum = 0.5
    give(optimizer, (1.0, x))
    give(optimizer, (1.0, x))
    assert float(x) == -1.0 - 1.0 - 1.5
    assert [one.path for one in optimizer.variables] == [f"sgd/{x.path}/momentum"]


def test_muon_leaves_excluded_variables_to_adam(tier):
    kernel, table = ps.Variable(np.eye(2), name="kernel"), ps.Variable(np.eye(2), name="embedding/table")
    same = ps.Variable(np.eye(2))
    optimizer = Muon(0.1, exclude=["embedding/*"])
    slope = [[1.0, 2.0], [3.0, 4.0]]
    give(optimizer, (slope, kernel), (slope, table))
    give(Adam(0.1), (slope, same))
    assert np.allclose(table.numpy(), same.numpy()) and not np.allclose(kernel.numpy(), same.numpy())
    assert list(optimizer.slots(kernel)) == ["momentum"]


@pytest.mark.parametrize("how", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_goes_on_by_itself(tier, how):
    x = ps.Variable(1.0, name="head/w", dtype="float64")
    optimizer = Adam(0.1, weight_decay=0.1, groups={"head/*": {"learning_rate": 0.5}})
    give(optimizer, (1.0, x))
    y, other = how((x, optimizer))
    give(optimizer, (1.0, x))
    give(other, (1.0, y))
    assert float(x) == float(y) and int(other.iterations) == 2
    other.groups["head/*"].learning_rate = 0.0
    give(other, (1.0, y))
    give(optimizer, (1.0, x))
    assert float(x) != float(y) and optimizer.groups["head/*"].learning_rate == 0.5


def test_the_text_of_an_optimizer_describes_it():
    assert repr(Adam(0.25)) == "Adam(learning_rate=0.25, beta_1=0.9, beta_2=0.999, epsilon=1e-08)"
    assert "weight_decay=0.5" in repr(AdamW(weight_decay=0.5))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Adam(lr=0.1), "Write learning_rate instead of lr. It takes learning_rate, beta_1, "),
        (lambda: Adam(betas=(0.9, 0.99)), "Write beta_1 and beta_2 instead of betas."),
        (lambda: Adam(momentum=0.9), "Write beta_1 instead of momentum."),
        (lambda: Adam(eps=1e-8), "Write epsilon instead of eps."),
        (lambda: SGD(decay=0.1), "Write weight_decay instead of decay."),
        (lambda: SGD(0.1, nestrov=True), "Write nesterov instead of nestrov."),
        (lambda: SGD(0.1, groups={"a": {"lr": 1.0}}), "Write learning_rate instead of lr. A group may set "),
    ],
)
def test_a_name_from_elsewhere_is_answered_with_the_one_from_here(make, words):
    with pytest.raises(PenstockError) as caught:
        make()
    assert words in str(caught.value)


def test_a_name_like_none_is_answered_with_all():
    with pytest.raises(PenstockError) as caught:
        SGD(0.1, params=[])
    assert "\nIt takes learning_rate, momentum, nesterov, weight_decay, " in str(caught.value)
    assert "instead of" not in str(caught.value)
