"""Freezes a graph, and in what may be another process adds it to a graph, with other tensors in its place."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
folder = os.path.join(tempfile.gettempdir(), "graphs_frozen")
x = tf.placeholder(tf.float32, [None, 2], name="input")
weight = tf.get_variable("weight", initializer=np.float32([[1.0, -1.0], [0.5, 2.0]]))
bias = tf.get_variable("bias", initializer=[0.25, -0.25])
out = tf.nn.softmax(tf.matmul(x, weight) + bias, name="output")
classes = tf.argmax(out, 1, name="classes")
loss = tf.reduce_mean(out[:, 0] ** 2)
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(train, {x: [[1.0, 2.0]]})
    print(np.round(np.float64(session.run(out, {x: [[1.0, 2.0]]})), 4).tolist())
    graph_def = tf.get_default_graph().as_graph_def()
    frozen = tf.graph_util.convert_variables_to_constants(session, graph_def, ["output", "classes"])
    names = [node.name for node in frozen.node]
    print([one in names for one in ("input", "weight", "bias", "output", "classes")])
    print({node.name: node.op for node in frozen.node if node.name in ("input", "weight", "output")})
    if not os.path.isdir(folder):
        os.makedirs(folder)
    with tf.gfile.GFile(os.path.join(folder, "frozen.pb"), "wb") as file:
        file.write(frozen.SerializeToString())
    path = tf.train.write_graph(frozen, folder, "again.pb", as_text=False)
    print(os.path.basename(path))
    part = tf.graph_util.extract_sub_graph(graph_def, ["weight"])
    print("weight" in [node.name for node in part.node], "output" in [node.name for node in part.node])
    try:
        tf.graph_util.extract_sub_graph(graph_def, ["nowhere"])
    except AssertionError as error:
        print(error)

# -- another process --

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.reset_default_graph()
folder = os.path.join(tempfile.gettempdir(), "graphs_frozen")
graph_def = tf.GraphDef()
with tf.gfile.GFile(os.path.join(folder, "frozen.pb"), "rb") as file:
    graph_def.ParseFromString(file.read())
with tf.Graph().as_default() as graph, tf.Session() as session:
    print(tf.import_graph_def(graph_def, name=""))
    out = graph.get_tensor_by_name("output:0")
    print(out.shape, np.round(np.float64(session.run(out, {"input:0": [[1.0, 2.0]]})), 4).tolist())
    print(
        session.run("classes:0", {"input:0": [[1.0, 2.0], [-3.0, 0.0]]}).tolist(),
        np.round(np.float64(session.run("bias:0")), 4).tolist(),
    )
    print(tf.global_variables())
with tf.Graph().as_default() as graph, tf.Session() as session:
    given = tf.constant([[2.0, 0.0]])
    more = tf.import_graph_def(graph_def, {"input:0": given * 2.0}, ["output:0", "classes"], name="model")
    print(more[0].name, more[1].name, np.round(np.float64(session.run(more[0])), 4).tolist())
    tf.import_graph_def(graph_def)
    tf.import_graph_def(graph_def)
    print(
        graph.get_tensor_by_name("import/output:0").name, graph.get_operation_by_name("import_1/classes").name
    )
    slope = tf.gradients(more[0][:, 0], given)[0]
    print(np.round(np.float64(session.run(slope)), 4).tolist())
    for wrong in ({"input_map": {"absent:0": given}}, {"return_elements": ["absent:0"]}):
        try:
            tf.import_graph_def(graph_def, **wrong)
        except ValueError as error:
            print(error)
    try:
        tf.import_graph_def("text")
    except TypeError:
        print("TypeError")
with tf.gfile.GFile(os.path.join(folder, "again.pb"), "rb") as file:
    again = tf.GraphDef.FromString(file.read())
print(sorted(node.name for node in again.node) == sorted(node.name for node in graph_def.node))
