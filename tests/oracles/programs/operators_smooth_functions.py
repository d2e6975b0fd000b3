import tensorflow as tf

weight = tf.Variable([-1.0, 0.5, 2.0])
functions = {
    "exp": tf.exp,
    "sigmoid": tf.sigmoid,
    "tanh": tf.tanh,
    "softplus": tf.nn.softplus,
    "elu": tf.nn.elu,
    "selu": tf.nn.selu,
    "gelu": tf.nn.gelu,
    "silu": tf.nn.silu,
    "softmax": tf.nn.softmax,
    "log_softmax": tf.nn.log_softmax,
    "sin": tf.sin,
}
for name, function in functions.items():
    with tf.GradientTape() as tape:
        value = function(weight) * [1.0, 2.0, 3.0]
    slope = tape.gradient(value, weight)
    print(name, [f"{number:.4f}" for number in value.numpy()], [f"{number:.4f}" for number in slope.numpy()])
