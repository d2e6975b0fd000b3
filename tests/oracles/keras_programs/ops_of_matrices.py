import numpy as np
import tensorflow as tf

ops = tf.keras.ops
s = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]], dtype="float32")
a = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.25]], dtype="float32")
b = np.array([1.0, -2.0, 0.5], dtype="float32")


t = tf.constant(b)


def shown(value):
    if isinstance(value, (tuple, list)):
        return [shown(one) for one in value]
    array = ops.convert_to_numpy(value)
    return array.dtype.name, (np.round(array.astype("float64"), 4) + 0.0).tolist()


print(shown(ops.cholesky_inverse(ops.cholesky(s))), shown(ops.linalg.cholesky_inverse(ops.transpose(ops.cholesky(s)), upper=True)))
values, vectors = ops.eig(s)
print(values.dtype, shown(ops.sort(ops.real(values))), vectors.shape)
print(shown(ops.lu_factor(s)), shown(ops.matrix_rank(s)), shown(ops.matrix_rank(np.ones((2, 2), "float32"))))
print(shown(ops.lstsq(a, b)), shown(ops.lstsq(a, np.stack([b, b * 2.0], 1))), shown(ops.lstsq(a, b, rcond=0.9)))
print(shown(ops.jvp(lambda x: x * ops.sum(x), (t,), (t * 0.5,))))
print(shown(ops.jvp(lambda x, y: (x * y, x - y), (t, t + 1.0), (t, t * 2.0))))
print(shown(ops.jvp(lambda x: (ops.sin(x), x + 1.0), (t,), (np.ones(3),), has_aux=True)))
weight = tf.Variable(a)
with tf.GradientTape() as tape:
    loss = ops.sum(ops.lstsq(weight + 0.0, b) ** 2)
print(shown(tape.gradient(loss, weight)))
factor = tf.Variable(np.linalg.cholesky(s))
with tf.GradientTape() as tape:
    loss = ops.sum(ops.cholesky_inverse(factor + 0.0) ** 2)
print(shown(tape.gradient(loss, factor)))
for text in ("ops.lstsq(a, b[:2])", "ops.lstsq(s[None, :, :], b[:1])", "ops.lstsq(s, s[:, :, None])"):
    try:
        eval(text)
    except (ValueError, TypeError) as problem:
        print(isinstance(problem, TypeError), str(problem).partition("\n")[0])
