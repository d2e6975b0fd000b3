import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
folder = tempfile.mkdtemp()
x = tf.placeholder(tf.float32, [None, 2])
w = tf.get_variable("w", initializer=[[1.0], [2.0]])
with tf.variable_scope("out"):
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
saver = tf.train.Saver(max_to_keep=2)
feed = {x: [[1.0, 0.5], [0.0, 1.0]]}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        sess.run(train, feed)
        path = saver.save(sess, os.path.join(folder, "model"), global_step=step)
        print(os.path.basename(path))
    kept = sess.run([w, b])
print([os.path.basename(one) for one in saver.last_checkpoints], os.path.basename(tf.train.latest_checkpoint(folder)))
state = tf.train.get_checkpoint_state(folder)
print(os.path.basename(state.model_checkpoint_path), len(state.all_model_checkpoint_paths))
with tf.Session() as sess:
    saver.restore(sess, tf.train.latest_checkpoint(folder))
    print([np.allclose(a, c) for a, c in zip(kept, sess.run([w, b]))])
    sess.run(train, feed)
    part = tf.train.Saver({"renamed": w})
    other = part.save(sess, os.path.join(folder, "part"))
    print(tf.train.list_variables(other), tf.train.checkpoint_exists(other))
    sess.run(w.assign([[0.0], [0.0]]))
    part.restore(sess, other)
    print(sess.run(w).shape, bool(np.any(sess.run(w))))
    try:
        tf.train.Saver([b]).restore(sess, other)
    except tf.errors.NotFoundError:
        print("NotFoundError")
    try:
        saver.restore(sess, os.path.join(folder, "absent"))
    except ValueError as error:
        print(str(error)[:45])
print(tf.train.get_checkpoint_state(os.path.join(folder, "nowhere")), tf.train.latest_checkpoint(folder + "/none"))
with tf.Graph().as_default():
    try:
        tf.train.Saver()
    except ValueError as error:
        print(str(error).partition("\n")[0])
