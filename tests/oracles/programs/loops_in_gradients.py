"""Gradients of what loops give: in a function, zeros for what only other results use, and for what turns read."""

import tensorflow as tf

a, b, c, d = variables = [tf.Variable(value) for value in (2.0, 3.0, 5.0, 7.0)]


def shown(gradients):
    return [None if one is None else (tf.convert_to_tensor(one).numpy() + 0.0).tolist() for one in gradients]


def show(function):
    """Prints gradients of a tape around a function, and without a function."""
    found = []
    for one in (tf.function(function), function):
        with tf.GradientTape() as tape:
            y = one(tf.constant(1.0))
        found.append(shown(tape.gradient(y, variables)))
    print(function.__name__, *found)


def while_zero(x):
    y = a * x
    i = tf.constant(0)
    while i < tf.cast(x, tf.int32):
        y = y + b
        i += 1
    return y


def while_loop_zero(x):
    _, y = tf.while_loop(lambda i, y: i < tf.cast(x, tf.int32), lambda i, y: (i + 1, y + b), (0, a * x))
    return y


def while_loop_max0(x):
    _, y = tf.while_loop(lambda i, y: i < 5, lambda i, y: (i + 1, y + b), (0, a * x), maximum_iterations=0)
    return y


def two_loop(x):
    i, y, z = tf.while_loop(lambda i, y, z: i < 3, lambda i, y, z: (i + 1, y * a, z * b), (0, x, x))
    return y


def two_loop_max(x):
    i, y, z = tf.while_loop(
        lambda i, y, z: i < 3, lambda i, y, z: (i + 1, y * a, z * b), (0, x, x), maximum_iterations=5
    )
    return y


def loop_over(x):
    i, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, b * x), (0, a * x))
    return y


def ag_loop_over(x):
    y = a * x
    i = tf.constant(0)
    while i < 3:
        y = b * x
        i += 1
    return y


def ag_for_over(x):
    y = a * x
    z = c * x
    for i in tf.range(3):
        y = b * x
        z = z * d
    return y


def scan_two(x):
    r = tf.scan(lambda s, e: (s[0] * a, s[1] * b), tf.range(3), (x, x))
    return r[0]


def map_two(x):
    r = tf.map_fn(lambda e: (e * a, e * b), tf.stack([x, x]), fn_output_signature=(tf.float32, tf.float32))
    return r[0]


def map_unused(x):
    return tf.map_fn(
        lambda e: e[0] * c,
        (tf.stack([a * x, a * x]), tf.stack([b * x, b * x])),
        fn_output_signature=tf.float32,
    )


def map_one(x):
    return tf.map_fn(lambda e: x * c, tf.stack([a * x, a * x]))


def scan_init(x):
    return tf.scan(lambda s, e: e * c, tf.stack([a * x, a * x]), b * x)


def scan_unused(x):
    return tf.scan(lambda s, e: s * c, tf.stack([a * x, a * x]), b * x)


def scan_noinit(x):
    return tf.scan(lambda s, e: s * c, tf.stack([a * x, a * x]))


def loop_captured(x):
    u = b * x

    def body(i, y):
        z = u * 2
        return i + 1, y * a

    return tf.while_loop(lambda i, y: i < 3, body, (0, x))[1]


def loop_cond(x):
    return tf.while_loop(lambda y: y * b < 3, lambda y: (y * a + c * 0 + 1,), (x,))[0]


def ag_break(x):
    y = x * a
    z = x * c
    for i in tf.range(3):
        if i == 1:
            break
        y = y * b
        z = z * d
    return y


def ag_tmp(x):
    y = x * a
    tmp = c * x
    for i in tf.range(3):
        tmp = b * x
        y = y * 2 + tmp * 0
    return y


def ag_tmp2(x):
    y = x * a
    for i in tf.range(3):
        tmp = b * x
        y = y * 2
    return y


def ag_over_tensor(x):
    y = x * c
    z = b * x
    for r in tf.stack([a * x, a * x]):
        y = r * 2
    return y


def ag_over_range_nested(x):
    y = x * c
    z = b * x
    for r in tf.range(2):
        for q in tf.range(2):
            y = y * a
            z = z * d
    return y


def ag_after(x):
    y = x * c
    z = b * x
    for r in tf.range(2):
        y = y * a
        z = z * d
    y = y + 1
    z = z * 2
    return y


def ag_py(x):
    y = x * c
    z = b * x
    for r in range(2):
        y = y * a
        z = z * d
    return y


def ag_while_inner_if(x):
    y = x * c
    i = tf.constant(0)
    while i < 2:
        if x > 0:
            y = y * a
        else:
            y = y * b
        i += 1
    return y


def ag_cont(x):
    y = x * c
    for i in tf.range(3):
        if i == 0:
            continue
        y = y + a
    return y


def lst(x):
    ys = (x * c, x * d)
    for i in tf.range(2):
        ys = (ys[0] * a, ys[1] * b)
    return ys[0]


def attr(x):
    y = x * c
    z = {"k": x * d}
    for i in tf.range(2):
        y = y * a
        z["k"] = z["k"] * b
    return y


def fold(x):
    return tf.foldl(lambda s, e: (s[0] * a, s[1] * b), tf.range(3), (x, x * c))[0]


def foldr(x):
    return tf.foldr(lambda s, e: e * a, tf.stack([x * c, x * d]), x * b)


def vect(x):
    return tf.vectorized_map(lambda e: (e * a, e * b), tf.stack([x * c, x * d]))[0]


def for_range(x):
    y = a * x
    for i in tf.range(tf.cast(x, tf.int32)):
        y = y + b
    return y


for one in [
    while_zero,
    while_loop_zero,
    while_loop_max0,
    two_loop,
    two_loop_max,
    loop_over,
    ag_loop_over,
    ag_for_over,
    scan_two,
    map_two,
    map_unused,
    map_one,
    scan_init,
    scan_unused,
    scan_noinit,
    loop_captured,
    loop_cond,
    ag_break,
    ag_tmp,
    ag_tmp2,
    ag_over_tensor,
    ag_over_range_nested,
    ag_after,
    ag_py,
    ag_while_inner_if,
    ag_cont,
    lst,
    attr,
    fold,
    foldr,
    vect,
]:
    show(one)

compiled = tf.function(for_range)
with tf.GradientTape() as tape:
    y = compiled(tf.constant(-1.0))
print(shown(tape.gradient(y, variables)))
