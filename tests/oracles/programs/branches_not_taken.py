"""Gradients of variables that only the other side of a fork uses: zeros in a function, None outside."""

# ruff: noqa: F841, SIM108

import tensorflow as tf

a, b, c, d = variables = [tf.Variable(value) for value in (2.0, 3.0, 5.0, 7.0)]


def shown(gradients):
    return [None if one is None else (tf.convert_to_tensor(one).numpy() + 0.0).tolist() for one in gradients]


def show(function, *values):
    """Prints gradients of a tape inside the function, and of one outside of it."""

    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            y = function(x)
        return tape.gradient(y, variables)

    compiled = tf.function(function)
    for value in values or (1.0, -1.0):
        with tf.GradientTape() as tape:
            y = compiled(tf.constant(value))
        print(function.__name__, value, shown(inside(tf.constant(value))), shown(tape.gradient(y, variables)))


def either(x):
    if x > 0:
        y = a * x
    else:
        y = b * x
    return y


def early_return(x):
    if x > 0:
        return a * x
    return b * x + c


def without_else(x):
    y = a * x
    if x > 0:
        y = y + b
    return y


def overwritten(x):
    y = c * x
    if x > 0:
        y = a * x
    return y


def read_by_nothing(x):
    if x > 0:
        beside = b * x
        y = a * x
    else:
        beside = c * x
        y = d * x
    return y


def nested(x):
    if x > 0:
        if x > 2:
            y = a * x
        else:
            y = b * x
    elif x > -2:
        y = c * x
    else:
        y = d * x
    return y


def conditional(x):
    return (a * x if x > 0 else b * x) + c


def negated(x):
    if not x > 0:
        y = b * x
    else:
        y = a * x
    return y


def both(x):
    if x > 0 and x < 2:
        y = a * x
    else:
        y = b * x
    return y


def halved(x):
    if x > 0:
        return a * x
    else:
        return b * x


def helped(x):
    return halved(x) * c


@tf.function
def compiled_half(x):
    return halved(x)


def in_a_function(x):
    return compiled_half(x) * c


def used_before(x):
    before = a * x
    if x > 0:
        y = before * b
    else:
        y = c * x
    return y


def no_path(x):
    if x > 0:
        y = a * x
    else:
        y = tf.stop_gradient(b) * x + tf.round(c)
    return y


def whole_numbers(x):
    if x > 0:
        count = tf.cast(a * x, tf.int32)
    else:
        count = tf.cast(b * x, tf.int32)
    return tf.cast(count, tf.float32) * c


def no_turn(x):
    y = c * x
    while x > 0:
        y = y * a
        x = x - 2.0
    return y


def turns(x):
    y = c * x
    i = tf.constant(0)
    while i < 2:
        if x > 0:
            y = y * a
        else:
            y = y * b
        i += 1
    return y


def range_of_none(x):
    y = c * x
    for _ in tf.range(tf.cast(tf.maximum(x, 0.0), tf.int32)):
        y = y * a
    return y


def broken_off(x):
    y = c * x
    for _ in tf.range(3):
        if x < 0:
            break
        y = y * a
    return y


def python_loop(x):
    y = x
    for one in (a, b, c):
        if y > 4.0:
            y = y * one
        else:
            y = y + one
    return y


def with_write(x):
    count = written
    if x > 0:
        count.assign_add(1.0)
        y = a * count
    else:
        count.assign_sub(1.0)
        y = b * count
    return y


written = tf.Variable(0.0)


def number(x):
    if x > 0:
        y = a * x
    else:
        y = 0.0
    return y


class Holder:
    y = None


def attribute(x):
    Holder.y = c * x
    if x > 0:
        Holder.y = a * x
    else:
        Holder.y = b * x
    return Holder.y


def in_a_list(x):
    parts = [a * x, b * x]
    if x > 0:
        y = parts[0] * c
    else:
        y = parts[1] * d
    return y + 1.0


def of_cond(x):
    return tf.cond(x > 0, lambda: a * x, lambda: b * x)


def of_cond_with_fork(x):
    return tf.cond(x > 0, lambda: a * x if x > 5 else b * x, lambda: c * x)


def of_cond_with_draws(x):
    return tf.cond(
        x > 0, lambda: a * tf.nn.dropout(x, 0.0), lambda: b * (x + 0.0 * tf.random.uniform([], seed=1))
    )


def of_case(x):
    return tf.case([(x > 2, lambda: a * x), (x > 0, lambda: b * x)], default=lambda: c * x)


def of_switch_case(x):
    return tf.switch_case(tf.cast(x > 0, tf.int32), [lambda: a * x, lambda: b * x, lambda: c * x])


@tf.custom_gradient
def tenfold(x):
    return x * x, lambda upstream: 10.0 * upstream


def own_gradient(x):
    if x > 0:
        y = tenfold(a) * x
    else:
        y = tenfold(b) * x
    return y


def printed(x):
    y = a * x
    if x > 100.0:
        tf.print("large", b)
        y = y * c
    return y


for function in (
    either, early_return, without_else, overwritten, read_by_nothing, conditional, negated, both, helped,
    in_a_function, used_before, no_path, whole_numbers, no_turn, turns, range_of_none, broken_off,
    with_write, number, attribute, in_a_list, of_cond, of_case, of_switch_case, own_gradient, printed,
):  # fmt: skip
    show(function)
show(nested, 3.0, 1.0, -1.0, -3.0)
show(python_loop, 1.0, 9.0)
show(of_cond_with_fork, 1.0, 6.0, -1.0)
show(of_cond_with_draws, 1.0, -1.0, 1.0)

with tf.GradientTape() as tape:
    y = either(tf.constant(1.0))
print("outside", shown(tape.gradient(y, variables)))
tf.config.run_functions_eagerly(True)
show(either)
tf.config.run_functions_eagerly(False)


@tf.function
def several(x):
    def pair():
        if x > 0:
            return a * x, b
        return c * x, d * x

    with tf.GradientTape(persistent=True) as tape:
        y, z = pair()
        u, v = tf.cond(x > 0, lambda: (a * x, b * x), lambda: (c * x, d * x))
    return [tape.gradient(one, variables) for one in (y, z, u, v)]


for value in (1.0, -1.0):
    print("several", [shown(one) for one in several(tf.constant(value))])


@tf.function(reduce_retracing=True)
def relaxed(x):
    if tf.reduce_sum(x) > 0:
        y = a * tf.reduce_sum(x)
    else:
        y = b * tf.reduce_sum(x)
    return y


for length in (1, 2, 3):
    with tf.GradientTape() as tape:
        y = relaxed(tf.ones([length]))
    print("relaxed", shown(tape.gradient(y, variables)))


@tf.function
def asked_for_zeros(x):
    with tf.GradientTape() as tape:
        y = either(x)
    return tape.gradient(y, variables, unconnected_gradients="zero")


@tf.function
def jacobian(x):
    with tf.GradientTape(persistent=True) as tape:
        row = tf.stack([x, 2.0 * x])
        if x > 0:
            y = row * a
        else:
            y = row * b
    return tape.jacobian(y, variables)


@tf.function
def second_order(x):
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as tape:
            if x > 0:
                y = a * a * a * x
            else:
                y = b * b * b * x * c
        first = tape.gradient(y, [a, b, c])
    return first, *[outer.gradient(one, variables) for one in first]


@tf.function
def of_tensors(x, u, v):
    with tf.GradientTape() as tape:
        tape.watch([u, v])
        if x > 0:
            y = u * x
        else:
            y = v * x
    return tape.gradient(y, [u, v])


@tf.function
def unwatched(x):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch([a, b])
        if x > 0:
            y = a * x * c
        else:
            y = b * x * d
    return tape.gradient(y, variables)


@tf.function
def two_targets(x):
    with tf.GradientTape(persistent=True) as tape:
        y = c * x
        if x > 0:
            y = y * a
        else:
            y = y * b
        z = y * y
    return tape.gradient(z, variables), tape.gradient(y, variables)


table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])


@tf.function
def rows(x):
    with tf.GradientTape() as tape:
        if x > 0:
            y = tf.reduce_sum(tf.gather(table, [1, 1])) * a
        else:
            y = b * x
    return tape.gradient(y, [table, a, b])


@tf.function
def watched(x):
    with tf.GradientTape() as tape:
        y = either(x)
    return len(tape.watched_variables()) + 0 * y


for value in (1.0, -1.0):
    x = tf.constant(value)
    print("zeros", shown(asked_for_zeros(x)))
    print("jacobian", shown(jacobian(x)))
    print("second order", [shown(one) for one in second_order(x)])
    print("tensors", shown(of_tensors(x, tf.constant(2.0), tf.constant(3.0))))
    print("unwatched", shown(unwatched(x)))
    print("two targets", [shown(one) for one in two_targets(x)])
    print("rows", shown(rows(x)))
    print("watched", watched(x).numpy())
