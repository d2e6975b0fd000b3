import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [])
y = tf.case([(x < 1.0, lambda: x * 10.0), (x > 2.0, lambda: x + 100.0)], default=lambda: -x, exclusive=True)
pairs = {tf.less(x, 5.0): lambda: tf.constant(17), tf.greater(x, 3.0): lambda: tf.constant(23)}
z = tf.case(pairs, default=lambda: tf.constant(-1), exclusive=True)
print(y.shape, y.dtype, z.dtype)
with tf.Session() as session:
    for value in (0.5, 1.5, 2.5):
        print(session.run([y, z], {x: value}))
    print(session.run(z, {x: 7.0}))
    try:
        session.run(z, {x: 4.0})
    except tf.errors.InvalidArgumentError as error:
        print("more than 1 conditions" in str(error))
