"""A classifier trained in halves, its loss scaled, with an overflow on the way."""

import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.mixed_precision.set_global_policy("mixed_float16")
rng = np.random.default_rng(0)
x = rng.standard_normal((32, 4)).astype("float32")
labels = (x[:, 0] + x[:, 1] > 0).astype("int32")
first = rng.standard_normal((4, 8)).astype("float32") * 0.5
second = rng.standard_normal((8, 2)).astype("float32") * 0.5
model = keras.Sequential([keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(2, dtype="float32")])
model.build((None, 4))
model.set_weights([first, np.zeros(8), second, np.zeros(2)])
loss_function = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.Adam(0.05), dynamic_growth_steps=5)


@tf.function
def train(batch):
    with tf.GradientTape() as tape:
        loss = loss_function(labels, model(batch, training=True))
        scaled = optimizer.scale_loss(loss)
    gradients = tape.gradient(scaled, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


for step in range(20):
    loss = train(tf.constant(x * (np.inf if step == 9 else 1.0)))
    if step % 4 == 3:
        print(f"{float(loss):.2f}", float(optimizer.dynamic_scale.numpy()))
print([f"{float(v.numpy().sum()) + 0.02:.1f}" for v in model.variables])
keras.mixed_precision.set_global_policy("float32")
