import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


@tf.RegisterGradient("GuidedRelu")
def guided(op, grad):
    passed = tf.cast(grad > 0.0, tf.float32) * tf.cast(op.outputs[0] > 0.0, tf.float32)
    return grad * passed


@tf.RegisterGradient("Reversed")
def reversed_gradient(op, grad):
    return [-0.5 * grad]


@tf.RegisterGradient("Straight")
def straight(op, grad):
    return tf.where(tf.abs(op.inputs[0]) <= 1.0, grad, tf.zeros_like(grad))


@tf.RegisterGradient("OfCubes")
def of_cubes(op, grad):
    return grad * 3.0 * tf.square(op.inputs[0]), None


tf.no_gradient("Nothing")
graph = tf.get_default_graph()
x = tf.placeholder(tf.float32, [None], name="x")
weight = tf.get_variable("weight", initializer=[2.0, -1.0, 1.0])
with graph.gradient_override_map({"Relu": "GuidedRelu", "Sign": "Straight"}):
    hidden = tf.nn.relu(x * weight, name="hidden")
    binary = tf.sign(x)
plain = tf.nn.relu(x * weight)
with graph.gradient_override_map({"Identity": "Reversed"}):
    turned = tf.identity(x * weight)
with graph.gradient_override_map({"PyFunc": "OfCubes"}):
    cubes = tf.py_func(lambda a, b: a**3 + np.float32(b), [x, tf.constant(1)], tf.float32)
with graph.gradient_override_map({"Tanh": "Nothing"}):
    stopped = tf.tanh(x)
print(hidden.name, hidden.op.type, turned.op.type, binary.op.type)
scale = tf.constant([1.0, -1.0, 3.0])
made = {
    "hidden": tf.gradients(hidden * scale, [x, weight]),
    "plain": tf.gradients(plain * scale, [x, weight]),
    "binary": tf.gradients(binary * scale, x),
    "turned": tf.gradients(turned * scale, [x, weight]),
    "cubes": tf.gradients(cubes * scale, x),
    "stopped": tf.gradients(stopped + 2.0 * x, x),
}
print(tf.gradients(stopped, x))
optimizer = tf.train.GradientDescentOptimizer(0.1)
step = optimizer.minimize(tf.reduce_sum(turned * scale))
feed = {x: [0.5, -2.0, 1.5]}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for name in sorted(made):
        print(name, [np.round(one, 4).tolist() for one in session.run(made[name], feed)])
    print(np.round(session.run([hidden, binary, cubes], feed), 4).tolist())
    session.run(step, feed)
    print(np.round(session.run(weight), 4).tolist())
for wrong in (lambda: tf.RegisterGradient("Reversed")(straight), lambda: tf.RegisterGradient(3)):
    try:
        wrong()
    except (KeyError, TypeError) as error:
        print(type(error).__mro__[1].__name__ in ("LookupError", "PenstockError", "Exception"), "Reversed" in str(error))
with graph.gradient_override_map({"Relu": "Missing"}):
    try:
        tf.gradients(tf.nn.relu(x), x)
    except LookupError as error:
        print(isinstance(error, LookupError))
