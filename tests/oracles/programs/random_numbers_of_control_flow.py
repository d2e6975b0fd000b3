import warnings

import tensorflow as tf

warnings.simplefilter("ignore")


def draw():
    return tf.random.uniform([2])


def shown(name, function):
    for once in (function, tf.function(function)):
        tf.random.set_seed(5)
        for _ in range(2):
            print(name, [x.numpy().round(4).tolist() for x in tf.nest.flatten(once())])


def turned(most=None):
    before = draw()
    start = [tf.constant(0), tf.zeros(2)]
    found = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x + draw()), start, maximum_iterations=most)
    return before, found[1], draw()


def condition_that_draws():
    start = (tf.constant(0), tf.zeros(2))
    found = tf.while_loop(
        lambda i, x: tf.reduce_sum(draw()) + tf.cast(i, tf.float32) < 3.0, lambda i, x: (i + 1, x + draw()), start
    )
    return found[1], draw()


def each():
    # Turns that do not depend on each other take their draws in any order: in a function, TensorFlow's vary.
    return draw(), tf.sort(tf.map_fn(lambda x: x + draw(), tf.zeros((3, 2))), 0), draw()


def with_its_own_seed():
    mapped = tf.map_fn(lambda x: x + tf.random.uniform([2], seed=3), tf.zeros((3, 2)))
    return tf.random.uniform([2], seed=3), tf.sort(mapped, 0), draw()


def totals():
    before = draw()
    return before, tf.scan(lambda total, x: total + x + draw(), tf.zeros((3, 2)))[-1], draw()


def folded():
    before = draw()
    from_left = tf.foldl(lambda total, x: total + x + draw(), tf.zeros((3, 2)))
    return before, from_left, tf.foldr(lambda total, x: total + x + draw(), tf.zeros((3, 2))), draw()


def branches(above):
    before = draw()
    return before, tf.cond(tf.reduce_sum(before) > above, draw, lambda: draw() + draw()), draw()


def numbered():
    before = draw()
    return before, tf.switch_case(tf.constant(1), [draw, lambda: draw() + 1.0, draw]), draw()


def branch_in_a_loop():
    def turn(i, x):
        return i + 1, tf.cond(i > 0, lambda: x + draw(), lambda: x - draw())

    return tf.while_loop(lambda i, x: i < 3, turn, (tf.constant(0), tf.zeros(2)))[1], draw()


@tf.function
def over_data():
    before, total = draw(), tf.zeros(2)
    for _ in tf.data.Dataset.range(3):
        total = total + draw()
    return before, total, draw()


shown("while", turned)
shown("condition", condition_that_draws)
shown("map", each)
shown("seed", with_its_own_seed)
shown("scan", totals)
shown("fold", folded)
shown("true", lambda: branches(-1.0))
shown("false", lambda: branches(9.0))
shown("switch", numbered)
shown("branch in a loop", branch_in_a_loop)
most = tf.function(lambda: turned(2))
tf.random.set_seed(5)
print("at most", [x.numpy().round(4).tolist() for x in most()])
for _ in range(2):
    print("data", [x.numpy().round(4).tolist() for x in over_data()])
