"""Record how TensorFlow resizes images by its Gaussian and by Mitchell and Netravali's cubic, with gradients.

Usage, from the root of the repository, in an environment that has TensorFlow 2.21:

    python tools/record/resize.py [--check]

The answer is `tests/oracles/resize.json`: the image, and for each case the method, the size, antialias, the
result, and the gradient of the sum over the result weighted with 0, 1, 2, ... modulo 7. TensorFlow computes
in float32.
"""

import sys

import numpy
from reference import ORACLES, compare, tf, versions, write

RECORD = ORACLES / "resize.json"
IMAGE = ((numpy.arange(2 * 5 * 6) * 97 % 251 - 125) / 16).reshape(2, 5, 6, 1)
CASES = [
    (method, size, antialias)
    for method in ("gaussian", "mitchellcubic")
    # Larger, smaller, and one axis that keeps its length.
    for size, antialias in (((9, 8), False), ((2, 3), False), ((2, 3), True), ((5, 4), True), ((7, 6), False))
]


def record() -> dict[str, object]:
    """Compute all cases."""
    cases = []
    for method, size, antialias in CASES:
        x = tf.constant(IMAGE, tf.float32)
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = tf.image.resize(x, size, method, antialias=antialias)
            weights = tf.reshape(tf.cast(tf.range(tf.size(result)) % 7, tf.float32), result.shape)
            total = tf.reduce_sum(result * weights)
        cases.append(
            {
                "method": method,
                "size": list(size),
                "antialias": antialias,
                "result": [round(float(one), 7) for one in result.numpy().ravel()],
                "gradient": [round(float(one), 7) for one in tape.gradient(total, x).numpy().ravel()],
            }
        )
    return {"versions": versions(), "image": IMAGE.ravel().tolist(), "cases": cases}


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(compare(RECORD, record()))
    write(RECORD, record())
