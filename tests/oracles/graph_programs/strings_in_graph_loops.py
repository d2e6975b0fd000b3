import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
known = tf.constant(["a", "bb", "c"])
fed = tf.placeholder(tf.string, [None])


def joined(a, x):
    return tf.strings.join([a, x])


def lengths(a, x):
    return a + tf.strings.length(x)


made = []
for words in (known, fed):
    made += [
        tf.scan(joined, words),
        tf.scan(joined, words, initializer="z", reverse=True),
        tf.scan(lengths, words, initializer=0),
        tf.foldl(joined, words),
        tf.foldr(joined, words, initializer=tf.constant("z")),
        tf.foldl(lengths, words, initializer=0),
        tf.while_loop(lambda i, s: i < tf.size(words), lambda i, s: [i + 1, joined(s, words[i])], [0, ""])[1],
        tf.while_loop(
            lambda i, s: i < 2,
            lambda i, s: [i + 1, tf.concat([s, words], 0)],
            [tf.constant(0), words],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
        )[1],
        tf.while_loop(lambda s: tf.strings.length(s) < 5, lambda s: s + "x", [words[0]]),
    ]
    pairs = tf.scan(lambda a, x: (joined(a[0], x[0]), a[1] + x[1]), (words, tf.range(3)), initializer=("", 0))
    made += list(pairs)
    array = tf.TensorArray(tf.string, 0, dynamic_size=True)
    filled = tf.while_loop(
        lambda i, a: i < tf.size(words), lambda i, a: [i + 1, a.write(i, joined(words[i], "!"))], [0, array]
    )[1]
    made += [filled.stack(), filled.size()]
array = tf.TensorArray(tf.string, 2).write(0, "x").write(1, known[0])
made += [array.stack(), array.gather([1, 0]), array.read(0)]
made += [tf.TensorArray(tf.string, 3).unstack(known).read(1)]
made += [tf.ensure_shape(tf.TensorArray(tf.string, 2).split(known, [1, 2]).concat(), [3])]
made += [tf.TensorArray(tf.string, 3).scatter([2, 0, 1], known).stack()]
for number, one in enumerate(made):
    print(number, one.dtype.name, one.shape)
with tf.Session() as session:
    for value in (["q", "w", "e"], ["x", "", "yy"]):
        for number, one in enumerate(made):
            print(number, session.run(one, {fed: value}))
try:
    tf.while_loop(lambda s: True, lambda s: tf.stack([s, s]), [known])
except ValueError as error:
    print("enters the loop" in str(error))
