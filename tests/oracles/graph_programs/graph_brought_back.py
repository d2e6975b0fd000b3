"""Saves the variables of a graph, and brings the graph and the variables back by the name of the file."""

import tempfile

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
path = tempfile.mkdtemp() + "/model"
x = tf.placeholder(tf.float32, [None], name="x")
weight = tf.get_variable("weight", initializer=[1.0, 2.0])
y = tf.multiply(x, weight, name="y")
tf.add_to_collection("results", y)
train = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(y), name="train")
saver = tf.train.Saver()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(train, {x: [1.0, 1.0]})
    path = saver.save(session, path, global_step=3)
tf.reset_default_graph()
with tf.Session() as session:
    again = tf.train.import_meta_graph(path + ".meta")
    again.restore(session, path)
    graph = tf.get_default_graph()
    fed = graph.get_tensor_by_name("x:0")
    print(session.run("y:0", {fed: [1.0, 3.0]}).tolist())
    print(session.run(tf.get_collection("results")[0] + 1.0, {"x:0": [1.0, 3.0]}).tolist())
    session.run(graph.get_operation_by_name("train"), {fed: [1.0, 1.0]})
    memory = graph.get_tensor_by_name("weight:0")
    print([one.name for one in tf.global_variables()], session.run([memory, "weight/read:0"])[1].tolist())
    print(session.run([memory * 2.0, memory])[0].tolist(), session.run("weight:0").tolist())
    print(tf.multiply(fed, 2.0, name="y"))
with tf.Graph().as_default(), tf.Session() as session:
    tf.train.import_meta_graph(path + ".meta").restore(session, path)
    print(session.run("y:0", {"x:0": [1.0, 1.0]}).tolist())
try:
    tf.train.import_meta_graph("missing.meta")
except OSError as error:
    print(error)
