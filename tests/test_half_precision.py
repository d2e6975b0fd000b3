"""Two-byte numbers: values and gradients that fit come out right, whatever the intermediate results."""

import ml_dtypes
import numpy as np
import pytest

import bad_calls
import penstock as ps
import penstock.paddle as paddle
import penstock.tensorflow as tf
from bad_calls import CALLS, public_functions
from penstock.errors import DTypeError
from penstock.testing import use_engine

HALVES = {"float16": np.dtype(np.float16), "bfloat16": np.dtype(ml_dtypes.bfloat16)}
SCALES = (300.0, 3e4, 1e-4)
UNITS = ("p", "s", "q", "probabilities", "labels", "scale", "offset", "variance", "variances", "counts")
"""Operands with a restricted range, which are not scaled."""
OTHERS = {"zeros_like", "ones_like", "empty_like", "nextafter", "nn.dropout"}
"""Functions that do not compute with their operands, or count the steps of their dtype, or draw."""
FUNCTIONS = {
    name: one
    for name, one in public_functions().items()
    if name in CALLS
    and name not in OTHERS
    and not name.startswith("random.")
    and any(isinstance(value, np.ndarray) and value.dtype == np.float32 for value in CALLS[name].values())
}
WIDE = {
    f"linalg.{name}"
    for name in [
        "cholesky",
        "det",
        "eig",
        "eigh",
        "eigvals",
        "eigvalsh",
        "expm",
        "inv",
        "lstsq",
        "lu",
        "matrix_rank",
        "pinv",
        "qr",
        "slogdet",
        "solve",
        "solve_triangular",
        "svd",
        "svdvals",
    ]
}
"""Functions that take four bytes or more, and say so."""


def leaves(result):
    if isinstance(result, ps.Tensor):
        return [result] if result.dtype.kind in "fV" else []
    return [leaf for one in result for leaf in leaves(one)] if isinstance(result, list | tuple) else []


def asked(function, good, data):
    """What a function gives, and the gradients of a weighted sum of it, in float64."""
    tensors = {name: ps.asarray(one) for name, one in data.items()}
    with ps.GradientTape() as tape:
        tape.watch(*tensors.values())
        results = leaves(bad_calls.call(function, good | tensors))
        # Weights that no dtype rounds: the sum is the same function in all of them.
        weights = [(np.arange(one.size) % 5 - 2.25).reshape(one.shape) for one in results]
        loss = sum(
            ps.sum(ps.astype(one, "float64") * weight) for one, weight in zip(results, weights, strict=True)
        )
    gradients = tape.gradient(loss, list(tensors.values())) if results else []
    found = [*results, *(one for one in gradients if one is not None)]
    return [np.asarray(one.numpy(), np.float64) for one in found], [one.dtype for one in found]


def complaint(function, good, data, dtype):
    """The errors of a function of halves, compared with the same function of wider numbers; empty if none."""
    limits = ml_dtypes.finfo(dtype)
    rounding = float(limits.eps)
    got, dtypes = asked(function, good, {name: one.astype(dtype) for name, one in data.items()})
    want, _ = asked(function, good, {name: one.astype(np.float64) for name, one in data.items()})
    single = None
    for index, (have, right, own) in enumerate(zip(got, want, dtypes, strict=True)):
        if own != dtype:
            continue
        if (abs(right) > 0.7 * float(limits.max)).any():
            # What is infinite in two bytes passes nothing sensible on.
            return ""
        # A sum may cancel, but no digit is lost beyond those of its largest terms.
        allowed = rounding * (4 * np.abs(right) + sizes(right)) + 8 * float(limits.smallest_subnormal)
        wrong = ~((np.abs(have - right) <= allowed) | (np.isnan(have) & np.isnan(right)) | (have == right))
        if wrong.any():
            # What float32 loses too is not the fault of halves.
            if single is None:
                single, _ = asked(
                    function, good, {name: one.astype(np.float32) for name, one in data.items()}
                )
            wrong &= ~(np.abs(have - right) <= allowed + 4 * np.abs(single[index] - right))
        if wrong.any():
            place = int(np.argmax(wrong))
            return f"{have.flat[place]}, where {right.flat[place]} is right"
    return ""


def sizes(values):
    finite = np.abs(values[np.isfinite(values)])
    return finite.max(initial=0.0)


def scaled(name, scale, dtype):
    data = {
        key: one
        for key, one in CALLS[name].items()
        if isinstance(one, np.ndarray) and one.dtype == np.float32
    }
    with np.errstate(over="ignore"):
        return {
            key: (one * np.float32(1.0 if key in UNITS else scale)).astype(dtype) for key, one in data.items()
        }


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_halves_are_right_where_the_result_fits(name):
    with use_engine("numpy"), np.errstate(all="ignore"):
        for word, dtype in HALVES.items():
            if name in WIDE:
                with pytest.raises(DTypeError, match="wide"):
                    asked(FUNCTIONS[name], CALLS[name], scaled(name, 1.0, dtype))
                continue
            for scale in SCALES:
                said = complaint(FUNCTIONS[name], CALLS[name], scaled(name, scale, dtype), dtype)
                assert not said, f"{name} of {word}, times {scale}: {said}"


ROW = np.asarray([[0.5, -0.3, 1.2, 2.0], [0.4, 2.0, -0.7, -1.0]], np.float32)
NORMS = {
    "layer_normalization": lambda x: ps.nn.layer_normalization(x, 1.0, 0.0),
    "rms_normalization": lambda x: ps.nn.rms_normalization(x, 1.0),
    "group_normalization": lambda x: ps.nn.group_normalization(x, ps.ones((4,), dtype=x.dtype), 0.0, 2),
    "l2_normalize": ps.nn.l2_normalize,
    "cosine_similarity": lambda x: ps.losses.cosine_similarity(x, x[:, ::-1]),
    "vector_norm": lambda x: ps.linalg.vector_norm(x, axis=-1),
    "vector_norm of order 10": lambda x: ps.linalg.vector_norm(x, axis=-1, ord=10),
    "vector_norm of order -3": lambda x: ps.linalg.vector_norm(x, axis=-1, ord=-3),
    "std": lambda x: ps.std(x, axis=-1),
    "std of a sample": lambda x: ps.std(x, axis=-1, correction=1),
    "softmax_cross_entropy": lambda x: ps.losses.softmax_cross_entropy(x, ps.asarray([1, 0])),
    "attention": lambda x: ps.nn.attention(x, x, x),
    "mean_squared_error": lambda x: ps.losses.mean_squared_error(x, x * np.asarray([1, 1, 1, 0.5], x.dtype)),
}


@pytest.mark.parametrize("name", NORMS)
@pytest.mark.parametrize("word", HALVES)
def test_norms_of_hundreds_are_right(name, word):
    with use_engine("numpy"):
        assert not complaint(NORMS[name], {}, {"x": (ROW * 300.0).astype(HALVES[word])}, HALVES[word])


def test_norms_of_hundreds_are_right_in_a_compiled_program():
    def every(x):
        return [NORMS[name](x) for name in ("layer_normalization", "cosine_similarity", "vector_norm", "std")]

    with use_engine("xla"):
        assert not complaint(every, {}, {"x": (ROW * 300.0).astype(np.float16)}, np.dtype(np.float16))


def test_a_small_epsilon_that_varies_does_not_vanish_in_half_precision():
    x = ps.asarray(np.zeros((2, 3), np.float16))
    for i in range(5):
        found = ps.nn.rms_normalization(x, 1.0, epsilon=1e-9 * (i + 1))
        assert found.dtype == np.float16 and not found.numpy().any()


def test_a_function_keeps_the_dtype_that_it_had():
    half, single = ps.asarray(ROW.astype(np.float16)), ps.asarray(ROW[0])
    assert ps.nn.layer_normalization(half, 1.0, 0.0).dtype == np.float16
    assert ps.nn.layer_normalization(half, single, single).dtype == np.float32
    assert ps.nn.leaky_relu(half, ps.asarray(0.5)).dtype == np.float16
    assert ps.std(half).dtype == ps.var(half).dtype == np.float16


DIALECTS = {
    "tf.nn.l2_normalize": (tf, lambda x: tf.nn.l2_normalize(x, axis=-1)),
    "tf.math.reduce_std": (tf, lambda x: tf.math.reduce_std(x, axis=-1)),
    "tf.norm": (tf, lambda x: tf.norm(x, axis=-1)),
    "tf.clip_by_norm": (tf, lambda x: tf.clip_by_norm(x, 1.0)),
    "tf.linalg.global_norm": (tf, lambda x: tf.linalg.global_norm([x])),
    "tf.keras.losses.cosine_similarity": (tf, lambda x: tf.keras.losses.cosine_similarity(x, x[:, ::-1])),
    "F.layer_norm": (paddle, lambda x: paddle.nn.functional.layer_norm(x, 4)),
    "F.normalize": (paddle, lambda x: paddle.nn.functional.normalize(x)),
    "paddle.norm": (paddle, lambda x: paddle.norm(x, axis=-1)),
    "paddle.std": (paddle, lambda x: paddle.std(x, axis=-1)),
    "paddle.dist": (paddle, lambda x: paddle.dist(x, x * 0.5)),
}


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("scale", [300.0, 1e-4])
def test_norms_of_halves_are_right_in_the_dialects(name, scale):
    library, function = DIALECTS[name]
    x = (ROW * scale).astype(np.float16)
    made = library.constant if library is tf else library.to_tensor
    with use_engine("numpy"):
        got, want = (np.asarray(function(made(x.astype(kind))).numpy(), np.float64) for kind in ("f2", "f4"))
    assert np.allclose(got, want, rtol=4e-3, atol=6e-8), name


def test_the_walk_takes_every_function_of_data():
    assert len(FUNCTIONS) > 120 and {"std", "nn.layer_normalization", "losses.huber"} <= FUNCTIONS.keys()
    assert FUNCTIONS.keys() >= WIDE
