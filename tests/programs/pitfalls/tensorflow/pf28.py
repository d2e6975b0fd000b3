# PS416 embed/w head/w
import tensorflow as tf


class Table(tf.keras.layers.Layer):
    def __init__(self, w, name):
        super().__init__(name=name)
        self.w = w

    def call(self, ids):
        return tf.gather(self.w, ids)


embed = Table(tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w"), "embed")
head = Table(embed.w, "head")
embed.w = tf.Variable(embed.w.numpy(), name="embed/w")
head.w = tf.Variable(head.w.numpy(), name="head/w")  # wrong
head.w = embed.w  # right
chosen = list({id(v): v for v in (embed.w, head.w)}.values())
optimizer = tf.keras.optimizers.SGD(0.01)
for row in (0, 1, 0):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((embed(tf.constant([row])) @ tf.transpose(head.w) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, chosen), chosen))
