import numpy as np
import tensorflow as tf

ops = tf.keras.ops
x = np.array([[0.5, -1.5, 2.0, 0.1], [1.0, 0.25, -0.75, 3.0]], dtype="float32")
n = np.array([3, 1, 2, 9, 12, 8], dtype="int32")
gap = np.array([[0.5, np.nan, 2.0, 0.1], [np.nan, np.nan, np.nan, np.nan]], dtype="float32")


def shown(value):
    if isinstance(value, (tuple, list)):
        return [shown(one) for one in value]
    array = ops.convert_to_numpy(value)
    return array.dtype.name, np.round(array.astype("float64"), 4).tolist()


names = "abs add argpartition array_split einsum gcd mean nanmedian view where zeros".split()
print([getattr(ops.numpy, name) is not None for name in names])
print([ops.nn.conv is not None, ops.nn.relu is not None, ops.linalg.solve is not None, ops.linalg.jvp is not None])
print(shown(ops.nn.relu(x)), shown(ops.numpy.add(x, 1)), shown(ops.linalg.norm(x)))
print(shown(ops.corrcoef(x)), shown(ops.correlate(x[0], x[1, :3])))
for mode in ("full", "same", "valid"):
    print(mode, shown(ops.correlate(n, n[:2], mode)), shown(ops.correlate(x[0], x[1], mode)))
print(shown(ops.histogram(x[0])), shown(ops.histogram(x[1], 3)), shown(ops.histogram(x[1], 4, (0.0, 2.0))))
for name in ("nanargmax", "nanargmin"):
    print(name, shown(getattr(ops, name)(gap, axis=1)), shown(getattr(ops, name)(gap)), shown(getattr(ops, name)(n)))
    print(name, shown(getattr(ops, name)(gap, axis=1, keepdims=True)))
for name in ("nancumsum", "nancumprod"):
    print(name, shown(getattr(ops, name)(gap, axis=1)), shown(getattr(ops, name)(gap)), shown(getattr(ops, name)(n)))
print(shown(ops.nanmedian(gap)), shown(ops.nanmedian(x, axis=0)), shown(ops.nanmedian(x, axis=1, keepdims=True)))
for method in ("linear", "lower", "higher", "midpoint", "nearest"):
    print(method, shown(ops.nanquantile(gap, 0.3, method=method)), shown(ops.nanquantile(x, [0.2, 0.75], axis=1, method=method)))
print(shown(ops.nanpercentile(gap[0], 40)), shown(ops.nanpercentile(x, [10.0, 50.0], axis=0)))
print(shown(ops.cdist(x, x[:1] * 2.0)), shown(ops.cdist(x[None], x[None])))
print(shown(ops.argpartition(n, 2)), shown(ops.array_split(n, 4)), shown(ops.array_split(x, 3, axis=1)))
print(shown(ops.gcd(n, 6)), shown(ops.lcm(n, np.array([4, 6, 8, 3, 1, 0], "int32"))), shown(ops.gcd(n, -n)))
print(shown(ops.i0(x)), shown(ops.i0(n[:3])), shown(ops.kaiser(5, 4.0)), shown(ops.ldexp(x[0], n[:4])), shown(ops.ldexp(x[0], -2)))
print(shown(ops.view(x, "int32")), shown(ops.view(n, "uint8")), shown(ops.view(ops.view(n, "uint8"), "int32")))
print(ops.rearrange(x, "a b -> b a").shape, shown(ops.rearrange(x, "a (b c) -> c (a b)", b=2)))
print(ops.rearrange(np.zeros((2, 4, 6, 3)), "b (h p) (w q) c -> (b h w) p q c", p=2, q=3).shape)
print(shown(ops.associative_scan(lambda a, b: a + b, x, axis=1)), shown(ops.associative_scan(ops.multiply, n[:5], reverse=True)))
print(shown(ops.associative_scan(lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]), (x, x * 2.0), axis=1)))
weight = tf.Variable(x)
with tf.GradientTape() as tape:
    loss = ops.sum(ops.cdist(weight, np.ones((1, 4), "float32"))) + ops.sum(ops.nanquantile(weight, 0.3, axis=1))
    loss += ops.sum(ops.corrcoef(weight)) + ops.sum(ops.correlate(weight[0], weight[1], "full") ** 2)
    loss += ops.sum(ops.associative_scan(lambda a, b: a * b, weight, axis=1)) + ops.sum(ops.i0(weight))
    loss += ops.sum(ops.rearrange(weight, "a (b c) -> c (a b)", b=2) ** 3)
print(shown(tape.gradient(loss, weight)))
for text in (
    "ops.histogram(x)", "ops.histogram(x[0], 2.5)", "ops.histogram(x[0], -1)", "ops.histogram(x[0], 3, (2, 1))",
    "ops.array_split(n, 0)", "ops.array_split(n, [2])", "ops.correlate(n, n, 'all')", "ops.gcd(x, x)",
    "ops.ldexp(x, x)", "ops.vectorize(3)", "ops.cdist(x[0], x)", "ops.cdist(x, x[:, :2])", "ops.view(n[:3], 'int64')",
):
    try:
        eval(text)
    except (ValueError, TypeError) as problem:
        print(isinstance(problem, TypeError), str(problem).partition("\n")[0].partition(" Received")[0])
