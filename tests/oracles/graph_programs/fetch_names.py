import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
a = tf.constant(4.0, name="four")
with tf.Session() as session:
    print(session.run("four:0"), session.run("four"), session.run(["four:0", a]))
    session.run("five:0")
