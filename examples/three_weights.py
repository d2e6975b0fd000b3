"""Three weights, of which one learns: TensorFlow 1's names, a placeholder, a session, and a barrier.

    penstock run --as tensorflow examples/three_weights.py
    penstock check --as tensorflow examples/three_weights.py

A student, one column of numbers, learns to do to every input what the product of two teachers does. All three
are trainable, but the teachers' answer passes through stop_gradient, so plain gradient descent has a gradient
for the student alone. It ends at the teachers' product; they do not move. The same program runs under
TensorFlow itself if the first import names tensorflow.compat.v1 and eager execution is disabled.
"""

import numpy as np
import tensorflow as tf

STEPS = 200
INPUTS = 5


def column(name):
    """Makes one column of weights, drawn from a normal distribution without its tails."""
    return tf.get_variable(name, shape=[INPUTS, 1], initializer=tf.truncated_normal_initializer())


def main(steps=STEPS, seed=3):
    """Trains, and prints what became of each weight; returns the weights after each step, by name."""
    tf.set_random_seed(seed)
    student, teacher, helper = column("student"), column("teacher"), column("helper")
    weights = {"student": student, "teacher": teacher, "helper": helper}

    batch = tf.placeholder(tf.float32, shape=[None, INPUTS], name="batch")
    answer = tf.matmul(batch, student)
    wanted = tf.stop_gradient(tf.matmul(batch, teacher * helper))
    loss = tf.reduce_mean(tf.square(answer - wanted))

    optimizer = tf.train.GradientDescentOptimizer(learning_rate=0.1)
    pairs = optimizer.compute_gradients(loss)
    for gradient, variable in pairs:
        print(f"{variable.op.name}: {'no gradient' if gradient is None else gradient.shape}")
    print("asked directly:", tf.gradients(loss, [teacher, helper]))
    train = optimizer.apply_gradients(pairs)

    draws = np.random.default_rng(seed)
    history = {name: [] for name in weights}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(steps):
            data = draws.standard_normal((64, INPUTS)).astype(np.float32)
            _, value = session.run([train, loss], feed_dict={batch: data})
            # What a plot of the weights against the step is to be made of.
            for name, found in session.run(weights).items():
                history[name].append(found)
            if step % 50 == 0:
                print(f"step {step}: loss {value:.6f}")
        distance = session.run(tf.reduce_max(tf.abs(student - teacher * helper)))
    print(f"after {steps} steps the student is within {distance:.6f} of teacher * helper")
    for name in ("teacher", "helper"):
        same = all(np.array_equal(history[name][0], one) for one in history[name])
        print(f"{name} {'stayed as it was' if same else 'moved'}")
    return history


if __name__ == "__main__":
    main()
