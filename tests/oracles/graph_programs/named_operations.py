import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
with tf.name_scope("outer"):
    a = tf.constant([1.0, 2.0], name="a")
    with tf.name_scope("inner"):
        b = tf.square(a, name="b")
        print(b.name, b.op.name, b.op.type)
    with tf.name_scope("inner"):
        print(tf.square(a, name="b").name)
print(tf.identity(a, name="a").name, tf.identity(a, name="a").name)
print(tf.get_default_graph().get_tensor_by_name("outer/a:0"))
with tf.Session() as session:
    print(session.run("outer/inner/b:0"))
