import numpy as np
import tensorflow as tf

x = tf.constant([[1.0, 2.0, 3.0], [0.0, 5.0, -1.0]])
axes = [1], (1,), np.array([1]), tf.constant([1]), [[1]], [-1], np.array(1)
made = [tf.expand_dims(x, one) for one in axes]
made += [tf.concat([x, 2.0 * x], one) for one in axes if np.ndim(one) < 2]
made += [tf.nn.softmax(x, axis=np.array([1])), tf.nn.log_softmax(x, axis=tf.constant([1]))]
for one in made:
    print(one.shape, one.numpy().sum().round(3))
for function in (tf.expand_dims, lambda one, axis: tf.concat([one, one], axis)):
    for wrong in ([0, 1], tf.constant([0, 1])):
        try:
            function(x, wrong)
        except tf.errors.InvalidArgumentError as error:
            print(type(error).__name__)

with tf.Graph().as_default():
    fed = tf.compat.v1.placeholder(tf.float32, [None, 3])
    wide = tf.expand_dims(fed, [1])
    slope = tf.gradients(tf.reduce_sum(wide**2), fed)[0]
    with tf.compat.v1.Session() as session:
        print(session.run([wide, slope], {fed: [[1.0, 2.0, 3.0]]}))
