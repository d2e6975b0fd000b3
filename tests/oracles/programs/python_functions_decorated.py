import tensorflow as tf


@tf.py_function(Tout=tf.string)
def joined(a, b):
    return a.numpy() + b.numpy()


@tf.numpy_function(Tout=tf.float32)
def raised(a):
    return a + 1


@tf.py_function(Tout=[tf.float32, tf.int32])
def pair(a):
    return a * 2, 3


print(joined(tf.constant("a"), "b"), raised(tf.constant(1.0)), pair(tf.constant(1.5)))
print(tf.py_function(lambda x: (x, x * 2.0), [tf.constant(1.0)], [tf.float32, tf.float32]))
print(tf.numpy_function(lambda x: x.item().upper(), [tf.constant(b"abc")], tf.string))
v = tf.Variable(3.0)
with tf.GradientTape() as tape:
    loss = pair(v * v)[0]
print(tape.gradient(loss, v))
tf.py_function(inp=[1], Tout=tf.int32)(lambda x: x)
