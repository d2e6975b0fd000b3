"""Evaluate TensorFlow's operations and their first derivatives on small samples, kinks and edges included.

Usage, from the root of the repository, in an environment that has TensorFlow 2.21 and Keras 3.15:

    python tools/record/derivatives.py            record
    python tools/record/derivatives.py --check    record nothing, report what differs

The answer is `tests/oracles/derivatives.json`:

    versions     of tensorflow, keras, numpy and python
    cases        a list of
      name           of the operation, then what is special about the sample
      call           the operation as TensorFlow spells it; the inputs are its free names
      inputs         by name: float64, but int32 or bool where the numbers are whole or truth values
      cotangent      what the gradients are asked with (`output_gradients`), of the shape of the value
      value          of the call
      gradients      by name, for each float64 input: an array, or null where TensorFlow answers None
      rows           names, only where TensorFlow answers with IndexedSlices (`gradients` has them dense)

Numbers are the shortest decimals that read back as the same float64; "nan", "inf" and "-inf" are words.
"""

import argparse
import math
import sys

import numpy as np
from reference import ORACLES, compare, tf, versions, write

RECORD = ORACLES / "derivatives.json"

INFINITY = math.inf
PLAIN = [-2.5, -1.0, -0.3, 0.2, 1.0, 1.7]
WITH_ZERO = [-2.0, -0.5, 0.0, 0.5, 2.0]
POSITIVE = [0.1, 0.5, 1.0, 2.5, 9.0]
FAR = [-1000.0, -50.0, -10.0, 10.0, 50.0, 1000.0]
UNIT = [-0.9, -0.5, 0.0, 0.25, 0.75]
PAIR = {"x": [1.5, -2.0, 0.75, 3.0], "y": [2.0, 0.5, -1.25, -4.0]}
TIES = {"x": [1.0, 2.0, 2.0, -1.0, 0.0, 0.0], "y": [2.0, 2.0, 1.0, -1.0, 0.0, -0.0]}
BROADCAST = {"x": [[1.5, -2.0, 0.75], [0.5, 1.25, -3.0]], "y": [2.0, -0.5, 4.0]}
COLUMN = {"x": [[1.0, -2.0, 3.0]], "y": [[0.5], [-1.5]]}
DIVISION = {"x": [7.0, -7.0, 7.0, -7.0, 7.5, 6.0, 0.0], "y": [2.0, 2.0, -2.0, -2.0, 2.5, 2.0, 3.0]}
DIVISION_BY_ZERO = {"x": [1.0, -1.0, 0.0], "y": [0.0, 0.0, 0.0]}
GRID = [[0.5, -1.0, 2.0], [3.0, 0.25, -2.0]]
TIED_GRID = [[2.0, 2.0, 1.0], [0.0, -1.0, -1.0]]
LOGITS = [[1.0, 2.0, -0.5], [0.0, 0.0, 0.0], [1000.0, 0.0, -1000.0]]
PROBABILITIES = [[0.2, 0.5, 0.3], [1.0, 0.0, 0.0], [0.0, 0.25, 0.75]]
TABLE = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]
LEFT = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]]
RIGHT = [[0.5, -1.0], [2.0, 0.25], [-3.0, 1.5]]
STACK = [[[1.0, 2.0], [3.0, 4.0]], [[0.5, -1.0], [-2.0, 1.5]]]
OTHER_STACK = [[[1.0], [-1.0]], [[2.0], [0.5]]]

# name, call, inputs
CASES: list[tuple[str, str, dict[str, object]]] = [
    ("add", "tf.add(x, y)", PAIR),
    ("add broadcast", "tf.add(x, y)", BROADCAST),
    ("add column and row", "tf.add(x, y)", COLUMN),
    ("subtract", "tf.subtract(x, y)", PAIR),
    ("subtract broadcast", "tf.subtract(x, y)", BROADCAST),
    ("multiply", "tf.multiply(x, y)", PAIR),
    ("multiply broadcast", "tf.multiply(x, y)", BROADCAST),
    ("multiply column and row", "tf.multiply(x, y)", COLUMN),
    ("divide", "tf.divide(x, y)", PAIR),
    ("divide broadcast", "tf.divide(x, y)", BROADCAST),
    ("divide by zero", "tf.divide(x, y)", DIVISION_BY_ZERO),
    ("floor_divide", "tf.math.floordiv(x, y)", DIVISION),
    ("floor_divide by zero", "tf.math.floordiv(x, y)", DIVISION_BY_ZERO),
    ("mod", "tf.math.floormod(x, y)", DIVISION),
    ("mod broadcast", "tf.math.floormod(x, y)", BROADCAST),
    ("pow", "tf.pow(x, y)", {"x": [0.5, 1.0, 2.0, 3.0], "y": [2.0, -1.5, 0.5, 3.0]}),
    ("pow negative base", "tf.pow(x, y)", {"x": [-2.0, -2.0, -0.5, -1.0], "y": [2.0, 3.0, -1.0, 0.5]}),
    ("pow of zero", "tf.pow(x, y)", {"x": [0.0, 0.0, 0.0, 0.0, 0.0], "y": [0.0, 0.5, 1.0, 2.0, -1.0]}),
    ("pow to zero and one", "tf.pow(x, y)", {"x": [-2.0, 2.0, -2.0, 2.0], "y": [0.0, 0.0, 1.0, 1.0]}),
    ("pow broadcast", "tf.pow(x, y)", {"x": [[0.5, 2.0], [1.5, 3.0]], "y": [2.0, -1.0]}),
    ("pow scalar exponent two", "x ** 2.0", {"x": WITH_ZERO}),
    ("pow scalar exponent three", "x ** 3.0", {"x": WITH_ZERO}),
    ("pow scalar exponent zero", "x ** 0.0", {"x": WITH_ZERO}),
    ("pow scalar exponent one", "x ** 1.0", {"x": WITH_ZERO}),
    ("pow scalar exponent half", "x ** 0.5", {"x": WITH_ZERO}),
    ("pow scalar exponent minus one", "x ** -1.0", {"x": WITH_ZERO}),
    ("pow scalar base two", "2.0 ** x", {"x": WITH_ZERO}),
    ("pow scalar base zero", "0.0 ** x", {"x": WITH_ZERO}),
    ("maximum", "tf.maximum(x, y)", TIES),
    ("maximum broadcast", "tf.maximum(x, y)", {"x": GRID, "y": [0.5, 0.5, -2.0]}),
    ("maximum scalar zero", "tf.maximum(x, 0.0)", {"x": WITH_ZERO}),
    ("maximum nan", "tf.maximum(x, y)", {"x": [math.nan, 1.0], "y": [1.0, math.nan]}),
    ("minimum", "tf.minimum(x, y)", TIES),
    ("minimum broadcast", "tf.minimum(x, y)", {"x": GRID, "y": [0.5, 0.5, -2.0]}),
    ("minimum scalar zero first", "tf.minimum(tf.constant(0.0, tf.float64), x)", {"x": WITH_ZERO}),
    ("squared_difference", "tf.math.squared_difference(x, y)", BROADCAST),
    ("exp", "tf.exp(x)", {"x": PLAIN}),
    ("exp far", "tf.exp(x)", {"x": FAR}),
    ("log", "tf.math.log(x)", {"x": POSITIVE}),
    ("log edge", "tf.math.log(x)", {"x": [0.0, -1.0, INFINITY]}),
    ("log1p", "tf.math.log1p(x)", {"x": [-0.5, -1e-10, 0.0, 1e-10, 1.0, 100.0]}),
    ("log1p edge", "tf.math.log1p(x)", {"x": [-1.0, -2.0]}),
    ("expm1", "tf.math.expm1(x)", {"x": [-2.0, -1e-10, 0.0, 1e-10, 1.0, 3.0]}),
    ("sqrt", "tf.sqrt(x)", {"x": POSITIVE}),
    ("sqrt edge", "tf.sqrt(x)", {"x": [0.0, -1.0]}),
    ("rsqrt", "tf.math.rsqrt(x)", {"x": POSITIVE}),
    ("rsqrt edge", "tf.math.rsqrt(x)", {"x": [0.0, -1.0]}),
    ("square", "tf.square(x)", {"x": WITH_ZERO}),
    ("abs", "tf.abs(x)", {"x": [-2.0, -0.0, 0.0, 0.5]}),
    ("negative", "tf.negative(x)", {"x": WITH_ZERO}),
    ("sign", "tf.sign(x)", {"x": WITH_ZERO}),
    ("round", "tf.round(x)", {"x": [-2.5, -1.5, -0.5, 0.5, 1.5, 2.4]}),
    ("floor", "tf.floor(x)", {"x": [-2.5, -1.0, 0.0, 0.5, 1.9]}),
    ("ceil", "tf.math.ceil(x)", {"x": [-2.5, -1.0, 0.0, 0.5, 1.9]}),
    ("sin", "tf.sin(x)", {"x": PLAIN}),
    ("cos", "tf.cos(x)", {"x": PLAIN}),
    ("tan", "tf.tan(x)", {"x": PLAIN}),
    ("atan", "tf.atan(x)", {"x": PLAIN}),
    ("sinh", "tf.sinh(x)", {"x": PLAIN}),
    ("cosh", "tf.cosh(x)", {"x": PLAIN}),
    ("tanh", "tf.tanh(x)", {"x": PLAIN}),
    ("tanh far", "tf.tanh(x)", {"x": FAR}),
    ("sigmoid", "tf.sigmoid(x)", {"x": PLAIN}),
    ("sigmoid far", "tf.sigmoid(x)", {"x": FAR}),
    ("softplus", "tf.nn.softplus(x)", {"x": WITH_ZERO}),
    ("softplus far", "tf.nn.softplus(x)", {"x": FAR}),
    ("relu", "tf.nn.relu(x)", {"x": [-2.0, -0.0, 0.0, 0.5]}),
    ("relu6", "tf.nn.relu6(x)", {"x": [-2.0, 0.0, 0.5, 6.0, 7.0]}),
    ("leaky_relu", "tf.nn.leaky_relu(x, alpha=0.2)", {"x": WITH_ZERO}),
    ("elu", "tf.nn.elu(x)", {"x": WITH_ZERO}),
    ("elu far", "tf.nn.elu(x)", {"x": FAR}),
    ("selu", "tf.nn.selu(x)", {"x": WITH_ZERO}),
    ("gelu exact", "tf.nn.gelu(x, approximate=False)", {"x": WITH_ZERO}),
    ("gelu approximate", "tf.nn.gelu(x, approximate=True)", {"x": WITH_ZERO}),
    ("silu", "tf.nn.silu(x)", {"x": WITH_ZERO}),
    ("silu far", "tf.nn.silu(x)", {"x": FAR}),
    ("swish beta", "tf.nn.silu(x, beta=1.5)", {"x": WITH_ZERO}),
    ("softsign", "tf.nn.softsign(x)", {"x": WITH_ZERO}),
    ("softmax", "tf.nn.softmax(x)", {"x": LOGITS}),
    ("softmax first axis", "tf.nn.softmax(x, axis=0)", {"x": GRID}),
    ("log_softmax", "tf.nn.log_softmax(x)", {"x": LOGITS}),
    ("log_softmax first axis", "tf.nn.log_softmax(x, axis=0)", {"x": GRID}),
    ("reduce_logsumexp", "tf.reduce_logsumexp(x, axis=1)", {"x": LOGITS}),
    ("erf", "tf.math.erf(x)", {"x": WITH_ZERO}),
    ("erfc", "tf.math.erfc(x)", {"x": WITH_ZERO}),
    ("reciprocal", "tf.math.reciprocal(x)", {"x": PLAIN}),
    ("reciprocal edge", "tf.math.reciprocal(x)", {"x": [0.0, -0.0, INFINITY]}),
    ("atan2", "tf.atan2(x, y)", {"x": [1.0, -1.0, 1.0, -1.0, 0.0], "y": [2.0, 2.0, -0.5, -0.5, -1.0]}),
    ("atan2 origin", "tf.atan2(x, y)", {"x": [0.0], "y": [0.0]}),
    ("asin", "tf.asin(x)", {"x": UNIT}),
    ("acos", "tf.acos(x)", {"x": UNIT}),
    ("reduce_sum", "tf.reduce_sum(x)", {"x": GRID}),
    ("reduce_sum axis", "tf.reduce_sum(x, axis=1)", {"x": GRID}),
    ("reduce_sum keepdims", "tf.reduce_sum(x, axis=0, keepdims=True)", {"x": GRID}),
    ("reduce_mean", "tf.reduce_mean(x)", {"x": GRID}),
    ("reduce_mean axis", "tf.reduce_mean(x, axis=-1)", {"x": GRID}),
    ("reduce_mean axes", "tf.reduce_mean(x, axis=[0, 2])", {"x": STACK}),
    ("reduce_max", "tf.reduce_max(x)", {"x": GRID}),
    ("reduce_max ties", "tf.reduce_max(x)", {"x": TIED_GRID}),
    ("reduce_max ties axis", "tf.reduce_max(x, axis=1)", {"x": TIED_GRID}),
    ("reduce_min ties", "tf.reduce_min(x)", {"x": TIED_GRID}),
    ("reduce_min ties axis", "tf.reduce_min(x, axis=0, keepdims=True)", {"x": TIED_GRID}),
    ("reduce_prod", "tf.reduce_prod(x)", {"x": GRID}),
    ("reduce_prod axis", "tf.reduce_prod(x, axis=1)", {"x": GRID}),
    ("reduce_prod one zero", "tf.reduce_prod(x, axis=1)", {"x": [[2.0, 0.0, 3.0], [1.0, 4.0, 0.5]]}),
    ("reduce_prod two zeros", "tf.reduce_prod(x)", {"x": [2.0, 0.0, 3.0, 0.0]}),
    ("reduce_variance", "tf.math.reduce_variance(x, axis=1)", {"x": GRID}),
    ("reduce_std constant", "tf.math.reduce_std(x)", {"x": [1.0, 1.0, 1.0]}),
    ("norm", "tf.norm(x)", {"x": [3.0, -4.0]}),
    ("norm zero", "tf.norm(x)", {"x": [0.0, 0.0]}),
    ("matmul", "tf.matmul(x, y)", {"x": LEFT, "y": RIGHT}),
    ("matmul transpose_a", "tf.matmul(x, y, transpose_a=True)", {"x": LEFT, "y": [[1.0, -1.0], [0.5, 2.0]]}),
    ("matmul transpose_b", "tf.matmul(x, y, transpose_b=True)", {"x": LEFT, "y": [[1.0, -1.0, 0.5]]}),
    ("matmul transpose both", "tf.matmul(x, y, transpose_a=True, transpose_b=True)", {"x": LEFT, "y": RIGHT}),
    ("matmul batched", "tf.matmul(x, y)", {"x": STACK, "y": OTHER_STACK}),
    ("matmul batched transpose_a", "tf.matmul(x, y, transpose_a=True)", {"x": STACK, "y": OTHER_STACK}),
    ("matmul batched broadcast", "tf.matmul(x, y)", {"x": STACK, "y": [[1.0, -1.0], [0.5, 2.0]]}),
    ("matvec", "tf.linalg.matvec(x, y)", {"x": LEFT, "y": [1.0, -1.0, 0.5]}),
    ("tensordot", "tf.tensordot(x, y, axes=1)", {"x": LEFT, "y": RIGHT}),
    ("clip_by_value", "tf.clip_by_value(x, -1.0, 1.0)", {"x": [-2.0, -1.0, 0.0, 1.0, 2.0]}),
    (
        "clip_by_value moving borders",
        "tf.clip_by_value(x, low, high)",
        {"x": [-2.0, -1.0, 0.0, 1.0, 2.0], "low": [-1.0] * 5, "high": [1.0] * 5},
    ),
    (
        "clip_by_value crossed borders",
        "tf.clip_by_value(x, low, high)",
        {"x": [-2.0, 0.0, 2.0], "low": [1.0] * 3, "high": [-1.0] * 3},
    ),
    ("clip_by_norm", "tf.clip_by_norm(x, 2.5)", {"x": [3.0, -4.0]}),
    ("clip_by_norm below", "tf.clip_by_norm(x, 10.0)", {"x": [3.0, -4.0]}),
    (
        "where",
        "tf.where(condition, x, y)",
        {"condition": [True, False, True, False], "x": PAIR["x"], "y": PAIR["y"]},
    ),
    (
        "where broadcast",
        "tf.where(condition, x, y)",
        {"condition": [[True], [False]], "x": [1.0, 2.0, 3.0], "y": -1.0},
    ),
    ("where guards sqrt", "tf.where(x > 0.0, tf.sqrt(x), tf.zeros_like(x))", {"x": [-1.0, 0.0, 4.0]}),
    ("where guards sqrt, ten", "tf.where(x > 0.0, tf.sqrt(x), tf.zeros_like(x))", {"x": [0.0] * 9 + [4.0]}),
    ("where guards log", "tf.where(x > 0.0, tf.math.log(x), tf.zeros_like(x))", {"x": [-1.0, 0.0, 4.0]}),
    ("where guards divide", "tf.where(x > 0.0, 1.0 / x, tf.zeros_like(x))", {"x": [-1.0, 0.0, 4.0]}),
    ("divide_no_nan", "tf.math.divide_no_nan(x, y)", {"x": [1.0, 2.0, 0.0], "y": [0.0, 4.0, 0.0]}),
    ("cumsum", "tf.cumsum(x)", {"x": [1.0, -2.0, 3.0]}),
    ("cumsum axis", "tf.cumsum(x, axis=1)", {"x": GRID}),
    ("cumsum exclusive", "tf.cumsum(x, exclusive=True)", {"x": [1.0, -2.0, 3.0]}),
    ("cumsum reverse", "tf.cumsum(x, reverse=True)", {"x": [1.0, -2.0, 3.0]}),
    ("gather", "tf.gather(x, indices)", {"x": TABLE, "indices": [2, 0, 2]}),
    (
        "gather matrix of indices",
        "tf.gather(x, indices)",
        {"x": [1.0, 2.0, 3.0], "indices": [[0, 2], [2, 2]]},
    ),
    ("gather scalar index", "tf.gather(x, indices)", {"x": TABLE, "indices": 1}),
    ("gather second axis", "tf.gather(x, indices, axis=1)", {"x": GRID, "indices": [2, 2, 0]}),
    ("gather batch", "tf.gather(x, indices, batch_dims=1)", {"x": GRID, "indices": [[0, 0], [2, 1]]}),
    ("embedding_lookup", "tf.nn.embedding_lookup(x, indices)", {"x": TABLE, "indices": [[0, 1], [1, 1]]}),
    (
        "sparse_softmax_cross_entropy_with_logits",
        "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x)",
        {"x": LOGITS, "labels": [1, 0, 2]},
    ),
    (
        "softmax_cross_entropy_with_logits",
        "tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x)",
        {"x": LOGITS, "y": PROBABILITIES},
    ),
    (
        "softmax_cross_entropy_with_logits labels not summing to one",
        "tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x)",
        {"x": [[1.0, 2.0, -0.5]], "y": [[1.0, 1.0, 0.5]]},
    ),
    (
        "sigmoid_cross_entropy_with_logits",
        "tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=x)",
        {"x": [-1000.0, -2.0, 0.0, 0.5, 1000.0], "y": [0.0, 1.0, 0.5, 0.25, 0.0]},
    ),
    ("l2_loss", "tf.nn.l2_loss(x)", {"x": [3.0, -4.0]}),
    ("reshape", "tf.reshape(x, [3, 2])", {"x": GRID}),
    ("transpose", "tf.transpose(x)", {"x": GRID}),
    ("concat", "tf.concat([x, y, x], axis=0)", {"x": [1.0, 2.0], "y": [3.0]}),
    ("stack", "tf.stack([x, y, x], axis=1)", {"x": [1.0, 2.0], "y": [3.0, 4.0]}),
    ("slice", "x[:, ::-2]", {"x": GRID}),
    ("tile", "tf.tile(x, [2, 2])", {"x": GRID}),
    ("broadcast_to", "tf.broadcast_to(x, [2, 3])", {"x": [[1.0], [2.0]]}),
    ("add_n", "tf.add_n([x, y, x])", PAIR),
    ("sort", "tf.sort(x)", {"x": [3.0, 1.0, 2.0]}),
    ("top_k", "tf.math.top_k(x, k=2).values", {"x": [3.0, 1.0, 3.0]}),
]


def to_tensor(value: object) -> tf.Tensor:
    """Make a float64, int32 or bool tensor of nested lists."""
    array = np.array(value)
    return tf.constant(array, dtype={"f": tf.float64, "i": tf.int32, "b": tf.bool}[array.dtype.kind])


def make_cotangent(shape: tuple[int, ...]) -> np.ndarray:
    """Return a fixed cotangent of exact numbers, no two alike and none zero (up to 40 of them)."""
    count = int(np.prod(shape, dtype=int))
    numbers = [(1.0, -0.5, 2.0, 0.25, -1.5)[place % 5] * (1.0 + (place // 5) / 8) for place in range(count)]
    assert len(set(numbers)) == count
    return np.array(numbers).reshape(shape)


def to_plain(value: object) -> object:
    """Put words where JSON has no numbers, in nested lists."""
    if isinstance(value, list):
        return [to_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def record_case(name: str, call: str, inputs: dict[str, object]) -> dict[str, object]:
    """Evaluate one call and its gradients."""
    tensors = {key: to_tensor(value) for key, value in inputs.items()}
    sources = {key: tensor for key, tensor in tensors.items() if tensor.dtype == tf.float64}
    with tf.GradientTape() as tape:
        tape.watch(list(sources.values()))
        value = eval(call, {"tf": tf}, tensors)
    cotangent = make_cotangent(tuple(value.shape))
    gradients = tape.gradient(value, sources, output_gradients=tf.constant(cotangent, dtype=value.dtype))
    rows = [key for key, gradient in gradients.items() if isinstance(gradient, tf.IndexedSlices)]
    dense = {
        key: None if gradient is None else tf.convert_to_tensor(gradient).numpy().tolist()
        for key, gradient in gradients.items()
    }
    record = {
        "name": name,
        "call": call,
        "inputs": {key: to_plain(tensor.numpy().tolist()) for key, tensor in tensors.items()},
        "cotangent": cotangent.tolist(),
        "value": to_plain(value.numpy().tolist()),
        "gradients": {key: to_plain(gradient) for key, gradient in dense.items()},
    }
    return record | ({"rows": rows} if rows else {})


def main() -> int:
    """Record or check every case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the record instead of writing it")
    chosen = parser.parse_args()

    names = [name for name, _, _ in CASES]
    assert len(set(names)) == len(names), "two cases have the same name"
    record = {"versions": versions(), "cases": [record_case(*case) for case in CASES]}
    if chosen.check:
        return compare(RECORD, record)
    write(RECORD, record)
    print(f"{len(CASES)} cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
