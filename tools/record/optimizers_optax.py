"""Step the Optax optimizers along given gradients: `tests/oracles/optimizers_optax.json`.

Usage, in an environment that has Optax 0.2.8: python tools/record/optimizers_optax.py [--check]
"""

import sys

import jax
import jax.numpy as jnp
import optax
import optax.contrib
from optimizers_given import START, main

jax.config.update("jax_enable_x64", True)

CASES = [
    {"name": "momentum", "class": "sgd", "arguments": {"learning_rate": 0.1, "momentum": 0.9}},
    {"name": "nesterov", "class": "sgd",
     "arguments": {"learning_rate": 0.1, "momentum": 0.9, "nesterov": True}},
    {"name": "adam", "class": "adam", "arguments": {"learning_rate": 0.1}},
    {"name": "adamw", "class": "adamw", "arguments": {"learning_rate": 0.1, "weight_decay": 0.5}},
    {"name": "adamax", "class": "adamax", "arguments": {"learning_rate": 0.1, "eps": 0.1}},
    {"name": "nadam", "class": "nadam", "arguments": {"learning_rate": 0.1}},
    {"name": "adagrad_without_epsilon", "class": "adagrad",
     "arguments": {"learning_rate": 0.5, "initial_accumulator_value": 0.25, "eps": 0.0}},
    {"name": "adadelta", "class": "adadelta",
     "arguments": {"learning_rate": 1.0, "rho": 0.95, "eps": 1e-6}},
    {"name": "rmsprop", "class": "rmsprop",
     "arguments": {"learning_rate": 0.1, "decay": 0.9, "eps": 0.01, "eps_in_sqrt": False}},
    {"name": "rmsprop_momentum", "class": "rmsprop",
     "arguments": {"learning_rate": 0.1, "decay": 0.9, "eps": 0.01, "eps_in_sqrt": False, "momentum": 0.5}},
    {"name": "lion", "class": "lion", "arguments": {"learning_rate": 0.1, "weight_decay": 0.0}},
    {"name": "lion_decay", "class": "lion",
     "arguments": {"learning_rate": 0.1, "b1": 0.5, "b2": 0.8, "weight_decay": 0.5}},
    {"name": "lamb", "class": "lamb", "arguments": {"learning_rate": 0.1}},
    {"name": "lamb_decay", "class": "lamb", "arguments": {"learning_rate": 0.1, "weight_decay": 0.5}},
    {"name": "adafactor_matrix", "class": "adafactor",
     "arguments": {"learning_rate": 0.1, "min_dim_size_to_factor": 1}, "shape": [2, 3]},
    {"name": "muon_plain", "class": "muon",
     "arguments": {"learning_rate": 0.1, "nesterov": False, "weight_decay": 0.1}, "shape": [2, 3]},
    {"name": "muon_vector", "class": "muon", "arguments": {"learning_rate": 0.1, "nesterov": False}},
    {"name": "muon_consistent", "class": "muon",
     "arguments": {"learning_rate": 0.1, "nesterov": False, "consistent_rms": 0.3}, "shape": [3, 2]},
]  # fmt: skip


def run(case: dict, gradients: list[list[float]]) -> list[list[float]]:
    """Return the values that one optimizer passes through."""
    place = optax.contrib if case["class"] == "muon" else optax
    optimizer = getattr(place, case["class"])(**case["arguments"])
    variable = jnp.asarray(START, jnp.float64).reshape(case["shape"])
    state = optimizer.init(variable)
    values = []
    for gradient in gradients:
        slope = jnp.asarray(gradient, jnp.float64).reshape(case["shape"])
        updates, state = optimizer.update(slope, state, variable)
        variable = optax.apply_updates(variable, updates)
        values.append([float(one) for one in variable.ravel()])
    return values


if __name__ == "__main__":
    versions = {"optax": optax.__version__, "jax": jax.__version__}
    sys.exit(main("optimizers_optax", versions, CASES, run))
