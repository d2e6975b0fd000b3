"""Which files a saver writes and removes, and graphs under a scope, in other graphs, and without savers."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
folder = tempfile.mkdtemp()
x = tf.placeholder(tf.float32, [], name="x")
weight = tf.get_variable("weight", initializer=2.0)
total = tf.multiply(weight, x, name="total")


def negative(value):
    return -value


(back,) = tf.py_func(negative, [total], [tf.float32], name="back")
saver = tf.train.Saver(max_to_keep=2)
path = os.path.join(folder, "model")


def metas():
    return sorted(one for one in os.listdir(folder) if "meta" in one)


with tf.Session() as session:
    session.run(weight.initializer)
    for number in range(3):
        saver.save(session, path, global_step=number)
    print(metas())
    saver.save(session, path + "-plain", write_meta_graph=False)
    print(metas())
    tf.train.Saver().save(session, path + "-other", meta_graph_suffix="metagraph")
    print(metas())
    print(type(tf.train.export_meta_graph(os.path.join(folder, "exported.meta"))).__name__)
    print(type(saver.export_meta_graph()).__name__, metas())
with tf.Graph().as_default() as graph, tf.Session() as session:
    again = tf.train.import_meta_graph(path + "-2.meta", import_scope="first")
    again.restore(session, path + "-2")
    print([one.name for one in tf.global_variables()], session.run("first/total:0", {"first/x:0": 4.0}))
    other = tf.train.import_meta_graph(path + "-2.meta", import_scope="second")
    print(graph.get_tensor_by_name("second/total:0").name, len(tf.global_variables()))
    session.run(graph.get_operation_by_name("second/weight/Assign"))
    print(session.run("second/total:0", {"second/x:0": 5.0}))
with tf.Graph().as_default() as graph, tf.Session() as session:
    x = tf.constant(10.0, name="x")
    alone = tf.train.import_meta_graph(os.path.join(folder, "exported.meta"))
    print(graph.get_tensor_by_name("x_1:0").op.type, type(alone).__name__)
    alone.restore(session, path + "-2")
    print(session.run("total:0", {"x_1:0": 3.0}), session.run(x))
    print(session.run("back:0", {"x_1:0": 3.0}))
with tf.Graph().as_default(), tf.Session() as session:
    meta = tf.train.export_meta_graph(graph=graph)
    print("weight" in [node.name for node in meta.graph_def.node])
    tf.constant(1.0, name="one")
    print(tf.train.import_meta_graph(tf.train.export_meta_graph()))
for wrong in (os.path.join(folder, "missing.meta"), os.path.join(folder, "broken.meta")):
    with open(os.path.join(folder, "broken.meta"), "wb") as file:
        file.write(b"neither")
    try:
        tf.train.import_meta_graph(wrong)
    except OSError as error:
        print("OSError", "does not exist" in str(error))
