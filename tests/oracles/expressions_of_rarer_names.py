"""Expressions about names that fewer programs use: factors, convolutions made of others, sums."""

_SYSTEM = "tf.constant([[4.0, 1.0, 2.0], [8.0, 3.0, 1.0], [1.0, 5.0, 9.0]])"
_FILTERS = "tf.ones([2, 2, 3, 1])"
_SIDES = "tf.constant([[1.0], [2.0], [3.0]])"
_BAND = "tf.constant([[1.0, 2.0, 0.0], [4.0, 5.0, 6.0], [0.0, 1.0, 2.0]])"
_VECTOR = "tf.constant([3.0, 1.0, 2.0])"
_NORMAL = "picture, tf.fill([3], 0.1), tf.fill([3], 0.5), tf.fill([3], 0.2), tf.fill([3], 2.0), 1e-3"

_INTEGRALS = (
    *(f"bessel_{kind}" for kind in ["j0", "j1", "y0", "y1", "k0", "k1", "k0e", "k1e"]),
    *["dawsn", "expint", "fresnel_cos", "fresnel_sin", "spence"],
)
_ATTEMPTS = "[0.0, -1.0, 5.0, 5.0, 5.0, 100.0]"
_CHANCES = "[0.5, 0.5, 0.0, 1.0, float('nan'), 0.95]"
_OF_ARRAYS = (
    "lambda x: x * 2, [pair], tf.float64",
    "lambda x: 2, [pair], tf.float32",
    "lambda x: 2.5, [pair], tf.int32",
    "lambda x: 2.5, [pair], tf.float32",
    "lambda x: [x, x], [pair], tf.float32",
    "lambda x: (x, 2), [pair], [tf.float32, tf.int64]",
    "lambda x: None, [pair], tf.float32",
    "lambda x: 'a', [pair], tf.float32",
    "lambda x: x, [pair], [tf.float32, tf.float32]",
)

_STREAM = "b'x\\x9c+\\xc9WHJ\\xd5Q(\\x01Q\\x00\\x19\\x98\\x03\\xe1'"
_MEMBER = (
    "b'\\x1f\\x8b\\x08\\x00\\x00\\x00\\x00\\x00\\x02\\x03"
    "+\\xc9WHJ\\xd5Q(\\x01Q\\x00\\xa17\\x8e\\x08\\x0c\\x00\\x00\\x00'"
)
_DAMAGED = "b'x\\x9c+\\xc9WHJ\\xd5Q(\\x01Q\\x00\\x19\\x98\\x03x'"

_WORDS = "tf.lookup.KeyValueTensorInitializer(['a', 'b'], tf.constant([0, 1], tf.int64))"
_BACKEND = (
    "arange(5)",
    "arange(-3)",
    "arange(1, 7, 2)",
    "arange(3, dtype='float32')",
    "arange(1.0, 2.0, 0.5, 'float32')",
    "bias_add(matrix, tf.ones([3]))",
    "bias_add(picture, tf.ones([3]))",
    "bias_add(picture, pair, data_format='channels_first')",
    "bias_add(matrix, tf.ones([3]), 'last')",
    "bias_add(picture, tf.ones([2, 4]))",
    "greater_equal(pair, 1.0)",
    "less_equal(pair, 1.0)",
    "hard_sigmoid(tf.constant([-3.0, 0.5, 3.0]))",
    "cast_to_floatx(whole)",
    "cumsum(matrix)",
    "cumprod(matrix, axis=1)",
    "std(matrix)",
    "var(matrix, axis=0, keepdims=True)",
    "reverse(matrix, 1)",
    "reverse(matrix, [0, 1])",
    "repeat(matrix, 2)",
    "repeat_elements(matrix, 2, axis=1)",
    "in_top_k([[0.1, 0.9], [0.6, 0.4]], [1, 1], 1)",
    "elu([-1.0, 2.0])",
    "elu(tf.constant([-1.0, 2.0]), 0.5)",
    "batch_normalization(matrix, tf.ones([3]), tf.fill([3], 4.0), tf.fill([3], 0.5), tf.ones([3]))",
    "switch(tf.constant(True), pair, pair * 2.0)",
    "switch(tf.constant(False), lambda: pair, lambda: pair * 2.0)",
    "switch(tf.constant([[True], [False]]), matrix, -matrix)",
    "eye(2).numpy()",
    "backend()",
    "dtype(pair)",
    "count_params(matrix)",
    "to_dense(pair)",
    "batch_get_value([pair, whole])",
    "map_fn(lambda x: x * 2.0, pair)",
    "foldl(lambda a, b: a - b, pair)",
    "foldr(lambda a, b: a - b, pair)",
    "binary_crossentropy([1.0, 0.0], tf.constant([0.8, 0.3]))",
    "binary_crossentropy(tf.constant([1.0, 0.0]), tf.constant([0.5, -0.25]), from_logits=True)",
    "categorical_crossentropy(tf.constant([[1.0, 0.0]]), tf.constant([[0.6, 0.2]]))",
    "categorical_crossentropy(tf.constant([[1.0, 0.0]]), tf.constant([[0.6, 0.2]]), from_logits=True)",
    "sparse_categorical_crossentropy(tf.constant([1]), tf.constant([[0.6, 0.4]]))",
    "sparse_categorical_crossentropy(tf.constant([1]), tf.constant([[0.6, 0.4]]), from_logits=True)",
    "conv2d(picture, tf.ones([2, 2, 3, 1]))",
    "conv2d(picture, tf.ones([2, 2, 3, 1]), (1, 2), 'same')",
    "conv1d(cube, tf.ones([2, 3, 1]), padding='same')",
    "conv3d(picture[None], tf.ones([1, 2, 2, 3, 1]))",
    "depthwise_conv2d(picture, tf.ones([2, 2, 3, 1]))",
    "pool2d(picture, (2, 2))",
    "pool2d(picture, (1, 2), (1, 2), 'same', pool_mode='avg')",
    "pool2d(picture, (1, 2), pool_mode='min')",
    "pool3d(picture[None], (1, 2, 2))",
    "temporal_padding(cube, (1, 0))",
    "spatial_2d_padding(picture[:, :1, :1], ((1, 0), (0, 1)))",
    "spatial_2d_padding(picture[:, :1, :1], data_format='channels_first').shape",
    "spatial_3d_padding(picture[None]).shape",
    "conv2d(picture, tf.ones([2, 2, 3, 1]), data_format='last')",
    "update(tf.Variable([1.0]), [2.0]).numpy()",
    "update_add(tf.Variable([1.0]), [2.0]).numpy()",
    "update_sub(tf.Variable([1.0]), [2.0]).numpy()",
    "moving_average_update(tf.Variable([1.0]), [2.0], 0.9).numpy()",
    "truncated_normal([2, 3]).shape",
    "random_bernoulli([4], p=1.0)",
    "dropout(pair, 0.0)",
    "random_normal_variable([2], 0.0, 1.0).shape",
    "random_uniform_variable([2], 0.0, 1.0).shape",
)

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
    *(
        text.format(name)
        for name in _INTEGRALS
        for text in (
            "tf.math.special.{}(tf.constant([1e-8, 0.3, 1.6, 2.1, 9.0, 50.0], tf.float64))",
            "tf.math.special.{}(tf.constant([0.0, 1.0], tf.float64))",
            "slope(tf.math.special.{}, tf.constant([0.3, 1.7, 12.0], tf.float64))",
        )
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
    # -- tf.keras.backend
    *(f"tf.keras.backend.{call}" for call in _BACKEND),
    # -- words
    "tf.strings.unicode_split('n\u00f6 x', 'UTF-8').numpy().tolist()",
    "tf.strings.unicode_split(['ab', 'c\u4f60'], 'UTF-8').to_list()"
    " if hasattr(tf.strings.unicode_split(['ab'], 'UTF-8'), 'to_list')"
    " else tf.strings.unicode_split(['ab', 'c\u4f60'], 'UTF-8').numpy().tolist()",
    "tf.strings.unicode_split(b'a\\xffb', 'UTF-8').numpy().tolist()",
    "tf.strings.unicode_split(b'a\\xffb', 'UTF-8', errors='ignore').numpy().tolist()",
    "tf.strings.unicode_split(b'a\\xffb', 'UTF-8', replacement_char=63).numpy().tolist()",
    "tf.strings.unicode_split(b'a\\xffb', 'UTF-8', errors='strict')",
    "tf.strings.unicode_split('', 'UTF-8').shape",
    f"tf.lookup.StaticVocabularyTable({_WORDS}, 1).lookup(tf.constant(['b', 'z', 'a'])).numpy()",
    f"tf.lookup.StaticVocabularyTable({_WORDS}, 1)[tf.constant([['b'], ['z']])].numpy()",
    f"tf.lookup.StaticVocabularyTable({_WORDS}, 3).size().numpy()",
    f"tf.lookup.StaticVocabularyTable({_WORDS}, 0)",
    "tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(['a'], [0]), 1)",
    # -- draws from the binomial distribution
    "tf.random.stateless_binomial([4, 2], (1, 2), [10.0, 100.0], [0.5, 0.7])",
    "tf.random.stateless_binomial([6], (1, 2), 10.0, 0.3, tf.float64)",
    "tf.random.stateless_binomial([5], (7, 2), 1000.0, 0.97)",
    f"tf.random.stateless_binomial([6], (1, 2), {_ATTEMPTS}, {_CHANCES}, tf.float64)",
    "tf.random.stateless_binomial([4], (1, 2), [10.0], [0.5])",
    "tf.keras.random.binomial((5,), 10, 0.3, seed=3)",
    "tf.keras.random.binomial((2, 3), [10.0, 20.0, 50.0], 0.3, dtype='float64', seed=3)",
    "(lambda g: [g.binomial([3, 2], [100.0, 4.0], [0.5, 0.3]), g.uniform([2])])"
    "(tf.random.Generator.from_seed(5))",
    # -- strings that zlib and gzip have compressed
    f"tf.io.decode_compressed({_STREAM}, 'ZLIB')",
    f"tf.io.decode_compressed({_MEMBER}, compression_type='GZIP')",
    f"tf.compat.v1.decode_compressed([[{_STREAM}], [b'']], 'ZLIB')",
    f"tf.io.decode_compressed([{_STREAM}, b'plain'])",
    f"tf.io.decode_compressed({_STREAM} + {_STREAM}, 'ZLIB')",
    f"tf.io.decode_compressed({_MEMBER} + {_MEMBER}, 'GZIP')",
    f"tf.io.decode_compressed({_STREAM}[:-7], 'ZLIB')",
    f"tf.io.decode_compressed({_MEMBER} + b'more', 'GZIP')",
    f"tf.io.decode_compressed({_STREAM}, 'GZIP')",
    f"tf.io.decode_compressed({_DAMAGED}, 'ZLIB')",
    f"tf.io.decode_compressed({_STREAM}, 'zip')",
    # -- functions of Python's, whose results have another dtype
    *(f"tf.numpy_function({call})" for call in _OF_ARRAYS),
    *(
        f"tf.function(lambda x: tf.numpy_function({call.replace('[pair]', '[x]')}))(pair)"
        for call in _OF_ARRAYS
    ),
    *(f"tf.py_function({call})" for call in _OF_ARRAYS),
    "list(tf.data.Dataset.range(2).map(lambda x: tf.numpy_function(lambda x: x * 2.0, [x], tf.float32)))",
]
