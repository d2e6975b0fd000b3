import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

def less(i, j):
    return i < 3

found = [
    tf.while_loop(less, lambda i, j: (i + 1, j * 2), [0, 1]),
    tf.while_loop(less, lambda i, j: [i + 1, j * 2], (0, 1)),
    tf.while_loop(less, lambda i, j: (i + 1, [j[0] + 1, j[1] * 2]), (0, [1, 2])),
    tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], return_same_structure=True),
    tf.while_loop(lambda i: i < 3, lambda i: (i + 1,), [0], return_same_structure=True),
    tf.while_loop(lambda i: i < 3, lambda i: (i + 1,), (0,)),
]
for one in found:
    print(type(one).__name__ if isinstance(one, (list, tuple)) else one.shape)
with tf.Session() as session:
    print(session.run(found))
