"""Records values and derivatives of the vocabulary from PyTorch, JAX or TensorFlow.

    python tools/record/vocabulary.py torch|jax|tensorflow

Run it with an environment that has the framework; it writes tests/oracles/vocabulary_FRAMEWORK.json.
"""

import importlib
import json
import sys
from pathlib import Path

import numpy as np

ORACLES = Path(__file__).parents[2] / "tests" / "oracles"
sys.path.insert(0, str(ORACLES))

from vocabulary import CASES  # noqa: E402


def of_torch(spelling, operands):
    """Value and gradients by PyTorch."""
    import torch
    import torch.nn.functional

    tensors = {k: torch.tensor(v, dtype=torch.float64, requires_grad=True) for k, v in operands.items()}
    value = eval(spelling, {"torch": torch, "F": torch.nn.functional, **tensors})
    found = torch.autograd.grad(value.sum(), list(tensors.values()), allow_unused=True)
    return value.detach().numpy(), [None if one is None else one.numpy() for one in found]


def of_jax(spelling, operands):
    """Value and gradients by JAX."""
    import jax

    jax.config.update("jax_enable_x64", True)
    names = {"jax": jax, "jnp": jax.numpy, "jsp": importlib.import_module("jax.scipy.special")}

    def function(*arrays):
        return eval(spelling, {**names, **dict(zip(operands, arrays, strict=True))})

    arrays = [jax.numpy.asarray(v, "float64") for v in operands.values()]
    value, back = jax.vjp(function, *arrays)
    return np.asarray(value), [np.asarray(one) for one in back(jax.numpy.ones_like(value))]


def of_tensorflow(spelling, operands):
    """Value and gradients by TensorFlow."""
    import tensorflow as tf

    tensors = {k: tf.constant(v, tf.float64) for k, v in operands.items()}
    with tf.GradientTape() as tape:
        tape.watch(list(tensors.values()))
        value = eval(spelling, {"tf": tf, **tensors})
    found = tape.gradient(value, list(tensors.values()))
    return value.numpy(), [None if one is None else tf.convert_to_tensor(one).numpy() for one in found]


def plain(array):
    """Nested lists of numbers, those that JSON has no word for as strings."""
    if array is None:
        return None
    if array.ndim:
        return [plain(one) for one in array]
    return float(array) if np.isfinite(array) else str(float(array))


def main(framework):
    """Records every case that the framework has a spelling for."""
    record = {"torch": of_torch, "jax": of_jax, "tensorflow": of_tensorflow}[framework]
    lines = []
    for name, (operands, spellings) in CASES.items():
        spelling = spellings.get(framework)
        if spelling is None:
            continue
        value, gradients = record(spelling, operands)
        entry = {
            "as": spelling,
            "value": plain(np.asarray(value)),
            "gradients": [plain(one) for one in gradients],
        }
        lines.append(f"{json.dumps(name)}: {json.dumps(entry)}")
    version = importlib.import_module(framework).__version__
    head = f"{json.dumps('framework')}: {json.dumps(f'{framework} {version}')}"
    text = "{\n" + head + ',\n"cases": {\n' + ",\n".join(lines) + "\n}}\n"
    (ORACLES / f"vocabulary_{framework}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
