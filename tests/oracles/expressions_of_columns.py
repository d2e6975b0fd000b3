"""Expressions about feature columns, for the record of TensorFlow and for the test."""

SETUP = """
import numpy as np
fc = tf.feature_column
v1 = tf.compat.v1
features = {
    "size": tf.constant([[1.0], [2.5], [7.0]]),
    "pair": tf.constant([[1.0, -1.0], [0.5, 3.0], [4.0, 4.0]]),
    "flat": tf.constant([3, 1, 2], tf.int64),
    "kind": tf.constant([["cat", "dog"], ["cow", ""], ["dog", "dog"]]),
    "place": tf.constant([["north"], ["south"], ["north"]]),
    "number": tf.constant([[3], [-1], [12]], tf.int64),
    "some": tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant(["cat", "ox", "dog"]), [3, 2]),
    "share": tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([0.5, 2.0, 3.0]), [3, 2]),
}
size, pair = fc.numeric_column("size"), fc.numeric_column("pair", shape=2)
kind = fc.categorical_column_with_vocabulary_list("kind", ["cat", "dog", "cow"])
some = fc.categorical_column_with_vocabulary_list("some", ["cat", "dog"])
place = fc.categorical_column_with_vocabulary_list("place", ["north", "south"])
number = fc.categorical_column_with_identity("number", 5, default_value=0)
scale = lambda shape, dtype=None, partition_info=None: tf.reshape(
    tf.range(shape[0] * shape[1], dtype=tf.float32), shape)
rows = lambda *columns: v1.feature_column.input_layer(features, columns).numpy().tolist()
word = lambda column: rows(fc.indicator_column(column))
def linear(*columns, **options):
    given = {"size": [[1.0], [2.5], [7.0]], "pair": [[1.0, -1.0], [0.5, 3.0], [4.0, 4.0]]}
    with v1.Graph().as_default(), v1.Session() as session:
        made = {name: v1.constant(value) for name, value in given.items()}
        total = v1.feature_column.linear_model(made, columns, **options)
        session.run(v1.global_variables_initializer())
        for n, one in enumerate(v1.global_variables()):
            one.load(np.arange(np.prod(one.shape)).reshape(one.shape).astype(np.float32) + n, session)
        return session.run(total).tolist(), [one.name for one in v1.global_variables()]
"""

COLUMNS = [
    "size",
    "pair",
    "kind",
    "number",
    "fc.numeric_column('a', default_value=2, shape=(2,))",
    "fc.numeric_column('a', dtype=tf.int32)",
    "fc.bucketized_column(size, [0, 2.5])",
    "fc.bucketized_column(pair, [0.0, 1.0]).num_buckets",
    "fc.categorical_column_with_hash_bucket('a', 10)",
    "fc.categorical_column_with_vocabulary_list('a', [3, 5])",
    "fc.categorical_column_with_vocabulary_list('a', ['x'], num_oov_buckets=2).num_buckets",
    "fc.indicator_column(kind)",
    "fc.crossed_column(['kind', number], 10)",
    "fc.crossed_column(['kind', number], 10).name",
    "fc.weighted_categorical_column(some, 'share')",
    "fc.weighted_categorical_column(some, 'share').name",
    "fc.embedding_column(kind, 2).name",
    "fc.embedding_column(kind, 2, initializer=None).combiner",
    "fc.bucketized_column(size, [1]).name",
    "fc.indicator_column(kind).variable_shape",
    "fc.embedding_column(kind, 4).variable_shape",
    "fc.numeric_column('a', shape=0)",
    "fc.numeric_column('a', shape='b')",
    "fc.numeric_column('a', dtype=tf.string)",
    "fc.numeric_column('a', normalizer_fn=3)",
    "fc.bucketized_column(kind, [1])",
    "fc.bucketized_column(fc.numeric_column('a', shape=(2, 2)), [1])",
    "fc.bucketized_column(size, [2, 1])",
    "fc.bucketized_column(size, [])",
    "fc.categorical_column_with_hash_bucket('a', 0)",
    "fc.categorical_column_with_hash_bucket('a', None)",
    "fc.categorical_column_with_vocabulary_list('a', [])",
    "fc.categorical_column_with_vocabulary_list('a', ['x', 'x'])",
    "fc.categorical_column_with_vocabulary_list('a', ['x'], default_value=0, num_oov_buckets=1)",
    "fc.categorical_column_with_vocabulary_list('a', ['x'], num_oov_buckets=-1)",
    "fc.categorical_column_with_identity('a', 0)",
    "fc.categorical_column_with_identity('a', 3, 3)",
    "fc.crossed_column(['a'], 10)",
    "fc.crossed_column(['a', 'b'], 0)",
    "fc.crossed_column(['a', size], 10)",
    "fc.crossed_column(['a', fc.categorical_column_with_hash_bucket('b', 3)], 10)",
    "fc.embedding_column(kind, 0)",
    "fc.embedding_column(kind, 2, initializer=3)",
    "fc.make_parse_example_spec([size, fc.indicator_column(kind), fc.embedding_column(number, 2)])",
    "fc.make_parse_example_spec([fc.bucketized_column(pair, [1]), fc.crossed_column(['kind', number], 3)])",
    "fc.make_parse_example_spec([fc.weighted_categorical_column(some, 'share')])",
    "fc.make_parse_example_spec([3])",
    "rows(size)",
    "rows(pair, size)",
    "rows(fc.numeric_column('flat'))",
    "rows(fc.numeric_column('size', normalizer_fn=lambda x: (x - 1) / 2))",
    "rows(fc.bucketized_column(size, [1.0, 2.5]))",
    "rows(fc.bucketized_column(pair, [0.0, 1.0]))",
    "word(kind)",
    "word(some)",
    "word(number)",
    "word(fc.categorical_column_with_vocabulary_list('kind', ['cat'], default_value=0))",
    "word(fc.categorical_column_with_vocabulary_list('kind', ['cat'], num_oov_buckets=3))",
    "word(fc.categorical_column_with_vocabulary_list('flat', [1, 3]))",
    "word(fc.categorical_column_with_vocabulary_list('kind', [1, 3]))",
    "word(fc.categorical_column_with_hash_bucket('kind', 6))",
    "word(fc.categorical_column_with_hash_bucket('number', 6, tf.int64))",
    "word(fc.categorical_column_with_hash_bucket('size', 6))",
    "word(fc.categorical_column_with_identity('number', 13))",
    "word(fc.categorical_column_with_identity('kind', 13))",
    "word(fc.weighted_categorical_column(some, 'share'))",
    "word(fc.crossed_column(['kind', 'place'], 7))",
    "word(fc.crossed_column(['kind', place], 7))",
    "word(fc.crossed_column(['place', 'flat'], 7, hash_key=3))",
    "word(fc.crossed_column([fc.bucketized_column(size, [2.0]), 'place'], 9))",
    "word(fc.crossed_column([fc.crossed_column(['kind', 'place'], 5), number], 9))",
    "rows(fc.embedding_column(kind, 2, initializer=scale))",
    "rows(fc.embedding_column(kind, 2, 'sum', initializer=scale))",
    "rows(fc.embedding_column(kind, 2, 'sqrtn', initializer=scale))",
    "rows(fc.embedding_column(some, 2, initializer=scale))",
    "rows(fc.embedding_column(kind, 2, initializer=scale, max_norm=1.5))",
    "rows(fc.embedding_column(fc.weighted_categorical_column(some, 'share'), 2, initializer=scale))",
    "rows(fc.embedding_column(fc.weighted_categorical_column(some, 'share'), 2, 'sum', initializer=scale))",
    "rows(size, fc.indicator_column(kind), fc.embedding_column(place, 1, initializer=scale), pair)",
    "rows(kind)",
    "rows(size, size)",
    "rows()",
    "rows(3)",
    "rows(fc.numeric_column('missing'))",
    "linear(size, pair)",
    "linear(size, units=2)",
    "linear(fc.bucketized_column(size, [2.0]))",
]
