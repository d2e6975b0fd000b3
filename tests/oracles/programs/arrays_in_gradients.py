"""Gradients of what is read from arrays: in a function, zeros for all else that was written into them."""

import tensorflow as tf

a, b, c, d = variables = [tf.Variable(value) for value in (2.0, 3.0, 5.0, 7.0)]


def shown(gradients):
    return [None if one is None else (tf.convert_to_tensor(one).numpy() + 0.0).tolist() for one in gradients]


def show(function, *values):
    """Prints gradients of a tape around a function, and without a function."""
    found = []
    for value in values or (1.0, -1.0):
        for one in (tf.function(function), function):
            with tf.GradientTape() as tape:
                y = one(tf.constant(value))
            found.append(shown(tape.gradient(y, variables)))
    print(function.__name__, *found)


def ta_if(x):
    t = tf.TensorArray(tf.float32, 2)
    t = t.write(0, a * x)
    if x > 0:
        t = t.write(1, b * x)
    else:
        t = t.write(1, c * x)
    return t.stack()


def ta_if_only(x):
    t = tf.TensorArray(tf.float32, 2)
    t = t.write(0, a * x)
    if x > 0:
        t = t.write(1, b * x)
    return tf.reduce_sum(t.stack())


def ta_if_read(x):
    t = tf.TensorArray(tf.float32, 2, clear_after_read=False)
    t = t.write(0, a * x)
    if x > 0:
        t = t.write(1, b * x)
    return t.read(0)


def ta_cond(x):
    t = tf.TensorArray(tf.float32, 2)
    t = t.write(0, a * x)
    t = tf.cond(x > 0, lambda: t.write(1, b * x), lambda: t.write(1, c * x))
    return t.stack()


def ta_cond_only(x):
    t = tf.TensorArray(tf.float32, 2)
    t = t.write(0, a * x)
    t = tf.cond(x > 0, lambda: t.write(1, b * x), lambda: t)
    return t.stack()


def ta_cond_stack(x):
    def one():
        t = tf.TensorArray(tf.float32, 2)
        t = t.write(0, b * x)
        t = t.write(1, d * x)
        return tf.reduce_sum(t.stack())

    return tf.cond(x > 0, one, lambda: c * x)


def ta_local_if(x):
    if x > 0:
        t = tf.TensorArray(tf.float32, 2)
        t = t.write(0, b * x)
        t = t.write(1, d * x)
        y = tf.reduce_sum(t.stack())
    else:
        y = a * x
    return y


def ta_unstack(x):
    if x > 0:
        t = tf.TensorArray(tf.float32, 2).unstack(tf.stack([b * x, c * x]))
        y = t.read(0)
    else:
        y = a * x
    return y


def ta_concat(x):
    if x > 0:
        t = tf.TensorArray(tf.float32, 2, infer_shape=False)
        t = t.write(0, [b * x])
        t = t.write(1, [c * x, d * x])
        y = tf.reduce_sum(t.concat())
    else:
        y = a * x
    return y


def ta_split(x):
    if x > 0:
        t = tf.TensorArray(tf.float32, 2, infer_shape=False).split(tf.stack([b * x, c * x, d * x]), [1, 2])
        y = tf.reduce_sum(t.read(1))
    else:
        y = a * x
    return y


def ta_scatter(x):
    if x > 0:
        t = tf.TensorArray(tf.float32, 3).scatter([0, 2], tf.stack([b * x, c * x]))
        y = tf.reduce_sum(t.gather([0, 2]))
    else:
        y = a * x
    return y


def ta_unstack_out(x):
    t = tf.TensorArray(tf.float32, 2)
    t = t.unstack(tf.stack([a * x, a * x]))
    if x > 0:
        t = t.unstack(tf.stack([b * x, c * x]))
    return t.stack()


def ta_while_zero(x):
    t = tf.TensorArray(tf.float32, 3)
    i = tf.constant(0)
    n = tf.cast(x, tf.int32)
    t = t.write(0, a * x)
    while i < n:
        t = t.write(i, b * x)
        i += 1
    return t.stack()


def ta_while_loop_zero(x):
    t = tf.TensorArray(tf.float32, 3)
    t = t.write(0, a * x)
    _, t = tf.while_loop(
        lambda i, t: i < tf.cast(x, tf.int32), lambda i, t: (i + 1, t.write(i, b * x)), (0, t)
    )
    return t.stack()


def switch_ta(x):
    t = tf.TensorArray(tf.float32, 2)
    t = t.write(0, d * x)
    t = tf.switch_case(
        tf.cast(x > 0, tf.int32),
        [lambda: t.write(1, a * x), lambda: t.write(1, b * x), lambda: t.write(1, c * x)],
    )
    return t.stack()


def case_ta(x):
    t = tf.TensorArray(tf.float32, 2)
    t = t.write(0, d * x)
    t = tf.case(
        [(x > 0, lambda: t.write(1, a * x)), (x > -0.5, lambda: t.write(1, b * x))],
        default=lambda: t.write(1, c * x),
    )
    return t.stack()


def nested_cond_ta(x):
    t = tf.TensorArray(tf.float32, 2)
    t = t.write(0, d * x)
    t = tf.cond(
        x > 0,
        lambda: tf.cond(x > 2, lambda: t.write(1, a * x), lambda: t.write(1, b * x)),
        lambda: t.write(1, c * x),
    )
    return t.stack()


def append_ta(x):
    t = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    for i in tf.range(3):
        if x > 0:
            t = t.write(t.size(), a * x)
        else:
            t = t.write(t.size(), b * x + c)
    return tf.reduce_sum(t.stack())


def ta_read_in_branch(x):
    t = tf.TensorArray(tf.float32, 2, clear_after_read=False)
    t = t.write(0, a * x)
    t = t.write(1, b * x)
    if x > 0:
        y = t.read(0)
    else:
        y = t.read(1)
    return y


def ta_read_cond(x):
    t = tf.TensorArray(tf.float32, 2, clear_after_read=False)
    t = t.write(0, a * x)
    t = t.write(1, b * x)
    return tf.cond(x > 0, lambda: t.read(0), lambda: t.read(1))


def ta_ifexp(x):
    t = tf.TensorArray(tf.float32, 2)
    t = t.write(0, a * x)
    t = t.write(1, b * x) if x > 0 else t.write(1, c * x)
    return t.stack()


def ta_pass_two(x):
    t = tf.TensorArray(tf.float32, 2)
    s = tf.TensorArray(tf.float32, 2)
    t = t.write(0, a * x)
    s = s.write(0, d * x)
    if x > 0:
        t = t.write(1, b * x)
        s = s.write(1, b * x)
    else:
        t = t.write(1, c * x)
    s.stack()
    return t.stack()


def ta_dict(x):
    t = {"k": tf.TensorArray(tf.float32, 2)}
    t["k"] = t["k"].write(0, a * x)
    if x > 0:
        t["k"] = t["k"].write(1, b * x)
    else:
        t["k"] = t["k"].write(1, c * x)
    return t["k"].stack()


def ta_returned(x):
    def f():
        t = tf.TensorArray(tf.float32, 2)
        if x > 0:
            return t.write(0, a * x)
        return t.write(0, b * x)

    return f().stack()


def plain_read(x):
    t = tf.TensorArray(tf.float32, 2, clear_after_read=False)
    t = t.write(0, a * x)
    t = t.write(1, b * x)
    return t.read(0)


def plain_read_early(x):
    t = tf.TensorArray(tf.float32, 2, clear_after_read=False)
    t = t.write(0, a * x)
    y = t.read(0)
    t = t.write(1, b * x)
    t.stack()
    return y


def plain_over(x):
    t = tf.TensorArray(tf.float32, 2)
    t = t.write(0, a * x)
    t = t.write(1, c * x)
    t = t.write(0, b * x)
    return t.stack()


def plain_gather(x):
    t = tf.TensorArray(tf.float32, 3)
    t = t.write(0, a * x)
    t = t.write(1, c * x)
    t = t.write(2, b * x)
    return t.gather([1])


def plain_unstack_over(x):
    t = tf.TensorArray(tf.float32, 2)
    t = t.write(0, a * x)
    t = t.write(1, c * x)
    t = t.unstack(tf.stack([b * x, b * x]))
    return t.stack()


def plain_scatter(x):
    t = tf.TensorArray(tf.float32, 3)
    t = t.write(0, a * x)
    t = t.scatter([1], tf.stack([b * x]))
    return t.read(1)


def plain_split(x):
    t = tf.TensorArray(tf.float32, 2, infer_shape=False)
    t = t.split(tf.stack([a * x, b * x]), [1, 1])
    return t.read(1)


def direct(x):
    y = a * x
    t = tf.TensorArray(tf.float32, 2)
    t = t.write(0, y)
    t = t.write(1, c * x)
    z = t.stack()
    return y


def direct_fork(x):
    y = a * x
    t = tf.TensorArray(tf.float32, 2)
    t = t.write(0, y)
    if x > 0:
        t = t.write(1, b * x)
    z = t.stack()
    return y


def loop_two_arrays(x):
    t = tf.TensorArray(tf.float32, 3)
    s = tf.TensorArray(tf.float32, 3)
    for i in tf.range(3):
        t = t.write(i, a * x)
        s = s.write(i, b * x)
    s.stack()
    return t.stack()


def loop_read(x):
    t = tf.TensorArray(tf.float32, 4, clear_after_read=False)
    t = t.write(0, a * x)
    for i in tf.range(3):
        t = t.write(i + 1, t.read(i) * b)
    return t.read(3)


def loop_in_array(x):
    u = tf.TensorArray(tf.float32, 3).unstack(tf.stack([a * x, b * x, c * x]))
    s = 0.0
    for i in tf.range(2):
        s += u.read(i)
    return s


def nested_fn(x):
    @tf.function
    def g(u):
        t = tf.TensorArray(tf.float32, 2)
        t = t.write(0, a * u)
        t = t.write(1, b * u)
        return t.read(1)

    return g(x)


for one in [
    ta_if,
    ta_if_only,
    ta_if_read,
    ta_cond,
    ta_cond_only,
    ta_cond_stack,
    ta_local_if,
    ta_unstack,
    ta_concat,
    ta_split,
    ta_scatter,
    ta_unstack_out,
    ta_while_zero,
    ta_while_loop_zero,
    switch_ta,
    case_ta,
    nested_cond_ta,
    append_ta,
    ta_read_in_branch,
    ta_read_cond,
    ta_ifexp,
    ta_pass_two,
    ta_dict,
    ta_returned,
    direct_fork,
]:
    show(one)
for one in [
    plain_read,
    plain_read_early,
    plain_over,
    plain_gather,
    plain_unstack_over,
    plain_scatter,
    plain_split,
    direct,
    loop_two_arrays,
    loop_read,
    loop_in_array,
    nested_fn,
]:
    show(one, 1.0)
