"""Expressions with each name of tf.experimental.numpy, for the record of TensorFlow and for the test."""

SETUP = """
import numpy as np
tnp = tf.experimental.numpy
tnp.experimental_enable_numpy_behavior()
pair = tf.constant([1.5, -2.0])
matrix = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])
whole = tf.constant([[3, 0, 5], [-2, 7, 1]])
small = tf.constant([4, 7], tf.int8)
truths = tf.constant([True, False])
wave = tf.constant([1.0 + 2.0j, -3.0j], tf.complex64)
holes = tf.constant([[1.0, np.nan], [np.inf, 2.0]])
cube = tf.reshape(tf.range(24), [2, 3, 4])
def slope(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.cast(function(x), tf.float64))
    return tape.gradient(y, x)
"""

_UNARY = (
    "abs absolute fabs negative square positive sign conj conjugate real imag signbit around reciprocal ceil "
    "floor fix exp exp2 expm1 sqrt cbrt log log2 log10 log1p sin cos tan arctan sinh cosh tanh arcsinh isnan "
    "isfinite isinf isneginf isposinf iscomplex isreal iscomplexobj isrealobj angle deg2rad rad2deg sinc "
    "logical_not sum prod mean std var amax amin max min ptp all any argmax argmin cumsum cumprod "
    "nansum nanprod nanmean average count_nonzero sort argsort ravel flatten transpose squeeze atleast_1d "
    "atleast_2d atleast_3d flip flipud copy array asarray asanyarray ascontiguousarray zeros_like ones_like "
    "empty_like diag diagflat size shape ndim isscalar nonzero diff ix_ vander round"
)
_OPERANDS = ("pair", "small", "truths", "[2, 3]", "[0.5, 0.25]")
_ONLY = {
    "isinf isneginf isposinf rad2deg": ("pair", "small"),
    "zeros_like ones_like empty_like": ("pair", "small", "truths", "[2, 3]"),
    "ix_": ("small", "truths", "[2, 3]"),
}
_BINARY = (
    "add subtract multiply divide true_divide floor_divide mod remainder divmod power float_power maximum "
    "minimum arctan2 heaviside hypot logaddexp logaddexp2 equal not_equal less less_equal greater "
    "greater_equal logical_and logical_or logical_xor isclose allclose array_equal dot inner outer vdot kron "
    "matmul append polyval"
)
_PAIRS = (
    "pair, pair * 2", "pair, [1, 2]", "small, [1, 2]", "pair, 2", "small, tf.constant([1, 2])",
    "tf.constant([5, 6]), pair", "[1, 2], [2.0, 5.0]", "[3, 4], [5, 2]", "truths, [True, True]",
    "small, 2.5", "pair, np.array([1.0, 2.0])", "pair, tf.constant([2.0, 2.0], tf.float64)",
)  # fmt: skip
_OTHERS = (
    "arccos([0.5])", "arccosh([1.5])", "arcsin([0.5])", "arctanh([0.5])", "gcd([12, 5, 0], [8, 15, 3])",
    "lcm([12, 5, 0], [8, 15, 3])", "gcd(small, 2)", "lcm(small, tf.constant([6, 6]))", "gcd(1.5, 2)",
    "nextafter([1.0], [2.0])", "bitwise_and([6, 5], [3, 4])", "bitwise_or([6, 5], 3)",
    "bitwise_xor(truths, [True, True])", "bitwise_and(truths, [True, True])", "bitwise_not([6, 5])",
    "bitwise_not(truths)", "bitwise_xor(small, 2)", "clip(pair, 0, 1)", "clip(pair, None, 1)",
    "clip(pair, -1, None)", "clip(pair, None, None)", "clip(whole, 0.5, 3)", "angle(wave)",
    "angle(wave, deg=True)", "angle(pair, True)", "around(pair * 1.234, 1)", "around(whole, -1)",
    "isclose(holes, holes, equal_nan=True)", "iscomplexobj(wave)", "real(wave)", "imag(wave)",
    "conj(wave)", "iscomplex(wave)", "sign(wave)", "abs(wave)", "mean(wave)", "var(wave)", "sum(wave)",
    "sqrt(wave)", "sign(pair, out=pair)", "arange(5)", "arange(2, 7)", "arange(1, 2, 0.25)",
    "arange(5, 1, -2)", "arange(3, dtype=tnp.float32)", "arange(0)", "arange(3, 1)", "arange(1, 2, 0)",
    "arange(2.5)", "array([1, 2])", "array([1.5, 2])", "array(1)", "array([1, 2], ndmin=3)",
    "array([1.5], dtype=tnp.int32)", "array([[1, 2], [3.5, 4]])", "array([True, False])",
    "array(['a', 'b'])", "array([1j])", "array(np.float32([1, 2]))", "array([pair, pair])",
    "array([pair[0], 1])", "array(1, dtype=float)", "array([])", "array([1, 2], ndmin=33)",
    "asarray(small, tnp.float32)", "ascontiguousarray(3)", "zeros(2)", "zeros([2, 3], tnp.int32)",
    "zeros((2,), dtype=int)", "ones(2)", "ones([2, 1], bool)", "empty([2])", "full([2, 2], 3)",
    "full(2, 1.5)", "full([2], [1, 2.5], tnp.float32)", "full_like(pair, 3)", "full_like(whole, 1.5)",
    "full_like(pair, 2, dtype=int)", "full_like(pair, 2, order='C')", "full_like(pair, 2, shape=[1])",
    "zeros_like(pair, int)", "ones_like([1, 2], float)", "eye(3)", "eye(2, 3, 1)", "eye(3, 2, -1, int)",
    "eye(2, 3, 5)", "identity(2)", "identity(2, tnp.int32)", "tri(3)", "tri(2, 3, 1)",
    "tri(3, k=-1, dtype=int)", "linspace(0, 1, 5)", "linspace(0, 10, 4, endpoint=False)",
    "linspace(1.0, 2.0, 3, retstep=True)", "linspace(0, 1, 3, dtype=tnp.float32)",
    "linspace(tf.constant([1.0, 2.0]), 3.0, 3, axis=1)", "linspace(0, 1, 1)", "linspace(0, 1, -1)",
    "logspace(0, 2, 3)", "logspace(0, 3, 4, base=2.0)", "logspace(0, 2, 2, endpoint=False)",
    "geomspace(1, 1000, 4)", "geomspace(1.0, 8.0, 4, dtype=tnp.float32)", "geomspace(-1, -4, 3)",
    "geomspace(1, 16, 4, endpoint=False)", "diag(matrix)", "diag(matrix, 1)", "diag([1, 2], -1)",
    "diag(matrix, 7)", "diag(1)", "diag([])", "diagflat(whole, 1)", "diagonal(cube)", "diagonal(matrix)",
    "diagonal(matrix, 1)", "diagonal(cube, 1, 0, 2)", "diagonal(cube, axis1=1, axis2=2)",
    "diagonal(matrix, 9)", "diag_indices(3)", "diag_indices(2, 3)", "diag_indices(-1)", "tril(matrix)",
    "tril(whole, 1)", "triu(matrix)", "triu(cube, -1)", "tril(pair)", "vander([1, 2, 3])",
    "vander([1.0, 2.0], 3, True)", "vander(matrix)", "vander([1], -1)", "ix_([0, 1], [2, 1])",
    "ix_([1.5])", "ix_(matrix)", "sum(small, dtype=tnp.int8)", "sum(pair, dtype=int)",
    "sum(truths, dtype=bool)", "prod(truths, dtype=bool)", "mean(whole, dtype=tnp.float32)",
    "mean(pair, dtype=int)", "var(whole, dtype=tnp.float32)", "var(matrix, ddof=1)",
    "var(matrix, axis=0, dtype=float)", "mean(pair, out=pair)", "amax(truths)",
    "sum(tf.constant([200, 100], tf.uint8))", "sum(matrix, axis=5)", "sum([])",
    "mean([[1, 2], [3, 4]], 0)", "nansum(holes)", "nanprod(holes, axis=0)", "nanmean(holes, axis=1)",
    "nanmean(whole)", "nanmean(holes, keepdims=True)", "cumsum(matrix)", "cumsum(matrix, 1)",
    "cumsum(small)", "cumprod(whole, -1)", "cumsum(truths)", "cumsum(small, dtype=tnp.float32)",
    "count_nonzero(whole, 0)", "average(matrix, axis=0)",
    "average(whole, weights=[[1, 1, 2], [0, 1, 0]])", "average(matrix, axis=1, weights=[1.0, 0.0, 1.0])",
    "average(matrix, returned=True)", "average(matrix, axis=1, weights=[1, 2, 1], returned=True)",
    "average(matrix, axis=(0, 1))", "ptp(matrix, axis=0)", "trace(matrix)", "trace(matrix, 1)",
    "trace(whole, dtype=float)", "trace(cube)", "trace(cube, axis1=1, axis2=2)", "argmax(matrix, axis=0)",
    "argmin(whole, 1)", "argmax(5)", "argsort(whole)", "argsort(whole, 0)", "argsort(whole, None)",
    "argsort(3)", "argsort(whole, kind='heapsort')", "argsort(whole, kind='stable')", "argsort(wave)",
    "sort(whole)", "sort(whole, 0)", "sort(whole, None)", "sort(whole, kind='stable')",
    "where([True, False], 1, 2.5)", "where([1, 0, 2])", "where(whole > 1)", "where(truths, pair, [1, 2])",
    "where(truths, pair)", "select([pair > 1, pair < -1], [pair, pair * 2], 7)",
    "select([truths], [[1, 2]])", "select([], [])", "select([truths], [])", "nonzero(whole)",
    "nonzero(3)", "compress([True, False], matrix, 0)", "compress([False, True, True], matrix, 1)",
    "compress([0, 1, 1, 0], matrix)", "compress([[True]], matrix)", "take(matrix, [0, 5])",
    "take(matrix, [0, 1], axis=1)", "take(matrix, [-1, 7], axis=1)",
    "take(matrix, [-1, 7], axis=1, mode='wrap')", "take(matrix, 0, mode='raise')",
    "take(matrix, 0, mode='x')", "take(matrix, [0], out=matrix)",
    "take_along_axis(matrix, [[0], [2]], 1)", "take_along_axis(matrix, [[0, -1]], 1)",
    "take_along_axis(matrix, [0, 5], None)", "take_along_axis(whole, tf.argsort(whole, 0), 0)",
    "reshape(matrix, 6)", "reshape(matrix, (3, 2))", "reshape(matrix, [-1, 2], order='F')",
    "reshape(matrix, 6, 'A')", "reshape([1, 2], [2, 1])", "flatten(matrix, 'F')", "flatten(matrix, 'X')",
    "expand_dims(pair, 0)", "expand_dims([1], -1)", "squeeze([[1], [2]])", "squeeze([[1], [2]], 1)",
    "transpose(cube, [1, 0, 2]).shape", "swapaxes(cube, 0, -1).shape", "moveaxis(cube, 0, -1).shape",
    "moveaxis(cube, (0, 1), (1, 2)).shape", "moveaxis(cube, (0, 1), (1,))", "pad(pair, 1, 'constant')",
    "pad(pair, [[1, 2]], 'constant', constant_values=3)", "pad(matrix, [[0, 1], [1, 0]], 'reflect')",
    "pad(matrix, [[1, 0], [0, 2]], 'symmetric')", "pad(pair, [[1, 1]], 'edge')",
    "split(matrix, 3, axis=1)", "split([1, 2, 3, 4], [1, 3])", "split(matrix, [1], 5)",
    "split([1, 2, 3], [2, 1])", "hsplit(matrix, 3)", "hsplit(tf.range(4), 2)", "vsplit(matrix, [1])",
    "dsplit(cube, 2)[1].shape", "hsplit(matrix, 2)", "stack([pair, [1, 2]])",
    "stack([pair, small], axis=1)", "stack(matrix)", "stack(matrix, 1)", "hstack([pair, [1, 2]])",
    "hstack([matrix, whole])", "vstack([pair, [1, 2]])", "dstack([pair, [1, 2]])", "hstack([1, 2])",
    "concatenate([pair, [1, 2]])", "concatenate([matrix, whole], axis=1)",
    "concatenate([matrix, whole], axis=-1)", "concatenate([])", "concatenate((small, small))",
    "append(matrix, [[1, 2, 3]], axis=0)", "append(matrix, 1)", "tile(pair, 2)", "tile(pair, [2, 2])",
    "tile(matrix, [2])", "tile(3, [2])", "repeat(pair, 2)", "repeat(matrix, 2, axis=0)",
    "repeat(pair, [1, 3])", "repeat(3, 4)", "repeat(matrix, [1, 0, 2], 1)", "fliplr(matrix)",
    "flip(matrix, -1)", "roll(matrix, 1)", "roll(matrix, 1, axis=1)", "roll(cube, (1, 2), (0, 2))",
    "rot90(matrix)", "rot90(matrix, 2)", "rot90(matrix, 3)", "rot90(cube, 1, (1, 2)).shape",
    "rot90(matrix, 4)", "broadcast_arrays(pair, [[1], [2]])", "broadcast_arrays(pair)",
    "broadcast_arrays(pair, subok=True)", "broadcast_to(pair, [2, 2])", "broadcast_to([1, 2], 2)",
    "meshgrid([1, 2], [3, 4, 5])", "meshgrid([1, 2], [3.5, 4.5], indexing='ij')",
    "meshgrid([1], sparse=True)", "meshgrid([1], copy=False)", "meshgrid(pair, small)",
    "atleast_1d(1, [2])", "atleast_2d(3)", "atleast_3d(matrix).shape",
    "matmul(matrix, tnp.transpose(matrix))", "matmul(matrix, [1, 2, 3])", "matmul([1, 2], matrix)",
    "matmul(cube, [1, 2, 3, 4])", "matmul(matrix, matrix)", "matmul([[1, 2]], [[3], [4]])",
    "dot(matrix, [1, 2, 3])", "dot(2, matrix)", "dot(cube, tnp.ones([4, 2]))", "inner(matrix, matrix)",
    "inner(2, pair)", "outer(matrix, [1, 2])", "vdot(wave, wave)", "vdot(matrix, matrix)",
    "tensordot(matrix, whole)", "tensordot(matrix, whole, [[0], [0]])", "kron(matrix, [[1, 2]])",
    "kron(pair, matrix)", "cross([1, 2, 3], [4, 5, 6])", "cross([1, 2], [4, 5])",
    "cross([1, 2], [4, 5, 6.5])", "cross(matrix, [1, 0, 0])",
    "cross(tnp.transpose(matrix), tnp.transpose(whole), axis=0)", "polyval([1, 2, 3], pair)",
    "polyval(3, pair)", "einsum('ij,kj->ik', matrix, whole)",
    "einsum('ij,kj->ik', matrix, whole, casting='no')", "einsum('i,i', pair, pair, optimize='optimal')",
    "einsum('i,i', pair, pair, casting='x')", "einsum('i,i', pair, pair, optimize='x')", "diff(matrix)",
    "diff(matrix, axis=0)", "diff(matrix, n=2)", "diff(truths)", "diff(pair, n=-1)", "diff(pair, axis=3)",
    "size(matrix)", "size(3)", "size(matrix, 1)", "shape([[1, 2]])", "ndim(3)", "isscalar(pair)",
    "isscalar(2.0)", "result_type(1, 2.0)", "result_type(pair, 1)", "result_type(pair, whole)",
    "result_type(small, 1)", "result_type(tnp.int8, tnp.float16)", "result_type([1, 2.5])",
    "result_type(small, np.float32(1))", "result_type(True, 1)", "result_type(wave, 1.0)",
    "result_type(tf.float32, tf.int64)", "promote_types(tnp.int32, tnp.float32)",
    "promote_types(tf.int8, float)", "finfo(tf.float32).max", "finfo(float).bits", "iinfo(tnp.int32).max",
    "issubdtype(tnp.int32, tnp.inexact)", "issubdtype(tnp.float32, tnp.inexact)", "bool_", "complex128",
    "complex64", "complex_", "float16", "float32", "float64", "float_", "int16", "int32", "int64", "int8",
    "int_", "object_", "string_", "uint16", "uint32", "uint64", "uint8", "unicode_", "e", "pi", "inf",
    "newaxis", "ndarray is tf.Tensor", "random.rand(2, 3).shape", "random.rand().dtype",
    "random.randn(3).dtype", "random.randn(2, 1).shape", "random.standard_normal().shape",
    "random.standard_normal(3).shape", "random.uniform(0, [1, 2]).shape",
    "random.uniform(size=[2]).dtype", "random.random([2]).shape", "random.random().dtype",
    "random.randint(3, size=4).dtype", "random.randint(0, 5, [2, 2], tnp.int32).shape",
    "random.randint(3, dtype=tnp.int8)", "random.poisson(2.0, [3]).dtype", "random.poisson(2.0, 3).shape",
    "random.seed([1])", "random.seed(3)",
)  # fmt: skip
_REDUCTIONS = "sum prod mean std var amax amin max min all any"
_AXES = ("axis=1", "axis=(0, 1)", "axis=-1, keepdims=True")
_OPERATORS = (
    "whole + 1.5", "whole + pair[0]", "1.5 + whole", "whole * pair[:1]",
    "pair - tf.constant([1.0, 2.0], tf.float64)", "small + 1", "small + 1.5", "small + 300", "small / 2",
    "small // small", "whole / 2", "whole % 2.5", "pair ** 2", "small ** 2", "2 ** small",
    "pair + np.array([1.0, 2.0])", "np.array([1.0, 2.0]) + pair", "pair + np.float32(1)",
    "small + np.int64(1)", "pair + [1, 2]", "whole > 1.5", "whole == 3.0", "pair < small",
    "pair != small", "truths + 1", "truths * 2.5", "truths + truths", "truths & True",
    "truths | [True, True]", "whole & 1", "whole | small[0]", "~truths", "~whole", "-whole", "+pair",
    "matrix @ whole.T", "whole @ [1, 2, 3]", "abs(small)", "small == 'a'", "pair == None", "wave + 1",
    "pair + 1j", "round(pair)", "tf.Variable([1, 2]) + 0.5", "0.5 * tf.Variable([1, 2])",
    "pair + tf.Variable([1.0, 2.0], dtype=tf.float64)", "tf.add(pair, [1, 2])", "tf.add(whole, pair[0])",
    "matrix.T", "matrix.ndim", "matrix.size", "matrix.data is matrix", "matrix.tolist()",
    "matrix.reshape(3, 2)", "matrix.reshape([6])", "matrix.reshape((2, -1), order='F')",
    "matrix.reshape(-1)", "matrix.reshape(6, x=1)", "matrix.ravel()", "matrix.flatten()",
    "matrix.transpose()", "cube.transpose([2, 0, 1]).shape", "matrix.astype(tnp.int64)",
    "matrix.astype('int8')", "matrix.clip(2, 4)", "matrix.max()", "matrix.min(axis=0)", "whole.mean()",
    "whole.mean(1)", "matrix.max(axis=1, keepdims=True)", "matrix.sum()", "matrix[0, [0, 2]]",
    "matrix[[1, 0]]", "matrix[:, [0, 2]]", "matrix[[0, 1], [2, 0]]", "matrix[tf.constant([1, 0]), 1:]",
    "matrix[None, ..., -1]", "matrix[matrix > 2]", "matrix[truths]", "matrix[:, [True, False, True]]",
    "cube[[0, 1], :, [1, 2]]", "cube[0, [0, 1], [1, 2]]", "cube[[0], :, 1]", "cube[..., [0, 1]].shape",
    "cube[[[0, 1], [1, 0]]].shape", "cube[1:, ::2, ::-1]", "cube[tf.constant(1)][0]", "matrix[-1]",
    "matrix[np.array([-1, 0])]", "matrix[5]", "matrix[1.5]", "matrix['a']", "matrix[0, 0, 0]",
    "matrix[tnp.ix_([0, 1], [0, 2])]", "matrix[whole[0] > 1]", "tf.Variable([1, 2, 3])[1:]",
    "slope(lambda x: tnp.sum(tnp.sin(x) * [1, 2]), pair)", "slope(lambda x: tnp.dot(x, [3, 4]), pair)",
    "slope(lambda x: tnp.maximum(x, 0), tf.constant([1.0, 0.0, -1.0]))",
    "slope(lambda x: tnp.cumsum(x)[[1, 1]], pair)", "slope(lambda x: tnp.take(x, [0, 0]), pair)",
    "slope(lambda x: tnp.linspace(x, 3.0, 4), tf.constant(1.0))",
    "slope(lambda x: tnp.var(x, ddof=1), matrix)", "slope(lambda x: tnp.logaddexp(x, 1.0), pair)",
    "slope(lambda x: tnp.concatenate([x, x * 2]), pair)", "slope(lambda x: x[[0, 0], [1, 1]].T, matrix)",
    "slope(lambda x: tnp.average(x, weights=[1, 3]), pair)",
    "slope(lambda x: (x.reshape(1, 2) @ x.reshape(2, 1)).astype(tnp.float64), pair)",
    "slope(lambda x: tnp.clip(x, -1, 1), pair)",
    "slope(lambda x: tnp.cross(x, [1, 2, 3]), tf.constant([3.0, 1.0, 2.0]))",
    "slope(lambda x: tnp.tile(tnp.pad(x, 1, 'constant'), 2), pair)",
    "slope(lambda x: tnp.nanmean(x, axis=0), holes)", "slope(lambda x: tnp.power(x, [2, 3]), pair)",
)  # fmt: skip
_PREFERRING = "(tnp.experimental_enable_numpy_behavior(prefer_float32=True), {})[1]"
_PREFERRED = (
    "tnp.array([1.5, 2])", "tnp.zeros(2)", "tnp.array(1.5)", "whole + 1.5", "small + 1.5", "pair + 1.5",
    "tnp.sin([1, 2])", "tnp.sin([1.0])", "tnp.add(1, 2.5)", "tnp.result_type(1, 2.0)", "tnp.mean([1, 2])",
    "tnp.array(1j)", "tnp.linspace(0, 1, 3)", "tnp.arange(0.5)", "1.5 * tf.constant(2)",
    "tnp.log2([1.0, 8.0])",
)  # fmt: skip


def _every():
    for name in _UNARY.split():
        operands = next((some for names, some in _ONLY.items() if name in names.split()), _OPERANDS)
        yield from (f"tnp.{name}({one})" for one in operands)
    for name in _BINARY.split():
        yield from (f"tnp.{name}({both})" for both in _PAIRS)
    yield from (f"tnp.{one}" for one in _OTHERS)
    yield from (f"tnp.{name}(whole, {axes})" for name in _REDUCTIONS.split() for axes in _AXES)
    yield from _OPERATORS
    yield from (_PREFERRING.format(text) for text in _PREFERRED)


NUMPY = list(dict.fromkeys(_every()))
