"""Functions that TensorFlow 1 had under other names, or with other arguments."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 4, 4, 1], name="x")
fed = {x: [[[[float(4 * row + column)] for column in range(4)] for row in range(4)]]}
v = tf.Variable([1.0, 2.0, 3.0])
m = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
asked = [
    tf.space_to_batch(x, [[0, 0], [0, 0]], 2),
    tf.batch_to_space(tf.space_to_batch(x, [[0, 0], [0, 0]], 2), [[0, 0], [1, 0]], block_size=2),
    tf.extract_image_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"),
    tf.image.resize_bilinear(x, [3, 2]),
    tf.image.resize_bilinear(x, [6, 7], align_corners=True),
    tf.image.resize_nearest_neighbor(x, [3, 6]),
    tf.image.resize_bicubic(x, [5, 3]),
    tf.image.resize_area(x, [3, 3]),
    tf.image.resize_images(x, [2, 6]),
    tf.image.resize_images(x, [2, 6], method=tf.image.ResizeMethod.NEAREST_NEIGHBOR),
    tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
    tf.nn.fused_batch_norm(x, [2.0], [1.0]),
    tf.nn.depthwise_conv2d_native(x, tf.ones([2, 2, 1, 2]), [1, 1, 1, 1], "VALID")[0, 0],
    tf.confusion_matrix([1, 0, 2], [1, 1, 2]),
    tf.setdiff1d([1, 2, 3, 4], [2, 4]),
    tf.clip_by_average_norm(v, 0.1),
    tf.sparse_to_dense([[0, 1], [1, 0]], [2, 2], [5.0, 6.0]),
    tf.sparse_to_dense([1, 3], [4], 1),
    tf.to_complex64(v),
    tf.fft(tf.to_complex64(v)),
    tf.spectral.rfft(v),
    tf.hessians(v[0] ** 2 * v[1] + v[2], v),
    tf.string_join(["a", "b"], separator="-"),
    tf.reduce_join([["a", "b"], ["c", "d"]], axis=1),
    tf.substr("abcdef", 1, 2),
    tf.decode_raw(b"ab", tf.uint8),
    tf.regex_replace("abc", "b", "z"),
    tf.string_split(["a b", "c  d"]),
    tf.string_split(["a,b;c"], ",;"),
    tf.sparse_tensor_to_dense(tf.SparseTensor([[0, 1]], [3.0], [2, 2])),
    tf.sparse_reduce_sum(tf.SparseTensor([[0, 1], [1, 1]], [3.0, 4.0], [2, 2]), axis=0),
    tf.manip.roll(v, 1, 0),
    tf.debugging.assert_all_finite(v, "not finite"),
    tf.verify_tensor_all_finite(v, "not finite"),
    tf.make_template("scaled", lambda one: one * tf.get_variable("w", initializer=3.0))(v),
]
checks = [
    tf.assert_equal(v, v, data=[v]),
    tf.assert_less(v, 4.0, message="too large"),
    tf.assert_non_negative(v),
    tf.assert_near(v, v + 1e-9),
    tf.assert_rank(v, 1),
    tf.debugging.assert_greater(v, 5.0, data=[v], message="too small"),
]
with tf.Session() as session:
    print(session.run(tf.report_uninitialized_variables()), session.run(tf.is_variable_initialized(v)))
    session.run(tf.global_variables_initializer())
    print(session.run(tf.report_uninitialized_variables()), session.run(tf.is_variable_initialized(v)))
    for one in asked:
        with np.printoptions(precision=3):
            print(session.run(one, fed))
    for one in checks[:-1]:
        print(session.run(one))
    try:
        session.run(checks[-1])
    except tf.errors.InvalidArgumentError:
        print("too small")
    for write in (
        tf.scatter_update(v, [0], [5.0]),
        tf.scatter_add(v, [1, 1], [1.0, 2.0]),
        tf.scatter_sub(m, [0], [[1.0, 1.0]]),
        tf.scatter_nd_update(v, [[2]], [9.0]),
        tf.scatter_nd_add(m, [[1, 1]], [0.5]),
    ):
        print(session.run(write))
    print(session.run([v, m]))
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    print(session.run(v[0], options=options, run_metadata=tf.RunMetadata()))
