"""Two Keras models. In the forger's step the judge's verdict is held, and nothing reaches the forger."""

import numpy as np
import tensorflow as tf

draw = np.random.default_rng(5)
layers = tf.keras.layers
forger = tf.keras.Sequential([layers.Dense(1, name="forgery")], name="forger")
judge = tf.keras.Sequential(
    [layers.Dense(16, activation="relu", name="hidden"), layers.Dense(1, name="verdict")], name="judge"
)
forger.build((None, 1))
judge.build((None, 1))
for model in (forger, judge):
    shapes = [weight.shape for weight in model.get_weights()]
    spread = [(2 / shape[0]) ** 0.5 if len(shape) == 2 else 0.0 for shape in shapes]
    drawn = [one * draw.standard_normal(shape) for one, shape in zip(spread, shapes)]
    model.set_weights([weight.astype("float32") for weight in drawn])
entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)
forger_adam = tf.keras.optimizers.Adam(learning_rate=0.01, beta_1=0.5)
judge_adam = tf.keras.optimizers.Adam(learning_rate=0.01, beta_1=0.5)
for turn in range(20):
    genuine = tf.constant(draw.normal(3.0, 0.5, (64, 1)).astype("float32"))
    noise = tf.constant(draw.standard_normal((64, 1)).astype("float32"))
    with tf.GradientTape() as tape:
        trust, doubt = judge(genuine, training=True), judge(forger(noise, training=True), training=True)
        cost = entropy(tf.ones_like(trust), trust) + entropy(tf.zeros_like(doubt), doubt)
    variables = judge.trainable_variables
    judge_adam.apply_gradients(zip(tape.gradient(cost, variables), variables))
    with tf.GradientTape() as tape:
        doubt = tf.stop_gradient(judge(forger(noise, training=True), training=True))
        fooling = entropy(tf.ones_like(doubt), doubt)
    variables = forger.trainable_variables
    forger_adam.apply_gradients(zip(tape.gradient(fooling, variables), variables))
