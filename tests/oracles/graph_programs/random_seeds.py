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
