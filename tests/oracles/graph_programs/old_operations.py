import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [2], name="x")
square = tf.constant([[4.0, 1.0], [1.0, 3.0]])
cube = tf.reshape(tf.range(8.0), [1, 2, 2, 2])
ids = tf.constant([0, 1])
several = [
    tf.diag(x), tf.diag_part(square), tf.matrix_diag(x), tf.matrix_diag_part(square), tf.matrix_set_diag(square, x),
    tf.matrix_band_part(square, 0, -1), tf.matrix_determinant(square), tf.matrix_inverse(square), tf.matrix_transpose(square),
    tf.matrix_solve(square, [[1.0], [2.0]]), tf.matrix_triangular_solve(square, [[1.0], [2.0]]), tf.cholesky(square),
    tf.matrix_solve_ls(square, [[1.0], [2.0]], 0.1), tf.self_adjoint_eigvals(square), tf.self_adjoint_eig(square)[0],
    tf.svd(square, compute_uv=False), tf.trace(square), tf.cross([1.0, 2.0, 3.0], [3.0, 0.0, 1.0]),
    tf.erf(x), tf.erfc(x), tf.lgamma(x), tf.digamma(x), tf.lbeta(x), tf.igamma(x, x),
    tf.betainc(x, x, [0.2, 0.3]), tf.zeta([2.0], [1.0]), tf.rint(x), tf.real(tf.complex(x, x)), tf.imag(tf.complex(x, x)),
    tf.cumprod(x), tf.accumulate_n([x, x]), tf.invert_permutation([1, 0]), tf.is_non_decreasing(x),
    tf.is_strictly_increasing(x), tf.segment_sum(x, ids), tf.segment_mean(x, ids), tf.segment_max(x, ids),
    tf.unsorted_segment_sum(x, ids, 3), tf.unsorted_segment_mean(x, ids, 3), tf.unsorted_segment_sqrt_n(x, ids, 2),
    tf.floor_div(7, 2), tf.reverse_v2(x, [0]), tf.batch_gather([[1, 2], [3, 4]], [[1], [0]]), tf.depth_to_space(
        tf.reshape(tf.range(4.0), [1, 1, 1, 4]), 2), tf.space_to_depth(cube, 2), tf.nn.atrous_conv2d(
        cube, tf.ones([1, 1, 2, 1]), 2, "SAME"), tf.math.special.bessel_i0(x),
]
slopes = tf.gradients(tf.lbeta(x) + tf.reduce_sum(tf.diag(x) * square) + tf.matrix_determinant(tf.matrix_diag(x)), x)
shuffled = tf.random_shuffle(x)
weight = tf.Variable([1.0])
with tf.Session() as sess:
    sess.run(tf.initialize_all_variables())
    for one in sess.run([*several, *slopes], {x: [1.5, 2.5]}):
        print(np.round(np.asarray(one, np.float64), 4).tolist())
    print(sorted(sess.run(shuffled, {x: [1.5, 2.5]}).tolist()), len(tf.all_variables()))
