"""A function that writes to an array on a side that is not taken: the array keeps its elements, all zeros."""
import tensorflow as tf


@tf.function
def positive(x):
    rows = tf.TensorArray(tf.float32, 1, dynamic_size=True)
    places = tf.TensorArray(tf.int32, 2, dynamic_size=True)
    count = 0
    for i in tf.range(2):
        if x[i] > 0.0:
            rows = rows.write(count, [x[i], 1.0, 2.0])
            places = places.write(count + 2, [i, i])
            count += 1
    return rows.stack(), places.stack(), rows.read(0)


for values in ([-1.0, -2.0], [1.0, 2.0], [-1.0, 3.0], [-3.0, -4.0]):
    print([one.numpy().tolist() for one in positive(tf.constant(values))])


@tf.function
def other_writers(x):
    rows = tf.TensorArray(tf.float32, 2).unstack([5.0, 6.0])
    parts = tf.TensorArray(tf.float32, 2, infer_shape=False).split([1.0, 2.0, 3.0], [1, 2])
    if tf.reduce_sum(x) > 0.0:
        rows = rows.unstack(x)
        parts = parts.scatter([0, 1], tf.stack([x, x]))
    return rows.stack(), parts.concat()


for values in ([-1.0, -2.0], [1.0, 2.0], [-1.0, -2.0]):
    print([one.numpy().tolist() for one in other_writers(tf.constant(values))])

for row in tf.data.Dataset.from_tensor_slices([[1.0, 2.0], [-1.0, -2.0]]).map(positive):
    print([one.numpy().tolist() for one in row])


def eagerly(x):
    rows = tf.TensorArray(tf.float32, 2)
    if x[0] > 0.0:
        rows = rows.write(0, x)
    return rows.stack()


print(eagerly(tf.constant([1.0, 2.0])).numpy().tolist())
