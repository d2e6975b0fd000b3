"""Expressions about names that fewer programs use: factors, convolutions made of others, sums."""

_SYSTEM = "tf.constant([[4.0, 1.0, 2.0], [8.0, 3.0, 1.0], [1.0, 5.0, 9.0]])"
_FILTERS = "tf.ones([2, 2, 3, 1])"
_SIDES = "tf.constant([[1.0], [2.0], [3.0]])"
_BAND = "tf.constant([[1.0, 2.0, 0.0], [4.0, 5.0, 6.0], [0.0, 1.0, 2.0]])"
_VECTOR = "tf.constant([3.0, 1.0, 2.0])"
_NORMAL = "picture, tf.fill([3], 0.1), tf.fill([3], 0.5), tf.fill([3], 0.2), tf.fill([3], 2.0), 1e-3"

RARER = [
    # -- factors
    f"listed(*tf.linalg.lu({_SYSTEM}))",
    f"tf.linalg.lu({_SYSTEM}, output_idx_type=tf.int64)[1]",
    "tf.linalg.lu(matrix)",
    f"listed(tf.linalg.lu_reconstruct(*tf.linalg.lu({_SYSTEM})))",
    f"listed(tf.linalg.lu_solve(*tf.linalg.lu({_SYSTEM}), {_SIDES}))",
    f"listed(tf.linalg.lu_matrix_inverse(*tf.linalg.lu({_SYSTEM})))",
    f"tf.sort(tf.math.real(tf.linalg.eigvals({_SYSTEM})))",
    f"tf.linalg.eig({_SYSTEM})[1].shape",
    f"tf.eigvals({_SYSTEM}).dtype",
    "tf.linalg.eig(matrix)",
    f"listed(tf.linalg.lstsq({_SYSTEM}[:, :2], {_SIDES}))",
    f"listed(tf.linalg.lstsq({_SYSTEM}[:2], {_SIDES}[:2]))",
    f"listed(tf.linalg.lstsq({_SYSTEM}[:, :2], {_SIDES}, l2_regularizer=0.5))",
    f"listed(tf.linalg.lstsq({_SYSTEM}[:2], {_SIDES}[:2], l2_regularizer=0.5))",
    f"slope(lambda x: tf.linalg.lstsq(x, {_SIDES}), {_SYSTEM}[:, :2])",
    f"listed(tf.linalg.tridiagonal_solve({_BAND}, {_VECTOR}))",
    f"listed(tf.linalg.tridiagonal_solve({_BAND}, {_SIDES}))",
    f"listed(tf.linalg.tridiagonal_solve({_BAND}, {_VECTOR}[None], transpose_rhs=True))",
    f"listed(tf.linalg.tridiagonal_solve([{_VECTOR}[1:], {_VECTOR}, {_VECTOR}[:2]], {_VECTOR}, 'sequence'))",
    f"listed(tf.linalg.tridiagonal_solve({_SYSTEM}, {_VECTOR}, 'matrix'))",
    f"slope(tf.linalg.tridiagonal_solve, {_BAND}, {_VECTOR})",
    f"tf.linalg.tridiagonal_solve({_BAND}, {_VECTOR}, 'band')",
    f"listed(tf.linalg.tridiagonal_matmul({_BAND}, {_SIDES}))",
    "tf.linalg.l2_normalize([3.0, 4.0])",
    # -- sums and special functions
    "tf.math.accumulate_n([[1, 2], [3, 4]], shape=[2], tensor_dtype=tf.int32)",
    "tf.math.accumulate_n([[1, 2], [3, 4, 5]])",
    "tf.math.lbeta([[1.0, 3.0], [0.5, 0.5]])",
    "tf.math.lbeta([1.0, 2.0, 3.0])",
    "slope(tf.math.lbeta, [1.0, 2.0, 3.0])",
    "tf.math.unsorted_segment_sqrt_n([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 0, 2], 3)",
    "slope(tf.math.unsorted_segment_sqrt_n, [1.0, 3.0, 5.0], [0, 0, -1], 2)",
    *(
        f"tf.math.special.{name}([0.3, 2.0])"
        for name in ("bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e")
    ),
    "tf.dtypes.complex(pair, [3.0, 4.0])",
    "tf.dtypes.saturate_cast([-1.0, 300.0], tf.uint8)",
    # -- tf.nn
    "tf.nn.compute_average_loss([1.0, 3.0])",
    "tf.nn.compute_average_loss([1.0, 3.0], sample_weight=[2.0, 0.5], global_batch_size=4)",
    "tf.nn.compute_average_loss([[1.0, 3.0], [2.0, 2.0], [0.0, 1.0]])",
    "tf.nn.compute_average_loss([1.0, 3.0], global_batch_size=4.0)",
    "tf.nn.compute_average_loss([1.0, 3.0], global_batch_size=[4, 4])",
    "tf.nn.scale_regularization_loss(2.0)",
    "listed(tf.nn.atrous_conv2d(picture, tf.ones([2, 2, 3, 1]), 2, 'SAME'))",
    "slope(tf.nn.atrous_conv2d, picture, tf.ones([2, 2, 3, 1]), 2, 'SAME')",
    "tf.nn.atrous_conv2d(picture, tf.ones([2, 2, 3, 1]), 0, 'SAME')",
    f"listed(tf.nn.atrous_conv2d_transpose(tf.ones([1, 2, 2, 1]), {_FILTERS}, [1, 2, 2, 3], 2, 'SAME'))",
    "listed(tf.nn.conv3d_transpose(tf.ones([1, 2, 1, 2, 1]), tf.ones([2, 2, 2, 1, 1]), [1, 4, 2, 4, 1], 2))",
    "slope(tf.nn.conv3d_transpose, tf.ones([1, 1, 1, 2, 1]), tf.ones([2, 2, 2, 1, 1]), [1, 2, 2, 4, 1], 2)",
    "listed(tf.nn.separable_conv2d(picture, tf.ones([2, 2, 3, 1]), tf.ones([1, 1, 3, 2]), [1] * 4, 'VALID'))",
    "slope(tf.nn.separable_conv2d, picture, tf.ones([1, 2, 3, 2]), tf.ones([1, 1, 6, 1]), [1] * 4, 'SAME')",
    "listed(tf.nn.pool(picture, [2, 2], 'MAX', strides=[2, 2]))",
    "listed(tf.nn.pool(picture, [1, 2], 'AVG'))",
    "tf.nn.pool(picture, [1, 2], 'MIN')",
    "listed(*tf.nn.sufficient_statistics(matrix, [0])[:3])",
    "listed(*tf.nn.sufficient_statistics(matrix, [0, 1], shift=1.0, keepdims=True))",
    "listed(*tf.nn.normalize_moments(4.0, [8.0], [20.0], None))",
    "listed(*tf.nn.normalize_moments(4.0, [8.0], [20.0], 1.0))",
    f"listed(tf.nn.batch_norm_with_global_normalization({_NORMAL}, True))",
    f"listed(tf.nn.batch_norm_with_global_normalization({_NORMAL}, False))",
    "listed(tf.nn.lrn(picture, depth_radius=1))",
]
