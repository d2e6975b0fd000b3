"""A frozen layer with a low-rank addition, and a prompt in front of a frozen embedding."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
rng = np.random.default_rng(0)


class LoRA(tf.keras.layers.Layer):
    def __init__(self, inner, rank):
        super().__init__()
        self.inner, self.rank = inner, rank
        self.inner.trainable = False

    def build(self, shape):
        self.a = self.add_weight(name="a", shape=(shape[-1], self.rank), initializer="random_normal")
        self.b = self.add_weight(name="b", shape=(self.rank, self.inner.units), initializer="zeros")

    def call(self, x):
        return self.inner(x) + tf.matmul(tf.matmul(x, self.a), self.b)


table = tf.keras.layers.Embedding(10, 4, trainable=False)
dense = tf.keras.layers.Dense(4)
dense.build((None, 4))
adapted = LoRA(dense, 2)
prompt = tf.Variable(tf.random.normal([2, 4], stddev=0.02), name="prompt")
head = tf.keras.layers.Dense(3)
opt = tf.keras.optimizers.AdamW(1e-2, weight_decay=0.01)
ids, labels = rng.integers(0, 10, (8, 5)), rng.integers(0, 3, 8)
for step in range(4):
    with tf.GradientTape() as tape:
        words = table(ids)
        front = tf.tile(prompt[None], [8, 1, 1])
        x = tf.concat([front, words], axis=1)
        x = adapted(x)
        x = tf.nn.gelu(x)
        logits = head(tf.reduce_mean(x, axis=1))
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    variables = adapted.trainable_variables + head.trainable_variables + [prompt]
    opt.apply_gradients(zip(tape.gradient(loss, variables), variables))
print(float(loss))
