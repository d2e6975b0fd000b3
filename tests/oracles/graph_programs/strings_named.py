import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
hello = tf.constant("Hello")
number = tf.constant(1.0)
words = tf.constant(["a", "b"], name="words")
print(hello, repr(hello), hello.name, hello.op.name, hello.op.type, hello.dtype, hello.shape)
print(number, words, words.graph is tf.get_default_graph())
with tf.name_scope("scope"):
    print(tf.constant("x"), tf.constant(["x"]))
x = tf.placeholder(tf.float32, [None, 3], name="x")
print(x, repr(x.shape), x.get_shape(), tf.placeholder(tf.float32).shape, (x + 1.0).shape[1].value)
with tf.Session() as session:
    print(session.run(hello), hello.eval(), session.run([words, number]))
tf.enable_v2_tensorshape()
print(x, repr(x.shape))
