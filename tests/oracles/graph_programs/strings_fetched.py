import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
hello = tf.constant("Hello")
print(tf.Session().run(hello))
x = tf.placeholder(tf.float32)
session = tf.Session()
for number in (3.0, 4.0):
    print(session.run([hello, x * 2, {"a": hello}], {x: number}))
print(session.run({"t": tf.constant(["a", "b"])}))
rate = tf.placeholder(tf.float32)
a = tf.get_variable("a", shape=[], initializer=tf.zeros_initializer)
update = tf.assign(a, a - rate * 2.0)
session.run(tf.global_variables_initializer())
print(session.run(update, {rate: 2.0}), session.run(tf.assign_add(a, rate), {rate: 2.0}))
print(a.shape.is_compatible_with(update.shape), a.shape.is_compatible_with(rate.shape))
