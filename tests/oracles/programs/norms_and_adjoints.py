import numpy as np
import tensorflow as tf

q = tf.constant(np.cos(np.arange(24.0) ** 2).reshape(2, 3, 4).astype(np.float32))
m = q[0]
z = tf.complex(m, 1.0 - m)


def show(value):
    print((np.round(np.asarray(value), 3) + 0).tolist())


for order in ("euclidean", 1, 2, np.inf, 3, 0.5):
    for axis in (None, 1):
        show(tf.norm(q, ord=order, axis=axis))
for order in ("euclidean", "fro", 1, 2, np.inf):
    for axis in ((1, 2), [2, 1], [0, -1]):
        show(tf.norm(q, ord=order, axis=axis, keepdims=order == 2))
for order, axis in ((-1, None), (3, (0, 1)), ("nuc", None), (2, (0, 1, 2)), (2, (1, 1))):
    try:
        print(tf.norm(q, ord=order, axis=axis))
    except ValueError as error:
        print("ValueError:", str(error).splitlines()[0])
show(tf.norm(z))
show(tf.norm(z, 1, axis=0))
show(tf.matmul(z, z, adjoint_a=True))
show(tf.matmul(z, z, transpose_b=True))
show(tf.matmul(m, m, adjoint_b=True))
show(tf.linalg.matvec(z, z[:, 0], adjoint_a=True))
whole = tf.constant([[100, 27]], tf.int8)
print(tf.matmul(whole, whole, transpose_b=True, output_type=tf.int32).numpy().tolist())
try:
    tf.matmul(m, m, adjoint_a=True, transpose_a=True)
except ValueError:
    print("refused")
for matrix in (m, tf.transpose(m), q, z):
    for full in (False, True):
        parts = tf.linalg.qr(matrix, full_matrices=full)
        show(parts.q)
        show(parts.r)
print(tf.linalg.slogdet(m[:, :3] + tf.eye(3)).log_abs_determinant.numpy().round(4))
with tf.GradientTape() as tape:
    tape.watch(m)
    q1, r1 = tf.linalg.qr(tf.transpose(m))
    loss = tf.reduce_sum(q1 * tf.cos(q1)) + tf.reduce_sum(r1**2 * [1.0, 2.0, 3.0])
show(tape.gradient(loss, m))
