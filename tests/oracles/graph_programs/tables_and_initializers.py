"""Looks fed strings up in tables, and starts variables with the rarer initializers."""

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(3)
started = [
    tf.get_variable("a", [4, 3], initializer=tf.orthogonal_initializer(seed=5)),
    tf.get_variable("b", [2, 5], initializer=tf.initializers.orthogonal(0.5)),
    tf.get_variable("c", [4, 3], initializer=tf.uniform_unit_scaling_initializer(1.43, seed=2)),
    tf.get_variable("d", [2, 3], initializer=tf.initializers.identity()),
    tf.get_variable("e", [4, 2], initializer=tf.initializers.lecun_normal(seed=1)),
    tf.get_local_variable("f", initializer=tf.constant(2.0)),
]
rows = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
table = tf.lookup.StaticHashTable(rows, -1)
words = tf.placeholder(tf.string, [None])
ids = table.lookup(words)
embedded = tf.nn.embedding_lookup(started[0], tf.maximum(ids, 0))
summary = tf.Summary(value=[tf.Summary.Value(tag="x", simple_value=2.0)])
summary.value.add(tag="y", simple_value=3.0)
print(ids, [(one.tag, one.simple_value) for one in summary.value])
print([one.name for one in tf.local_variables()], len(tf.trainable_variables()))
with tf.Session() as session:
    start = [tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()]
    session.run(start)
    for one in started:
        print((session.run(one) * 1000).round().astype(int).tolist())
    print(session.run([ids, embedded[0, 0] * 0], {words: ["b", "z", "a"]}))
    print(session.run(table.lookup(tf.constant(["b"]))))
    print(session.run(tf.sets.set_intersection([[1, 2, 3]], [[2, 3, 4]])))
