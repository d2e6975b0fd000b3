import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None])
y = tf.placeholder(tf.float32, [None])
slope = tf.Variable(0.0, name="slope")
offset = tf.Variable(0.0, name="offset")
loss = tf.reduce_mean(tf.square(slope * x + offset - y))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
data = np.linspace(-1.0, 1.0, 9)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(20):
        _, value = session.run([train, loss], {x: data, y: 3.0 * data + 1.0})
        if step % 5 == 0:
            print(step, round(float(value), 4))
    print([round(float(v), 4) for v in session.run([slope, offset])])
