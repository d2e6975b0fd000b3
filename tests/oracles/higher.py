"""Small programs about higher derivatives and control flow, each of which leaves its answer in `out`.

`TENSORFLOW` holds programs that real TensorFlow and `penstock.tensorflow` run as they stand. `JAX` holds
pairs: the program in JAX's words, and the same in Penstock's. All numbers are float32.
"""
# ruff: noqa: E501 - two wordings of one program are easier to compare line by line

TENSORFLOW = {
    "jacobian of a vector": """
x = tf.constant([1.0, 2.0, -0.5])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.stack([x[0] * x[1], tf.sin(x[2]) * x[0], x[1] ** 3, tf.reduce_sum(x)])
out = tape.jacobian(y, x)
""",
    "jacobian of a matrix by a matrix": """
w = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
x = tf.constant([[1.0, 0.5], [2.0, -1.0], [0.0, 3.0]])
with tf.GradientTape() as tape:
    y = tf.tanh(x @ w)
out = tape.jacobian(y, w)
""",
    "jacobian with several sources": """
a, b, c = tf.Variable([1.0, 2.0]), tf.Variable(3.0), tf.Variable(5.0)
with tf.GradientTape() as tape:
    y = a * b
out = tape.jacobian(y, {"a": a, "rest": [b, c]}, unconnected_gradients="zero")
out = [out["a"], *out["rest"]]
""",
    "jacobian without pfor": """
x = tf.Variable([0.5, 1.5])
with tf.GradientTape(persistent=True) as tape:
    y = tf.exp(x) * tf.reduce_sum(x)
out = [tape.jacobian(y, x, experimental_use_pfor=False), tape.jacobian(y, x)]
""",
    "jacobian of a gather": """
table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.gather(table, [2, 0, 2]) ** 2, axis=1)
out = tape.jacobian(y, table)
""",
    "jacobian of a scalar": """
x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape() as tape:
    y = tf.reduce_prod(x)
out = tape.jacobian(y, x)
""",
    "hessian": """
x = tf.Variable([0.3, -0.7, 1.1])
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = tf.reduce_sum(tf.sin(x) * x) * tf.exp(x[0])
    slope = inner.gradient(y, x)
out = outer.jacobian(slope, x)
""",
    "hessian of a small network": """
w = tf.Variable([[0.5, -0.3], [0.2, 0.8]])
x = tf.constant([[1.0, 2.0], [-1.0, 0.5]])
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        loss = tf.reduce_mean(tf.square(tf.sigmoid(x @ w)))
    slope = inner.gradient(loss, w)
out = outer.jacobian(slope, w)
""",
    "batch jacobian": """
x = tf.constant([[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.concat([x * x, tf.reduce_sum(x, axis=1, keepdims=True) ** 3], axis=1)
out = tape.batch_jacobian(y, x)
""",
    "batch jacobian of images": """
x = tf.reshape(tf.range(12, dtype=tf.float32), (2, 3, 2)) / 6.0
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.sin(tf.transpose(x, (0, 2, 1))) * tf.reduce_mean(x, axis=(1, 2), keepdims=True)
out = tape.batch_jacobian(y, x)
""",
    "batch jacobian, unconnected": """
x, z = tf.constant([[1.0, 2.0]]), tf.constant([[3.0]])
with tf.GradientTape(persistent=True) as tape:
    tape.watch([x, z])
    y = x * 2.0
out = [tape.batch_jacobian(y, z), tape.batch_jacobian(y, z, unconnected_gradients="zero")]
""",
    "gradient penalty": """
w, v = tf.Variable([[0.5, -1.0], [1.5, 0.3]]), tf.Variable([[1.0], [-2.0]])
mix = tf.constant([[0.1, 0.2], [0.8, -0.4], [1.0, 1.0]])
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        inner.watch(mix)
        score = tf.tanh(mix @ w) @ v
    slope = inner.gradient(score, mix)
    norm = tf.sqrt(tf.reduce_sum(slope * slope, axis=1))
    penalty = tf.reduce_mean((norm - 1.0) ** 2)
out = [penalty, *outer.gradient(penalty, [w, v])]
""",
    "forward accumulator": """
x, w = tf.constant([1.0, 2.0]), tf.constant([[1.0, -1.0], [0.5, 2.0]])
with tf.autodiff.ForwardAccumulator((x, w), (tf.constant([1.0, 0.5]), tf.ones((2, 2)))) as acc:
    y = tf.sin(tf.linalg.matvec(w, x))
    z = tf.constant(3.0)
out = [acc.jvp(y), acc.jvp(z), acc.jvp(z, unconnected_gradients=tf.UnconnectedGradients.ZERO)]
""",
    "forward over backward": """
x = tf.constant([0.5, -1.0, 2.0])
with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 2.0, 3.0])) as acc:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x ** 3 * tf.reverse(x, [0]))
    slope = tape.gradient(y, x)
out = [slope, acc.jvp(slope)]
""",
    "custom gradient": """
@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)
    return tf.math.log(1.0 + e), lambda upstream: upstream * (1.0 - 1.0 / (1.0 + e))
x = tf.Variable([0.0, 1.0, 100.0])
with tf.GradientTape() as tape:
    y = log1pexp(x)
out = tape.gradient(y, x)
""",
    "custom gradient of second order": """
@tf.custom_gradient
def cube(x):
    def grad(upstream):
        return upstream * 3.0 * x * x
    return x * x * x, grad
x = tf.Variable(2.0)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = cube(x)
    slope = inner.gradient(y, x)
out = [slope, outer.gradient(slope, x)]
""",
    "custom gradient with variables": """
w = tf.Variable([2.0, 3.0])
@tf.custom_gradient
def scaled(x):
    def grad(upstream, variables=None):
        return upstream * w, [upstream * x * 10.0]
    return x * w, grad
x = tf.Variable([1.0, 4.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(scaled(x)) + tf.reduce_sum(w)
out = tape.gradient(y, [x, w])
""",
    "custom gradient of two arguments": """
@tf.custom_gradient
def f(x, y):
    return (x * y, x + y), lambda a, b: (a * y + 10.0 * b, None)
x, y = tf.Variable(2.0), tf.Variable(3.0)
with tf.GradientTape() as tape:
    p, s = f(x, y)
    z = p * 2.0 + s
out = tape.gradient(z, [x, y])
""",
    "gradient reversal in a network": """
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -0.5 * upstream
w, v = tf.Variable([[1.0, -0.5]]), tf.Variable([[2.0], [1.0]])
x = tf.constant([[0.3], [0.7]])
with tf.GradientTape() as tape:
    features = tf.tanh(x @ w)
    domain = tf.reduce_mean(tf.square(reverse(features) @ v - 1.0))
    label = tf.reduce_mean(features)
out = tape.gradient(domain + label, [w, v])
""",
    "recompute_grad": """
w = tf.Variable([[0.5, -1.0], [1.5, 0.3]])
@tf.recompute_grad
def block(x):
    return tf.tanh(x @ w) + x
x = tf.Variable([[1.0, 2.0]])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(block(block(x)) ** 2)
out = [y, *tape.gradient(y, [x, w])]
""",
    "grad_pass_through": """
x = tf.Variable([0.4, 1.6])
with tf.GradientTape() as tape:
    y = tf.grad_pass_through(tf.round)(x) * x
out = [y, tape.gradient(y, x)]
""",
    "cond": """
x = tf.Variable(3.0)
out = []
for limit in (2.0, 4.0):
    with tf.GradientTape() as tape:
        y = tf.cond(x > limit, lambda: x * x, lambda: tf.sin(x))
    out += [y, tape.gradient(y, x)]
""",
    "cond with two results": """
x = tf.constant([1.0, -2.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    a, b = tf.cond(tf.reduce_sum(x) > 0.0, lambda: (x, x * 2.0), lambda: (x * x, -x))
    y = tf.reduce_sum(a * b)
out = [a, b, tape.gradient(y, x)]
""",
    "while_loop": """
out = tf.while_loop(lambda i, s: i < 6, lambda i, s: (i + 1, s + tf.cast(i, tf.float32)), (tf.constant(0), tf.constant(0.5)))
out = list(out)
""",
    "gradient of a while_loop": """
x = tf.Variable(1.1)
with tf.GradientTape() as tape:
    i, y = tf.while_loop(lambda i, y: y < 5.0, lambda i, y: (i + 1, y * x), (tf.constant(0), x * 1.0))
out = [i, y, tape.gradient(y, x)]
""",
    "gradient of a bounded while_loop": """
x = tf.Variable(1.1)
with tf.GradientTape() as tape:
    i, y = tf.while_loop(
        lambda i, y: y < 5.0, lambda i, y: (i + 1, y * x), (tf.constant(0), x * 1.0), maximum_iterations=5)
out = [i, y, tape.gradient(y, x)]
""",
    "map_fn": """
x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape() as tape:
    y = tf.map_fn(lambda row: row * tf.reduce_sum(row), x)
    z = tf.reduce_sum(y)
out = [y, tape.gradient(z, x)]
""",
    "map_fn over a pair": """
a, b = tf.constant([1.0, 2.0, 3.0]), tf.constant([4.0, 5.0, 6.0])
out = list(tf.map_fn(lambda p: (p[0] * p[1], p[0] - p[1]), (a, b)))
out.append(tf.map_fn(lambda p: p[0] * p[1], (a, b), fn_output_signature=tf.float32))
""",
    "scan": """
x = tf.Variable([1.0, 2.0, 3.0, 4.0])
with tf.GradientTape() as tape:
    y = tf.scan(lambda a, v: a * 0.5 + v, x)
    z = tf.reduce_sum(y * y)
out = [y, tape.gradient(z, x)]
""",
    "scan with an initializer, reversed": """
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
out = [tf.scan(lambda a, v: a + v, x, initializer=tf.constant([10.0, 20.0]), reverse=True),
       tf.scan(lambda a, v: a * v, x, reverse=True)]
""",
    "scan of a recurrent cell": """
w, u = tf.Variable([[0.5, -0.2], [0.1, 0.3]]), tf.Variable([[1.0, 0.0], [0.5, -1.0]])
x = tf.constant([[[1.0, 2.0]], [[0.5, -1.0]], [[0.0, 1.0]]])
with tf.GradientTape() as tape:
    h = tf.scan(lambda h, v: tf.tanh(h @ w + v @ u), x, initializer=tf.zeros((1, 2)))
    loss = tf.reduce_sum(h[-1] ** 2)
out = [loss, *tape.gradient(loss, [w, u])]
""",
    "vectorized_map": """
w = tf.constant([[1.0, 2.0], [3.0, 4.0]])
out = tf.vectorized_map(lambda row: tf.reduce_sum(w * row, axis=1) + tf.sin(row), tf.constant([[1.0, 0.5], [2.0, -1.0]]))
""",
}

JAX = {
    "jacrev": (
        "out = jax.jacrev(lambda x: jnp.sin(x) * jnp.sum(x))(jnp.array([0.1, 0.2, 0.3]))",
        "out = ps.jacobian(lambda x: ps.sin(x) * ps.sum(x))(ps.asarray([0.1, 0.2, 0.3]))",
    ),
    "jacrev by two arguments": (
        "out = jax.jacrev(lambda x, y: x[:, None] * jnp.exp(y), argnums=(0, 1))(jnp.ones(2), jnp.array([0.5, -0.5]))",
        "out = ps.jacobian(lambda x, y: x[:, None] * ps.exp(y), argnums=(0, 1))(ps.ones(2), ps.asarray([0.5, -0.5]))",
    ),
    "hessian": (
        "out = jax.hessian(lambda x: jnp.prod(x) + x[0] ** 3)(jnp.array([1.5, 2.0, -1.0]))",
        "out = ps.hessian(lambda x: ps.prod(x) + x[0] ** 3)(ps.asarray([1.5, 2.0, -1.0]))",
    ),
    "vjp": (
        "y, f = jax.vjp(lambda a, b: (a @ b, a * 2.0), jnp.array([[3.0, 0.0], [0.0, 3.0]]), jnp.array([[1.0], [2.0]]))\n"
        "out = [*y, *f((jnp.ones((2, 1)), jnp.array([[1.0, 0.0], [0.0, 1.0]])))]",
        "y, f = ps.vjp(lambda a, b: (a @ b, a * 2.0), ps.asarray([[3.0, 0.0], [0.0, 3.0]]), ps.asarray([[1.0], [2.0]]))\n"
        "out = [*y, *f((ps.ones((2, 1)), ps.asarray([[1.0, 0.0], [0.0, 1.0]])))]",
    ),
    "jvp": (
        "out = jax.jvp(lambda x, y: jnp.tanh(x * y), (0.5, 2.0), (1.0, -1.0))",
        "out = ps.jvp(lambda x, y: ps.tanh(x * y), (0.5, 2.0), (1.0, -1.0))",
    ),
    "hessian-vector product": (
        "f = lambda x: jnp.sum(jnp.exp(x) * x[::-1])\n"
        "out = jax.jvp(jax.grad(f), (jnp.array([0.1, 0.5]),), (jnp.array([1.0, 2.0]),))[1]",
        "f = lambda x: ps.sum(ps.exp(x) * ps.flip(x))\n"
        "out = ps.hvp(f, ps.asarray([0.1, 0.5]), ps.asarray([1.0, 2.0]))",
    ),
    "custom_vjp": (
        "f = jax.custom_vjp(lambda x: jnp.sin(x))\n"
        "f.defvjp(lambda x: (jnp.sin(x), x), lambda x, g: (g * x * 7.0,))\n"
        "out = [f(0.5), jax.grad(f)(0.5), jax.grad(lambda x: jax.grad(f)(x) ** 2)(0.5)]",
        "f = ps.custom_gradient(lambda x: ps.sin(x))\n"
        "f.defvjp(lambda x: (ps.sin(x), x), lambda x, g: (g * x * 7.0,))\n"
        "out = [f(0.5), ps.grad(f)(0.5), ps.grad(lambda x: ps.grad(f)(x) ** 2)(0.5)]",
    ),
    "checkpoint": (
        "f = jax.checkpoint(lambda x: jnp.sin(jnp.sin(x) * x))\nout = [f(0.7), jax.grad(f)(0.7), jax.hessian(f)(0.7)]",
        "f = ps.checkpoint(lambda x: ps.sin(ps.sin(x) * x))\nout = [f(0.7), ps.grad(f)(0.7), ps.hessian(f)(0.7)]",
    ),
    "straight-through estimator": (
        "q = lambda x: x + jax.lax.stop_gradient(jnp.round(x) - x)\n"
        "out = [q(jnp.array([0.4, 1.7])), jax.grad(lambda x: jnp.sum(q(x) ** 2))(jnp.array([0.4, 1.7]))]",
        "q = lambda x: ps.straight_through(ps.round(x), x)\n"
        "out = [q(ps.asarray([0.4, 1.7])), ps.grad(lambda x: ps.sum(q(x) ** 2))(ps.asarray([0.4, 1.7]))]",
    ),
    "vmap": (
        "out = jax.vmap(lambda a, b: a @ b, in_axes=(0, None), out_axes=1)(jnp.arange(12.0).reshape(2, 3, 2), jnp.ones((2, 4)))",
        "out = ps.vmap(lambda a, b: a @ b, in_axes=(0, None), out_axes=1)(ps.asarray(np.arange(12.0, dtype=np.float32).reshape(2, 3, 2)), ps.ones((2, 4)))",
    ),
    "vmap of a gradient": (
        "out = jax.vmap(jax.grad(lambda w, x: jnp.tanh(w @ x)), in_axes=(None, 0))(jnp.array([0.5, -1.0]), jnp.array([[1.0, 2.0], [3.0, 0.5]]))",
        "out = ps.vmap(ps.grad(lambda w, x: ps.tanh(w @ x)), in_axes=(None, 0))(ps.asarray([0.5, -1.0]), ps.asarray([[1.0, 2.0], [3.0, 0.5]]))",
    ),
    "vmap of a cond": (
        "f = lambda x: jax.lax.cond(x > 0, jnp.sin, lambda v: v * v, x)\n"
        "x = jnp.array([-2.0, 0.0, 1.0])\nout = [jax.vmap(f)(x), jax.vmap(jax.grad(f))(x)]",
        "f = lambda x: ps.cond(x > 0, ps.sin, lambda v: v * v, x)\n"
        "x = ps.asarray([-2.0, 0.0, 1.0])\nout = [ps.vmap(f)(x), ps.vmap(ps.grad(f))(x)]",
    ),
    "vmap of a while_loop": (
        "out = jax.vmap(lambda x: jax.lax.while_loop(lambda c: c[1] < 20.0, lambda c: (c[0] + 1.0, c[1] * x), (0.0, x)))(jnp.array([1.5, 3.0, 30.0]))",
        "out = ps.vmap(lambda x: ps.while_loop(lambda c: c[1] < 20.0, lambda c: (c[0] + 1.0, c[1] * x), (0.0, x)))(ps.asarray([1.5, 3.0, 30.0]))",
    ),
    "vmap of an index": (
        "out = jax.vmap(lambda row, i: jnp.take(row, i) * row[0])(jnp.arange(6.0).reshape(2, 3), jnp.array([[2, 0], [1, 1]]))",
        "out = ps.vmap(lambda row, i: ps.take(row, i, axis=0) * row[0])(ps.asarray(np.arange(6.0, dtype=np.float32).reshape(2, 3)), ps.asarray([[2, 0], [1, 1]]))",
    ),
    "scan": (
        "f = lambda w: jax.lax.scan(lambda c, x: (jnp.tanh(c * w + x), c * x), 0.5, jnp.array([1.0, -1.0, 2.0]))\n"
        "out = [*f(0.7), *jax.jacrev(f)(0.7)]",
        "f = lambda w: ps.scan(lambda c, x: (ps.tanh(c * w + x), c * x), 0.5, ps.asarray([1.0, -1.0, 2.0]))\n"
        "out = [*f(0.7), *ps.jacobian(f)(0.7)]",
    ),
    "scan reversed": (
        "out = jax.lax.scan(lambda c, x: (c * 2.0 + x, c), 1.0, jnp.array([1.0, 2.0, 3.0]), reverse=True)",
        "out = ps.scan(lambda c, x: (c * 2.0 + x, c), 1.0, ps.asarray([1.0, 2.0, 3.0]), reverse=True)",
    ),
    "scan with a length": (
        "out = jax.lax.scan(lambda c, _: ((c[1], c[0] + c[1]), c[0]), (0.0, 1.0), None, length=8)\nout = [*out[0], out[1]]",
        "out = ps.scan(lambda c, _: ((c[1], c[0] + c[1]), c[0]), (0.0, 1.0), None, length=8)\nout = [*out[0], out[1]]",
    ),
    "map": (
        "out = jax.lax.map(lambda p: p[0] * jnp.sum(p[1]), (jnp.array([1.0, 2.0]), jnp.ones((2, 3))))",
        "out = ps.map(lambda p: p[0] * ps.sum(p[1]), (ps.asarray([1.0, 2.0]), ps.ones((2, 3))))",
    ),
    "cond": (
        "f = lambda x: jax.lax.cond(x > 1.0, lambda v: v ** 2, lambda v: 3.0 * v, x)\n"
        "out = [f(2.0), f(0.5), jax.grad(f)(2.0), jax.grad(f)(0.5), jax.hessian(f)(2.0)]",
        "f = lambda x: ps.cond(x > 1.0, lambda v: v ** 2, lambda v: 3.0 * v, x)\n"
        "a, b = ps.asarray(2.0), ps.asarray(0.5)\n"
        "out = [f(a), f(b), ps.grad(f)(a), ps.grad(f)(b), ps.hessian(f)(a)]",
    ),
    "while_loop": (
        "out = jax.lax.while_loop(lambda c: c[0] * c[0] < 50.0, lambda c: (c[0] + c[1], c[1] * 1.5), (1.0, 1.0))",
        "out = ps.while_loop(lambda c: c[0] * c[0] < 50.0, lambda c: (c[0] + c[1], c[1] * 1.5), (1.0, 1.0))",
    ),
    "hessian through a scan": (
        "f = lambda w: jax.lax.scan(lambda c, x: (jnp.sin(c * w[0] + x * w[1]), None), 0.3, jnp.array([0.5, -0.4]))[0]\n"
        "out = jax.hessian(f)(jnp.array([0.7, 1.2]))",
        "f = lambda w: ps.scan(lambda c, x: (ps.sin(c * w[0] + x * w[1]), None), 0.3, ps.asarray([0.5, -0.4]))[0]\n"
        "out = ps.hessian(f)(ps.asarray([0.7, 1.2]))",
    ),
    "jvp through a scan": (
        "f = lambda w: jax.lax.scan(lambda c, x: (c * w + x, c), 1.0, jnp.array([1.0, 2.0]))\n"
        "out = [leaf for pair in jax.jvp(f, (0.5,), (2.0,)) for leaf in pair]",
        "f = lambda w: ps.scan(lambda c, x: (c * w + x, c), 1.0, ps.asarray([1.0, 2.0]))\n"
        "out = [leaf for pair in ps.jvp(f, 0.5, 2.0) for leaf in pair]",
    ),
}


def run(source, names):
    """Returns the answer of a program: a list of arrays, None where there is none."""
    exec(source, names)
    return flat(names["out"])


def flat(answer):
    if isinstance(answer, dict):
        return [leaf for key in answer for leaf in flat(answer[key])]
    if isinstance(answer, list | tuple):
        return [leaf for one in answer for leaf in flat(one)]
    return [answer]
