"""Write down what Keras' and Optax' learning rate schedules give: `tests/oracles/optimizers_schedules*.json`.

Usage, in an environment that has Keras 3.15, and in one that has Optax 0.2.8:

    python tools/record/optimizers_schedules.py

Each file holds the versions, and a list of the class or function, its arguments and the rates at `steps`.
"""

import json
import sys

from optimizers_given import ORACLES

STEPS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 20, 21, 30, 31, 47, 63, 100]
KERAS = [
    ("ExponentialDecay", {"initial_learning_rate": 0.5, "decay_steps": 7, "decay_rate": 0.3}),
    ("ExponentialDecay",
     {"initial_learning_rate": 0.5, "decay_steps": 7, "decay_rate": 0.3, "staircase": True}),
    ("InverseTimeDecay", {"initial_learning_rate": 0.5, "decay_steps": 4, "decay_rate": 0.75}),
    ("InverseTimeDecay",
     {"initial_learning_rate": 0.5, "decay_steps": 4, "decay_rate": 0.75, "staircase": True}),
    ("PolynomialDecay", {"initial_learning_rate": 0.5, "decay_steps": 10}),
    ("PolynomialDecay",
     {"initial_learning_rate": 0.5, "decay_steps": 10, "end_learning_rate": 0.1, "power": 2.0}),
    ("PolynomialDecay",
     {"initial_learning_rate": 0.5, "decay_steps": 10, "end_learning_rate": 0.1, "power": 0.5,
      "cycle": True}),
    ("PiecewiseConstantDecay", {"boundaries": [2, 5, 20], "values": [1.0, 0.5, 0.25, 0.125]}),
    ("CosineDecay", {"initial_learning_rate": 0.5, "decay_steps": 10}),
    ("CosineDecay", {"initial_learning_rate": 0.5, "decay_steps": 10, "alpha": 0.25}),
    ("CosineDecay",
     {"initial_learning_rate": 0.125, "decay_steps": 10, "alpha": 0.25, "warmup_target": 1.0,
      "warmup_steps": 5}),
    ("CosineDecayRestarts", {"initial_learning_rate": 0.5, "first_decay_steps": 5}),
    ("CosineDecayRestarts",
     {"initial_learning_rate": 0.5, "first_decay_steps": 5, "t_mul": 1.0, "m_mul": 0.5, "alpha": 0.125}),
    ("CosineDecayRestarts",
     {"initial_learning_rate": 0.5, "first_decay_steps": 3, "t_mul": 1.5, "m_mul": 0.75}),
]  # fmt: skip
OPTAX = [
    ("warmup_constant_schedule", {"init_value": 0.125, "peak_value": 1.0, "warmup_steps": 5}),
    ("warmup_exponential_decay_schedule",
     {"init_value": 0.0, "peak_value": 1.0, "warmup_steps": 4, "transition_steps": 6, "decay_rate": 0.5}),
    ("warmup_cosine_decay_schedule",
     {"init_value": 0.25, "peak_value": 1.0, "warmup_steps": 5, "decay_steps": 15, "end_value": 0.1}),
]  # fmt: skip


def record(name: str, versions: dict[str, str], made: list[tuple[str, dict, list[float]]]) -> None:
    """Write one file."""
    lines = [json.dumps({"name": kind, "arguments": given, "rates": rates}) for kind, given, rates in made]
    head = f' "versions": {json.dumps(versions)},\n "steps": {json.dumps(STEPS)},\n "schedules": [\n  '
    text = "{\n" + head + ",\n  ".join(lines) + "\n ]\n}\n"
    (ORACLES / f"{name}.json").write_text(text, encoding="utf-8")
    print(f"{name}.json: {len(made)} schedules")


def main() -> int:
    """Record what is installed."""
    try:
        import optax
    except ImportError:
        from reference import keras, tf, versions

        made = []
        for kind, given in KERAS:
            schedule = getattr(keras.optimizers.schedules, kind)(**given)
            made.append((kind, given, [float(schedule(tf.constant(step, tf.int64))) for step in STEPS]))
        record("optimizers_schedules", versions(), made)
        return 0
    import jax

    jax.config.update("jax_enable_x64", True)
    made = [
        (kind, given, [float(getattr(optax, kind)(**given)(step)) for step in STEPS]) for kind, given in OPTAX
    ]
    record("optimizers_schedules_optax", {"optax": optax.__version__, "jax": jax.__version__}, made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
