"""Asks for variables of TensorFlow 1 by the names of their memory and of what is read from it."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
weight = tf.Variable([1.0, 2.0], name="weight")
graph = tf.get_default_graph()
memory, read = graph.get_tensor_by_name("weight:0"), graph.get_tensor_by_name("weight/read:0")
print(memory.name, memory.op.type, read.name, read.op.type, memory.shape)
twice = memory * 2.0
slope = tf.gradients(tf.reduce_sum(weight * weight), [weight])
change = tf.assign(weight, [3.0, 4.0])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run("weight:0").tolist())
    print(*(one.tolist() for one in session.run([twice, read, memory, "weight:0", slope[0]])))
    print(session.run([change, memory])[1].tolist(), session.run(memory).tolist())
    print(session.run(twice, {memory: [5.0, 6.0]}).tolist())
