"""Expressions about ragged tensors: each way to make one, each index, each function along each axis."""

SETUP = """
import numpy as np

rows = tf.ragged.constant([[3.0, 1.0, 4.0], [], [5.0], [9.0, 2.0]])
counts = tf.ragged.constant([[3, 1, 2], [], [0], [1, 2]])
deep = tf.ragged.constant([[[1.0, 2.0], [3.0]], [], [[4.0], [], [5.0, 6.0, 7.0]]])
wide = tf.ragged.constant([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]], ragged_rank=1)
even = tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1, 2], [3], [], [4]]), 2)
words = tf.ragged.constant([["So", "long"], ["thanks", "for", "fish"]])

def ways_down(f, *xs):
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
        y = y.flat_values if isinstance(y, tf.RaggedTensor) else y
        y = tf.reduce_sum(y * tf.reshape(tf.range(1.0, tf.size(y) + 1.0), tf.shape(y)))
    found = tape.gradient(y, xs)
    return [tf.convert_to_tensor(g).numpy().tolist() if isinstance(g, tf.IndexedSlices) else
            g.to_list() if isinstance(g, tf.RaggedTensor) else g if g is None else g.numpy().tolist()
            for g in found]
"""
_MADE = (
    "constant([[1, 2], [], [3]])", "constant([])", "constant([[]])", "constant([[], [[]]])", "constant(3)",
    "constant([1, 2])", "constant([[1.5], []])", "constant([['a'], ['b', 'c']])", "constant([[True], []])",
    "constant([[1], [2, 3]], tf.int64)", "constant([[1], [2, 3]], dtype=tf.float32)",
    "constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1)",
    "constant([[[1, 2]], [[3], [5, 6]]], ragged_rank=1)", "constant([[[1, 2]], [[3, 4]]], inner_shape=(2,))",
    "constant([[np.array([1, 2])], []])", "constant([1, [2]])", "constant([['a', 1]])",
    "constant([[[]], [1]])", "constant([[1]], ragged_rank=2)", "constant([[1], [2, 3]]).shape",
    "constant([[[1]], [[2], [3]]]).shape", "constant([[1]]).dtype",
    "constant([[1], [2, 3]], row_splits_dtype=tf.int32).row_splits", "range(3)", "range([3, 0, 2])",
    "range([0, 5, 8], [3, 3, 12])", "range([0, 5], [3, 12], 2)", "range([0.0, 1.0], [1.0, 2.5], 0.5)",
    "range([3], [0], -1)", "range([2, 3], row_splits_dtype=tf.int32)", "range([3], [0], 0)",
    "stack([tf.constant([1, 2]), tf.constant([3])])", "stack([tf.constant(1), tf.constant(2)])", "stack([])",
    "stack([tf.ones([2, 2]), tf.ones([1, 3])])", "stack([rows, rows], axis=1).to_list()",
    "stack([rows, rows], axis=2)", "stack([deep, deep], axis=2).to_list()", "stack([rows, rows], axis=3)",
    "boolean_mask([[1, 2], [3, 4]], [[True, False], [False, False]])",
    "boolean_mask(rows, [True, False, False, True])", "boolean_mask(rows, rows > 2)",
    "boolean_mask(deep, deep > 2)",
    "boolean_mask(deep, tf.ragged.constant([[True, False], [], [False, True, True]]))",
    "boolean_mask(wide, tf.ragged.constant([[True, False], [True]]))",
    "boolean_mask([1, 2, 3], [True, False, True])", "boolean_mask(words, words != 'for')",
    "boolean_mask(rows, [True])", "row_splits_to_segment_ids([0, 3, 3, 5])",
    "segment_ids_to_row_splits([0, 0, 2])", "segment_ids_to_row_splits([0, 0, 2], 5)",
    "stack_dynamic_partitions(['a', 'b', 'c'], [3, 0, 3], 5)",
    "stack_dynamic_partitions([[1, 2], [3, 4]], [[0, 1], [1, 0]], 2)",
    "cross([words, tf.ragged.constant([['d'], ['e', 'f']])])", "map_flat_values(lambda x: x * 2, deep)",
    "map_flat_values(tf.add, rows, 5.0)", "map_flat_values(tf.reduce_sum, rows)",
    "map_flat_values(tf.add, rows, deep)",
)  # fmt: skip
_FROM = (
    "from_row_splits([3, 1, 4], [0, 2, 2, 3])", "from_row_splits([3, 1, 4], [0, 2, 1, 3])",
    "from_row_splits([3, 1, 4], [1, 3])", "from_row_splits([3, 1, 4], [0, 2])",
    "from_row_lengths([3, 1, 4], [2, 0, 1])", "from_row_lengths([3, 1, 4], [2, 2])",
    "from_value_rowids([3, 1, 4], [0, 0, 2])", "from_value_rowids([3, 1, 4], [0, 0, 2], nrows=5)",
    "from_value_rowids([3, 1, 4], [0, 2, 1])", "from_value_rowids([3, 1, 4], [0, 0, 2], nrows=2)",
    "from_row_starts([3, 1, 4], [0, 2, 2])", "from_row_limits([3, 1, 4], [2, 2, 3])",
    "from_uniform_row_length([3, 1, 4, 1], 2)", "from_uniform_row_length([3, 1, 4], 2)",
    "from_uniform_row_length(rows, 2).shape", "from_uniform_row_length([], 0, nrows=3)",
    "from_nested_row_splits([1, 2, 3], [[0, 1, 2], [0, 2, 3]])",
    "from_nested_row_lengths([1, 2, 3], [[1, 1], [2, 1]])",
    "from_nested_value_rowids([1, 2, 3], [[0, 1], [0, 0, 1]])",
    "from_row_lengths([[1, 2], [3, 4]], [2]).shape", "from_tensor([[5, 7, 0], [0, 3, 0]])",
    "from_tensor([[5, 7, 0], [0, 3, 0]]).shape", "from_tensor([[5, 7, 0], [0, 3, 0]], lengths=[1, 3])",
    "from_tensor([[5, 7, 0], [0, 3, 0]], padding=0)",
    "from_tensor([[['a', ''], ['', '']]], padding=['', ''])",
    "from_tensor([[[5, 0], [7, 0]], [[0, 0], [3, 0]]], padding=[0, 0])",
    "from_tensor([[[5, 0], [7, 0]], [[0, 0], [3, 0]]], ragged_rank=2)",
    "from_tensor([[[5, 0], [7, 0]], [[0, 0], [3, 0]]], ragged_rank=2, padding=0)",
    "from_tensor([[[5, 0], [7, 0]], [[0, 0], [3, 0]]], lengths=([2, 1], [1, 1, 2]))", "from_tensor([5, 7])",
    "from_tensor([[5, 7]], lengths=[1], padding=0)",
    "from_sparse(tf.SparseTensor([[0, 0], [2, 0], [2, 1]], [1, 2, 3], [3, 3]))",
    "from_sparse(tf.SparseTensor([[0, 1]], [1], [3, 3]))", "__name__",
)  # fmt: skip
_ASKED = (
    "shape", "get_shape()", "dtype", "ragged_rank", "row_splits", "values", "flat_values",
    "nested_row_splits", "value_rowids()", "nrows()", "row_starts()", "row_limits()", "row_lengths()",
    "bounding_shape()", "bounding_shape(axis=1)", "bounding_shape(out_type=tf.int32)", "nested_row_lengths()",
    "nested_value_rowids()", "uniform_row_length", "to_list()", "to_tensor()", "to_tensor(-1)",
    "to_tensor(shape=[5, 2] + [None] * (len(x.shape) - 2))", "to_sparse()", "merge_dims(0, 1)",
    "merge_dims(0, -1)", "merge_dims(1, 1)", "with_values(x.values)", "with_flat_values(x.flat_values * 2)",
    "__len__()", "row_lengths(axis=-1)", "numpy().tolist()",
)  # fmt: skip
_KEYS = (
    "0", "-1", "3", "9", "1:", "::2", "::-1", "...", "tf.newaxis", "0, 0", "0, -1", "0, 1:", ":, :2",
    ":, -2:", ":, 1:-1", ":, ::2", ":, ::-1", ":, 2:0:-1", ":, 0", ":, None", "..., None", "1:3, :1",
    "None, 1:", ":, :, :1", ":, :, 0", "2, 1", "tf.constant(1)",
)  # fmt: skip
_UNARY = (
    "abs(rows)", "cast(rows, tf.int32)", "clip_by_value(rows, 2.0, 4.0)", "cos(rows)", "exp(wide)",
    "math.erf(rows)", "math.log(rows)", "math.is_nan(rows)", "nn.relu(rows - 3.0)", "nn.softmax(rows)",
    "negative(deep)", "ones_like(rows)", "zeros_like(counts)", "round(rows)", "sigmoid(rows)", "sqrt(rows)",
    "square(deep)", "stop_gradient(rows)", "identity(rows)", "tanh(rows / 4.0)", "strings.length(words)",
    "strings.upper(words)", "strings.substr(words, 0, 2)", "strings.join([words, words], '-')",
    "strings.regex_replace(words, 'o', '0')", "strings.to_hash_bucket_fast(words, 100)",
    "strings.reduce_join(words, axis=1)", "strings.reduce_join(words, axis=-1, separator=' ')",
    "strings.split(['a b', 'c'])", "strings.split([['a b', 'c'], ['d', 'e f']])", "strings.split(words)",
    "strings.split(['a b', 'c d'])", "strings.bytes_split(['ab', 'c'])",
    "strings.unicode_decode(['a\u00f6', ''], 'UTF-8')", "strings.unicode_encode(counts + 70, 'UTF-8')",
    "strings.unicode_decode_with_offsets(['a\u00f6b'], 'UTF-8')",
    "strings.unicode_transcode('\u00f6', 'UTF-8', 'UTF-16-BE')", "strings.ngrams(['A', 'B', 'C', 'D'], 2)",
    "strings.ngrams(words, [1, 2], pad_values=('LP', 'RP'))",
    "strings.ngrams(['A'], 2, preserve_short_sequences=True)",
    "strings.to_hash_bucket_fast(['a' * 20, 'b' * 50, 'c' * 200], 10**9)", "size(rows)", "size(wide)",
    "rank(deep)", "shape(rows)", "shape(even)", "expand_dims(rows, 0)", "expand_dims(rows, 1)",
    "expand_dims(rows, 2)", "expand_dims(rows, -1)", "expand_dims(rows, 5)",
    "squeeze(tf.expand_dims(rows, 1), 1)", "squeeze(rows, 1)", "tile(rows, [2, 1])", "tile(rows, [1, 2])",
    "tile(wide, [1, 2, 2])", "tile(deep, [2, 1, 2])", "reverse(rows, [0])", "reverse(rows, [1])",
    "reverse(deep, [1, 2])", "reverse(wide, [0, 2])", "one_hot(counts, 4)", "gather(rows, [2, 0])",
    "gather(rows, counts)", "gather([10, 20, 30, 40], counts)", "gather(rows, 1)", "gather(rows, [[0], [2]])",
    "gather(rows, [9])", "gather(deep, [2])", "gather(wide, [1, 0], axis=2)",
    "nn.embedding_lookup(tf.ones([5, 2]), counts)", "unstack(rows)", "where(rows > 2)",
    "where(rows > 2, rows, -rows)", "where(rows > 2, rows, 0.0)", "where(words == 'for', words, '')",
    "split(rows, 2)", "split(rows, [1, 3])", "repeat(rows, 2, axis=0)", "add_n([rows, rows])",
    "boolean_mask(rows, [True, False, True, False])", "math.add_n([counts, counts])",
    "reshape(rows, tf.shape(rows))", "zeros(tf.shape(rows))", "ones(tf.shape(deep), tf.int32)",
    "fill(tf.shape(rows), 'x')", "map_fn(tf.reduce_sum, rows)",
    "map_fn(tf.reduce_sum, rows, fn_output_signature=tf.float32)", "map_fn(lambda x: x * 2, rows)",
    "map_fn(tf.range, [2, 0, 3], fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))",
    "map_fn(tf.strings.length, tf.constant(['a', 'bc']), fn_output_signature=tf.int32)",
    "map_fn(lambda x: (x, tf.size(x)), rows, fn_output_signature=(tf.RaggedTensorSpec([None]), tf.int32))",
    "concat([rows, rows], 0)", "concat([rows, rows], 1)", "concat([rows, rows], -1)",
    "concat([rows, [[8.0]]], 0)", "concat([rows, tf.ones([4, 1])], 1)", "concat([deep, deep], 2)",
    "concat([deep, deep], 1)", "concat([wide, wide], 2)", "concat([rows, tf.ones([3, 1])], 1)",
    "concat([words, [['x']]], 0)", "concat([rows, deep], 0)", "stack([rows, rows])", "stack([rows, rows], 1)",
    "convert_to_tensor(rows)", "linalg.matmul(rows, rows)", "type_spec_from_value(rows)",
    "type_spec_from_value(wide)", "type_spec_from_value(even).shape", "nn.dropout(rows, 0.0)",
    "equal(rows, rows)", "nest.flatten(rows)", "nest.flatten(rows, expand_composites=True)",
    "is_tensor(rows)",
    "nest.pack_sequence_as(rows, tf.nest.flatten(rows, expand_composites=True), expand_composites=True)",
    "concat([['a'], ['b']], 0)", "reshape(tf.constant(['a', 'b', 'c', 'd']), [2, 2])",
    "stack([tf.constant('a'), 'b'])", "gather(tf.constant(['a', 'b']), [1, 1])",
    "where([True, False], tf.constant(['a', 'b']), '')", "fill([2, 1], '#')",
    "expand_dims(tf.constant('a'), 0)", "tile(tf.constant(['a']), [3])",
    "transpose(tf.constant([['a', 'b']]))", "unique(tf.constant(['b', 'a', 'b']))",
    "equal(tf.constant(['b', 'a']), 'a')", "shape(tf.constant([['a', 'b']]))",
    "size(tf.constant(['a', 'b']))", "unstack(tf.constant(['a', 'b']))", "sort(tf.constant(['b', 'a', 'c']))",
    "boolean_mask(tf.constant(['b', 'a', 'c']), [True, False, True])", "zeros_like(tf.constant(['a']))",
)  # fmt: skip
_BROADCAST = (
    "rows + 1", "1 + rows", "rows + rows", "rows * tf.constant(2.0)", "tf.constant(2.0) - rows",
    "rows / [[2.0]]", "rows + [[10.0], [20.0], [30.0], [40.0]]",
    "tf.constant([[10.0], [20.0], [30.0], [40.0]]) + rows", "wide + [1.0, 2.0]", "wide + [[10.0]]",
    "wide + tf.ones([2, 1, 1])", "rows + tf.ones([4, 3])", "rows + tf.ones([3, 1])", "rows + deep",
    "deep + [[[1.0]], [[2.0]], [[3.0]]]", "deep * deep", "counts // 2", "counts % 2", "2 ** counts", "-rows",
    "abs(-rows)", "~(rows > 2)", "(rows > 2) & (rows < 5)", "rows == rows", "rows != 1.0", "rows >= 3.0",
    "rows == None", "counts + 1.5", "rows + counts",
    "tf.ragged.constant([[1.0, 2.0], [3.0]]) + tf.ragged.constant([[1.0], [3.0]])", "tf.maximum(rows, 3.0)",
    "tf.pow(rows, 2.0)", "tf.math.divide_no_nan(rows, 0.0)", "tf.logical_and(rows > 1, rows < 4)",
    "bool(rows)", "hash(rows)", "list(rows)[2]", "len(rows)", "even + 1", "even * [[[10]], [[20]]]",
    "even.shape", "tf.RaggedTensor.from_tensor([[1.0, 2.0]]) + tf.ones([3, 2])", "rows + np.float32(1)",
    "rows + True", "rows + 'a'",
)  # fmt: skip
_SLOPES = (
    "lambda x: x * x, rows", "lambda x: x.to_tensor(-1.0), rows", "lambda x: tf.reduce_sum(x, 1), rows",
    "lambda x: tf.reduce_mean(x, axis=0), rows", "lambda x: tf.reduce_max(x, 1), rows[:1]",
    "lambda x: x[:, 1:], rows", "lambda x: x[2], rows", "lambda x, y: tf.concat([x, y], 1), rows, rows",
    "lambda x: tf.gather(x, [2, 0, 2]), rows", "lambda x: tf.tile(x, [1, 2]), rows",
    "lambda x: tf.ragged.boolean_mask(x, x > 2.0), rows",
    "lambda x, y: x + y, rows, tf.constant([[1.0], [2.0], [3.0], [4.0]])", "lambda x: tf.nn.softmax(x), rows",
    "lambda x: tf.reduce_prod(x, axis=2), deep", "lambda x: tf.reduce_sum(x, axis=0), deep",
    "lambda x: tf.RaggedTensor.from_row_lengths(x, [2, 0, 1]) * 2.0, tf.constant([1.0, 2.0, 3.0])",
    "lambda x: tf.map_fn(tf.reduce_sum, x, fn_output_signature=tf.float32), rows",
    "lambda x: tf.where(x > 2.0, x, x * x), rows", "lambda x: x.merge_dims(0, 1), deep",
    "lambda t: tf.nn.embedding_lookup(t, counts), tf.ones([4, 2])", "lambda x: tf.reverse(x, [1]), rows",
    "lambda x: tf.RaggedTensor.from_tensor(x, lengths=[1, 2]), tf.ones([2, 2])",
)  # fmt: skip
_REDUCED = ("sum", "prod", "max", "min", "mean", "variance", "std")

RAGGED = [
    *(f"tf.ragged.{call}" for call in _MADE),
    *(f"tf.RaggedTensor.{call}" for call in _FROM),
    *(f"(lambda x: x.{call})({x})" for x in ("rows", "deep", "wide", "even") for call in _ASKED),
    *(f"{x}[{key}]" for x in ("rows", "deep", "wide", "even", "words") for key in _KEYS),
    *(f"tf.{call}" for call in _UNARY),
    *_BROADCAST,
    *(
        f"tf.math.reduce_{name}({x}, axis={axis}, keepdims={keepdims})"
        for name in _REDUCED
        for x, axes in (("rows", (None, 0, 1)), ("deep", (0, 1, 2, [1, 2])), ("wide", (1, -1)))
        for axis in axes
        for keepdims in (False, True)
    ),
    *(f"tf.reduce_{name}(rows > 2, axis={axis})" for name in ("any", "all") for axis in (None, 0, 1, 5)),
    *(f"ways_down({call})" for call in _SLOPES),
]
