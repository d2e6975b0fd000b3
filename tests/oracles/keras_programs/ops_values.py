import numpy as np
import tensorflow as tf

ops = tf.keras.ops
x = np.array([[0.5, -1.5, 2.0], [1.0, 0.25, -0.75]], dtype="float32")
n = np.array([[3, 1, 2], [4, -2, 7]], dtype="int32")
v = np.array([0.2, 0.4, 0.6], dtype="float32")
t = np.array([True, False, True])
s = np.array([[4.0, 1.0], [1.0, 3.0]], dtype="float32")


def shown(value):
    if isinstance(value, (tuple, list)):
        return [shown(one) for one in value]
    if isinstance(value, (str, int, float, bool)):
        return value
    array = ops.convert_to_numpy(value)
    return array.dtype.name, np.round(array.astype("float64"), 4).tolist() if array.dtype.kind in "fiu" else array.tolist()


unary = (
    "abs arctan arcsinh ceil cos cosh erf exp exp2 expm1 floor isfinite isinf isnan log1p negative relu relu6 round "
    "rsqrt selu sigmoid sign silu sin sinh softmax softplus softsign sqrt square tan tanh trunc elu gelu leaky_relu "
    "log_sigmoid log_softmax hard_sigmoid hard_silu hard_tanh tanh_shrink squareplus celu soft_shrink hard_shrink "
    "sparse_plus sparse_sigmoid sinc cbrt deg2rad rad2deg fabs reciprocal signbit isneginf isposinf isreal all any "
    "max min mean sum prod std var argmax argmin cumsum cumprod sort argsort median ptp count_nonzero logsumexp norm "
    "ravel transpose flip fliplr flipud tril triu diff diag trace copy zeros_like ones_like size ndim shape normalize "
    "nansum nanmean nanmax nanmin nanprod nanvar nanstd rms_normalization layer_normalization dtype"
).split()
for name in unary:
    print(name, shown(getattr(ops, name)(ops.abs(x) if name in ("sqrt", "rsqrt", "log1p") else x)))
for name in "mean sum prod std var max min argmax sqrt exp abs cumsum square all sort sign count_nonzero".split():
    print(name, shown(getattr(ops, name)(np.abs(n) if name == "sqrt" else n)))
for name in "mean sum std var max min all any prod".split():
    print(name, shown(getattr(ops, name)(x, axis=1)), shown(getattr(ops, name)(x, axis=(0, 1), keepdims=True)))
for name in "arccos arcsin arctanh erfinv log log2 log10".split():
    print(name, shown(getattr(ops, name)(v)))
for name in (
    "add subtract multiply divide maximum minimum floor_divide mod arctan2 hypot logaddexp equal not_equal "
    "greater greater_equal less less_equal true_divide fmax fmin fmod isclose heaviside logaddexp2 divide_no_nan"
).split():
    made = getattr(ops, name)
    for one, other in ((x, v), (n, 2), (2, n), (x, n), (n, 2.5), (v, 3)):
        print(name, shown(made(one, other)))
for one, other in ((v, 2), (2.0, v), (v, x), (np.abs(n), 2), (x, 2)):
    print("power", shown(ops.power(one, other)))
for name in "bitwise_and bitwise_or bitwise_xor left_shift right_shift".split():
    print(name, shown(getattr(ops, name)(np.abs(n), 1)))
print(shown([ops.logical_and(t, [True, True, False]), ops.logical_or(t, 0), ops.logical_not(t), ops.logical_xor(t, t)]))
print(shown([ops.where(x > 0, x, 0), ops.where(t, n, 1.5), ops.clip(x, -1, 1), ops.clip(n, 0, 3), ops.round(x * 3.14159, 2)]))
print(shown([ops.concatenate([x, n], axis=1), ops.stack([v, v], axis=1), ops.hstack([v, v]), ops.vstack([v, v])]))
print(shown([ops.append(v, 1.0 * v), ops.append(x, x, axis=0), ops.dstack([x, x])]))
print(shown([ops.split(x, 3, axis=1), ops.split(v, [1, 2]), ops.unstack(x), ops.array_split(v, 2) if False else 0]))
print(shown([ops.tile(v, 2), ops.tile(x, (1, 2)), ops.repeat(v, 2), ops.repeat(x, 2, axis=0), ops.roll(x, 1, axis=1)]))
print(shown([ops.reshape(x, (3, -1)), ops.expand_dims(v, 0), ops.expand_dims(v, (0, 2)), ops.squeeze(v[None]), ops.moveaxis(x, 0, 1)]))
print(shown([ops.pad(v, 1), ops.pad(x, ((0, 1), (1, 0)), constant_values=9), ops.pad(v, (1, 1), mode="reflect")]))
print(shown([ops.take(x, [0, 2], axis=1), ops.take(v, [-1, 0]), ops.take_along_axis(x, np.array([[0], [2]]), axis=1)]))
print(shown([ops.matmul(x, x.T), ops.dot(v, v), ops.inner(x, v), ops.outer(v, v), ops.vdot(v, v), ops.tensordot(x, x.T, 1)]))
print(shown([ops.einsum("ij,kj->ik", x, x), ops.cross(v, [1.0, 0.0, 0.0]), ops.kron(v, [1.0, 2.0])]))
print(shown([ops.det(s), ops.inv(s), ops.cholesky(s), ops.solve(s, np.array([1.0, 2.0], "float32")), ops.logdet(s), ops.pinv(s)]))
print(shown([ops.solve_triangular(s, np.array([1.0, 2.0], "float32"), lower=True), ops.norm(v, ord=1), ops.norm(x, axis=1)]))
print(shown([ops.arange(4), ops.arange(1, 2, 0.5), ops.eye(2), ops.eye(2, 3, k=1), ops.linspace(0, 1, 3), ops.full((2,), 3), ops.tri(3)]))
print(shown([ops.zeros((2,)), ops.ones((1, 2), dtype="int32"), ops.full_like(n, 7), ops.identity(2), ops.logspace(0, 2, 3)]))
