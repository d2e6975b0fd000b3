"""Writes a graph and a checkpoint, makes one file of both, and loads it in what may be another process."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.tools import freeze_graph

tf.disable_v2_behavior()
folder = os.path.join(tempfile.gettempdir(), "graphs_frozen_by_the_tool")
x = tf.placeholder(tf.float32, [None, 2], name="x")
with tf.variable_scope("layer"):
    weight = tf.get_variable("weight", initializer=np.float32([[1.0], [2.0]]))
y = tf.sigmoid(tf.matmul(x, weight), name="y")
train = tf.train.MomentumOptimizer(0.5, 0.9).minimize(tf.reduce_sum(y))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(2):
        session.run(train, {x: [[1.0, 0.5]]})
    print(np.round(np.float64(session.run(y, {x: [[1.0, 1.0]]})), 4).tolist())
    path = tf.train.Saver().save(session, os.path.join(folder, "model"))
    tf.train.write_graph(session.graph_def, folder, "graph.pbtxt")
    print(os.path.basename(tf.train.write_graph(session.graph, folder, "graph.pb", False)))
made = freeze_graph.freeze_graph(
    os.path.join(folder, "graph.pbtxt"), "", False, path, "y", "save/restore_all", "save/Const:0",
    os.path.join(folder, "frozen.pb"), True, "",
)
print(sorted(one.name for one in made.node if one.name in ("x", "y", "layer/weight", "Momentum")))

# -- another process --

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
folder = os.path.join(tempfile.gettempdir(), "graphs_frozen_by_the_tool")


def load(path):
    with tf.gfile.GFile(path, "rb") as file:
        graph_def = tf.GraphDef()
        graph_def.ParseFromString(file.read())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, input_map=None, return_elements=None, name="prefix", op_dict=None)
    return graph


graph = load(os.path.join(folder, "frozen.pb"))
names = [one.name for one in graph.get_operations()]
print("prefix/x" in names, "prefix/y" in names, "prefix/layer/weight" in names)
x, y = graph.get_tensor_by_name("prefix/x:0"), graph.get_tensor_by_name("prefix/y:0")
with tf.Session(graph=graph) as session:
    print(np.round(np.float64(session.run(y, feed_dict={x: [[1.0, 1.0], [0.0, 3.0]]})), 4).tolist())
