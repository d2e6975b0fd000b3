import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
a = tf.Variable(1.0, name="a/w")
b = tf.Variable(1.0, name="b/w")
loss = a * b
first = tf.train.GradientDescentOptimizer(0.1).minimize(
    loss, var_list=tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "a")
)
second = tf.train.GradientDescentOptimizer(0.1).minimize(-loss, var_list=[b])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(first)
        session.run(second)
        print([round(float(v), 5) for v in session.run([a, b])])
