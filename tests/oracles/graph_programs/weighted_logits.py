import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.constant([[-1.0, 0.5, 2.0]])
y = tf.constant([[0.0, 1.0, 1.0]])
old = tf.nn.weighted_cross_entropy_with_logits(targets=y, logits=x, pos_weight=3.0)
new = tf.nn.weighted_cross_entropy_with_logits(labels=y, logits=x, pos_weight=tf.constant(0.5))
placed = tf.nn.weighted_cross_entropy_with_logits(y, x, 2.0)
slope = tf.gradients(old, x)[0]
with tf.Session() as session:
    for one in (old, new, placed, slope):
        print([round(float(n), 4) for n in session.run(one)[0]])
try:
    tf.nn.weighted_cross_entropy_with_logits(labels=y, targets=y, logits=x, pos_weight=3.0)
except ValueError as error:
    print(str(error).splitlines()[0])
