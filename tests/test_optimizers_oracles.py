"""Every optimizer against recorded runs of Keras, PyTorch and Optax, 20 steps each.

PyTorch and Optax were recorded in float64, and are compared with the native optimizers to the last digits; a
case says which arguments of ours its own stand for. Keras was recorded in float32, through the dialect.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import penstock as ps
from penstock import tensorflow as tf

ORACLES = Path(__file__).parent / "oracles"
TORCH = json.loads((ORACLES / "optimizers_torch.json").read_text())
KERAS = json.loads((ORACLES / "optimizers.json").read_text())
OPTAX = json.loads((ORACLES / "optimizers_optax.json").read_text())

NAMES = {
    "lr": "learning_rate", "eps": "epsilon", "alpha": "rho", "b1": "beta_1", "b2": "beta_2", "decay": "rho",
}  # fmt: skip
CLASSES = {
    "NAdam": "Nadam", "sgd": "SGD", "adam": "Adam", "adamw": "AdamW", "adamax": "Adamax", "nadam": "Nadam",
    "adagrad": "Adagrad", "adadelta": "Adadelta", "rmsprop": "RMSprop", "lion": "Lion", "lamb": "LAMB",
    "adafactor": "Adafactor", "muon": "Muon",
}  # fmt: skip
# The framework's defaults that differ from Penstock's.
THEIRS = {
    ("torch", "NAdam"): {"learning_rate": 0.002},
    ("torch", "Adadelta"): {"rho": 0.9},
    ("torch", "Muon"): {"weight_decay": 0.1},
    ("torch", "Adafactor"): {"relative_step": True},
    # Optax has no schedule of the momentum: the factor 0.96 ** (t * decay) is gone for a decay this large.
    ("optax", "nadam"): {"momentum_decay": 1e6},
    ("optax", "adafactor"): {"relative_step": False},
    ("optax", "muon"): {"epsilon": 1e-8},
}
DROPPED = ("eps_in_sqrt", "min_dim_size_to_factor")


DIVIDING = ("Adam", "AdamW", "Adamax", "Nadam", "Lamb", "Muon")


def ours(framework, case):
    """Returns our optimizer with the arguments that those of a case stand for."""
    arguments = {**THEIRS.get((framework, case["class"]), {})}
    for name, value in case["arguments"].items():
        if name == "betas":
            arguments["beta_1"], arguments["beta_2"] = value
        elif name == "adjust_lr_fn" or name == "consistent_rms":
            arguments["scale"] = value
        elif name not in DROPPED:
            arguments[NAMES.get(name, name)] = value
    return getattr(ps.optimizers, CLASSES.get(case["class"], case["class"]))(**arguments)


def track(optimizer, case, oracle, transposed=False):
    """Returns the values that a variable passes through."""

    def matrix(numbers):
        made = np.asarray(numbers).reshape(case["shape"])
        return np.ascontiguousarray(made.T) if transposed else made

    variable = ps.Variable(matrix(oracle["start"]), name="variable", dtype="float64")
    values = []
    for gradient in oracle["gradients"]:
        optimizer.apply_gradients([(ps.asarray(matrix(gradient)), variable)])
        value = variable.numpy()
        values.append((value.T if transposed else value).ravel())
    return np.asarray(values)


CASES = [("torch", one) for one in TORCH["optimizers"]] + [("optax", one) for one in OPTAX["optimizers"]]


@pytest.mark.parametrize(("framework", "case"), CASES, ids=[f"{f}-{c['name']}" for f, c in CASES])
def test_pytorch_and_optax_agree(tier, framework, case):
    oracle = {"torch": TORCH, "optax": OPTAX}[framework]
    # PyTorch keeps a kernel as outputs by inputs; Penstock and Optax the other way round.
    transposed = framework == "torch" and case["class"] == "Muon"
    found = track(ours(framework, case), case, oracle, transposed)
    wanted = np.asarray(case["values"])
    # Sums of 20 float64 updates: some roundings of the largest value that an element ever has. On top of it a
    # Newton-Schulz iteration is a chain of matrix products, which each tier adds up in its own order.
    scale = np.abs(np.vstack([oracle["start"], wanted])).max(axis=0)
    allowed = 2.0**-52 * (1e6 if case["class"].lower() == "muon" else 1e3)
    if (framework, case["class"]) == ("optax", "adafactor"):
        # Optax computes t ** -0.8 in float32 even if all else has another dtype.
        allowed = 2.0**-24
    assert (np.abs(found - wanted) <= allowed * scale).all(), np.abs(found - wanted).max(1)


@pytest.mark.parametrize("case", KERAS["optimizers"], ids=[case["name"] for case in KERAS["optimizers"]])
def test_keras_agrees(tier, case):
    optimizer = getattr(tf.keras.optimizers, case["class"])(**case["arguments"])
    shape = case.get("shape", [len(KERAS["start"])])
    variable = tf.Variable(np.reshape(np.asarray(KERAS["start"], np.float32), shape), name="variable")
    found = []
    for number, gradient in enumerate(KERAS["gradients"]):
        if "rates" in case:
            optimizer.learning_rate = case["rates"][number]
        slope = tf.constant(np.reshape(np.asarray(gradient, np.float32), shape))
        optimizer.apply_gradients([(slope, variable)])
        found.append(variable.numpy().ravel())
    found, wanted = np.asarray(found), np.asarray(case["values"])
    steps = np.abs(np.diff(np.vstack([KERAS["start"], wanted]), axis=0)).sum(axis=0)
    # Twenty single-precision updates: a rounding or two each, of the largest value that element ever has.
    allowed = 4e-6 * np.abs(np.vstack([KERAS["start"], wanted])).max(axis=0)
    if case["class"] in DIVIDING:
        # Keras corrects by 1 - beta_2**t with beta_2 in single precision, but averages with 1 - beta_2 not so
        # rounded: at 0.999 half a rounding is 3e-5 of the difference, its root 1.5e-5 of the way moved.
        allowed = allowed + 1.5e-5 * steps
    if case["class"] == "Muon":
        # Five Newton-Schulz steps multiply matrices of single precision up to 3.4 times as large as the last.
        allowed = allowed + 2e-4 * steps
    assert (np.abs(found - wanted) <= allowed).all(), (
        np.abs(found - wanted) / np.maximum(allowed, 1e-30)
    ).max(1)
    kept = {
        one.name.rsplit("_", 1)[-1]: one.numpy().ravel()
        for one in optimizer._updates.slots(variable).values()
    }
    for name, numbers in case["slots"].items():
        if name in kept and case["class"] != "Adafactor":
            size = np.abs(numbers).max() + 1e-30
            assert np.allclose(kept[name], numbers, rtol=2e-5, atol=2e-6 * size), name


def test_every_optimizer_has_an_oracle():
    keras = KERAS
    recorded = {CLASSES.get(case["class"], case["class"]).lower() for _, case in CASES}
    recorded |= {case["class"].lower() for case in keras["optimizers"]}
    public = {name for name in ps.optimizers.__all__ if isinstance(getattr(ps.optimizers, name), type)}
    assert {name.lower() for name in public - {"Optimizer", "Group"}} <= recorded
