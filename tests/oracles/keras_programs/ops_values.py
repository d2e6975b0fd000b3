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
print(shown([ops.one_hot([0, 2], 3), ops.multi_hot([[0, 2]], 3), ops.cast(x, "int32"), ops.cast(n, "bool"), ops.in_top_k([2, 0], x, 1)]))
print(shown([ops.top_k(x, 2), ops.searchsorted(v, [0.3, 0.6]), ops.digitize(v, [0.3, 0.5]), ops.bincount([0, 1, 1]), ops.quantile(v, 0.25)]))
print(shown([ops.segment_sum(v, [0, 0, 1]), ops.segment_max(v, [0, 0, 1]), ops.nonzero(n > 2), ops.diagonal(x), ops.isin([1, 5], n), ops.percentile(v, 50)]))
print(shown([ops.scatter([[0], [2]], [1.0, 2.0], (4,)), ops.scatter_update(v, [[1]], [9.0]), ops.slice(x, (0, 1), (2, 2)), ops.slice_update(x, (0, 1), [[8.0]])]))
print(shown([ops.average(v, weights=[1.0, 2.0, 1.0]), ops.moments(x, axes=[0]), ops.max(v, initial=1.0), ops.trapezoid(v), ops.vander(v, 3)]))
print(shown([ops.meshgrid(v, [1.0, 2.0]), ops.rot90(x), ops.swapaxes(x, 0, 1), ops.select([t, ~t], [v, -v]), ops.unravel_index([3, 4], (2, 3)), ops.nan_to_num([np.nan, 1.0])]))
print(shown([ops.binary_crossentropy([0.0, 1.0], [0.2, 0.7]), ops.categorical_crossentropy([[0.0, 1.0]], [[0.2, 0.8]]), ops.sparse_categorical_crossentropy([1], [[0.2, 0.8]])]))
image = np.arange(32, dtype="float32").reshape(1, 4, 4, 2)
kernel = np.cos(np.arange(16, dtype="float32")).reshape(2, 2, 2, 2)
print(shown([ops.max_pool(image, 2), ops.average_pool(image, 2, strides=1, padding="same"), ops.conv(image, kernel, 2), ops.depthwise_conv(image, kernel[..., :1])]))
q = np.sin(np.arange(24, dtype="float32")).reshape(1, 3, 2, 4)
print(shown([ops.dot_product_attention(q, q, q), ops.dot_product_attention(q, q, q, is_causal=True)]))
print(shown([ops.batch_normalization(x, v, v, axis=-1, offset=v, scale=v), ops.hanning(4), ops.hamming(3), ops.saturate_cast([300.0], "uint8")]))
print(shown([ops.cond(True, lambda: ops.sum(x), lambda: 0.0), ops.fori_loop(0, 3, lambda i, a: a + i, 0), ops.while_loop(lambda i: i < 5, lambda i: (i + 2,), (0,))]))
print(shown([ops.scan(lambda c, a: (c + a, c * a), ops.zeros(()), v), ops.map(lambda a: a * 2, v), ops.vectorized_map(lambda a: a + 1, v), ops.switch(1, [lambda a: a, lambda a: -a], v)]))
print(ops.convert_to_tensor([1, 2]).dtype, ops.convert_to_tensor([1.5]).dtype, ops.convert_to_tensor(x, dtype="float64").dtype, ops.is_tensor(x), ops.allclose(x, x + 1e-7).numpy())
weight = tf.Variable(x)
with tf.GradientTape() as tape:
    loss = ops.sum(ops.softmax(ops.matmul(weight, ops.transpose(weight))) * ops.cast(ops.eye(2), "float32"))
print(np.round(tape.gradient(loss, weight).numpy(), 4).tolist())
inputs = tf.keras.Input((3,))
model = tf.keras.Model(inputs, ops.concatenate([ops.relu(inputs) * 2.0, ops.mean(inputs, axis=-1, keepdims=True)], axis=-1))
print(model.output_shape, np.round(model(x).numpy(), 4).tolist())
