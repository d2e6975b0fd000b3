"""tf.print in a graph is an operation, and numbers become strings when it is run."""

import sys

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None])
rate = tf.Variable(2.0)
shown = tf.print("x", x, [x, rate * 2], {"a": x}, output_stream=sys.stdout, summarize=2, end="!\n", sep="|")
told = tf.print(tf.strings.format("rate = {}", rate), output_stream=sys.stdout)
print(type(shown).__name__, shown.type)
with tf.control_dependencies([shown]):
    y = x * 2
words = [tf.as_string(x), tf.strings.as_string(rate), tf.strings.format("{} {}", [rate, x])]
words += [tf.strings.join([tf.as_string(rate, precision=1), "!"]), tf.io.serialize_tensor(x)]
print(words[:3])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run(y, {x: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}).tolist())
    session.run(told)
    print(session.run(words, {x: [1.5, 2.0]}))
    session.run(rate.assign(3.0))
    print(session.run(words[:4], {x: [0.5]}))
    session.run(told)
    print(session.run([shown, y], {x: [1.0]})[0])
