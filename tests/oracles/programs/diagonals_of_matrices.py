import tensorflow as tf


def show(*values):
    print(*[value.numpy().tolist() for value in values])


x = tf.reshape(tf.range(1.0, 41.0), [2, 4, 5])
for align in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"):
    for k in (0, -2, (0, 0), (-1, 1), (-3, 2), (1, 3), (-3, -1)):
        band = tf.linalg.diag_part(x, k=k, align=align, padding_value=9)
        show(band, tf.linalg.set_diag(x, band * 10, k=k, align=align))
        show(tf.linalg.diag(band, k=k, align=align, num_rows=4, num_cols=5, padding_value=7))
        show(tf.linalg.diag(band, k=k, align=align), tf.linalg.diag(band, k=k, align=align, num_rows=8))
show(tf.linalg.diag(tf.constant([1, 2]), padding_value=5), tf.linalg.tensor_diag([1.0, 2.0]))
with tf.GradientTape() as tape:
    tape.watch(x)
    inner = tf.linalg.diag_part(x, k=(0, 1))
    y = tf.reduce_sum(tf.linalg.diag_part(x, k=(-1, 2)) ** 2) + tf.reduce_sum(
        tf.linalg.set_diag(x, inner * inner, k=(0, 1)) * 3
    )
show(tape.gradient(y, x))
for wrong in (5, -4, (2, 1), (1, 2, 3)):
    try:
        tf.linalg.diag_part(x, k=wrong)
    except tf.errors.InvalidArgumentError:
        print("refused", wrong)
for lengths in ({"num_rows": 2}, {"num_rows": 7, "num_cols": 8}):
    try:
        tf.linalg.diag(tf.ones([3]), **lengths)
    except tf.errors.InvalidArgumentError:
        print("refused", lengths)
numbers = tf.reshape(tf.range(24), [2, 3, 4])
show(tf.gather_nd(numbers, [[[1], [0]], [[2], [1]]], batch_dims=1))
show(tf.gather_nd(numbers, [[[1], [0], [3]], [[2], [1], [2]]], batch_dims=2))
show(tf.gather_nd(numbers, [[1, 2], [0, 3]], batch_dims=1))
