# nothing
import tensorflow as tf

embed = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="embed/w")
head = tf.Variable(embed.numpy(), name="head/w")  # wrong
head = embed  # right
chosen = list({id(v): v for v in (embed, head)}.values())
optimizer = tf.keras.optimizers.SGD(0.01)
for row in (0, 1, 0):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((tf.gather(embed, [row]) @ tf.transpose(head) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, chosen), chosen))
