import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


class ActorCritic(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.common = tf.keras.layers.Dense(6, activation="relu")
        self.actor = tf.keras.layers.Dense(2)
        self.critic = tf.keras.layers.Dense(1)

    def call(self, inputs):
        x = self.common(inputs)
        return self.actor(x), self.critic(x)


model = ActorCritic()
states = tf.reshape(tf.sin(tf.range(12, dtype=tf.float32)), (4, 3))
actions, returns = tf.constant([0, 1, 1, 0]), tf.constant([[1.0], [0.5], [-1.0], [2.0]])
model(states)
fill(model)
optimizer = tf.keras.optimizers.Adam(0.01)
huber = tf.keras.losses.Huber(reduction="sum")
for step in range(4):
    with tf.GradientTape() as tape:
        logits, values = model(states)
        log_probabilities = tf.nn.log_softmax(logits)
        chosen = tf.reduce_sum(log_probabilities * tf.one_hot(actions, 2), axis=1)
        advantage = tf.stop_gradient(returns - values)
        actor_loss = -tf.reduce_sum(tf.expand_dims(chosen, 1) * advantage)
        loss = actor_loss + huber(values, returns)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    show(loss)
