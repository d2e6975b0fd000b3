import os
import tempfile
import warnings

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
os.chdir(tempfile.mkdtemp())
warnings.filterwarnings("ignore", "tf.summary")


def folders():
    print(sorted(folder for folder, _, _ in os.walk(".")))


tf.get_variable("weights", [2], initializer=tf.ones_initializer())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    writer = tf.summary.FileWriter("output/logs", session.graph)
    folders()
    tf.train.Saver().save(session, "output/models/last")
    folders()
first = tf.summary.FileWriterCache.get("cached/logs")
print(first is tf.summary.FileWriterCache.get("cached/logs"), first.get_logdir())
folders()
tf.summary.FileWriterCache.clear()
print(first is tf.summary.FileWriterCache.get("cached/logs"))
tf.summary.FileWriterCache.clear()
