"""Values of the array API's functions in both tiers, compared with NumPy, which follows the same standard."""

import functools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import penstock as ps
import specification
from penstock.errors import ArgumentError, ShapeError
from penstock.grad.tape import GradientTape
from penstock.testing import assert_close, check_grads, use_engine

ONE = list(specification.signatures(specification.FAMILIES["elementwise of one"]))
TWO = list(specification.signatures(specification.FAMILIES["elementwise of two"]))
REALS = (
    np.nan,
    np.inf,
    -np.inf,
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -2.0,
    0.5,
    -0.5,
    3.0,
    1.5,
    2.5,
    1e-3,
    1e10,
    -1e10,
)
COMPLEX = [complex(a, b) for a in (-2.0, 0.3, 1.0) for b in (-1.5, 0.0, 0.25)]
DTYPES = ("bool", "int8", "uint16", "int64", "float32", "float64", "complex64", "complex128")

# Where NumPy does something that the standard leaves open, or does otherwise.
OTHERWISE = {
    "divide": "biu",  # NumPy divides integers as float64, we as our default, float32
    "reciprocal": "biu",
}


def example(dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return np.asarray(REALS, dtype)
    if dtype.kind == "c":
        return np.asarray(COMPLEX, dtype)
    if dtype.kind == "b":
        return np.asarray([True, False])
    limits = np.iinfo(dtype)
    return np.asarray(
        [0, 1, 2, 3, 7, limits.max, limits.min, *((-1, -2, -7) if dtype.kind == "i" else ())], dtype
    )


def record_elementwise(dtype):
    """Every elementwise function of the examples and their pairs, recorded at once to be compiled at once."""
    x = example(dtype)
    a, b = map(np.ravel, np.meshgrid(x, x))
    results = {}
    for name in (*ONE, *TWO):
        try:
            results[name] = getattr(ps, name)(*((ps.asarray(x),) if name in ONE else map(ps.asarray, (a, b))))
        except TypeError:
            results[name] = None
    return results


@functools.cache
def elementwise_values(dtype, engine):
    with use_engine(engine), GradientTape(watch_accessed_variables=False) as tape:
        results = record_elementwise(dtype)
        tape.reset()
        return {name: None if one is None else np.asarray(one) for name, one in results.items()}


def numpys(name, dtype):
    x = example(dtype)
    arguments = (x,) if name in ONE else tuple(map(np.ravel, np.meshgrid(x, x)))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return arguments, getattr(np, name)(*arguments)
        except (TypeError, ValueError):  # ValueError: integers to a negative power
            return arguments, None


@pytest.mark.parametrize("engine", ["numpy", "xla"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_elementwise_values_are_numpys(dtype, engine):
    apart = []
    for name in (*ONE, *TWO):
        try:
            value_is_numpys(name, dtype, engine)
        except AssertionError as error:
            apart.append(str(error))
    assert not apart, "\n".join(apart)


def value_is_numpys(name, dtype, engine):
    got = elementwise_values(dtype, engine)[name]
    arguments, want = numpys(name, dtype)
    kind = np.dtype(dtype).kind
    if got is None:
        assert want is None or not specified(name, kind), f"{name} refuses {dtype}"
        return
    if want is None or kind in OTHERWISE.get(name, ""):
        return
    if name == "floor_divide" and kind == "f":
        # Here NumPy goes with Python, and the standard with floor(x1 / x2).
        infinite = np.isinf(arguments[0]) | np.isinf(arguments[1])
        with np.errstate(all="ignore"):
            want = np.where(infinite, arguments[0] / arguments[1], want)
    if name == "pow" and kind == "u":
        got, want = got[arguments[1] < 9], want[arguments[1] < 9]
    assert_close(got, want, f"{name} of {dtype}", scaled=False)
    if want.dtype.kind == "f" and name not in ("maximum", "minimum"):
        zero = want == 0
        assert np.array_equal(np.signbit(got[zero]), np.signbit(want[zero])), (
            f"{name} of {dtype}: signs of zeros"
        )


def specified(name, kind):
    """Whether the standard requires operands of this kind."""
    real = (
        "atan2 ceil copysign floor floor_divide greater greater_equal hypot less less_equal logaddexp "
        "maximum minimum nextafter remainder signbit trunc"
    )
    floating = (
        "acos acosh asin asinh atan atan2 atanh copysign cos cosh divide exp expm1 hypot imag log log10 "
        "log1p log2 logaddexp nextafter reciprocal signbit sin sinh sqrt tan tanh"
    )
    if name.startswith("logical"):
        return kind == "b"
    if name.startswith("bitwise"):
        return kind in ("iu" if "shift" in name else "biu")
    if name in ("equal", "not_equal"):
        return True
    if kind == "b" or (kind == "c" and name in real.split()):
        return False
    return kind in "fc" or name not in floating.split()


# -- the plane at its edges ---------------------------------------------------------------------------------

EDGES = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.5, -2.5)
PLANE = np.asarray([complex(a, b) for a in EDGES for b in EDGES])
ANALYTIC = specification.words(
    "abs acos acosh asin asinh atan atanh cos cosh exp expm1 log log1p log2 log10 sin sinh sqrt tan tanh"
)
_N, _I = complex(np.nan, np.nan), np.inf
# Of the standard's tables, where NumPy differs from them (expm1, tanh), and a few more to hold on to.
STANDARD = [
    ("expm1", 0.0, complex(0.0, 0.0)),
    ("expm1", complex(-0.0, 0.0), complex(0.0, 0.0)),
    ("expm1", complex(1, _I), _N),
    ("expm1", complex(1, np.nan), _N),
    ("expm1", complex(_I, 0), complex(_I, 0)),
    ("expm1", complex(-_I, 2.5), complex(-1, 0)),
    ("expm1", complex(-_I, _I), complex(-1, 0)),
    ("expm1", complex(_I, _I), complex(_I, np.nan)),
    ("expm1", complex(-_I, np.nan), complex(-1, 0)),
    ("expm1", complex(_I, np.nan), complex(_I, np.nan)),
    ("expm1", complex(np.nan, 0), complex(np.nan, 0)),
    ("expm1", complex(np.nan, 1), _N),
    ("tanh", complex(_I, 2.5), complex(1, 0)),
    ("tanh", complex(_I, _I), complex(1, 0)),
    ("tanh", complex(_I, np.nan), complex(1, 0)),
    ("tanh", complex(1, _I), _N),
    ("tanh", complex(np.nan, 0), complex(np.nan, 0)),
    ("exp", complex(-_I, _I), complex(0, 0)),
    ("exp", complex(_I, np.nan), complex(_I, np.nan)),
    ("sqrt", complex(1, _I), complex(_I, _I)),
    ("sqrt", complex(-_I, 1), complex(0, _I)),
    ("sqrt", complex(-_I, np.nan), complex(np.nan, _I)),
    ("log", complex(-0.0, 0.0), complex(-_I, np.pi)),
    ("log", complex(-_I, _I), complex(_I, 3 * np.pi / 4)),
    ("abs", complex(np.nan, -_I), _I),
    ("acos", complex(0, np.nan), complex(np.pi / 2, np.nan)),
    ("sign", complex(np.nan, 1), _N),
]


@functools.cache
def plane_values(engine):
    with use_engine(engine), GradientTape(watch_accessed_variables=False) as tape:
        results = {name: getattr(ps, name)(ps.asarray(PLANE)) for name in ANALYTIC}
        single = [getattr(ps, name)(ps.asarray(np.complex128(x))) for name, x, _ in STANDARD]
        tape.reset()
        return {name: np.asarray(one) for name, one in results.items()}, [np.asarray(one) for one in single]


def parts_of(values):
    return np.stack([np.real(values), np.imag(values)])


@pytest.mark.parametrize("name", [one for one in ANALYTIC if one not in ("expm1", "tanh", "tan")])
@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_edges_of_the_plane_are_numpys(name, engine):
    with np.errstate(all="ignore"):
        want = parts_of(getattr(np, name)(PLANE))
    got = parts_of(plane_values(engine)[0][name])
    assert np.allclose(got, want, rtol=1e-13, equal_nan=True)
    zero = want == 0
    assert np.array_equal(np.signbit(got[zero]), np.signbit(want[zero]))


@pytest.mark.parametrize("name", ["expm1", "tanh", "tan"])
def test_edges_of_the_plane_are_one_function(name):
    ours, theirs = (
        parts_of(plane_values(engine)[0][name])[:, ~np.isfinite(PLANE)] for engine in ("numpy", "xla")
    )
    assert np.array_equal(ours, theirs, equal_nan=True)


@pytest.mark.parametrize("number", range(len(STANDARD)), ids=[f"{name}({x})" for name, x, _ in STANDARD])
@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_edges_of_the_plane_are_the_standards(number, engine):
    got, want = parts_of(plane_values(engine)[1][number]), parts_of(STANDARD[number][2])
    assert np.allclose(got, want, rtol=1e-14, equal_nan=True)


# -- the other families, on drawn arrays --------------------------------------------------------------------

SHAPES = arrays.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4)
FLOATING = st.sampled_from([np.float32, np.float64])
NUMBERS = st.sampled_from((*(float(one) for one in range(-4, 5)), 0.25, -2.5))


def drawn_arrays(shape=SHAPES, dtype=FLOATING):
    return arrays.arrays(dtype, shape, elements=NUMBERS)


def numpy_tier(function):
    """Many shapes: XLA would compile each."""

    @functools.wraps(function)
    def run(*arguments, **options):
        with use_engine("numpy"):
            function(*arguments, **options)

    return run


def some_axes(data, rank, several=True):
    one = st.integers(-rank, rank - 1)
    choices = [st.none(), one]
    if several:
        choices.append(
            st.permutations(range(rank)).flatmap(lambda p: st.integers(0, rank).map(lambda n: tuple(p[:n])))
        )
    return data.draw(st.one_of(*choices))


@numpy_tier
@given(drawn_arrays(), st.data())
def test_reductions(x, data):
    axis, keepdims = some_axes(data, x.ndim), data.draw(st.booleans())
    options = {"axis": axis, "keepdims": keepdims}
    for name in ("sum", "prod", "all", "any", "count_nonzero"):
        got, want = getattr(ps, name)(x, **options), np.asarray(getattr(np, name)(x, **options))
        assert_close(got.numpy(), want, name)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        correction = data.draw(st.sampled_from([0, 1, 0.5]))
        for name in ("mean", "var", "std"):
            more = {} if name == "mean" else {"correction": correction}
            got, want = getattr(ps, name)(x, **options, **more), getattr(np, name)(x, **options, **more)
            assert_close(got.numpy(), np.asarray(want), name)
    if x.size and axis != ():
        for name in ("max", "min"):
            assert_close(
                getattr(ps, name)(x, **options).numpy(), np.asarray(getattr(np, name)(x, **options)), name
            )
        one = axis if not isinstance(axis, tuple) else axis[0]
        for name in ("argmax", "argmin"):
            got = getattr(ps, name)(x, axis=one, keepdims=keepdims)
            assert np.array_equal(got, getattr(np, name)(x, axis=one, keepdims=keepdims))
            assert got.dtype == ps.int64


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint8", "uint64", "float32", "complex64"])
def test_dtypes_of_totals(dtype, tier):
    x = np.ones((3, 2), dtype)
    for name in ("sum", "prod", "cumulative_sum", "cumulative_prod"):
        axis = {"axis": 0}
        got, want = getattr(ps, name)(x, **axis), getattr(np, name)(x, **axis)
        assert got.dtype == want.dtype
        assert_close(got.numpy(), want, name)
        assert getattr(ps, name)(x, **axis, dtype=ps.float64).dtype == ps.float64
    if dtype not in ("bool", "complex64", "float32"):
        assert ps.mean(x).dtype == ps.var(x).dtype == ps.float32


@numpy_tier
@given(drawn_arrays(), st.data())
def test_running_totals_and_differences(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    initial = data.draw(st.booleans())
    for name in ("cumulative_sum", "cumulative_prod"):
        got = getattr(ps, name)(x, axis=axis, include_initial=initial)
        assert_close(got.numpy(), getattr(np, name)(x, axis=axis, include_initial=initial), name)
    times = data.draw(st.integers(0, 3))
    want = np.diff(x, axis=axis, n=times)
    assert_close(ps.diff(x, axis=axis, n=times).numpy(), want, "diff")
    assert_close(
        ps.diff(x, axis=axis, prepend=x, append=x).numpy(), np.diff(x, axis=axis, prepend=x, append=x), "diff"
    )


@numpy_tier
@given(drawn_arrays(), st.data())
def test_orders(x, data):
    axis, descending = data.draw(st.integers(-x.ndim, x.ndim - 1)), data.draw(st.booleans())
    want = np.sort(x, axis=axis)
    want = np.flip(want, axis) if descending else want
    for stable in (True, False):
        assert np.array_equal(ps.sort(x, axis=axis, descending=descending, stable=stable), want)
    order = ps.argsort(x, axis=axis, descending=descending)
    signed = -x if descending else x
    assert np.array_equal(order, np.argsort(signed, axis=axis, stable=True))
    assert np.array_equal(ps.take_along_axis(x, order, axis=axis), want)
    flat = np.sort(x.ravel())
    for side in ("left", "right"):
        assert np.array_equal(ps.searchsorted(flat, x, side=side), np.searchsorted(flat, x, side=side))
        shuffled = np.argsort(-x.ravel())[::-1].copy()
        got = ps.searchsorted(x.ravel(), x, side=side, sorter=np.argsort(x.ravel()))
        assert np.array_equal(got, np.searchsorted(flat, x, side=side))
        assert shuffled.shape == flat.shape


@numpy_tier
@given(drawn_arrays())
def test_sets(x):
    x = np.where(x == 4, np.nan, x)
    ours, theirs = ps.unique_all(x), np.unique_all(x)
    for name in ("values", "indices", "inverse_indices", "counts"):
        assert_close(getattr(ours, name).numpy(), np.asarray(getattr(theirs, name)), name)
    assert np.array_equal(ps.unique_values(x), ours.values, equal_nan=True)
    assert ps.unique_counts(x)._fields == np.unique_counts(x)._fields
    assert ps.unique_inverse(x)._fields == np.unique_inverse(x)._fields
    for got, want in zip(ps.nonzero(x), np.nonzero(x), strict=True):
        assert_close(got.numpy(), want, "nonzero")


@numpy_tier
@given(drawn_arrays(), st.data())
def test_arrangements(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    order = tuple(data.draw(st.permutations(range(x.ndim))))
    shift = data.draw(st.integers(-9, 9))
    times = tuple(data.draw(st.lists(st.integers(0, 3), max_size=4)))
    counts = np.asarray(
        data.draw(st.lists(st.integers(0, 3), min_size=x.shape[axis], max_size=x.shape[axis])), int
    )
    axes = some_axes(data, x.ndim)
    k = data.draw(st.integers(-6, 6))
    calls = [
        ("permute_dims", (x, order), {}),
        ("moveaxis", (x, axis, -1), {}),
        ("moveaxis", (x, order, tuple(range(x.ndim))), {}),
        ("roll", (x, shift), {}),
        ("roll", (x, shift), {"axis": axis}),
        ("roll", (x, (shift, 1)), {"axis": (axis, axis)}),
        ("tile", (x, times), {}),
        ("repeat", (x, 2), {}),
        ("repeat", (x, counts), {"axis": axis}),
        ("repeat", (x, shift % 4), {"axis": axis}),
        ("flip", (x,), {"axis": axes}),
        ("expand_dims", (x,), {"axis": axis}),
        ("concat", ([x, x[:0], x],), {"axis": 0}),
        ("concat", ([x, x],), {"axis": None}),
        ("stack", ([x, x],), {"axis": axis}),
        ("reshape", (x, (-1, 1)), {}) if x.size else ("reshape", (x, (0, 3)), {}),
        ("broadcast_to", (x, (2, *x.shape)), {}),
    ]
    if x.ndim > 1:
        calls += [("tril", (x,), {"k": k}), ("triu", (x,), {"k": k}), ("matrix_transpose", (x,), {})]
    for name, arguments, options in calls:
        got, want = getattr(ps, name)(*arguments, **options), getattr(np, name)(*arguments, **options)
        assert_close(got.numpy(), want, f"{name}{arguments[1:]}{options}")
    for got, want in zip(ps.unstack(x, axis=axis), np.unstack(x, axis=axis), strict=True):
        assert_close(got.numpy(), want, "unstack")
    for got, want in zip(ps.broadcast_arrays(x, x[:1]) if x.shape[0] else (), np.broadcast_arrays(x, x[:1])):
        assert_close(got.numpy(), want, "broadcast_arrays")


@numpy_tier
@given(drawn_arrays(arrays.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4)), st.data())
def test_picking(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    indices = data.draw(
        arrays.arrays(np.int64, st.integers(0, 5), elements=st.integers(-x.shape[axis], x.shape[axis] - 1))
    )
    assert_close(ps.take(x, indices, axis=axis).numpy(), np.take(x, indices, axis=axis), "take")
    shape = list(x.shape)
    shape[axis] = data.draw(st.integers(0, 3))
    along = data.draw(
        arrays.arrays(np.int64, tuple(shape), elements=st.integers(-x.shape[axis], x.shape[axis] - 1))
    )
    got = ps.take_along_axis(x, along, axis=axis)
    assert_close(got.numpy(), np.take_along_axis(x, along, axis=axis), "take_along_axis")


@numpy_tier
@given(drawn_arrays(st.just((2, 3)), st.just(np.float64)), st.data())
def test_clipping(x, data):
    bound = st.none() | NUMBERS | st.just(np.nan)
    low, high = data.draw(bound), data.draw(bound)
    if low is None and high is None:
        assert ps.clip(x).numpy().tolist() == x.tolist()
        return
    for given_low, given_high in (
        (low, high),
        tuple(None if one is None else np.full(3, one) for one in (low, high)),
    ):
        assert_close(
            ps.clip(x, given_low, given_high).numpy(), np.clip(x, given_low, given_high), f"{low} {high}"
        )


@numpy_tier
@settings(max_examples=50)
@given(st.data())
def test_creation(data):
    number = st.integers(-9, 9) | st.sampled_from([0.5, -2.5, 1e3])
    start, stop, step = data.draw(number), data.draw(number | st.none()), data.draw(number.filter(bool))
    dtype = data.draw(st.sampled_from([None, np.float64, np.int32]))
    got, want = ps.arange(start, stop, step, dtype=dtype), np.arange(start, stop, step)
    assert got.shape == (want.shape if stop is not None else np.arange(0, start, step).shape)
    if dtype is np.float64 and stop is not None:
        assert np.allclose(got, np.arange(start, stop, step, dtype=dtype))
    num, endpoint = data.draw(st.integers(0, 6)), data.draw(st.booleans())
    stop = 3.5 if stop is None else stop
    got = ps.linspace(start, stop, num, endpoint=endpoint, dtype=np.float64)
    assert_close(got.numpy(), np.linspace(start, stop, num, endpoint=endpoint), "linspace")
    rows, columns, k = (
        data.draw(st.integers(0, 4)),
        data.draw(st.none() | st.integers(0, 4)),
        data.draw(st.integers(-6, 6)),
    )
    assert_close(ps.eye(rows, columns, k=k).numpy(), np.eye(rows, columns, k, np.float32), "eye")
    for indexing in ("xy", "ij"):
        given_arrays = [np.arange(n) for n in data.draw(st.lists(st.integers(0, 3), max_size=3))]
        ours, theirs = (one.meshgrid(*given_arrays, indexing=indexing) for one in (ps, np))
        for got, want in zip(ours, theirs, strict=True):
            assert_close(got.numpy(), want, "meshgrid")


def test_creation_of_one_number():
    for name, value in (("zeros", 0), ("ones", 1), ("empty", 0)):
        for dtype in specification.DTYPES:
            assert_close(getattr(ps, name)((2, 0), dtype=dtype).numpy(), np.full((2, 0), value, dtype), name)
            like = ps.ones((2, 1), dtype=dtype)
            assert getattr(ps, f"{name}_like")(like).dtype == np.dtype(dtype)
            assert getattr(ps, f"{name}_like")(like, dtype=ps.float64).numpy().tolist() == [[value]] * 2
    assert ps.full((), True).dtype == ps.bool
    assert ps.full(3, 2).dtype == ps.int64
    assert ps.full((1,), 2j).dtype == ps.complex64
    assert ps.full_like(ps.ones((2,)), 7).numpy().tolist() == [7.0, 7.0]
    assert ps.linspace(0, 1j, 3).dtype == ps.complex64
    assert ps.linspace(1, 7, 3, dtype=ps.int64).numpy().tolist() == [1, 4, 7]
    assert ps.arange(2**62, 2**62 + 2).numpy().tolist() == [2**62, 2**62 + 1]


@numpy_tier
@given(st.data())
def test_products(data):
    shape = data.draw(arrays.array_shapes(min_dims=2, max_dims=3, min_side=0, max_side=3))
    a = data.draw(drawn_arrays(st.just(shape), st.just(np.float64)))
    b = data.draw(drawn_arrays(st.just((*shape[:-2], shape[-1], 2)), st.just(np.float64)))
    assert_close(ps.matmul(a, b).numpy(), np.matmul(a, b), "matmul")
    for axes in (0, 1, ((0, -1), (0, -2)) if len(shape) == 3 else ((-1,), (0,))):
        if axes == 1 and len(shape) == 3:
            continue
        assert_close(
            ps.tensordot(a, b, axes=axes).numpy(), np.tensordot(a, b, axes=axes), f"tensordot {axes}"
        )
    for axis in (-1, -2):
        z = a * (1 + 2j)
        assert_close(ps.vecdot(z, a, axis=axis).numpy(), np.vecdot(z, a, axis=axis), "vecdot")


# -- in XLA, on a few shapes --------------------------------------------------------------------------------

X = np.asarray([[0.5, -2.0, 3.0, 0.5], [1.0, 0.25, -1.0, 2.0]])
INDICES = np.asarray([[0, -1], [2, 1]])
CALLS = {
    "cumulative_sum": ((X,), {"axis": 1, "include_initial": True}),
    "cumulative_prod": ((X,), {"axis": 0}),
    "diff": ((X,), {"n": 2}),
    "std": ((X,), {"axis": 0, "correction": 1}),
    "var": ((X * (1 + 2j),), {}),
    "sort": ((X,), {}),
    "argsort": ((X,), {"axis": 0}),
    "searchsorted": ((np.sort(X[0]), X), {}),
    "take_along_axis": ((X, INDICES), {"axis": 1}),
    "take": ((X, INDICES[0]), {"axis": 1}),
    "roll": ((X, 3), {}),
    "tile": ((X, (2, 1)), {}),
    "repeat": ((X, 2), {"axis": 1}),
    "tril": ((X,), {"k": 1}),
    "triu": ((X,), {}),
    "moveaxis": ((X, 0, 1), {}),
    "clip": ((X,), {"min": 0.0, "max": X[1]}),
    "tensordot": ((X, X.T), {"axes": 1}),
    "vecdot": ((X, X), {}),
    "count_nonzero": ((X > 0,), {"axis": 0}),
    "where": ((X > 0, X, 1.0), {}),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_in_both_tiers(name, tier):
    arguments, options = CALLS[name]
    ours = [ps.asarray(one) if isinstance(one, np.ndarray) else one for one in arguments]
    got = getattr(ps, name)(*ours, **options)
    assert_close(got.numpy(), np.asarray(getattr(np, name)(*arguments, **options)), name)


# -- derivatives of composed functions ----------------------------------------------------------------------

SMOOTH = [
    lambda x: ps.var(x, axis=1, correction=1),
    lambda x: ps.std(x),
    lambda x: ps.sort(x, axis=1, descending=True),
    lambda x: ps.roll(x, (1, 2), axis=(0, 1)),
    lambda x: ps.tile(x, (2, 3)),
    lambda x: ps.repeat(x, np.asarray([2, 0, 1, 1]), axis=1),
    lambda x: ps.tril(x) + ps.triu(x, k=1) * x,
    lambda x: ps.diff(x, n=2) * ps.cumulative_sum(x, axis=1)[:, 1:3],
    lambda x: ps.cumulative_prod(x, axis=1, include_initial=True),
    lambda x: ps.tensordot(x, x, axes=((0, 1), (0, 1))),
    lambda x: ps.vecdot(x, x * x, axis=0),
    lambda x: ps.unique_values(x),
    lambda x: ps.take_along_axis(x, INDICES, axis=1),
    lambda x: ps.hypot(x, x * x) + ps.logaddexp(x, -x) + ps.copysign(x, 1.0) + ps.log2(x * x) + ps.asinh(x),
    lambda x: ps.abs(x * (1 + 2j)) + ps.real(ps.exp(x * 1j)) * ps.imag(ps.sqrt(x + 1j)),
    lambda x: x[x > 0.4] * x[[0, 1, 0, 1, 1], [1, 1, 2, 0, 3]],
    lambda x: ps.reciprocal(x) + ps.square(ps.mean(x, axis=0)),
    lambda x: ps.clip(x, max=1.5) * ps.clip(x, min=-1.5),
    lambda x: ps.unstack(x)[1] * ps.moveaxis(x, 0, 1)[:, 0],
    lambda x: ps.concat(ps.broadcast_arrays(x, x[0]), axis=1),
    lambda x: ps.prod(x, axis=1) / ps.linspace(1.0, 2.0, 2, dtype=ps.float64),
]


@pytest.mark.parametrize("number", range(len(SMOOTH)))
def test_derivatives_of_compositions(number):
    x = np.asarray([[0.5, -2.0, 3.0, 0.7], [1.0, 0.25, -1.2, 2.0]])
    with use_engine("numpy"):
        check_grads(SMOOTH[number], x, order=2)


def test_equal_elements_have_a_deviation_without_slope(tier):
    with ps.GradientTape() as tape:
        x = ps.ones((3,))
        tape.watch(x)
        spread = ps.std(x)
    assert float(spread) == 0
    assert tape.gradient(spread, x).numpy().tolist() == [0.0, 0.0, 0.0]
    assert np.isnan(float(ps.std(ps.asarray([1.0, np.nan]))))


# -- errors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ps.arange(0, 3, 0), ArgumentError, "step of 0"),
        (lambda: ps.zeros((-1,)), ShapeError, "cannot be negative"),
        (lambda: ps.meshgrid(X), ShapeError, "takes vectors"),
        (lambda: ps.tril(X[0]), ShapeError, "tril needs two axes"),
        (lambda: ps.roll(X, (1, 2)), ArgumentError, "no axes"),
        (lambda: ps.roll(X, (1, 2), axis=(0,)), ArgumentError, "2 shifts were given for 1 axes"),
        (lambda: ps.roll(X, 1, axis=2), ShapeError, "roll: axis 2"),
        (lambda: ps.repeat(X, [1, 2], axis=1), ArgumentError, "how often to repeat each of 4 slices"),
        (lambda: ps.repeat(X, -1), ArgumentError, "one non-negative whole number"),
        (lambda: ps.moveaxis(X, (0, 0), (0, 1)), ArgumentError, "Name each axis once"),
        (lambda: ps.cumulative_sum(X), ShapeError, "cumulative_sum needs an axis"),
        (lambda: ps.searchsorted(X, X), ShapeError, "looks into a vector"),
        (lambda: ps.searchsorted(X[0], X, side="middle"), ArgumentError, "side is 'middle'"),
        (lambda: ps.nonzero(ps.asarray(1.0)), ShapeError, "without axes"),
        (lambda: ps.take_along_axis(X, X[0].astype(int)), ShapeError, "same number of axes"),
        (
            lambda: ps.take_along_axis(X, np.asarray([[4], [0]])).numpy(),
            IndexError,
            "index 4 (at position [0, 0])",
        ),
        (lambda: ps.tensordot(X, X, axes=1), ShapeError, "axes [1] of (2, 4) and [0] of (2, 4)"),
        (lambda: ps.tensordot(X, X, axes=3), ArgumentError, "3 axes were asked for"),
        (lambda: ps.vecdot(X, X[0, :3]), ShapeError, "along axis -1"),
        (lambda: ps.stack([X], axis=5), ShapeError, "stack: axis 5"),
        (lambda: ps.sort(ps.asarray([1j])), TypeError, "sort takes real operands"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)
