"""Trains in sessions that start, save and stop by themselves, and call hooks."""

import os
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
folder = tempfile.mkdtemp()
x = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [1, 1], initializer=tf.ones_initializer())
loss = tf.reduce_mean((tf.matmul(x, w) - 3.0) ** 2)
step = tf.train.get_or_create_global_step()
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)


class Shown(tf.train.SessionRunHook):
    def begin(self):
        print("begin")

    def after_create_session(self, session, coord):
        print("created", session.run(step))

    def before_run(self, context):
        return tf.train.SessionRunArgs([loss, w])

    def after_run(self, context, values):
        print("ran", [round(float(one.sum()), 3) for one in values.results[:1]], len(values.results))

    def end(self, session):
        print("end", session.run(step))


hooks = [tf.train.StopAtStepHook(last_step=4), Shown(), tf.train.NanTensorHook(loss)]
with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=hooks, save_checkpoint_steps=2) as session:
    while not session.should_stop():
        print(round(float(session.run([loss, train], {x: [[1.0]]})[0]), 4))
print(os.path.basename(tf.train.latest_checkpoint(folder)))
hooks = [tf.train.StopAtStepHook(num_steps=2)]
with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=hooks) as session:
    while not session.should_stop():
        print(round(float(session.run([loss, train], {x: [[1.0]]})[0]), 4))

tf.reset_default_graph()
number = tf.data.Dataset.range(3).make_one_shot_iterator().get_next()
with tf.train.MonitoredSession() as session:
    while True:
        print(session.run(number))
print("no error")

tf.reset_default_graph()
v = tf.Variable(2.0)
count = tf.train.get_or_create_global_step()
more = tf.assign_add(count, 1)
supervisor = tf.train.Supervisor(logdir=tempfile.mkdtemp())
with supervisor.managed_session() as session:
    while not supervisor.should_stop():
        print(session.run([v, more]))
        if session.run(count) >= 2:
            break
try:
    tf.constant(1)
except RuntimeError as error:
    print(error)
