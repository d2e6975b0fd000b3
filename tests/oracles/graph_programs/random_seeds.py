import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


def draws(seed, of_operation, of_other):
    """The draws of two sessions: two of each, and of the variables that start at random."""
    with tf.Graph().as_default():
        if seed is not None:
            tf.set_random_seed(seed)
        one, twin = (tf.random_uniform([2], seed=of_operation) for _ in range(2))
        other = tf.random_uniform([2], seed=of_other)
        start = tf.random_normal_initializer(seed=of_operation)
        weights = [tf.get_variable(name, [3], initializer=start) for name in ("a", "b")]
        kept = tf.nn.dropout(tf.ones([60]), 0.5, seed=of_operation)
        found = []
        for _ in range(2):
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                found.append([session.run([one, twin, other, kept]) for _ in range(2)] + [session.run(weights)])
        return found


def same(a, b):
    return bool((a == b).all())


(first, second, weights), (first_again, second_again, weights_again) = draws(None, 1, 2)
print("twins", same(first[0], first[1]), "other seed", same(first[0], first[2]))
print("second run", same(first[0], second[0]), same(first[3], second[3]))
print("second session", same(first[0], first_again[0]), same(second[0], second_again[0]))
print("second session, dropout", same(first[3], first_again[3]), same(second[3], second_again[3]))
print("variables", same(weights[0], weights[1]), same(weights[0], weights_again[0]))
seeded = [draws(seed, 1, None)[0][0] for seed in (3, 3, 4)]
print("same graph seed", [same(a, b) for a, b in zip(seeded[0], seeded[1])])
print("other graph seed", [same(a, b) for a, b in zip(seeded[0], seeded[2])])


def shown(values):
    return [[round(float(one), 5) for one in value.ravel()[:3]] for value in values]


def numbers(seed, of_operation):
    """What two sessions draw, of operations with this seed or without, in a graph with this seed or without."""
    with tf.Graph().as_default():
        if seed is not None:
            tf.set_random_seed(seed)
        made = [
            tf.random_uniform([3], seed=of_operation),
            tf.random_uniform([3]) if seed is not None else tf.random_uniform([3], seed=9),
            tf.random_normal([3], 1.0, 2.0, seed=of_operation),
            tf.truncated_normal([3], seed=of_operation),
            tf.random_uniform([3], -5, 50, tf.int32, seed=of_operation),
            tf.random_shuffle(tf.range(7), seed=of_operation),
            tf.multinomial([[0.1, 0.2, 0.3]], 3, seed=of_operation),
            tf.nn.dropout(tf.ones([3]), 0.5, seed=of_operation),
            tf.get_variable("w", [3], initializer=tf.glorot_uniform_initializer(of_operation or 9)),
        ]
        found = []
        for _ in range(2):
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                found += [shown(session.run(made)) for _ in range(2)]
        return found


for pair in ((3, 5), (3, None), (None, 5)):
    for one in numbers(*pair):
        print(pair, one)
