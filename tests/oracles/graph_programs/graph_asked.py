"""Asks graphs for devices and collections, and tensors for the number of their axes."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
graph = tf.Graph()
with graph.as_default(), graph.device("/cpu:0"):
    x = tf.placeholder(tf.float32, [None, 2])
    with graph.colocate_with(x.op):
        y = x * 2.0
    graph.add_to_collections(["first", "second"], y)
    graph.add_to_collections("third", x)
    w = tf.Variable(1.0)
print(x.shape.ndims, y.ndim)
names = {"first", "second", "third", "variables"}
print(names <= set(graph.get_all_collection_keys()), names <= set(graph.collections))
with tf.Session(graph=graph) as session:
    print(session.run(graph.get_collection("second"), {x: [[1.0, 2.0]]})[0].tolist())
