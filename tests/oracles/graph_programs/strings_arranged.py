import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(3)
known = tf.constant(["b", "a", "c", "a"])
fed = tf.placeholder(tf.string, [None])
functions = {
    "reverse": lambda x: tf.reverse(x, [0]),
    "concat": lambda x: tf.concat([x, x, ["z"]], 0),
    "gather": lambda x: tf.gather(x, [1, 0]),
    "gather_nd": lambda x: tf.gather_nd(x, [[0], [2]]),
    "tile": lambda x: tf.tile(x, [2]),
    "repeat": lambda x: tf.repeat(x, 2),
    "stack": lambda x: tf.stack([x, x]),
    "unstack": lambda x: tf.unstack(x[:2], num=2),
    "split": lambda x: tf.split(x, 2),
    "where": lambda x: tf.where(tf.equal(x, "a"), x, tf.reverse(x, [0])),
    "unique": tf.unique,
    "unique_with_counts": tf.unique_with_counts,
    "equal": lambda x: tf.equal(x, "a"),
    "not_equal": lambda x: tf.not_equal("a", x),
    "reshape": lambda x: tf.reshape(x, [2, 2]),
    "transpose": lambda x: tf.transpose(tf.reshape(x, [2, 2])),
    "expand_dims": lambda x: tf.expand_dims(x, 0),
    "squeeze": lambda x: tf.squeeze(tf.expand_dims(x, 0), [0]),
    "pad": lambda x: tf.pad(x, [[1, 1]]),
    "slice": lambda x: tf.slice(x, [1], [2]),
    "roll": lambda x: tf.roll(x, 1, 0),
    "identity": tf.identity,
    "stop_gradient": tf.stop_gradient,
    "zeros_like": tf.zeros_like,
    "shape": tf.shape,
    "size": tf.size,
    "fill": lambda x: tf.fill([2], x[0]),
    "broadcast_to": lambda x: tf.broadcast_to(x, [2, 4]),
    "add": lambda x: x + "z",
    "join": lambda x: tf.strings.join([x, "-", x]),
    "shuffle": tf.random_shuffle,
    "shuffle_seeded": lambda x: tf.random_shuffle(x, seed=4),
    "shuffle_rows": lambda x: tf.random_shuffle(tf.reshape(x, [2, 2]), seed=1),
}
made = {
    (name, kind): function(x) for name, function in functions.items() for kind, x in enumerate((known, fed))
}
for (name, kind), found in made.items():
    parts = found if isinstance(found, (list, tuple)) else [found]
    print(name, kind, [(one.dtype.name, one.shape) for one in parts])
with tf.Session() as session:
    for (name, kind), found in made.items():
        for _ in range(2 if "shuffle" in name else 1):
            print(name, session.run(found, {fed: ["b", "a", "c", "a"]}))
    print(session.run(made["unique", 1], {fed: ["q", "p", "q"]}))
