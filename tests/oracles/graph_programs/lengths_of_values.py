import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

chosen, x = tf.constant([3, 1, 1]), tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
rows = tf.placeholder(tf.float32, [None, 2])
found = [
    *tf.unique(chosen),
    *tf.unique_with_counts(chosen),
    tf.where(chosen > 1),
    tf.where([True, False]),
    tf.where(chosen > 1, chosen, chosen),
    tf.boolean_mask(x, chosen > 1),
    tf.boolean_mask(x, [True, False, True]),
    tf.boolean_mask(x, tf.ones_like(x) > 0),
    tf.boolean_mask(x, [True, False], axis=1),
    tf.boolean_mask(rows, [True, False], axis=1),
    *tf.dynamic_partition(x, [0, 1, 1], 2),
    tf.image.non_max_suppression(tf.ones([4, 4]), tf.ones([4]), 2),
    tf.repeat(x, [1, 2, 0], axis=0),
    tf.repeat(x, 2, axis=1),
    tf.segment_sum(x, [0, 0, 1]),
]
print([one.shape.as_list() for one in found])
masked = tf.boolean_mask(x, [True, False, True])
print((masked + 1.0).shape, tf.reduce_sum(masked, 0).shape, tf.matmul(masked, tf.ones([2, 4])).shape)
print(tf.gradients(tf.reduce_sum(masked * masked), x)[0].shape)
with tf.Session() as session:
    for one in session.run(found, {rows: [[1.0, 2.0]]}):
        print(one.tolist())
    print(session.run([tf.shape(masked), tf.gradients(tf.reduce_sum(masked * masked), x)[0]]))
