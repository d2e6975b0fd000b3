"""Expressions about sparse tensors, sets, queues, tables and operators: values that are made of others."""

SETUP = """
sp = tf.SparseTensor([[0, 1], [1, 0], [1, 2]], [1.0, 2.0, 3.0], [2, 4])
sq = tf.SparseTensor([[0, 1], [1, 3]], [10.0, 20.0], [2, 4])

def parts(x):
    if isinstance(x, (list, tuple)):
        return [parts(one) for one in x]
    if isinstance(x, tf.SparseTensor):
        return [x.indices.numpy().tolist(), x.values.numpy().tolist(), x.dense_shape.numpy().tolist()]
    return x.numpy().tolist()

def filled(*values, capacity=4, **options):
    queue = tf.queue.FIFOQueue(capacity, tf.int32, **options)
    for one in values:
        queue.enqueue(one)
    return queue

def closed(queue):
    queue.close()
    return queue

def operator(name, *made_of, **options):
    return getattr(tf.linalg, "LinearOperator" + name)(*made_of, **options)

full = operator("FullMatrix", [[4.0, 1.0], [2.0, 3.0]])
lower = operator("LowerTriangular", [[1.0, 9.0], [2.0, 3.0]])
"""
_SPARSE = (
    "concat(0, [sp, sq])", "concat(1, [sp, sq])", "concat(-1, [sp, sq])", "concat(0, [sp, tf.sparse.eye(3)])",
    "concat(0, [sp, tf.sparse.eye(3)], expand_nonconcat_dims=True)", "reshape(sp, [4, 2])",
    "reshape(sp, [-1])", "reshape(sp, [3, 3])", "transpose(sp)", "transpose(sp, [1, 0])", "expand_dims(sp)",
    "expand_dims(sp, 0)", "reset_shape(sp)", "reset_shape(sp, [3, 5])", "retain(sp, [True, False, True])",
    "slice(sp, [0, 1], [2, 2])", "slice(sp, [1, 0], [5, 2])", "split(sp, 2, 1)", "split(sp, 3, axis=1)",
    "eye(2, 3)", "eye(2, dtype=tf.int32)", "fill_empty_rows(tf.SparseTensor([[1, 1]], [5], [3, 2]), -1)",
    "to_indicator(tf.sparse.from_dense([[1, 3], [2, 0]]), 4)", "map_values(tf.square, sp)",
    "map_values(tf.add, sp, sq)", "map_values(tf.multiply, sp, 2.0)", "add(sp, sq)",
    "add(sp, tf.ones([2, 4]))", "add(sp, sq, threshold=5.0)", "add(sp, tf.sparse.eye(2))", "maximum(sp, sq)",
    "minimum(sp, sq)", "reduce_sum(sp)", "reduce_sum(sp, 0)", "reduce_sum(sp, axis=1)",
    "reduce_sum(sp, 1, keepdims=True)", "reduce_sum(sp, [0, 1])", "reduce_sum(sp, 1, output_is_sparse=True)",
    "reduce_max(sp, 0)", "reduce_max(sp, axis=-1)", "reduce_max(sp)", "softmax(sp)",
    "segment_sum(tf.reshape(tf.range(8.0), [4, 2]), [0, 2, 3], [0, 0, 1])",
    "segment_mean(tf.reshape(tf.range(8.0), [4, 2]), [0, 2, 3], [0, 0, 2])",
    "segment_sqrt_n(tf.reshape(tf.range(8.0), [4, 2]), [0, 2, 3], [0, 0, 1])",
    "bincount([[1, 3, 3], [5, 1, 1]])", "bincount([[1, 3, 3], [5, 1, 1]], axis=-1)",
    "bincount([[1, 3, 3], [5, 1, 1]], axis=-1, binary_output=True)",
    "bincount([[1, 3], [5, 1]], weights=[[0.5, 1.0], [2.0, 4.0]], axis=-1)",
    "bincount([[1, 3, 3], [5, 1, 1]], axis=-1, maxlength=4)",
    "sampled_addmm([[0, 0], [1, 1]], [0.5, 0.3], [2, 2], tf.ones([2, 3]), tf.ones([3, 2]), 0.25, 0.75)",
)  # fmt: skip
_SETS = (
    "intersection([[1, 2, 3, 3]], [[3, 1, 5]])", "union([[1, 2], [3, 3]], [[2, 5], [3, 4]])",
    "difference([[1, 2, 3]], [[3, 1]])", "difference([[1, 2, 3]], [[3, 4]], aminusb=False)",
    "size(tf.sparse.from_dense([[1, 1, 2], [0, 3, 3]]))",
    "union(tf.constant([['a', 'b']]), tf.constant([['c', 'a']]))", "intersection([[1]], [[1], [2]])",
)  # fmt: skip
_QUEUES = (
    "filled(1, 2, 3).dequeue()", "filled(1, 2, 3, shapes=[()]).dequeue_many(2)", "filled(1, 2).size()",
    "closed(filled(1, shapes=[()])).dequeue_up_to(5)", "closed(filled()).dequeue()",
    "closed(filled()).enqueue(1)", "filled().is_closed()", "filled([1, 2], shapes=[(2,)]).dequeue()",
    "filled([1, 2, 3], shapes=[(2,)])", "tf.queue.PriorityQueue(3, tf.string, [()]).size()",
)  # fmt: skip
_COUNTED = (
    "[[1, 1, 0], [2, 1, 2]], axis=-1", "[[1, 1, 0], [2, 1, 2]], axis=0",
    "[[1, 1, 0], [2, 1, 2]], binary_output=True, axis=-1",
    "[[1, 1], [2, 1]], weights=[[1.0, 2.0], [3.0, 4.0]], axis=-1",
    "tf.ragged.constant([[1, 1], [], [3]]), axis=-1", "tf.sparse.from_dense([[1, 0, 1], [0, 3, 0]]), axis=-1",
    "[[1, 5]], maxlength=3, axis=-1", "[1, 5], axis=2",
)  # fmt: skip
_OPERATORS = (
    "full", "lower", "operator('Diag', [1.0, 2.0])", "operator('Identity', 2)",
    "operator('ScaledIdentity', 2, 3.0)", "operator('Composition', [full, lower])",
    "operator('Kronecker', [full, lower])", "operator('BlockDiag', [full, lower])",
    "operator('BlockLowerTriangular', [[full], [lower, full]])",
    "operator('Tridiag', [[3.0, 4.0], [1.0, -1.0], [6.0, 7.0]], diagonals_format='compact')",
)  # fmt: skip
_ASKED = (
    "to_dense()", "trace()", "determinant()", "log_abs_determinant()", "diag_part()",
    "matvec(tf.range(1.0, n + 1.0))", "solvevec(tf.range(1.0, n + 1.0))", "matmul(tf.eye(n), adjoint=True)",
    "solve(tf.eye(n), adjoint=True)", "adjoint().to_dense()", "inverse().to_dense()",
    "add_to_tensor(tf.eye(n))",
)  # fmt: skip
_OTHERS = (
    "tf.bitcast(tf.constant([1.0, -2.0]), tf.int32)", "tf.bitcast(tf.constant(1, tf.int32), tf.uint8)",
    "tf.bitcast(tf.constant([1, 2], tf.int32), tf.int64)",
    "tf.bitcast(tf.constant([1, 2, 3], tf.int32), tf.int64)",
    "tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5)",
    "tf.nn.isotonic_regression(tf.constant([[3.0, 1.0, 2.0], [1.0, 3.0, 4.0]]))",
    "tf.nn.isotonic_regression(tf.constant([[3.0, 1.0, 2.0]]), decreasing=False)",
    "tf.nn.isotonic_regression(tf.constant([[3.0, 1.0], [4.0, 2.0]]), axis=0)",
    "tf.nn.approx_max_k([1.0, 3.0, 2.0], 2)",
    "tf.quantization.fake_quant_with_min_max_vars([[1.2, -0.3, 0.7], [2.1, 0.5, -1.0]], -0.5, 0.8)",
    "tf.quantization.fake_quant_with_min_max_args([-9.0, 0.1, 3.0], num_bits=4, narrow_range=True)",
    "tf.nn.ctc_greedy_decoder(tf.constant([[[0.0, 2.0, 1.0]], [[0.0, 2.0, 1.0]], [[3.0, 0.0, 1.0]]]), [3])",
    "tf.linalg.banded_triangular_solve([[2.0, 3.0, 4.0], [1.0, 2.0, 3.0]], tf.ones([3, 1]))",
    "tf.linalg.banded_triangular_solve([[2.0, 3.0, 4.0], [1.0, 2.0, 3.0]], tf.ones([3, 1]), lower=False)",
    "tf.strings.unsorted_segment_join(['a', 'b', 'c'], [1, 0, 1], 3, ':')",
    "tf.strings.unsorted_segment_join([['a', 'b'], ['c', 'd']], [0, 0], 2)",
)  # fmt: skip
_WORDS = (
    "stack(['a', word])", "stack([word, b'a', 'c'])", "stack([words, ['p', 'q']], 1)",
    "stack([[word, 'k'], ['p', 'q']], 1)", "stack(['a', words])", "reshape(['a', word], [2, 1])",
    "reshape([['a', word], [word, 'c']], [4])", "concat([['a'], words], 0)", "concat([words, ['a', 'c']], 0)",
    "concat([['a', word], words], 0)", "concat([[[word, 'a']], [['q', word]]], 1)",
    "where([True, False], ['a', word], words)", "equal(['a', word], 'b')", "gather(['a', word], [1, 0])",
    "tile(['a', word], [2])", "pad(words, [[1, 1]])",
    "pad([['a', word]], [[0, 0], [1, 1]], constant_values='z')",
    "pad(words, [[1, 1]], 'REFLECT')",
    "scatter_nd([[1]], [word], [3])", "ensure_shape(['a', word], [2])",
    "ensure_shape(['a', word], [3])", "dynamic_stitch([[0, 2], [1]], [['a', word], words[:1]])",
    "zeros_like(['a', word])", "add(words, 'q')", "add('q', words)", "convert_to_tensor([['a'], [word]])",
    "convert_to_tensor([['a'], [word, 'c']])",
)  # fmt: skip
"""Calls of `tf` with lists that mix strings and tensors of strings."""

CONTAINERS = [
    *(f"parts(tf.sparse.{call})" for call in _SPARSE),
    *(f"parts(tf.sets.{call})" for call in _SETS),
    *_QUEUES,
    *(f"(lambda word, words: tf.{call})(tf.constant('b'), tf.constant(['x', 'y']))" for call in _WORDS),
    *(f"tf.math.bincount({call})" for call in _COUNTED),
    *(
        f"(lambda x, n: x.{call})({x}, int({x}.shape[-1])).numpy().tolist()"
        for x in _OPERATORS
        for call in _ASKED
    ),
    *_OTHERS,
]
