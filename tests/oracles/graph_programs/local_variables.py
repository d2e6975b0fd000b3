import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
seen = tf.Variable(0, collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False, name="seen")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(tf.local_variables_initializer())
    print(session.run(seen), tf.global_variables(), tf.local_variables())
