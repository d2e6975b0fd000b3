import tensorflow as tf


class Part(tf.Module):
    @tf.Module.with_name_scope
    def __call__(self, x):
        if not hasattr(self, "weight"):
            self.weight = tf.Variable(2.0, name="weight")
        return x * self.weight


with tf.name_scope("outer") as outer:
    first = tf.Variable(1.0, name="first")
    unnamed = tf.Variable(1.0)
    with tf.name_scope("inner") as inner:
        second = tf.Variable([1.0, 2.0], name="second")
    with tf.name_scope("inner"):
        again = tf.Variable(1.0, name="second")
    with tf.name_scope(""):
        top = tf.Variable(1.0, name="top")
    with tf.name_scope("other/"):
        other = tf.Variable(1.0, name="other")
    part = Part(name="part")
    dense = tf.keras.layers.Dense(1, name="dense")
    dense(tf.ones((1, 2)))
    optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)
    with tf.GradientTape() as tape:
        loss = first * second[0]
    optimizer.apply_gradients(zip(tape.gradient(loss, [first, second]), [first, second]))
print(outer, inner, [one.name for one in (first, unnamed, second, again, top, other)])
print(float(part(3.0)), part.weight.name, dense.kernel.path, tf.Variable(1.0, name="after").name)
late = Part()
with tf.name_scope("outer"), late.name_scope as scope:
    print(scope, tf.Variable(1.0, name="here").name)
print(late(1.0).numpy(), late.weight.name)
