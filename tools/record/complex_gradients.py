"""Ask TensorFlow and PyTorch for gradients through complex numbers: which of the two conventions is theirs.

Usage, from the root of the repository, in an environment that has TensorFlow 2.21 and then in one that has
PyTorch 2; each adds its own answers and leaves the other's as they are:

    python tools/record/complex_gradients.py

The answer is `tests/oracles/complex_gradients.json`:

    versions     of tensorflow, torch
    cases        by name of the function, a list of [z, gradient by tensorflow, gradient by torch], complex
                 numbers as [real, imaginary], of loss(z), which is real; null where a framework has none

The functions are written for a namespace `xp` that has the words both frameworks share.
"""

import json
import sys
from pathlib import Path

RECORD = Path(__file__).resolve().parents[2] / "tests" / "oracles" / "complex_gradients.json"
POINTS = [(0.5, 1.5), (-1.25, 0.75), (2.0, -0.5)]

# Real functions of one complex number, in the words of the array API.
LOSSES = {
    "real": "real(z)",
    "imag": "imag(z)",
    "abs": "abs(z)",
    "abs squared": "abs(z) * abs(z)",
    "real of square": "real(z * z)",
    "imag of square": "imag(z * z)",
    "imag of conj": "imag(conj(z) * conj(z) * z)",
    "real of exp": "real(exp(z))",
    "imag of exp": "imag(exp(z))",
    "real of log": "real(log(z))",
    "imag of log": "imag(log(z))",
    "real of sqrt": "real(sqrt(z))",
    "imag of sin": "imag(sin(z))",
    "real of cos": "real(cos(z))",
    "real of tanh": "real(tanh(z))",
    "imag of reciprocal": "imag(1 / z)",
    "abs of a polynomial": "abs(z * z * z - 2 * z + 1j)",
}


def words_of(library: str) -> dict[str, object]:
    """Return the functions of a framework by their names in the losses."""
    if library == "tensorflow":
        import tensorflow as tf

        names = {
            "real": tf.math.real,
            "imag": tf.math.imag,
            "conj": tf.math.conj,
            "abs": tf.abs,
            "log": tf.math.log,
        }
        return names | {name: getattr(tf, name) for name in ("exp", "sqrt", "sin", "cos", "tanh")}
    import torch

    return {name: getattr(torch, name) for name in
            ("real", "imag", "conj", "abs", "log", "exp", "sqrt", "sin", "cos", "tanh")}  # fmt: skip


def gradient(library: str, loss: str, point: complex) -> list[float]:
    """Return a framework's gradient of a loss at a point."""
    words = words_of(library)
    if library == "tensorflow":
        import tensorflow as tf

        z = tf.constant(point, tf.complex128)
        with tf.GradientTape() as tape:
            tape.watch(z)
            value = eval(loss, words, {"z": z})
        found = complex(tape.gradient(value, z).numpy())
    else:
        import torch

        z = torch.tensor(point, dtype=torch.complex128, requires_grad=True)
        eval(loss, words, {"z": z}).backward()
        found = complex(z.grad.item())
    return [found.real, found.imag]


def main() -> int:
    """Add the answers of the framework that is there."""
    try:
        import tensorflow as framework
    except ImportError:
        import torch as framework
    library = framework.__name__
    record = (
        json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {"versions": {}, "cases": {}}
    )
    record["versions"][library] = framework.__version__.partition("+")[0]
    place = 1 if library == "tensorflow" else 2
    for name, loss in LOSSES.items():
        rows = record["cases"].setdefault(
            name, {"loss": loss, "rows": [[list(p), None, None] for p in POINTS]}
        )
        for row in rows["rows"]:
            row[place] = gradient(library, loss, complex(*row[0]))
    lines = [f"  {json.dumps(name)}: {json.dumps(case)}" for name, case in record["cases"].items()]
    head = f'{{"versions": {json.dumps(record["versions"])},\n "cases": {{\n'
    RECORD.write_text(head + ",\n".join(lines) + "\n}}\n", encoding="utf-8")
    print(f"{len(lines)} cases, by {library} {record['versions'][library]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
