"""A trained teacher, and a student that learns from its softened answers and from the labels."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
rng = np.random.default_rng(0)
x = rng.standard_normal((32, 4)).astype(np.float32)
y = (x[:, 0] > 0).astype(np.int32) + (x[:, 1] > 0).astype(np.int32)
batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
teacher = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(3)])
student = tf.keras.Sequential([tf.keras.layers.Dense(6, activation="relu"), tf.keras.layers.Dense(3)])


def train(model, loss_fn, epochs):
    opt = tf.keras.optimizers.Adam(1e-2)
    for _ in range(epochs):
        for images, labels in batches:
            with tf.GradientTape() as tape:
                loss = loss_fn(images, labels, model(images, training=True))
            opt.apply_gradients(
                zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
            )
    return loss


def hard(images, labels, logits):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))


def soft(images, labels, logits):
    answers = tf.nn.softmax(teacher(images, training=False) / 2.0)
    kl = tf.reduce_mean(tf.keras.losses.kl_divergence(answers, tf.nn.softmax(logits / 2.0)))
    return 0.3 * hard(images, labels, logits) + 0.7 * 4.0 * kl


train(teacher, hard, 2)
teacher.trainable = False
print(float(train(student, soft, 2)))
