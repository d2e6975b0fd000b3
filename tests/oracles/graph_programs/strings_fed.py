"""Feeds strings to a graph, and computes with them when a session runs."""

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
words = tf.placeholder(tf.string, [None], name="words")
line = tf.placeholder(tf.string, [], name="line")
print(words, line, words.dtype, words.shape)
first, second = tf.decode_csv(line, [[1.0], [2]])
weight = tf.Variable(2.0)
loss = (first * weight - tf.cast(second, tf.float32)) ** 2
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
name, number = tf.io.decode_csv(
    tf.data.Dataset.from_tensor_slices(["a,1", "b,2"]).make_one_shot_iterator().get_next(), [["z"], [0]]
)
print(name, number)
shouted = tf.py_func(lambda one: one + b"!", [tf.constant("a")], tf.string)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    fed = {words: ["a", "bcd"]}
    print(session.run([tf.strings.length(words), tf.equal(words, "a"), tf.strings.join([words, "x"], "-")], fed))
    print(session.run([tf.reshape(words, [2, 1]), tf.strings.upper(words)], fed))
    print([float(session.run([loss, train], {line: "3,4"})[0]) for _ in range(3)])
    print(session.run([first, second], {line: "5,6"}))
    print(session.run([name, number]), session.run(name))
    print(session.run(shouted), session.run(tf.string_to_number(["1.5", "2"])))
    print(session.run(tf.string_to_number(words), {words: ["1", "-2.5"]}))
