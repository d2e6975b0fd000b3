"""Step the Keras optimizers along given gradients and write down every value they pass through.

Usage, from the root of the repository, in an environment that has TensorFlow 2.21 and Keras 3.15:

    python tools/record/optimizers.py            record
    python tools/record/optimizers.py --check    record nothing, report what differs

The answer is `tests/oracles/optimizers.json`:

    versions     of tensorflow, keras, numpy and python
    dtype        of everything below
    start        value of the one variable, a vector
    gradients    one vector for each of the 20 steps, the same for every optimizer
    optimizers   a list of
      name           of the case
      class          in `keras.optimizers`
      arguments      given to it
      shape          of the variable, where it has two axes; numbers stand in its order
      rates          only where `optimizer.learning_rate` is set anew before each step
      values         of the variable after each step
      slots          optimizer variables after the last step (without iteration count and learning rate)

Numbers are the shortest decimals that read back as the same float32.
"""

import argparse
import sys

import numpy as np
from reference import ORACLES, compare, keras, tf, versions, write

RECORD = ORACLES / "optimizers.json"
STEPS = 20
START = [1.0, -2.0, 0.5, 0.0, 3.0, 100.0]

CASES = [
    ("sgd", "SGD", {"learning_rate": 0.1}),
    ("sgd_default", "SGD", {}),
    ("sgd_momentum", "SGD", {"learning_rate": 0.1, "momentum": 0.9}),
    ("sgd_small_momentum", "SGD", {"learning_rate": 0.05, "momentum": 0.3}),
    ("sgd_nesterov", "SGD", {"learning_rate": 0.1, "momentum": 0.9, "nesterov": True}),
    ("sgd_nesterov_without_momentum", "SGD", {"learning_rate": 0.1, "nesterov": True}),
    ("sgd_weight_decay", "SGD", {"learning_rate": 0.1, "momentum": 0.9, "weight_decay": 0.01}),
    ("sgd_clipvalue", "SGD", {"learning_rate": 0.1, "momentum": 0.9, "clipvalue": 0.5}),
    ("sgd_clipnorm", "SGD", {"learning_rate": 0.1, "clipnorm": 1.0}),
    ("sgd_rates", "SGD", {"learning_rate": 0.1, "momentum": 0.9}),
    ("adam_default", "Adam", {}),
    ("adam", "Adam", {"learning_rate": 0.1}),
    ("adam_betas", "Adam", {"learning_rate": 0.05, "beta_1": 0.5, "beta_2": 0.9}),
    ("adam_beta_1_zero", "Adam", {"learning_rate": 0.1, "beta_1": 0.0}),
    ("adam_large_epsilon", "Adam", {"learning_rate": 0.1, "epsilon": 0.1}),
    ("adam_tiny_epsilon", "Adam", {"learning_rate": 0.1, "epsilon": 1e-12}),
    ("adam_weight_decay", "Adam", {"learning_rate": 0.1, "weight_decay": 0.01}),
    ("adam_clipnorm", "Adam", {"learning_rate": 0.1, "clipnorm": 1.0}),
    ("adam_rates", "Adam", {"learning_rate": 0.1}),
    ("amsgrad", "Adam", {"learning_rate": 0.1, "beta_2": 0.7, "amsgrad": True}),
    ("adamw_default", "AdamW", {}),
    ("adamw", "AdamW", {"learning_rate": 0.1, "weight_decay": 0.5}),
    ("adamax_default", "Adamax", {}),
    ("adamax", "Adamax", {"learning_rate": 0.1, "epsilon": 0.1}),
    ("nadam_default", "Nadam", {}),
    ("nadam", "Nadam", {"learning_rate": 0.1, "beta_1": 0.8, "beta_2": 0.9}),
    ("adagrad_default", "Adagrad", {}),
    ("adagrad", "Adagrad", {"learning_rate": 0.5, "initial_accumulator_value": 0.25, "epsilon": 0.1}),
    ("adadelta_default", "Adadelta", {}),
    ("adadelta", "Adadelta", {"learning_rate": 1.0, "rho": 0.9, "epsilon": 0.001}),
    ("rmsprop_default", "RMSprop", {}),
    ("rmsprop", "RMSprop", {"learning_rate": 0.1, "rho": 0.8}),
    ("rmsprop_momentum", "RMSprop", {"learning_rate": 0.1, "momentum": 0.5, "epsilon": 0.01}),
    ("rmsprop_centered", "RMSprop", {"learning_rate": 0.1, "centered": True, "epsilon": 0.01}),
    (
        "rmsprop_centered_momentum",
        "RMSprop",
        {"learning_rate": 0.1, "momentum": 0.5, "centered": True, "epsilon": 0.01},
    ),
    ("ftrl_default", "Ftrl", {}),
    ("ftrl_rates", "Ftrl", {"learning_rate": 0.5}),
    (
        "ftrl",
        "Ftrl",
        {
            "learning_rate": 0.5,
            "l1_regularization_strength": 0.25,
            "l2_regularization_strength": 0.125,
            "l2_shrinkage_regularization_strength": 0.0625,
            "beta": 0.5,
        },
    ),
    ("ftrl_power", "Ftrl", {"learning_rate": 0.5, "learning_rate_power": -0.25}),
    ("lion_default", "Lion", {}),
    ("lion", "Lion", {"learning_rate": 0.1, "beta_1": 0.5, "beta_2": 0.8, "weight_decay": 0.5}),
    ("lamb_default", "Lamb", {}),
    ("lamb", "Lamb", {"learning_rate": 0.1, "weight_decay": 0.5}),
    ("adafactor_default", "Adafactor", {}),
    ("adafactor_2x3", "Adafactor", {"learning_rate": 0.5}),
    ("adafactor_absolute_3x2", "Adafactor", {"learning_rate": 0.1, "relative_step": False}),
    ("muon_default", "Muon", {}),
    ("muon_2x3", "Muon", {"learning_rate": 0.1, "weight_decay": 0.0}),
    ("muon_3x2", "Muon", {"learning_rate": 0.1, "nesterov": False, "rms_rate": None, "weight_decay": 0.25}),
    ("sgd_ema", "SGD", {"learning_rate": 0.1, "use_ema": True, "ema_momentum": 0.75}),
    (
        "adam_ema_overwrite",
        "Adam",
        {"learning_rate": 0.1, "use_ema": True, "ema_momentum": 0.5, "ema_overwrite_frequency": 3},
    ),
    ("sgd_accumulate", "SGD", {"learning_rate": 0.1, "momentum": 0.9, "gradient_accumulation_steps": 4}),
    (
        "adam_accumulate",
        "Adam",
        {"learning_rate": 0.1, "gradient_accumulation_steps": 3, "clipnorm": 1.0, "weight_decay": 0.125},
    ),
    (
        "adam_accumulate_ema",
        "Adam",
        {
            "learning_rate": 0.1,
            "gradient_accumulation_steps": 2,
            "use_ema": True,
            "ema_overwrite_frequency": 2,
        },
    ),
    ("sgd_loss_scale", "SGD", {"learning_rate": 0.1, "loss_scale_factor": 8.0}),
    ("sgd_global_clipnorm", "SGD", {"learning_rate": 0.1, "global_clipnorm": 2.0}),
]
"""A name that ends in NxM gives the variable two axes."""


def make_gradients() -> list[list[float]]:
    """Return ordinary, sparse, huge, tiny, sign-changing and vanishing gradients, one column each."""
    steps = range(STEPS)
    columns = [
        [0.5 + 0.125 * (step % 5) for step in steps],
        [(-1.0) ** step * (1.0 + 0.25 * step) for step in steps],
        [2.0 if step % 7 == 3 else 0.0 for step in steps],
        [1e-6 * (step - 9) for step in steps],
        [0.9**step for step in steps],
        [1000.0 if step < 2 else 0.0 for step in steps],
    ]
    return [[shortest(column[step]) for column in columns] for step in steps]


def make_rates() -> list[float]:
    """Return a learning rate for each step."""
    return [shortest(0.1 / (1.0 + 0.5 * step)) for step in range(STEPS)]


def shortest(number: float) -> float:
    """Round to float32 and return the double whose decimal is the shortest for that float32."""
    single = np.float32(number)
    answer = float(str(single))
    assert np.float32(answer) == single or np.isnan(single)
    return answer


def record_case(
    name: str, kind: str, arguments: dict[str, object], gradients: list[list[float]]
) -> dict[str, object]:
    """Run one optimizer over all gradients."""
    last = name.rpartition("_")[2]
    shape = [int(one) for one in last.split("x")] if last[:1].isdigit() else [len(START)]
    # Muon asks for the path, which only Keras' own variables have.
    make = keras.Variable if kind == "Muon" else tf.Variable
    variable = make(np.reshape(START, shape), dtype="float32", name="variable")
    optimizer = getattr(keras.optimizers, kind)(**arguments)
    answer: dict[str, object] = {"name": name, "class": kind, "arguments": arguments}
    if len(shape) > 1:
        answer["shape"] = shape
    rates = make_rates() if name.endswith("_rates") else None
    if rates is not None:
        answer["rates"] = rates
    values = []
    for step, gradient in enumerate(gradients):
        if rates is not None:
            optimizer.learning_rate = rates[step]
        slope = tf.constant(np.reshape(gradient, shape), dtype=tf.float32)
        optimizer.apply_gradients([(slope, variable)])
        values.append([shortest(number) for number in variable.numpy().ravel()])
    answer["values"] = values
    slots = [slot for slot in optimizer.variables if tuple(slot.shape) == tuple(variable.shape)]
    answer["slots"] = {
        slot.name.rsplit("_", 1)[-1]: [shortest(number) for number in slot.numpy().ravel()] for slot in slots
    }
    return answer


def main() -> int:
    """Record or check every case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the record instead of writing it")
    chosen = parser.parse_args()

    gradients = make_gradients()
    record = {
        "versions": versions(),
        "dtype": "float32",
        "start": START,
        "gradients": gradients,
        "optimizers": [record_case(*case, gradients) for case in CASES],
    }
    if chosen.check:
        return compare(RECORD, record)
    write(RECORD, record)
    print(f"{len(CASES)} optimizers, {STEPS} steps each")
    return 0


if __name__ == "__main__":
    sys.exit(main())
