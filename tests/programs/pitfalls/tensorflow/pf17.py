# told: policy_loss also trains
import tensorflow as tf

actor, critic = tf.Variable(0.2, name="actor/w"), tf.Variable(0.3, name="critic/w")
optimizer = tf.keras.optimizers.SGD(0.1)
for reward in (1.0, 0.0, 1.0):
    with tf.GradientTape() as tape:
        value = critic * 0.7
        advantage = reward - value  # wrong
        advantage = reward - tf.stop_gradient(value)  # right
        policy_loss = -tf.math.log(tf.nn.sigmoid(actor)) * advantage
        value_loss = (reward - value) ** 2
        loss = policy_loss + value_loss
    optimizer.apply_gradients(zip(tape.gradient(loss, [actor, critic]), [actor, critic]))
