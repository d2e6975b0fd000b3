import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 2])
seen = []


def doubled(array):
    seen.append(array.shape)
    return array * 2


def parts(array, factor):
    return array.sum().astype(np.float32), (array * factor).astype(np.float32)


y = tf.py_func(doubled, [x], tf.float32)
total, scaled = tf.py_func(parts, [y, 3.0], [tf.float32, tf.float32])
y.set_shape([None, 2])
mean = tf.reduce_mean(y, axis=1)
with tf.Session() as sess:
    for size in (1, 3, 1, 1, 1):
        print([np.asarray(one).tolist() for one in sess.run([mean, total], {x: np.ones((size, 2))})])
    print(sess.run(scaled, {x: [[1.0, 2.0]]}).tolist(), len(seen), y.shape)
coordinator = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess=tf.Session(), coord=coordinator)
coordinator.request_stop()
coordinator.join(threads)
print(threads, coordinator.should_stop())
w = tf.get_variable("w", initializer=[1.0, 2.0])
average = tf.train.ExponentialMovingAverage(0.5)
kept = average.apply([w])
moved = w.assign_add([1.0, 1.0])
print(average.average(w).name, average.average_name(w), sorted(average.variables_to_restore()))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(moved)
        sess.run(kept)
        print(sess.run(average.average(w)).tolist())
