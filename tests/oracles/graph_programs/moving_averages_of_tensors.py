import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 3], name="data")
weights = tf.get_variable("weights", [3, 1], initializer=tf.ones_initializer())
loss = tf.reduce_mean(tf.square(x @ weights), name="loss")
penalty = tf.nn.l2_loss(weights, name="penalty")
plain = tf.train.ExponentialMovingAverage(0.9)
corrected = tf.train.ExponentialMovingAverage(0.9, zero_debias=True, name="corrected")
moved = plain.apply([loss, penalty, weights])
moved_too = corrected.apply([loss, weights])
with tf.control_dependencies([moved]):
    smooth = tf.identity(plain.average(loss))
print(plain.average_name(loss), corrected.average_name(loss))
print([one.name for one in tf.global_variables()], [one.name for one in tf.moving_average_variables()])

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(3):
        found = session.run([loss, smooth, moved_too], {x: np.full((2, 3), step + 1.0)})
        print(np.round(found[:2], 4).tolist())
    averages = [plain.average(loss), plain.average(penalty), corrected.average(loss)]
    print(np.round(session.run(averages), 4).tolist())
    print(session.run([plain.average(weights), corrected.average(weights)]))
