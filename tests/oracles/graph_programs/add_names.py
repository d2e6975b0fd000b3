import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
a = tf.constant(1.0)
b = tf.constant(2.0)
print(a, b, a + b, a * 2, 3 - a, -a, a / b, a**2)
print(tf.add(a, b), tf.multiply(a, b), tf.subtract(a, b), tf.square(a), abs(a), a < b)
with tf.Session() as session:
    print(session.run([a + b, a * 2, 3 - a, -a, a / b, a**2]))
