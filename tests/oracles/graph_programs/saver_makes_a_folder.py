"""Saves variables into folders that are not there: one is made, and not one within another."""

import os
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
os.chdir(tempfile.mkdtemp())
v = tf.Variable(1.0, name="v")
saver = tf.train.Saver()
with tf.Session() as session:
    session.run(v.initializer)
    for path in ("a/model.ckpt", "b/c/model.ckpt", "./d/model"):
        try:
            print(saver.save(session, path), os.path.isdir(os.path.dirname(path)))
        except ValueError as error:
            print(str(error).partition("\n")[0], os.path.isdir(os.path.dirname(path)))
