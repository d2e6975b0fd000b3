"""Properties of every optimizer: one list of all, and each property tested on each."""

import functools

import ml_dtypes
import numpy as np
import pytest

import penstock as ps
from counting import count_compilations, launches
from penstock import optimizers
from penstock.errors import LockedError, PenstockError, UpdateWarning
from penstock.grad.rows import Rows
from penstock.testing import use_engine

ALL = {
    "sgd": lambda **options: optimizers.SGD(0.1, **options),
    "momentum": lambda **options: optimizers.SGD(0.02, momentum=0.9, **options),
    "nesterov": lambda **options: optimizers.SGD(0.02, momentum=0.9, nesterov=True, **options),
    "adam": lambda **options: optimizers.Adam(0.05, **options),
    "amsgrad": lambda **options: optimizers.Adam(0.05, amsgrad=True, **options),
    "adamw": lambda **options: optimizers.AdamW(0.05, **options),
    "adamax": lambda **options: optimizers.Adamax(0.05, **options),
    "nadam": lambda **options: optimizers.Nadam(0.05, **options),
    "radam": lambda **options: optimizers.RAdam(0.05, **options),
    "adagrad": lambda **options: optimizers.Adagrad(0.5, **options),
    "adadelta": lambda **options: optimizers.Adadelta(20.0, **options),
    "rmsprop": lambda **options: optimizers.RMSprop(0.03, **options),
    "rmsprop_momentum": lambda **options: optimizers.RMSprop(0.01, momentum=0.5, **options),
    "rmsprop_centered": lambda **options: optimizers.RMSprop(0.02, centered=True, **options),
    "ftrl": lambda **options: optimizers.Ftrl(0.5, **options),
    "lion": lambda **options: optimizers.Lion(0.02, **options),
    "lamb": lambda **options: optimizers.LAMB(0.02, **options),
    "adafactor": lambda **options: optimizers.Adafactor(0.1, **options),
    "muon": lambda **options: optimizers.Muon(0.05, **options),
}
WHOLE = ("lamb", "adafactor", "muon")
"""Rules that need the whole variable."""
ROWWISE = ("sgd", "adagrad")
"""Rules that do not change a row without a gradient."""


@pytest.fixture(params=ALL)
def make(request):
    made = ALL[request.param]
    made.__name__ = request.param
    return made


def test_the_list_is_complete():
    public = {
        getattr(optimizers, name)
        for name in optimizers.__all__
        if isinstance(getattr(optimizers, name), type)
    }
    listed = {type(one()) for one in ALL.values()}
    told = "give each optimizer a row in ALL, above, with a rate at which it descends"
    assert listed == public - {optimizers.Optimizer, optimizers.Group}, told


def data(seed=0, shape=(4, 3), dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def descend(optimizer, variables, steps, target=0.5):
    """Takes steps down the squared distance to a target."""
    for _ in range(steps):
        with ps.GradientTape() as tape:
            loss = sum((ps.sum((v - target) ** 2) for v in variables), ps.asarray(0.0))
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables))


def gradients_for(seed, variables):
    rng = np.random.default_rng(seed)
    return [ps.asarray(rng.standard_normal(v.shape).astype(v.dtype)) for v in variables]


# -- descent, dtypes, tiers ----------------------------------------------------------------------------------


def at_once(turns, act):
    """Has every optimizer take turns. What all of them do in a turn is one program, which is compiled once:
    nothing is run under an open tape."""
    for turn in range(turns):
        with ps.GradientTape(watch_accessed_variables=False):
            for name in ALL:
                act(name, turn)


@functools.cache
def descents(tier):
    """For every optimizer, how far its variables are from the bottom of a bowl before and after 60 steps."""
    with use_engine(tier):
        pairs = {
            name: [ps.Variable(data(), name="kernel"), ps.Variable(data(1, (3,)), name="bias")]
            for name in ALL
        }
        made = {name: ALL[name]() for name in ALL}

        def away():
            return {
                name: sum(float(((v.numpy() - 0.5) ** 2).sum()) for v in pair) for name, pair in pairs.items()
            }

        before = away()
        at_once(60, lambda name, turn: descend(made[name], pairs[name], 1))
        after = away()
        return {name: (before[name], after[name]) for name in ALL}


def test_descends_a_quadratic(tier, make):
    before, after = descents(tier)[make.__name__]
    assert after < before / 4, (before, after)


DTYPES = [np.dtype(one) for one in (ml_dtypes.bfloat16, "float16", "float32", "float64")]


@functools.cache
def moved_in_every_dtype(tier):
    """For every optimizer, its variables of every dtype before and after three turns, and its slots."""
    with use_engine(tier):
        variables = {
            name: [
                ps.Variable(data(i, shape).astype(d))
                for d in DTYPES
                for i, shape in enumerate([(4, 3), (3,)])
            ]
            for name in ALL
        }
        before = {name: [v.numpy() for v in own] for name, own in variables.items()}
        made = {name: ALL[name]() for name in ALL}

        def act(name, turn):
            slopes = gradients_for(turn, variables[name])
            if turn == 0:
                # An element without a gradient: epsilon must not have been lost to the narrow dtype.
                slopes = [
                    slope * ps.asarray(np.arange(slope.shape[-1]) > 0).astype(slope.dtype) for slope in slopes
                ]
            made[name].apply_gradients(zip(slopes, variables[name]))

        at_once(3, act)
        return {
            name: [
                (old, v.numpy(), [slot.numpy().dtype for slot in made[name].slots(v).values()])
                for old, v in zip(before[name], variables[name])
            ]
            for name in ALL
        }


def test_keeps_dtypes(tier, make):
    """For variables of every dtype, so that one program updates all of them."""
    found = moved_in_every_dtype(tier)[make.__name__]
    for (old, new, slots), dtype in zip(found, np.repeat(DTYPES, 2), strict=True):
        assert new.dtype == dtype
        assert all(slot == dtype for slot in slots)
        new, old = new.astype(np.float64), old.astype(np.float64)
        assert np.isfinite(new).all() and (new != old).any(), dtype


def test_halves_are_updated_in_single_precision(make):
    """What a half is rounded from is the single-precision update of the same values."""
    start, slope = data().astype(np.float16), data(1).astype(np.float16)
    half, single = ps.Variable(start), ps.Variable(start.astype(np.float32))
    # What a sum starts at is a half as well: a quarter is one exactly.
    options = {"initial_accumulator_value": 0.25} if make.__name__ == "ftrl" else {}
    pair = [optimizers.Ftrl(0.5, **options) if options else make() for _ in range(2)]
    pair[0].apply_gradients([(ps.asarray(slope), half)])
    pair[1].apply_gradients([(ps.asarray(slope.astype(np.float32)), single)])
    assert np.array_equal(half.numpy(), single.numpy().astype(np.float16))


def test_tiers_agree(make):
    found = []
    for engine in ("numpy", "xla"):
        with use_engine(engine):
            variables = [ps.Variable(data(dtype=np.float64)), ps.Variable(data(1, (3,), np.float64))]
            optimizer = make()
            for turn in range(6):
                optimizer.apply_gradients(zip(gradients_for(turn, variables), variables))
            found.append([v.numpy() for v in (*variables, *optimizer.variables)])
    for one, other in zip(*found):
        assert np.allclose(one, other, rtol=1e-9, atol=1e-12)


# -- cost ----------------------------------------------------------------------------------------------------


def test_one_capture_and_one_launch_a_step(make):
    with use_engine("xla"):
        variables = [ps.Variable(data()), ps.Variable(data(1, (3,)))]
        optimizer = make()
        turns = []

        @ps.step
        def train(x):
            turns.append(1)
            with ps.GradientTape() as tape:
                loss = ps.mean((x @ variables[0] + variables[1]) ** 2)
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
            return loss

        x = ps.asarray(data(2, (5, 4)))
        first = float(train(x))
        before = launches()
        for _ in range(10):
            last = train(x)
        assert float(last) < first
        assert launches() - before == 10 and len(turns) == 1 and len(train.captures) == 1


def test_a_captured_step_does_what_a_loop_does(tier, make):
    found = []
    for captured in (False, True):
        variables = [ps.Variable(data(dtype=np.float64)), ps.Variable(data(1, (3,), np.float64))]
        optimizer = make()

        def train(slope, offset, optimizer=optimizer, variables=variables):
            optimizer.apply_gradients([(slope, variables[0]), (offset, variables[1])])

        step = ps.step(train) if captured else train
        for turn in range(5):
            if turn == 3:
                optimizer.learning_rate = optimizer.learning_rate * 0.5
            step(*gradients_for(turn, variables))
        found.append([v.numpy() for v in (*variables, *optimizer.variables)] + [optimizer.applied])
    for one, other in zip(*found):
        assert np.allclose(one, other, rtol=1e-12)


def test_nothing_is_compiled_after_the_second_pass(make):
    with use_engine("xla"):
        variables = [ps.Variable(data(3, (2, 5))), ps.Variable(data(1, (5,)))]
        optimizer = make()
        compiled = []
        for turn in range(8):
            optimizer.learning_rate = 0.01 / (turn + 1)
            descend(optimizer, variables, 1)
            ps.wait(*variables)
            compiled.append(count_compilations())
        assert compiled[2] == compiled[-1], compiled


# -- frozen --------------------------------------------------------------------------------------------------


def test_a_frozen_variable_stays_bitwise_unmoved(tier, make):
    """Momentum that is left over and weight decay do not move it: it is left out."""
    moved, frozen = ps.Variable(data(), name="moved"), ps.Variable(data(1), name="frozen")
    optimizer = make(weight_decay=0.1)
    descend(optimizer, [moved, frozen], 3)
    kept = [v.numpy().tobytes() for v in (frozen, *optimizer.slots(frozen).values())]
    before, version = moved.numpy(), frozen.version
    frozen.trainable = False
    with pytest.warns(UpdateWarning, match="frozen") as told:
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = ps.sum((moved * frozen) ** 2)
            pairs = list(zip(tape.gradient(loss, [moved, frozen]), [moved, frozen]))
            assert pairs[1][0] is None
            optimizer.apply_gradients(pairs)
    assert len(told) == 1
    assert [v.numpy().tobytes() for v in (frozen, *optimizer.slots(frozen).values())] == kept
    assert frozen.version == version and not np.array_equal(moved.numpy(), before)


def test_a_locked_variable_is_refused_with_any_gradient(tier, make):
    moved, frozen = ps.Variable(data(), name="moved"), ps.Variable(data(1), name="frozen")
    optimizer = make(weight_decay=0.1)
    descend(optimizer, [moved, frozen], 2)
    kept = [v.numpy().tobytes() for v in (moved, frozen, *optimizer.variables)]
    zeros = ps.asarray(np.zeros((4, 3), np.float32))
    with ps.freeze(frozen), pytest.raises(LockedError, match="frozen"):
        optimizer.apply_gradients([(zeros, moved), (zeros, frozen)])
    assert [v.numpy().tobytes() for v in (moved, frozen, *optimizer.variables)] == kept
    optimizer.apply_gradients([(zeros, moved), (zeros, frozen)])


# -- state ---------------------------------------------------------------------------------------------------


def test_state_is_named_after_its_variable(make):
    variable = ps.Variable(data(), name="encoder/0/kernel")
    optimizer = make(name="mine")
    optimizer.build([variable])
    paths = [one.path for one in optimizer.variables]
    assert len(set(paths)) == len(paths) and (paths or make.__name__ == "sgd")
    slots = optimizer.slots(variable)
    assert {one.path for one in slots.values()} == {f"mine/encoder/0/kernel/{name}" for name in slots}
    assert not any(one.trainable for one in optimizer.variables)
    descend(optimizer, [variable], 1)
    assert [one.path for one in optimizer.variables] == paths


@functools.cache
def interrupted(tier):
    """For every optimizer, the final values of a run and of another that continues from its values."""
    with use_engine(tier):
        variables = {
            name: [ps.Variable(data(), name="kernel"), ps.Variable(data(1, (3,)), name="bias")]
            for name in ALL
        }
        runs = {name: [(variables[name], ALL[name]())] for name in ALL}

        def act(name, turn):
            for own, optimizer in runs[name]:
                optimizer.apply_gradients(zip(gradients_for(turn, own), own))

        at_once(3, act)
        paths = {}
        for name, ((own, optimizer),) in runs.items():
            saved = {one.path: one.numpy() for one in (*own, *optimizer.variables)}
            again = [ps.Variable(np.zeros_like(v.numpy()), name=v.path) for v in own]
            other = ALL[name]()
            other.build(again)
            paths[name] = set(saved), {one.path for one in (*again, *other.variables)}
            for one in (*again, *other.variables):
                one.assign(saved[one.path])
            runs[name].append((again, other))
        at_once(6, lambda name, turn: act(name, turn) if turn >= 3 else None)
        return {name: (paths[name], [[v.numpy() for v in own] for own, _ in runs[name]]) for name in ALL}


def test_saves_and_loads_by_its_variables(tier, make):
    """A run continues as if it had not been interrupted, from the values of named variables alone."""
    (saved, restored), (variables, again) = interrupted(tier)[make.__name__]
    assert saved == restored
    for one, two in zip(variables, again, strict=True):
        assert np.array_equal(one, two)


# -- rows ----------------------------------------------------------------------------------------------------

IDS = [[1], [2, 0], [3, 3, 3], [0, 5, 5, 1], [[1, 2], [2, 0]], []]


def train_table(optimizer, ids, dense=False, turns=4):
    """Returns a table after row gradients of changing ids, or the same made dense."""
    return train_tables([(optimizer, ids, dense)], turns)[0]


def train_tables(cases, turns=4):
    """Returns a table for each case of an optimizer, ids, and whether gradients are made dense.

    What they do in a turn is one program: nothing is run under an open tape.
    """
    tables = [ps.Variable(data(5, (6, 3), np.float64), name="table") for _ in cases]
    for turn in range(turns):
        with ps.GradientTape(watch_accessed_variables=False):
            for (optimizer, ids, dense), table in zip(cases, tables):
                picked = (np.asarray(ids, np.int64) + turn) % 6
                with ps.GradientTape() as tape:
                    rows = ps.take(table, ps.asarray(picked), axis=0)
                    loss = ps.sum((rows - 0.3) ** 2) * (turn + 1.0)
                gradient = tape.gradient(loss, table)
                assert isinstance(gradient, Rows)
                optimizer.apply_gradients([(gradient.dense() if dense else gradient, table)])
    return [table.numpy() for table in tables]


@pytest.mark.parametrize(
    "options",
    [{}, {"weight_decay": 0.1}, {"clipvalue": 0.5}, {"clipnorm": 0.5}, {"global_clipnorm": 0.5},
     {"gradient_accumulation_steps": 2}, {"use_ema": True}, {"finite": "skip"}],
    ids=str,
)  # fmt: skip
def test_rows_do_what_dense_gradients_do(make, options):
    for ids in IDS:
        with use_engine("numpy"):
            rows, dense = (train_table(make(**options), ids, dense) for dense in (False, True))
        assert np.allclose(rows, dense, rtol=1e-10, atol=1e-12), ids


@functools.cache
def rows_in_xla():
    """For every optimizer, a table after row gradients, and after the same made dense."""
    with use_engine("xla"):
        # All ids are tried above; here it is the repeated ones that XLA might add in another way.
        cases = [
            (ALL[name](global_clipnorm=1.0), [0, 5, 5, 1], dense) for name in ALL for dense in (False, True)
        ]
        tables = train_tables(cases)
    return dict(zip(ALL, zip(tables[::2], tables[1::2])))


def test_rows_do_so_in_xla_as_well(make):
    rows, dense = rows_in_xla()[make.__name__]
    assert np.allclose(rows, dense, rtol=1e-10, atol=1e-12)


def test_lazy_rows_move_only_the_rows_that_were_read(tier, make):
    if make.__name__ in WHOLE:
        with pytest.raises(PenstockError, match="lazy"):
            make(rows="lazy")
        return
    choices = [{}, {"weight_decay": 0.1}, {"global_clipnorm": 0.5}]
    # The rows that were read move as a dense update of theirs alone would move them.
    cases = [(make(rows="lazy", **options), [1, 1, 4], False) for options in choices]
    cases += [(make(**options), [1, 1, 4], True) for options in choices]
    tables = train_tables(cases, turns=1)
    start, untouched = data(5, (6, 3), np.float64), [0, 2, 3, 5]
    for options, lazy, dense in zip(choices, tables[:3], tables[3:]):
        assert lazy[untouched].tobytes() == start[untouched].tobytes(), options
        assert (lazy[[1, 4]] != start[[1, 4]]).all(), options
        assert np.allclose(lazy[[1, 4]], dense[[1, 4]], rtol=1e-12), options


def shapes_of_an_update(optimizer, size):
    """Returns how often each primitive makes a value that is as long as the table, in one recorded update."""
    from penstock.trace.local import local

    table = ps.Variable(np.ones((size, 2), np.float32))
    ids = ps.asarray(np.arange(3))
    optimizer.build([table])
    ps.wait(table.assign(table.numpy()))
    with ps.GradientTape() as tape:
        loss = ps.sum(ps.take(table, ids, axis=0) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, table), table)])
    calls = local.trace.node.program()
    ps.wait(table)
    long = [c for c in calls if c.inputs and c.spec.shape[:1] == (size,) and hasattr(c.primitive, "numpy")]
    return sorted(call.primitive.name for call in long)


@pytest.mark.parametrize(
    "options", [{}, {"global_clipnorm": 1.0}, {"clipvalue": 0.1}, {"finite": "skip"}], ids=str
)
def test_the_cost_of_rows_does_not_depend_on_the_table(make, options):
    """Only writes of a few rows into the table or its state are as long as it; both happen in place."""
    if make.__name__ in WHOLE:
        pytest.skip("looks at whole variables")
    for rows in ("exact", "lazy"):
        found = shapes_of_an_update(make(rows=rows, **options), 1009)
        cheap = set(found) <= {"add_rows", "set_rows"}
        assert cheap == (rows == "lazy" or make.__name__ in ROWWISE), (rows, found)


def test_accumulated_rows_cost_nothing_that_depends_on_the_table():
    for options in ({"rows": "lazy"}, {}):
        make = optimizers.Adam if options else optimizers.Adagrad
        found = shapes_of_an_update(make(0.1, gradient_accumulation_steps=3, **options), 1009)
        assert set(found) <= {"set_rows"}, found
