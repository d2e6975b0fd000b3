import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
graph = tf.Graph()
with graph.as_default():
    a = tf.constant(1.0)
    print(a.graph is graph, tf.get_default_graph() is graph)
b = tf.constant(2.0)
with tf.Session(graph=graph) as session:
    print(session.run(a))
a + b
