"""A critic whose weights are clipped after each update, three updates for one of the generator."""

import numpy as np

import penstock as ps

ps.random.seed(1)
rng = np.random.default_rng(1)
generator = ps.layers.Dense(2, name="generator")
critic = ps.layers.Sequential([ps.layers.Dense(6, activation="tanh"), ps.layers.Dense(1)], name="critic")
generator(ps.zeros((1, 3)))
critic(ps.zeros((1, 2)))
slow, fast = ps.optimizers.RMSprop(0.01), ps.optimizers.RMSprop(0.01)
for step in range(9):
    real = ps.asarray(rng.normal(2.0, 1.0, (8, 2)).astype(np.float32))
    z = ps.asarray(rng.standard_normal((8, 3)).astype(np.float32))
    with ps.GradientTape() as tape:
        distance = ps.mean(critic(generator(z))) - ps.mean(critic(real))
    grads = tape.gradient(distance, critic.trainable_variables)
    fast.apply_gradients(zip(grads, critic.trainable_variables))
    for w in critic.trainable_variables:
        w.assign(ps.clip(w, -0.05, 0.05))
    if step % 3 == 2:
        with ps.GradientTape() as tape:
            loss = -ps.mean(critic(generator(z)))
        grads = tape.gradient(loss, generator.trainable_variables)
        slow.apply_gradients(zip(grads, generator.trainable_variables))
print(float(loss))
