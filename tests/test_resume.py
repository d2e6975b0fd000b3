"""A fresh program that loads a checkpoint continues bit for bit, even in the middle of a window."""

import os
import random
import signal
import tempfile
import time
import warnings

import numpy as np
import pytest

import penstock as ps
import penstock.tensorflow as tf
import processes
from penstock import optimizers
from penstock.errors import CheckpointError
from penstock.grad.rows import Rows
from penstock.optimizers import schedules
from test_optimizers_properties import ALL, WHOLE

pytest.importorskip("safetensors")
TURNS = 7
WINDOW = {"gradient_accumulation_steps": 3}
EVERYTHING = {
    **WINDOW,
    "use_ema": True,
    "ema_overwrite_frequency": 2,
    "loss_scale_factor": "dynamic",
    "loss_scale_growth_steps": 2,
    "weight_decay": 0.01,
}


def parameters():
    rng = np.random.default_rng(0)
    shapes = {"kernel": (4, 3), "table": (6, 3)}
    return [
        ps.Variable(rng.standard_normal(shape).astype(np.float32), name=name)
        for name, shape in shapes.items()
    ]


def turn(number, variables, optimizer):
    """One call of an optimizer, with a dense gradient and one that is rows."""
    kernel, table = variables
    rng = np.random.default_rng(100 + number)
    with ps.GradientTape() as tape:
        rows = ps.take(table, ps.asarray(rng.integers(0, 6, 3)), axis=0)
        loss = optimizer.scale_loss(ps.sum((rows @ ps.permute_dims(kernel, (1, 0)) - 0.3) ** 2) * 0.1)
    gradients = tape.gradient(loss, variables)
    assert isinstance(gradients[1], Rows)
    optimizer.apply_gradients(zip(gradients, variables))


def state(things, optimizer):
    own = things if isinstance(things, list) else things.variables
    return {one.path: one.numpy().tobytes() for one in (*own, *optimizer.variables)}


def assert_resumes(tmp_path, program, step=turn, load=ps.load, turns=TURNS, starts=range(TURNS + 1)):
    """Saves before some turns, or after the last; from each file, fresh objects end with the run's values."""
    things, optimizer = program()
    for number in range(turns + 1):
        if number in starts:
            ps.save(tmp_path / str(number), things, optimizer)
        if number < turns:
            step(number, things, optimizer)
    want, applied = state(things, optimizer), optimizer.applied
    for start in starts:
        things, optimizer = program()
        load(tmp_path / str(start), things, optimizer)
        for number in range(start, turns):
            step(number, things, optimizer)
        got = state(things, optimizer)
        differing = sorted(name for name in {*want, *got} if want.get(name) != got.get(name))
        assert not differing, f"resumed from turn {start}"
        assert optimizer.applied == applied


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("rows", ["exact", "lazy"])
def test_every_optimizer_in_the_middle_of_a_window(tmp_path, tier, name, rows):
    if rows == "lazy" and name in WHOLE:
        pytest.skip("looks at whole variables")
    # In the first window, between two, and after an update. Other tests of one optimizer begin at every turn.
    assert_resumes(tmp_path, lambda: (parameters(), ALL[name](rows=rows, **EVERYTHING)), starts=(1, 3, 5))


def test_rows_that_wait_are_kept_as_rows(tmp_path):
    variables, optimizer = parameters(), optimizers.SGD(0.1, **WINDOW)
    turn(0, variables, optimizer)
    ps.save(tmp_path / "one", variables, optimizer)
    variables, optimizer = parameters(), optimizers.SGD(0.1, **WINDOW)
    ps.load(tmp_path / "one", variables, optimizer)
    slots = optimizer.slots(variables[1])
    assert slots["gradient_ids"].shape == (3, 3) and slots["gradient_rows"].shape == (3, 3, 3)
    assert slots["gradient_rows"].numpy()[0].any() and not slots["gradient_rows"].numpy()[1:].any()


def test_an_optimizer_that_was_built_before(tmp_path, tier):
    def built():
        variables, optimizer = parameters(), optimizers.Adam(0.05, **EVERYTHING)
        optimizer.build(variables)
        return variables, optimizer

    assert_resumes(tmp_path, built)

    def load(path, variables, optimizer):
        optimizer.build(variables)
        ps.load(path, variables, optimizer)

    assert_resumes(tmp_path, lambda: (parameters(), optimizers.Adam(0.05, **EVERYTHING)), load=load)


def then(change):
    """A turn after which the program changes something of the optimizer."""

    def step(number, variables, optimizer):
        turn(number, variables, optimizer)
        change(number, optimizer)

    return step


def set_at(number, name, value):
    return then(lambda now, optimizer: now == number and setattr(optimizer, name, value))


def decay_head(number, optimizer):
    optimizer.groups["table"].learning_rate *= 0.9


@pytest.mark.parametrize(
    ("make", "step"),
    [
        (lambda: optimizers.SGD(0.1), then(lambda number, optimizer: optimizer.iterations)),
        (lambda: optimizers.SGD(0.1), set_at(2, "gradient_accumulation_steps", 2)),
        (lambda: optimizers.SGD(0.1, **WINDOW), set_at(2, "gradient_accumulation_steps", None)),
        (lambda: optimizers.SGD(0.1, **WINDOW), set_at(3, "gradient_accumulation_reduction", "sum")),
        (lambda: optimizers.SGD(0.1), set_at(2, "use_ema", True)),
        (lambda: optimizers.SGD(0.1), set_at(2, "momentum", 0.9)),
        (lambda: optimizers.SGD(0.1), set_at(2, "loss_scale_factor", "dynamic")),
        (lambda: optimizers.Adam(0.1, clipnorm=0.1), set_at(2, "clipnorm", None)),
        (lambda: optimizers.Adam(0.1, rows="lazy"), set_at(2, "rows", "exact")),
        (lambda: optimizers.Adam(0.1, groups={"table": {"learning_rate": 0.5}}, **WINDOW), then(decay_head)),
        (lambda: optimizers.Adam(schedules.ExponentialDecay(0.1, 1, 0.5), **WINDOW), turn),
        (lambda: optimizers.SGD(lambda step: 0.1 if step < 2 else 0.01, **WINDOW), turn),
        (lambda: optimizers.SGD(lambda step: 0.1 if step < 3 else 0.01), turn),
        (
            lambda: optimizers.SGD(ps.Variable(0.1)),
            then(lambda number, optimizer: optimizer.learning_rate.assign(0.1 / (number + 2))),
        ),
        (
            lambda: optimizers.SGD(ps.asarray(0.1)),
            then(lambda number, optimizer: setattr(optimizer, "learning_rate", ps.asarray(1 / (number + 9)))),
        ),
    ],
    ids=[
        "iterations", "window", "no window", "sum", "averages", "momentum", "loss scale", "clipping", "rows",
        "group", "schedule", "function of a window", "function", "variable", "tensor",
    ],
)  # fmt: skip
def test_what_a_program_sets_or_asks_for_late(tmp_path, tier, make, step):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a loss that was not scaled
        # Before it is set, just then, and after.
        assert_resumes(tmp_path, lambda: (parameters(), make()), step, starts=(1, 2, 3, 4))


def test_a_variable_that_joins_late(tmp_path, tier):
    def step(number, variables, optimizer):
        used = variables[: 1 + (number > 1)]
        with ps.GradientTape() as tape:
            loss = sum((ps.sum(one**2) for one in used), ps.asarray(0.0))
        optimizer.apply_gradients(zip(tape.gradient(loss, used), used))

    assert_resumes(tmp_path, lambda: (parameters(), optimizers.Adam(0.1, **WINDOW)), step)


def train_layers(number, model, optimizer):
    x = np.random.default_rng(number).standard_normal((8, 4)).astype(np.float32)
    with ps.GradientTape() as tape:
        loss = ps.mean(model(x, training=True) ** 2)
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))


def layers(seed=7, build=True):
    rows = [
        ps.layers.Dense(5, "relu"), ps.layers.BatchNormalization(), ps.layers.Dropout(0.5, seed=seed),
        ps.layers.Dense(2),
    ]  # fmt: skip
    model = ps.layers.Sequential(rows, name="net")
    if build:
        model(np.zeros((1, 4), np.float32))
    return model, optimizers.Adam(0.1, **WINDOW)


@pytest.mark.parametrize("seed", [7, None])
def test_draws_of_a_layer_go_on(tmp_path, tier, seed):
    ps.random.seed(5)
    assert_resumes(tmp_path, lambda: layers(seed), train_layers)


def test_draws_of_a_captured_step_go_on(tmp_path, tier):
    """The stream belongs to the layer for all that draw from it: here a step captured before the load."""
    model, optimizer = layers()
    step = ps.step(lambda x: ps.sum(model(x, training=True)))
    x = ps.ones((8, 4))
    step(x)
    ps.save(tmp_path / "one", model, optimizer)
    first = [float(step(x)) for _ in range(3)]
    done = ps.load(tmp_path / "one", model, optimizer)
    assert [float(step(x)) for _ in range(3)] == first
    assert "random numbers of net/2" in done.restored


@pytest.mark.parametrize("options", [{}, {**WINDOW, "use_ema": True}], ids=["plain", "window"])
@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_optimizers_of_keras(tmp_path, tier, kind, options):
    def program():
        tf.keras.backend.clear_session()
        kinds = tf.keras.layers
        model = tf.keras.Sequential([kinds.Dense(4, "relu"), kinds.Dropout(0.5, seed=3), kinds.Dense(2)])
        model(np.zeros((1, 3), np.float32))
        return model, getattr(tf.keras.optimizers, kind)(0.1, **options)

    def step(number, model, optimizer):
        x = np.random.default_rng(number).standard_normal((8, 3)).astype(np.float32)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(x, training=True) ** 2)
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        optimizer.learning_rate = 0.1 * 0.9**number

    run = [program() for _ in range(2)]
    for number in range(TURNS):
        ps.save(tmp_path / str(number), model=run[0][0], optimizer=run[0][1])
        for one in run[:1]:
            step(number, *one)
    want = state(*run[0])
    for start in range(TURNS):
        again = program()
        ps.load(tmp_path / str(start), model=again[0], optimizer=again[1])
        for number in range(start, TURNS):
            step(number, *again)
        assert state(*again) == want, start


# -- back, and not at all ------------------------------------------------------------------------------------


def test_an_older_checkpoint_takes_an_optimizer_back(tmp_path, tier):
    """The same objects: state that the file does not contain starts over."""
    variables, optimizer = parameters(), optimizers.Adam(0.05, **EVERYTHING)
    ends = []
    for _ in range(2):
        if ends:
            ps.load(tmp_path / "0", variables, optimizer)
        else:
            ps.save(tmp_path / "0", variables, optimizer)
        for number in range(TURNS):
            turn(number, variables, optimizer)
        ends.append((state(variables, optimizer), optimizer.applied))
    assert ends[0] == ends[1]


def test_a_load_that_fails_leaves_the_optimizer_as_it_was(tmp_path):
    variables, optimizer = parameters(), optimizers.Adam(0.05, **EVERYTHING)
    turn(0, variables, optimizer)
    ps.save(tmp_path / "one", variables, optimizer)
    other = [ps.Variable(np.zeros((4, 3), np.float32), name="kernel"), ps.Variable([1.0], name="else")]
    fresh = optimizers.Adam(0.5, clipnorm=1.0)
    shown = repr(fresh)
    with pytest.raises(CheckpointError, match="extra"):
        ps.load(tmp_path / "one", other, fresh)
    assert repr(fresh) == shown and not fresh.variables and fresh.applied == 0
    with pytest.raises(CheckpointError):
        ps.load(tmp_path / "one", other, optimizer)
    assert len(optimizer.slots(variables[0])) == 4 and optimizer.learning_rate == 0.05


def test_layers_that_have_not_been_called(tmp_path):
    model, optimizer = layers()
    train_layers(0, model, optimizer)
    ps.save(tmp_path / "one", model, optimizer)
    model, optimizer = layers(build=False)
    with pytest.raises(CheckpointError, match="Call net once before: a layer creates its variables"):
        ps.load(tmp_path / "one", model, optimizer)


def test_state_that_cannot_be_restored_is_reported(tmp_path):
    weight = ps.Variable(1.0, name="weight")
    ps.save(tmp_path / "one", weight, optimizers.SGD(0.1))
    weight.trainable = False
    schedule = optimizers.SGD(schedules.ExponentialDecay(0.1, 1, 0.5))
    done = ps.load(tmp_path / "one", weight, schedule)
    assert "trainable in the file and not here: weight" in repr(done)
    assert "sgd/learning_rate is a function of the step here" in repr(done)
    assert callable(schedule.learning_rate) and not weight.trainable
    ps.save(tmp_path / "two", weight, schedule)
    weight.trainable = True
    done = ps.load(tmp_path / "two", weight, optimizers.SGD(0.1))
    assert "trainable here and not in the file: weight" in repr(done)
    assert "sgd/learning_rate was a function of the step, but is a number here" in repr(done)


# -- kills ---------------------------------------------------------------------------------------------------

TRAINING = """
import sys, os
import numpy as np, penstock as ps
sys.path.insert(0, {tests!r})
from test_resume import EVERYTHING, layers, turn, parameters
path, turns = sys.argv[1], int(sys.argv[2])
ps.random.seed(3)
variables, optimizer = parameters(), ps.optimizers.Adam(0.05, **EVERYTHING)
dropout = ps.layers.Dropout(0.5, seed=3)
begin = ps.load(path, variables, optimizer, dropout)["turn"] if os.path.exists(path) else 0
for number in range(begin, turns):
    turn(number, variables, optimizer)
    variables[0].assign_add(dropout(ps.random.normal((4, 3)), training=True) * 0.01)
    ps.save(path, variables, optimizer, dropout, turn=number + 1)
    print(number, flush=True)
for one in (*variables, *optimizer.variables):
    print(one.path, one.numpy().tobytes().hex())
"""


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_a_run_that_is_killed_again_and_again(tmp_path, engine):
    """Killed at random micro-steps, and at random instants within them; started again each time."""
    turns = 31
    program = TRAINING.format(tests=os.path.dirname(__file__))
    chance = random.Random(1)

    def started(name, kill):
        ours, theirs = os.pipe()
        with open(ours) as told, open(os.devnull) as nothing, tempfile.TemporaryFile("w+") as errors:
            process = processes.starter.begin(
                ["-c", program, tmp_path / name, turns],
                [nothing.fileno(), theirs, errors.fileno()],
                # What one process compiles, the next one loads, as on a user's machine.
                env=os.environ
                | {"PENSTOCK_ENGINE": engine, "PENSTOCK_CACHE_DIR": str(tmp_path / "compiled")},
            )
            os.close(theirs)
            read = []
            for line in told:
                read.append(line)
                if kill is not None and len(read) == kill:
                    time.sleep(chance.random() * 0.004)
                    process.kill()
                    break
            read += told
            status = process.wait()
            errors.seek(0)
            assert status == (0 if kill is None else -signal.SIGKILL), errors.read()
        return read

    whole = started("whole", None)
    reached = set()
    for kills in range(1, 16):
        told = started("killed", chance.randrange(2, 6))
        # It may have reached its end, and been killed while it printed its results.
        reached.add(int([line for line in told if line.strip().isdigit()][-1]) % 3)
        if kills >= 5 and len(reached) > 1:
            break
    assert len(reached) > 1, "killed in the same place of the window each time"
    resumed = started("killed", None)
    assert resumed[-10:] == whole[-10:] and len(whole) > turns + 8
