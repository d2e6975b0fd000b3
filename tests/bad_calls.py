"""A good call of every public function, and bad calls derived from it by one wrong argument each.

A call is a tuple of arguments by name, as `dict`. An argument's name says what kind it is, and `BAD` has what can
be wrong with each kind.
"""

# ruff: noqa: E501  (a call is read best on one line)

from __future__ import annotations

import inspect
import types

import numpy as np

import penstock as ps

X = np.asarray([[0.5, -0.3, 1.2], [0.4, 2.0, -0.7]], np.float32)
SQUARE = np.asarray([[4.0, 0.5, 0.2], [0.5, 3.0, 0.1], [0.2, 0.1, 2.0]], np.float32)
P = np.asarray([[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]], np.float32)
IDS = np.asarray([1, 0])
COUNTS = np.asarray([[3, 1, 2], [4, 5, 6]])
IMAGE = np.arange(48, dtype=np.float32).reshape(1, 4, 6, 2) / 10
SPECTRUM = np.asarray([1.0, 2.0 + 1j, 0.5], np.complex64)
SEQUENCE = np.arange(12, dtype=np.float32).reshape(1, 4, 3) / 10


class Thing:
    """Not anything that a function of tensors takes."""

    def __repr__(self) -> str:
        return "<a thing>"


def odd(x):
    """An array whose shape fits nothing."""
    return np.zeros((7, 5, 11), np.asarray(x).dtype)


# -- good calls -----------------------------------------------------------------------------------------------

ONE = {"x": X}
TWO = {"x1": X, "x2": X + 1}
KEY = ps.random.key()


def named(names, **arguments):
    return dict.fromkeys(names.split(), arguments)


CALLS: dict[str, dict] = {
    **named(
        """abs acos acosh asin asinh atan atanh ceil conj cos cosh erf exp expm1 floor imag isfinite isinf isnan log
        log1p log2 log10 negative positive real reciprocal round rsqrt sign signbit sin sinh sqrt square tan tanh
        trunc logical_not stop_gradient matrix_transpose nonzero unique_all unique_counts unique_inverse
        unique_values zeros_like ones_like empty_like
        nn.relu nn.sigmoid nn.softplus nn.leaky_relu nn.relu6 nn.elu nn.silu nn.selu nn.softsign nn.gelu nn.celu
        nn.hard_shrink nn.hard_sigmoid nn.hard_swish nn.hard_tanh nn.log_sigmoid nn.mish nn.soft_shrink nn.squareplus
        nn.tanh_shrink special.digamma special.entr special.erfc special.expit special.gamma special.gammaln
        special.i0 special.i0e special.i1 special.i1e special.lgamma special.log_ndtr special.ndtr special.sinc""",
        x=X,
    ),
    **named("special.logit special.ndtri", p=P),
    "special.erfinv": {"x": P},
    **named(
        """add atan2 copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp
        logical_and logical_or logical_xor maximum minimum multiply nextafter not_equal pow remainder subtract""",
        x1=X, x2=X + 1,
    ),
    **named("bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift", x1=COUNTS, x2=COUNTS),
    "bitwise_invert": {"x": COUNTS},
    "clip": {"x": X, "min": -0.5, "max": 0.5},
    "nan_to_num": {"x": X, "nan": 0.5, "posinf": 1.0, "neginf": -1.0},
    "dot": {"x1": X, "x2": X.T},
    "median": {"x": X, "axis": 1, "keepdims": True},
    "quantile": {"x": X, "q": 0.25, "axis": 1, "keepdims": True, "method": "lower"},
    "percentile": {"x": X, "q": 25, "axis": 1, "keepdims": True, "method": "lower"},
    "histogram": {"x": X, "bins": 4, "range": (-1.0, 2.0), "weights": P, "density": True},
    "interp": {"x": X, "xp": np.asarray([0.0, 1.0, 2.0]), "fp": np.asarray([1.0, 3.0, 2.0]), "left": 0.5, "right": 9.0},
    "linalg.norm": {"x": X, "ord": 1, "axis": 1, "keepdims": True},
    "linalg.lstsq": {"x1": SQUARE, "x2": SQUARE[:, 0], "rtol": 1e-6},
    "where": {"condition": X > 0, "x1": X, "x2": X + 1},
    "straight_through": {"value": X, "surrogate": X},
    # creation
    "arange": {"start": 0, "stop": 5, "step": 1, "dtype": "float32"},
    "asarray": {"obj": X, "dtype": "float32"},
    **named("empty ones zeros", shape=(2, 3), dtype="float32"),
    "full": {"shape": (2, 3), "fill_value": 1.0, "dtype": "float32"},
    "full_like": {"x": X, "fill_value": 1.0, "dtype": "float32"},
    "eye": {"n_rows": 3, "n_cols": 3, "k": 0, "dtype": "float32"},
    "linspace": {"start": 0.0, "stop": 1.0, "num": 5, "dtype": "float32"},
    "meshgrid": {"*arrays": (X[0], X[1]), "indexing": "xy"},
    "one_hot": {"indices": IDS, "num_classes": 3, "dtype": "float32"},
    **named("tril triu", x=X, k=0),
    "astype": {"x": X, "dtype": "float64"},
    "can_cast": {"from_": "float32", "to": "float64"},
    "finfo": {"type": "float32"},
    "iinfo": {"type": "int32"},
    "isdtype": {"dtype": np.dtype("float32"), "kind": "real floating"},
    "result_type": {"*arrays_and_dtypes": ("float32", X)},
    # manipulation
    "broadcast_arrays": {"*arrays": (X, X[0])},
    "broadcast_to": {"x": X, "shape": (4, 2, 3)},
    **named("concat stack", arrays=[X, X], axis=0),
    "expand_dims": {"x": X, "axis": 0},
    **named("flip sort argsort argmax argmin all any count_nonzero cumulative_sum cumulative_prod cumulative_max cumulative_min cumulative_logsumexp max mean min prod std sum var", x=X, axis=0),
    "diff": {"x": X, "axis": -1, "n": 1},
    "moveaxis": {"x": X, "source": 0, "destination": 1},
    "permute_dims": {"x": X, "axes": (1, 0)},
    "repeat": {"x": X, "repeats": 2, "axis": 0},
    "reshape": {"x": X, "shape": (3, 2)},
    "roll": {"x": X, "shift": 1, "axis": 0},
    "squeeze": {"x": X[:1], "axis": 0},
    "take": {"x": X, "indices": IDS, "axis": 0},
    "take_along_axis": {"x": X, "indices": np.asarray([[0], [2]]), "axis": 1},
    "tile": {"x": X, "repetitions": (2, 1)},
    "unstack": {"x": X, "axis": 0},
    "searchsorted": {"x1": np.asarray([0.0, 1.0, 2.0]), "x2": X, "side": "left"},
    "matmul": {"x1": X, "x2": X.T},
    "einsum": {"subscripts": "ij,jk->ik", "*operands": (X, X.T), "optimize": "greedy"},
    "tensordot": {"x1": X, "x2": X.T, "axes": 1},
    "kron": {"x1": X, "x2": X},
    "vecdot": {"x1": X, "x2": X, "axis": -1},
    # linear algebra
    **named("linalg.det linalg.inv linalg.slogdet linalg.eigh linalg.eigvalsh linalg.svdvals linalg.eig linalg.eigvals linalg.lu", x=SQUARE),
    "linalg.cholesky": {"x": SQUARE, "upper": False},
    "linalg.cross": {"x1": X, "x2": X + 1, "axis": -1},
    "linalg.diagonal": {"x": SQUARE, "offset": 0},
    "linalg.trace": {"x": SQUARE, "offset": 0},
    "linalg.expm": {"x": SQUARE},
    "linalg.matrix_norm": {"x": SQUARE, "ord": "fro"},
    "linalg.matrix_power": {"x": SQUARE, "n": 2},
    "linalg.matrix_rank": {"x": SQUARE},
    "linalg.outer": {"x1": X[0], "x2": X[1]},
    "linalg.pinv": {"x": SQUARE},
    "linalg.qr": {"x": SQUARE, "mode": "reduced"},
    "linalg.solve": {"x1": SQUARE, "x2": SQUARE},
    "linalg.solve_triangular": {"x1": SQUARE, "x2": SQUARE, "lower": False},
    "linalg.svd": {"x": SQUARE, "full_matrices": False},
    "linalg.vector_norm": {"x": X, "axis": 0, "ord": 2},
    "linalg.matmul": {"x1": X, "x2": X.T},
    "linalg.tensordot": {"x1": X, "x2": X.T, "axes": 1},
    "linalg.vecdot": {"x1": X, "x2": X, "axis": -1},
    "linalg.matrix_transpose": {"x": X},
    # spectra
    **named("fft.fft fft.ifft fft.irfft fft.hfft", x=SPECTRUM, n=4, axis=0, norm="backward"),
    **named("fft.rfft fft.ihfft", x=X, n=4, axis=0, norm="backward"),
    **named("fft.fftn fft.ifftn fft.irfftn", x=SPECTRUM, s=(4,), axes=(0,), norm="backward"),
    "fft.rfftn": {"x": X, "s": (4,), "axes": (0,), "norm": "backward"},
    **named("fft.fftshift fft.ifftshift", x=X, axes=(0,)),
    **named("fft.fftfreq fft.rfftfreq", n=4, d=1.0, dtype="float32"),
    # neural networks
    **named("nn.softmax nn.log_softmax nn.logsumexp nn.glu nn.l2_normalize", x=X[:, :2], axis=-1),
    **named("special.softmax special.log_softmax special.logsumexp", x=X, axis=-1),
    "nn.prelu": {"x": X, "slope": X[0]},
    "nn.threshold": {"x": X, "limit": 0.1, "value": 0.0},
    "nn.attention": {"query": SEQUENCE, "key": SEQUENCE, "value": SEQUENCE, "scale": 0.5},
    "nn.dropout": {"x": X, "rate": 0.5},
    "nn.embedding": {"table": X, "ids": IDS},
    "nn.conv": {"x": IMAGE, "kernel": np.ones((2, 2, 2, 3), np.float32), "strides": 1, "padding": "valid"},
    "nn.conv_transpose": {"x": IMAGE, "kernel": np.ones((2, 2, 3, 2), np.float32), "strides": 1, "padding": "valid"},
    "nn.depthwise_conv": {"x": IMAGE, "kernel": np.ones((2, 2, 2, 1), np.float32), "strides": 1, "padding": "valid"},
    **named("nn.max_pool nn.average_pool", x=IMAGE, pool_size=2, strides=2, padding="valid"),
    "nn.batch_normalization": {"x": X, "mean": X[0], "variance": P[0], "offset": X[0], "scale": X[0], "axis": -1, "epsilon": 1e-3},
    "nn.layer_normalization": {"x": X, "scale": X[0], "offset": X[0], "axis": -1, "epsilon": 1e-3},
    "nn.rms_normalization": {"x": X, "scale": X[0], "axis": -1, "epsilon": 1e-3},
    "nn.group_normalization": {"x": IMAGE, "scale": X[0, :2], "offset": X[0, :2], "groups": 2},
    "nn.pad": {"x": X, "widths": ((1, 1), (0, 2)), "mode": "constant"},
    "nn.resize": {"x": IMAGE, "size": (8, 3), "method": "bilinear"},
    # losses
    "losses.softmax_cross_entropy": {"logits": X, "labels": IDS, "label_smoothing": 0.1},
    "losses.sigmoid_cross_entropy": {"logits": X, "labels": P},
    **named(
        """losses.squared_error losses.absolute_error losses.mean_squared_error losses.mean_absolute_error
        losses.log_cosh""",
        predictions=X, targets=X + 1,
    ),
    "losses.huber": {"predictions": X, "targets": X + 1, "delta": 1.0},
    **named("losses.hinge losses.squared_hinge losses.categorical_hinge", scores=X, labels=np.sign(X)),
    "losses.binary_cross_entropy": {"probabilities": P, "labels": P},
    "losses.categorical_cross_entropy": {"probabilities": P, "labels": P},
    "losses.kl_divergence": {"log_predictions": np.log(P), "targets": P},
    "losses.cosine_similarity": {"a": X, "b": X + 1},
    "losses.poisson": {"rates": P, "counts": P},
    "losses.gaussian": {"means": X, "targets": X, "variances": P},
    "losses.sigmoid_focal": {"logits": X, "labels": P, "gamma": 2.0},
    "losses.triplet_margin": {"anchors": X, "positives": X + 1, "negatives": X - 1},
    "losses.ctc": {"logits": IMAGE.reshape(2, 6, 4), "labels": np.asarray([[1, 1], [1, 0]]), "logit_lengths": np.asarray([6, 3]), "label_lengths": np.asarray([2, 1]), "blank": 0},
    # special functions
    "special.betaln": {"a": P, "b": P},
    "special.betainc": {"a": P, "b": P, "x": P},
    "special.zeta": {"s": P + 2, "q": P},
    **named("special.gammainc special.gammaincc", a=P, x=P),
    "special.gammaincinv": {"a": P, "p": P},
    "special.polygamma": {"n": 1, "x": P},
    **named("special.xlogy special.xlog1py", x=P, y=P),
    # segments
    **named("segments.scatter_add segments.scatter_max segments.scatter_min segments.scatter_multiply segments.scatter_update",
            x=X, indices=IDS, updates=X + 1),
    **named("segments.segment_sum segments.segment_max segments.segment_mean segments.segment_min segments.segment_prod",
            data=X, segment_ids=IDS, num_segments=3),
    "segments.top_k": {"x": X, "k": 2},
    # random numbers
    "random.bernoulli": {"shape": (2, 3), "p": 0.5, "key": KEY},
    "random.beta": {"shape": (2, 3), "a": 1.0, "b": 1.0, "dtype": "float32", "key": KEY},
    "random.categorical": {"logits": X, "shape": (4,), "key": KEY},
    "random.choice": {"x": X, "shape": (2,), "key": KEY},
    "random.dirichlet": {"concentration": P, "shape": (4,), "key": KEY},
    "random.exponential": {"shape": (2, 3), "scale": 1.0, "dtype": "float32", "key": KEY},
    "random.gamma": {"shape": (2, 3), "concentration": 1.0, "scale": 1.0, "dtype": "float32", "key": KEY},
    **named("random.gumbel random.laplace random.logistic", shape=(2, 3), loc=0.0, scale=1.0, dtype="float32", key=KEY),
    "random.integers": {"shape": (2, 3), "low": 0, "high": 5, "dtype": "int64", "key": KEY},
    "random.multivariate_normal": {"mean": X[0], "scale_tril": SQUARE, "shape": (2,), "key": KEY},
    **named("random.normal random.truncated_normal", shape=(2, 3), mean=0.0, stddev=1.0, dtype="float32", key=KEY),
    "random.permutation": {"x": X, "key": KEY},
    "random.poisson": {"shape": (2, 3), "rate": 1.0, "dtype": "int64", "key": KEY},
    "random.seed": {"number": 7},
    "random.split": {"key": KEY, "count": 2},
    "random.uniform": {"shape": (2, 3), "low": 0.0, "high": 1.0, "dtype": "float32", "key": KEY},
    # clipping
    "clip_by_global_norm": {"gradients": [ps.asarray(X)], "limit": 1.0},
    "clip_by_norm": {"gradient": ps.asarray(X), "limit": 1.0},
    "clip_by_value": {"gradient": ps.asarray(X), "limit": 1.0},
    "global_norm": {"gradients": [ps.asarray(X)]},
}  # fmt: skip
ELSEWHERE = {
    "__array_namespace_info__", "batch_jacobian", "checkpoint", "clip_by_value", "compilations", "cond", "contract", "custom_gradient",
    "explain", "export",
    "freeze", "from_dlpack", "grad", "hessian", "hvp", "jacobian", "jvp", "ledger", "load", "map",
    "random.key",
    "save", "scan", "step", "trace_statistics", "unfreeze", "value_and_grad", "vjp", "vmap", "wait", "while_loop",
}  # fmt: skip
"""Functions that take functions, variables, files or nothing: their own test files cover their errors."""
FAMILIES = ("", "nn", "linalg", "fft", "losses", "special", "segments", "random")


def public_functions():
    """Every public function that takes tensors, by the name that CALLS has."""
    found = {}
    for family in FAMILIES:
        module = getattr(ps, family) if family else ps
        names = getattr(module, "__all__", None) or [n for n in dir(module) if not n.startswith("_")]
        for name in names:
            one = getattr(module, name)
            path = f"{family}.{name}" if family else name
            if (
                isinstance(one, types.FunctionType)
                and one.__module__.startswith("penstock.")
                and (
                    one.__module__.startswith(
                        (
                            "penstock.functions",
                            "penstock.grad",
                            "penstock.optimizers",
                            "penstock.state",
                            "penstock.capture",
                        )
                    )
                )
            ):
                found[path] = one
    for private in ("nn.composite", "nn.reshape", "losses.composite", "losses.log_softmax", "special.erf"):
        found.pop(private, None)
    return found


# -- mistakes
# -------------------------------------------------------------------------------------------------

AXES = ("axis", "axes", "source", "destination")
COUNTS_ = ("pool_size", "shape", "n", "n_rows", "n_cols", "num", "num_classes", "num_segments", "repeats", "repetitions", "s",
           "count", "groups", "strides", "size", "widths", "k", "shift", "offset")  # fmt: skip
WORDS = ("side", "norm", "mode", "ord", "indexing", "kind", "method", "padding")
DTYPES = ("dtype", "from_", "to", "type")
INDICES = ("indices", "segment_ids", "ids", "logit_lengths", "label_lengths")
NUMBERS = ("min", "max", "label_smoothing", "delta", "epsilon", "gamma", "at", "rate", "limit", "d", "fill_value", "step", "start", "stop",
           "low", "high", "number", "p_", "loc", "scale", "stddev")  # fmt: skip


def wrong_values(name, value):
    """What an argument of a name may be that no function takes, as pairs of a word and the value."""
    if name in AXES:
        yield from ((f"{name}=99", 99), (f"{name}=-99", -99), (f"{name}=1.5", 1.5), (f"{name}='x'", "x"))
        yield f"{name}=(0, 99)", (0, 99)
    elif name in COUNTS_ and not isinstance(value, np.ndarray):
        yield from ((f"{name}=1.5", 1.5), (f"{name}='x'", "x"), (f"{name}=thing", Thing()))
        if name not in ("k", "offset", "shift"):
            yield f"{name}=-7", -7
        if isinstance(value, tuple):
            yield from ((f"{name}=(-7, 3)", (-7, 3)), (f"{name}=(1.5,)", (1.5,)))
    elif name in WORDS:
        yield from ((f"{name}='nonsense'", "nonsense"), (f"{name}=thing", Thing()))
    elif name in DTYPES:
        yield from (
            (f"{name}='nonsense'", "nonsense"),
            (f"{name}=thing", Thing()),
            (f"{name}=object", object),
        )
    elif isinstance(value, bool):
        yield from ()
    elif name == "key" and isinstance(value, ps.Tensor):
        yield from ((f"{name}=array", np.zeros(3)), (f"{name}='x'", "x"), (f"{name}=7", 7))
    elif name in INDICES:
        far = np.full_like(value, 0)
        far.flat[0] = 99
        yield from ((f"{name}=99", far), (f"{name}=-99", -far))
        yield from ((f"{name}=[0.5]", np.asarray([0.5])), (f"{name}='x'", "x"), (f"{name}=None", None))
        yield f"{name} of odd shape", np.zeros((7, 5, 11), np.int64)
    elif isinstance(value, np.ndarray):
        yield from ((f"{name} of odd shape", odd(value)), (f"{name} empty", np.zeros((0,), value.dtype)))
        yield from ((f"{name} without axes", np.asarray(value.dtype.type(1))), (f"{name} boolean", value > 0))
        yield from (
            (f"{name} whole", (value.real * 3).astype(np.int64)),
            (f"{name} complex", value.astype(np.complex64)),
        )
        yield from ((f"{name}='text'", "text"), (f"{name}=None", None), (f"{name}=thing", Thing()))
        yield from ((f"{name}={{}}", {"a": 1.0}), (f"{name} ragged", [[1.0], [2.0, 3.0]]))
        if value.dtype.kind in "fc":
            yield f"{name} not finite", np.full_like(value, np.nan)
        yield f"{name} zeros", np.zeros_like(value)
    elif isinstance(value, list | tuple):
        yield from (
            (f"{name}=[]", type(value)()),
            (f"{name}=thing", Thing()),
            (f"{name} of things", type(value)([Thing(), Thing()])),
        )
        yield f"{name} of odd shapes", type(value)([odd(X), X])
    else:
        yield from (
            (f"{name}='x'", "x"),
            (f"{name}=thing", Thing()),
            (f"{name} of odd shape", np.zeros((7, 5, 11), np.float32)),
        )


def bad_calls(name):
    """Every good call with one argument changed: a label, and the arguments."""
    good = CALLS[name]
    for own, value in good.items():
        for word, wrong in wrong_values(own.lstrip("*"), value):
            yield word, good | {own: wrong}


def call(function, arguments):
    """Calls a function with its positional arguments in place; checks the result and returns it."""
    parameters = inspect.signature(function).parameters.values()
    positional, named_ = [], {}
    for one in parameters:
        if one.kind is one.VAR_POSITIONAL:
            positional.extend(
                arguments.get(f"*{one.name}", ())
                if isinstance(arguments.get(f"*{one.name}", ()), list | tuple)
                else [arguments[f"*{one.name}"]]
            )
        elif one.name in arguments:
            if one.kind is one.KEYWORD_ONLY:
                named_[one.name] = arguments[one.name]
            else:
                positional.append(arguments[one.name])
    unknown = {one.lstrip("*") for one in arguments} - {one.name for one in parameters}
    assert not unknown, f"{function.__name__} has no argument {unknown}"
    result = function(*positional, **named_)  # here
    looked_at(result)  # here
    return result
    return result


def looked_at(result):
    """Computes all pending values in the result of a call."""
    if isinstance(result, ps.Tensor):
        result.numpy()
    elif isinstance(result, list | tuple):
        for one in result:
            looked_at(one)
