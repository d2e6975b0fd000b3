"""Constraints that the optimizer applies to what it has moved, and only to that."""

import numpy as np
import tensorflow as tf


class Halved(tf.keras.constraints.Constraint):
    def __call__(self, w):
        return w * 0.5


w = tf.constant([[3.0, -0.1], [-4.0, 0.2]])
for constraint in (
    tf.keras.constraints.MaxNorm(2.0),
    tf.keras.constraints.MaxNorm(2.0, axis=1),
    tf.keras.constraints.MaxNorm(2.0, axis=[0, 1]),
    tf.keras.constraints.NonNeg(),
    tf.keras.constraints.UnitNorm(axis=0),
    tf.keras.constraints.MinMaxNorm(0.5, 1.0, rate=0.25, axis=0),
    tf.keras.constraints.get("unit_norm"),
):
    print(type(constraint).__name__, np.round(constraint(w).numpy(), 5).tolist(), constraint.get_config())

model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(
            2, kernel_initializer="ones", kernel_constraint=tf.keras.constraints.MaxNorm(1.0),
            bias_constraint=Halved(),
        ),
        tf.keras.layers.Dense(1, kernel_initializer="ones", kernel_constraint="non_neg"),
    ]
)  # fmt: skip
x = tf.constant([[1.0, 2.0, -1.0], [0.5, -1.0, 2.0]])
model(x)
optimizers = [tf.keras.optimizers.SGD(0.5), tf.keras.optimizers.Adam(0.1)]
for step in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - 1.0) ** 2)
    variables = model.layers[step % 2].trainable_variables
    gradients = tape.gradient(loss, variables)
    optimizers[step % 2].apply_gradients(zip(gradients, variables))
    print(step, np.round(float(loss), 5))
    for variable in model.trainable_variables:
        print("  ", np.round(variable.numpy(), 5).tolist())

weight = tf.Variable([1.0, -2.0], constraint=lambda v: tf.clip_by_value(v, -1.0, 0.25))
tf.keras.optimizers.SGD(0.5).apply_gradients([(tf.constant([1.0, 1.0]), weight)])
print(weight.numpy().tolist())
try:
    tf.keras.layers.Dense(2, kernel_constraint="no_such")
except ValueError as error:
    print("refused", "no_such" in str(error))
