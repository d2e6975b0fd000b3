"""Record what TensorFlow computes for convolutions and poolings, with their gradients.

Usage, from the root of the repository, in an environment that has TensorFlow 2.21:

    python tools/record/convolutions.py [--check]

The answer is `tests/oracles/convolutions.json`: for each case its name, the function with its arguments, the
operands' shapes, and, for operands drawn by `drawn` below in float64, the sum over the result weighted with
1, 2, 3, ... modulo 7, the result's shape and elements, and the gradient of that sum by each operand.
"""

import sys

import numpy
from reference import ORACLES, compare, tf, versions, write

RECORD = ORACLES / "convolutions.json"

CASES = [
    ("conv", [(2, 5, 3), (2, 3, 4)], {}),
    ("conv", [(2, 6, 3), (3, 3, 2)], {"strides": 2, "padding": "same"}),
    ("conv", [(1, 7, 2), (3, 2, 2)], {"padding": "same", "dilation_rate": 2}),
    ("conv", [(2, 5, 6, 3), (3, 2, 3, 4)], {}),
    ("conv", [(2, 5, 6, 3), (3, 2, 3, 4)], {"padding": "same"}),
    ("conv", [(2, 6, 5, 3), (3, 3, 3, 2)], {"strides": 2, "padding": "same"}),
    ("conv", [(1, 7, 8, 2), (3, 2, 2, 2)], {"strides": (2, 3)}),
    ("conv", [(1, 7, 8, 2), (3, 2, 2, 2)], {"dilation_rate": (2, 3), "padding": "same"}),
    ("conv", [(2, 5, 5, 4), (3, 3, 2, 6)], {"padding": "same"}),
    ("conv", [(1, 4, 5, 3, 2), (2, 3, 2, 2, 3)], {"strides": (1, 2, 1), "padding": "same"}),
    ("depthwise_conv", [(2, 5, 6, 3), (3, 2, 3, 2)], {"padding": "same"}),
    ("depthwise_conv", [(2, 7, 7, 2), (3, 3, 2, 1)], {"strides": 2}),
    ("conv_transpose", [(2, 3, 4, 3), (3, 3, 2, 3)], {"strides": 2, "padding": "same"}),
    ("conv_transpose", [(2, 3, 4, 3), (2, 4, 2, 3)], {"strides": 2, "padding": "same"}),
    ("conv_transpose", [(2, 3, 4, 3), (3, 4, 2, 3)], {"strides": (2, 3)}),
    ("conv_transpose", [(1, 3, 2, 2), (2, 2, 3, 2)], {"strides": 3}),
    ("conv_transpose", [(1, 5, 2), (4, 3, 2)], {"strides": 2, "padding": "same"}),
    ("conv_transpose", [(1, 3, 2, 2, 2), (2, 3, 2, 1, 2)], {"strides": 2, "padding": "same"}),
    ("max_pool", [(2, 6, 3)], {"pool_size": 2}),
    ("max_pool", [(2, 6, 6, 3)], {"pool_size": 2}),
    ("max_pool", [(2, 7, 6, 3)], {"pool_size": 3, "strides": 2, "padding": "same"}),
    ("max_pool", [(1, 4, 5, 4, 2)], {"pool_size": 2, "padding": "same"}),
    ("average_pool", [(2, 6, 3)], {"pool_size": 2}),
    ("average_pool", [(2, 7, 6, 3)], {"pool_size": (3, 2), "strides": 2, "padding": "same"}),
    ("average_pool", [(2, 7, 6, 3)], {"pool_size": 3, "strides": 1}),
    ("average_pool", [(1, 4, 5, 4, 2)], {"pool_size": 2, "strides": 1, "padding": "same"}),
]


def drawn(shape: tuple[int, ...], seed: int) -> numpy.ndarray:
    """Return numbers that anybody can make again: multiples of 1/16, no two of 251 neighbours equal."""
    count = numpy.arange(numpy.prod(shape), dtype=numpy.int64)
    return (((count * 97 + seed * 41) % 251 - 125) / 16).reshape(shape)


def run(function: str, operands: list[tf.Tensor], options: dict[str, object]) -> tf.Tensor:
    """Compute one case by tf.nn."""
    rank = operands[0].shape.rank - 2

    def several(value: object) -> list[int]:
        return list(value) if isinstance(value, tuple) else [value] * rank

    layout = (None, "NWC", "NHWC", "NDHWC")[rank]
    strides = several(options.get("strides", options.get("pool_size", 1)))
    padding = options.get("padding", "valid").upper()
    if function in ("max_pool", "average_pool"):
        kind = "MAX" if function == "max_pool" else "AVG"
        # Over three axes there is no float64; these operands and their means are exact in float32 too.
        x = tf.cast(operands[0], tf.float32 if rank == 3 else tf.float64)
        y = tf.nn.pool(x, several(options["pool_size"]), kind, strides=strides, padding=padding)
        return tf.cast(y, tf.float64)
    dilation = several(options.get("dilation_rate", 1))
    if function == "conv":
        # TensorFlow has no gradients of groups on a CPU: group by group it has.
        groups = operands[0].shape[-1] // operands[1].shape[-2]
        parts = [
            tf.nn.convolution(
                x, kernel, strides=strides, padding=padding, dilations=dilation, data_format=layout
            )
            for x, kernel in zip(tf.split(operands[0], groups, -1), tf.split(operands[1], groups, -1))
        ]
        return tf.concat(parts, -1)
    if function == "depthwise_conv":
        return tf.nn.depthwise_conv2d(*operands, strides=[1, *strides, 1], padding=padding)
    x, kernel = operands
    lengths = [
        n * s if padding == "SAME" else n * s + max(k - s, 0)
        for n, s, k in zip(x.shape[1:-1], strides, kernel.shape[:rank])
    ]
    shape = [x.shape[0], *lengths, kernel.shape[rank]]
    return tf.nn.conv_transpose(x, kernel, shape, strides=strides, padding=padding, data_format=layout)


def record() -> dict[str, object]:
    """Compute all cases."""
    cases = []
    for function, shapes, options in CASES:
        operands = [tf.constant(drawn(shape, number)) for number, shape in enumerate(shapes)]
        with tf.GradientTape() as tape:
            tape.watch(operands)
            result = run(function, operands, options)
            weights = tf.reshape(tf.cast(tf.range(tf.size(result)) % 7, tf.float64), result.shape)
            total = tf.reduce_sum(result * weights)
        gradients = tape.gradient(total, operands)
        cases.append(
            {
                "function": function,
                "shapes": [list(shape) for shape in shapes],
                "options": {k: list(v) if isinstance(v, tuple) else v for k, v in options.items()},
                "shape": list(result.shape),
                "result": result.numpy().ravel().tolist(),
                "gradients": [gradient.numpy().ravel().tolist() for gradient in gradients],
            }
        )
    return {"versions": versions(), "cases": cases}


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(compare(RECORD, record()))
    write(RECORD, record())
