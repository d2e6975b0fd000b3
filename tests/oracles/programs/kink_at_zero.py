import tensorflow as tf

weight = tf.Variable([-1.0, 0.0, 1.0])
with tf.GradientTape(persistent=True) as tape:
    results = {
        "abs": tf.abs(weight),
        "relu": tf.nn.relu(weight),
        "relu6": tf.nn.relu6(weight * 6.0),
        "leaky_relu": tf.nn.leaky_relu(weight, alpha=0.25),
        "maximum": tf.maximum(weight, 0.0),
        "minimum": tf.minimum(0.0, weight),
        "square": tf.square(weight),
    }
for name, result in results.items():
    print(name, result.numpy(), tape.gradient(result, weight).numpy())
