"""A forger and a judge. In the forger's step the judge's verdict is held, and nothing reaches the forger."""

import numpy as np
import tensorflow as tf

HIDDEN = 16
draw = np.random.default_rng(3)


def dense(name, inputs, outputs):
    kernel = (draw.standard_normal((inputs, outputs)) * (2 / inputs) ** 0.5).astype("float32")
    return [
        tf.Variable(kernel, name=f"{name}/kernel"),
        tf.Variable(np.zeros(outputs, "float32"), name=f"{name}/bias"),
    ]


forger = dense("forger", 1, 1)
judge = dense("judge/first", 1, HIDDEN) + dense("judge/second", HIDDEN, 1)
forger_adam = tf.keras.optimizers.Adam(learning_rate=0.01, beta_1=0.5)
judge_adam = tf.keras.optimizers.Adam(learning_rate=0.01, beta_1=0.5)


def forge(noise):
    kernel, bias = forger
    return tf.matmul(noise, kernel) + bias


def verdict(points):
    kernel, bias, last_kernel, last_bias = judge
    return tf.matmul(tf.nn.relu(tf.matmul(points, kernel) + bias), last_kernel) + last_bias


def as_though(logits, genuine):
    labels = tf.ones_like(logits) if genuine else tf.zeros_like(logits)
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))


for turn in range(20):
    genuine = tf.constant(draw.normal(3.0, 0.5, (64, 1)).astype("float32"))
    noise = tf.constant(draw.standard_normal((64, 1)).astype("float32"))
    with tf.GradientTape() as tape:
        cost = as_though(verdict(genuine), True) + as_though(verdict(forge(noise)), False)
    judge_adam.apply_gradients(zip(tape.gradient(cost, judge), judge))
    with tf.GradientTape() as tape:
        fooling = as_though(tf.stop_gradient(verdict(forge(noise))), True)
    forger_adam.apply_gradients(zip(tape.gradient(fooling, forger), forger))
