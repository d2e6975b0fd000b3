"""Trains a model in several processes; test_distribution.py starts it, and checks its output.

    two_processes.py HOW FOLDER

HOW is `numbers`: trains in several ways and prints the results; in several processes it also tries forbidden
actions. Or `die`, `sleep`: saves after each third step, and process 1 crashes or hangs after the fifth. Or
`resume`: continues from the checkpoint, then trains again without a break, and compares. XLA compiles in a
fraction of the time, see emitters.py, unless the variable CODE_OF_USERS is set.
"""

import os
import signal
import sys
import time

import numpy as np

import penstock as ps
from emitters import Chosen, compiled_quickly
from penstock import distribution as D

HOW, FOLDER = sys.argv[1:]
NUMBER = int(os.environ.get("PENSTOCK_PROCESS", "0"))
TOGETHER = "PENSTOCK_PROCESS" in os.environ
D.initialize() if TOGETHER else None
PATH = f"{FOLDER}/model.safetensors"
STEPS = 8
found, told = [], []


def layers_of(name):
    """A model with dropout and batch normalization, and its optimizer."""
    made = [ps.layers.Dense(32, activation="relu", name=f"{name}_in"), ps.layers.Dense(4, name=f"{name}_out")]
    norm = ps.layers.BatchNormalization(name=f"{name}_norm")
    return [*made, norm, ps.layers.Dropout(0.25, name=f"{name}_drop")], ps.optimizers.Adam(0.01)


def step_of(layers, optimizer):
    def step(x, label):
        first, last, norm, drop = layers
        with ps.GradientTape() as tape:
            scores = last(drop(norm(first(x), training=True), training=True))
            loss = ps.mean(ps.losses.softmax_cross_entropy(scores, label))
        weights = [w for layer in layers for w in layer.trainable_variables]
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    return step


def batches(count):
    data = np.random.default_rng(0)
    for _ in range(count):
        yield data.standard_normal((16, 8)).astype("float32"), data.integers(0, 4, 16)


def train(distribution, name, captured):
    """Train in a plain loop or captured; keep losses and weights."""
    D.set_distribution(distribution)
    ps.random.seed(3)
    layers, optimizer = layers_of(name)
    step = step_of(layers, optimizer)
    run = ps.step(step) if captured else step
    found.extend(float(run(x, label)) for x, label in batches(4))
    found.extend(float(np.abs(v.numpy()).sum()) for layer in layers for v in layer.variables)


def split(count):
    mesh = D.DeviceMesh((count // 2, 2), ["batch", "model"])
    layouts = D.LayoutMap(mesh)
    layouts["kernel"] = ("model", None)
    layouts["table"] = ("batch", None)
    return D.ModelParallel(layout_map=layouts, batch_dim_name="batch")


def attempt(what, action):
    """Runs an action that must fail; the test reads its message."""
    try:
        action()
        told.append(f"TOLD {what}: nothing")
    except ps.errors.PenstockError as error:
        told.append(f"TOLD {what}: {type(error).__name__}: " + " | ".join(str(error).splitlines()))


def disagree():
    """Actions that processes may not do separately, and actions that are refused in all of them."""
    table = ps.Variable(np.ones((8, 2), "float32"), name="table")
    optimizer = ps.optimizers.SGD(0.1)

    def look_up(ids):
        with ps.GradientTape() as tape:
            loss = ps.sum(ps.take(table, ids, axis=0))
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])
        return float(loss)

    look_up(np.array([0, 1, 5, 7]))
    before = table.numpy()
    attempt("index", lambda: look_up(np.array([0, 1, 8, 7])))
    kept = ps.Variable(np.ones(8, "float32"), name="kept")

    @ps.step(updates="table")
    def broken():
        table.assign_add(ps.ones((8, 2)))
        kept.assign_add(ps.ones(8))

    attempt("contract", broken)
    told.append(f"TOLD unchanged: {np.array_equal(before, table.numpy()) and kept.numpy().sum() == 8.0}")
    x = np.ones((16 + 8 * NUMBER, 8), "float32")
    attempt("shape", lambda: float(ps.sum(ps.matmul(x, table) ** 2)))
    x = np.ones((16, 8), "float32")
    attempt("line", lambda: float(ps.sum((ps.sin if NUMBER else ps.cos)(ps.matmul(x, table)))))
    own = ps.Variable(np.full((8, 8), float(NUMBER), "float32"), name="own")
    attempt("value", lambda: float(ps.sum(ps.matmul(x, own))))
    ps.random.seed(NUMBER)
    attempt("seed", lambda: float(ps.sum(ps.matmul(ps.random.normal((16, 8)), table))))
    attempt("path", lambda: ps.save(f"{FOLDER}/other{NUMBER}", table))
    attempt("things", lambda: ps.save(f"{FOLDER}/other", *[table, kept][: NUMBER + 1]))
    attempt("what", lambda: ps.save(f"{FOLDER}/o", table) if NUMBER else float(ps.sum(table * 5.0)))
    os.environ["PENSTOCK_PATIENCE"] = "1"
    attempt("absent", lambda: None if NUMBER else ps.save(f"{FOLDER}/other", table))
    del os.environ["PENSTOCK_PATIENCE"]


def saved(begin=0):
    """Train with a checkpoint after each third step; process 1 may come to no good end."""
    weight = ps.Variable(ps.random.normal((8, 8)), name="weight")
    optimizer = ps.optimizers.Adam(0.1)
    if begin is None:
        begin = ps.load(PATH, weight, optimizer)["step"]
        told.append(f"TOLD resumed at {begin}")
    losses = []
    for number, (x, _) in enumerate(batches(STEPS)):
        if number < begin:
            continue
        if number == 5 and NUMBER == 1 and HOW == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if number == 5 and NUMBER == 1 and HOW == "sleep":
            time.sleep(100)
        with ps.GradientTape() as tape:
            loss = ps.mean((ps.matmul(x, weight) * ps.random.uniform((8,))) ** 2)
        optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
        losses.append(float(loss))
        if HOW != "resume" and number % 3 == 2:
            ps.save(PATH, weight, optimizer, step=number + 1)
    return losses, [one.numpy().tobytes() for one in (weight, *optimizer.variables)]


def main():
    """Does what HOW says."""
    if HOW == "numbers":
        train(D.DataParallel(shard_weights=True), "spread", captured=False)
        train(split(8), "split", captured=True)
        if TOGETHER:
            disagree()
        D.set_distribution(None)
        found.append(float(ps.Variable(2.0) * 2.0))
    else:
        D.set_distribution(D.DataParallel(shard_weights=True))
        ps.random.seed(0)
        if HOW == "resume":
            losses, weights = saved(None)
            ps.random.seed(0)
            anew = saved()
            told.append(f"TOLD same: {losses == anew[0][-len(losses) :] and weights == anew[1]}")
        else:
            saved()


Chosen.code_of_users = "CODE_OF_USERS" in os.environ
with compiled_quickly():
    main()
# In one piece: the library that joins the processes prints too.
print("\n" + "\n".join([*told, f"FOUND {found}"]) + "\n", flush=True)
