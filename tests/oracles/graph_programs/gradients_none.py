import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
y = tf.reduce_sum(w * tf.stop_gradient(v * w))
found = tf.gradients(y, [w, v])
print(found[1], tf.gradients(tf.argmax(w), w), tf.gradients(w, 3.0))
print(tf.gradients(y, v, unconnected_gradients="zero")[0].shape)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run(found[0]))
