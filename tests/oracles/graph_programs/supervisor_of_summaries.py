import os
import tempfile
import warnings

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
os.chdir(tempfile.mkdtemp())
warnings.filterwarnings("ignore", "tf.summary")
step = tf.train.get_or_create_global_step()
total = tf.get_variable("total", [], initializer=tf.ones_initializer())
tf.summary.scalar("total", total)
moved = tf.group(total.assign_add(2.0), step.assign_add(1))

supervisor = tf.train.Supervisor(logdir="logs", save_summaries_secs=0, saver=None)
with supervisor.managed_session() as session:
    for _ in range(3):
        found = session.run(
            {"moved": moved, "summary": supervisor.summary_op, "step": supervisor.global_step}
        )
        supervisor.summary_writer.add_summary(found["summary"], found["step"])
        supervisor.summary_computed(session, found["summary"])
    print(session.run([total, step]), os.path.isdir("logs"), supervisor.summary_writer.get_logdir())

with tf.Graph().as_default():
    tf.get_variable("alone", [])
    plain = tf.train.Supervisor()
    print(plain.summary_op, plain.summary_writer)
with tf.Graph().as_default():
    tf.get_variable("summed", [])
    tf.summary.scalar("summed", 1.0)
    print(tf.train.Supervisor(summary_op=None, summary_writer=None, logdir="none").summary_op)
parsed = tf.Summary()
parsed.value.add(tag="before", simple_value=1.0)
parsed.ParseFromString(b"")
parsed.value.add(tag="accuracy", simple_value=0.5)
print([(one.tag, one.simple_value) for one in parsed.value])
