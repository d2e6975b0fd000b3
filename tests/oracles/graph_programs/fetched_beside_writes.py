import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
print("resource variables", tf.resource_variables_enabled())


def shown(build, count=2):
    """What runs of one session give, of the variable and of what is computed from it, beside what writes it."""
    with tf.Graph().as_default(), tf.Session() as session:
        fetches = build()
        session.run(tf.global_variables_initializer())
        for _ in range(count):
            for name, value in session.run(fetches).items():
                print(" ", name, None if value is None else value.tolist())


def views(w):
    return {
        "variable": w, "read": w.read_value(), "identity": tf.identity(w), "value": w.value(),
        "reshaped": tf.reshape(w, [1, 2]), "cut": tf.stop_gradient(w), "wider": tf.expand_dims(w, 0),
        "squeezed of reshaped": tf.squeeze(tf.reshape(w, [2, 1])),
    }  # fmt: skip


def trained(optimizer, **options):
    def build():
        w = tf.Variable([1.0, 2.0], **options)
        loss = tf.reduce_sum(w * w)
        step = tf.train.get_or_create_global_step()
        return {**views(w), "steps": step, "none": optimizer.minimize(loss, global_step=step)}

    return build


def assigned(kind, **options):
    def build():
        w = tf.Variable([1.0, 2.0], **options)
        write = {
            "assign": lambda: tf.assign(w, w * 3.0), "add": lambda: tf.assign_add(w, [1.0, 1.0]),
            "sub": lambda: w.assign_sub([1.0, 1.0]),
        }[kind]()  # fmt: skip
        return {**views(w), "written": write, "copy of written": tf.identity(write)}

    return build


def alone(build):
    """The variable only: which other read of a resource comes first is not decided."""
    return lambda: {name: one for name, one in build().items() if name in ("variable", "none")}


for optimizer in (tf.train.GradientDescentOptimizer(0.125), tf.train.MomentumOptimizer(0.125, 0.5)):
    print(type(optimizer).__name__)
    shown(trained(optimizer))
print("with a resource")
shown(alone(trained(tf.train.GradientDescentOptimizer(0.125), use_resource=True)))
for kind in ("assign", "add", "sub"):
    print(kind)
    shown(assigned(kind))
with tf.Graph().as_default():
    with tf.variable_scope("plain"):
        plain = tf.get_variable("w", [2])
    with tf.variable_scope("resources", use_resource=True):
        inner = tf.get_variable("w", [2])
        with tf.variable_scope("below"):
            below = tf.Variable(1.0)
        other = tf.get_variable("v", [2], use_resource=False)
    for one in (plain, inner, below, other):
        print(one, one.op.type)
    print(plain.value().name)
tf.enable_resource_variables()
print("resource variables", tf.resource_variables_enabled())
print("enabled")
shown(alone(trained(tf.train.GradientDescentOptimizer(0.125))))
