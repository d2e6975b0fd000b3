import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()


def at(name):
    return os.path.join(folder, name)


class Affine(tf.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self._hidden = tf.Variable(0.0)
        self.made = False

    def __call__(self, x):
        if not self.made:
            self.w = tf.Variable(tf.zeros([x.shape[-1], self.size]), name="w")
            self.b = tf.Variable(tf.zeros([self.size]), name="b")
            self.made = True
        return x @ self.w + self.b


class Two(tf.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Affine(3), Affine(2)

    def __call__(self, x):
        return self.second(self.first(x))


x = tf.constant([[1.0, 2.0]])
saved = Two()
saved(x)
for number, one in enumerate(saved.variables):
    one.assign(tf.reshape(tf.range(tf.size(one), dtype=tf.float32), one.shape) + number)
path = tf.train.Checkpoint(model=saved).write(at("modules"))
print(tf.train.list_variables(path))
reader = tf.train.load_checkpoint(path)
print(sorted(reader.get_variable_to_dtype_map().items()))
print(reader.has_tensor("model/first/b/.ATTRIBUTES/VARIABLE_VALUE"), reader.has_tensor("model/first/b"))
print(reader.get_tensor("model/first/b/.ATTRIBUTES/VARIABLE_VALUE"))

# What a module makes later is restored when it makes it.
later = Two()
status = tf.train.Checkpoint(model=later).read(path)
print(later.first._hidden.numpy())
try:
    status.assert_consumed()
except AssertionError:
    print("not yet")
print(later(x).numpy().tolist() == saved(x).numpy().tolist())
status.assert_consumed()

# A part of the objects, in others that lead to it by the same names.
bias = tf.Variable(tf.zeros([3]))
status = tf.train.Checkpoint(model=tf.train.Checkpoint(first=tf.train.Checkpoint(b=bias))).read(path)
print(bias.numpy())
status.assert_existing_objects_matched()
status.expect_partial()
try:
    status.assert_consumed()
except AssertionError:
    print("a part")

# One variable under two names; lists and dictionaries.
save = tf.train.Checkpoint()
save.listed = [tf.Variable(1.0)]
save.listed.append(tf.Variable(2.0))
save.mapped = {"one": save.listed[0]}
save.mapped["two"] = save.listed[1]
path = save.save(at("list"))
print([name for name, _ in tf.train.list_variables(path)])
restore = tf.train.Checkpoint()
second = tf.Variable(0.0)
restore.mapped = {"two": second}
restore.restore(path)
print(second.numpy())
restore.listed = []
print(restore.listed)
first = tf.Variable(0.0)
restore.listed.append(first)
print(first.numpy())

# A root, and objects beside it.
root = Affine(2)
root(x)
path = tf.train.Checkpoint(root, step=tf.Variable(7)).save(at("root"))
print(tf.train.list_variables(path))
step, other = tf.Variable(0), Affine(2)
other(x)
tf.train.Checkpoint(other, step=step).restore(path).assert_consumed()
print(step.numpy())
counted = tf.train.Checkpoint(step=tf.Variable(0))
counted.restore(path)
print(counted.save_counter.numpy(), os.path.basename(counted.save(at("root"))))

# Attributes of a layer that lead to its variables.
model = tf.keras.Sequential([tf.keras.layers.Dense(2, name="inner")])
model(x)
model.set_weights([np.ones((2, 2)), np.array([5.0, 6.0])])
model.scale = tf.Variable(3.0)
path = tf.train.Checkpoint(net=model).write(at("layers"))
scale = tf.Variable(0.0)
tf.train.Checkpoint(net=tf.train.Checkpoint(scale=scale)).read(path).expect_partial()
print(scale.numpy())
for name in ("nothing", "net/l1"):
    try:
        tf.train.load_variable(path, name)
    except Exception as error:
        print("not found in checkpoint" in str(error))

# A file of TensorFlow 1, by the names of the variables.
with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    a = tf.compat.v1.get_variable("a", initializer=1.0)
    with tf.compat.v1.variable_scope("scoped"):
        b = tf.compat.v1.get_variable("b", initializer=2.0)
    session.run(tf.compat.v1.global_variables_initializer())
    path = tf.compat.v1.train.Saver().save(session, at("saver"))
a, b, other = tf.Variable(0.0, name="a"), tf.Variable(0.0, name="scoped/b"), tf.Variable(0.0, name="a")
tf.train.Checkpoint(variables=[a, b], other=other).restore(path)
print(a.numpy(), b.numpy(), other.numpy())

# Variables of a graph have their values in the session.
with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    a = tf.compat.v1.get_variable("a", initializer=[1.0, 2.0])
    with tf.compat.v1.variable_scope("scoped"):
        b = tf.compat.v1.get_variable("b", initializer=3.0)
    session.run(tf.compat.v1.global_variables_initializer())
    path = tf.train.Checkpoint(named={one.name.split(":")[0]: one for one in (a, b)}).save(at("graph"))
    print(tf.train.list_variables(path))
    session.run([a.assign([0.0, 0.0]), b.assign(0.0)])
    tf.train.Checkpoint(named={"a": a, "scoped/b": b}).restore(path).assert_consumed().run_restore_ops()
    print(session.run([a, b]))
a = tf.Variable([0.0, 0.0])
tf.train.Checkpoint(named={"a": a}).restore(path).expect_partial()
print(a.numpy())
