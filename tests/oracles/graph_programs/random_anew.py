import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
draw = tf.random_normal([3])
twice = draw - draw
with tf.Session() as session:
    a, b = session.run(draw), session.run(draw)
    print((a == b).any(), session.run(twice))
