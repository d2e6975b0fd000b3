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
]


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
    variable = tf.Variable(START, dtype=tf.float32, name="variable")
    optimizer = getattr(keras.optimizers, kind)(**arguments)
    answer: dict[str, object] = {"name": name, "class": kind, "arguments": arguments}
    rates = make_rates() if name.endswith("_rates") else None
    if rates is not None:
        answer["rates"] = rates
    values = []
    for step, gradient in enumerate(gradients):
        if rates is not None:
            optimizer.learning_rate = rates[step]
        optimizer.apply_gradients([(tf.constant(gradient, dtype=tf.float32), variable)])
        values.append([shortest(number) for number in variable.numpy()])
    answer["values"] = values
    slots = [slot for slot in optimizer.variables if tuple(slot.shape) == tuple(variable.shape)]
    answer["slots"] = {
        slot.name.rsplit("_", 1)[-1]: [shortest(number) for number in slot.numpy()] for slot in slots
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
