"""Functions through which variables are made, and sections that one function is in at a time."""

import tensorflow as tf
keras = tf.keras
log = []
def mine(next_creator, **kw):
    log.append((sorted(kw), kw["name"], kw["trainable"], kw["dtype"] is None, kw["shape"]))
    kw["name"] = "mine"
    return next_creator(**kw)
def outer(next_creator, **kw):
    log.append("outer")
    return next_creator(**kw)
def doubled(next_creator, **kw):
    kw["initial_value"] = kw["initial_value"] * 2
    return next_creator(**kw)
with tf.variable_creator_scope(mine):
    v = tf.Variable(1.0, name="a", trainable=False)
    layer = keras.layers.Dense(2)
    layer.build((None, 2))
print(v.name, v.trainable, layer.kernel.name)
with tf.variable_creator_scope(outer):
    with tf.variable_creator_scope(mine):
        tf.Variable([1.0])
for one in log: print(one)
with tf.variable_creator_scope(lambda next_creator, **kw: "not a variable"):
    print(tf.Variable(1.0))
with tf.variable_creator_scope(doubled):
    print(tf.Variable(3.0).numpy())
print(tf.Variable(3.0).numpy())
made = []
def collected(next_creator, **kw):
    made.append(next_creator(**kw))
    return made[-1]
with tf.variable_creator_scope(collected):
    class M(tf.Module):
        def __init__(self): self.w = tf.Variable(tf.ones([2]), name="w"); self.b = tf.Variable(0.0)
    m = M()
print([x.name for x in made], made[0] is m.w)
section = tf.CriticalSection()
total = tf.Variable(0.0)
def add():
    total.assign_add(1.0)
    return total.read_value()
print([section.execute(add).numpy() for _ in range(3)])
@tf.function
def step(x):
    return section.execute(lambda: total.assign_add(x) * 1.0), section.execute(lambda: (x, x + 1.0), exclusive_resource_access=False)
a, (b, c) = step(tf.constant(2.0))
print(a.numpy(), b.numpy(), c.numpy())
shared = [tf.CriticalSection(shared_name="one") for _ in range(2)]
print([one.execute(add).numpy() for one in shared])
