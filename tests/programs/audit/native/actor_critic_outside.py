"""An actor and a critic on a slot machine whose better arm depends on the light. Both run before the tapes open."""

import numpy as np
import penstock as ps

draw = np.random.default_rng(5)
actor = [ps.Variable(np.zeros((2, 2), "float32"), name="actor/kernel")]
critic = [ps.Variable(np.zeros((2, 1), "float32"), name="critic/kernel")]
actor_adam = ps.optimizers.Adam(0.05)
critic_adam = ps.optimizers.Adam(0.05)

lights = np.eye(2, dtype="float32")[draw.integers(0, 2, 32)]
states = ps.asarray(lights)
chances = ps.nn.softmax(states @ actor[0])
pulled = [draw.choice(2, p=row / row.sum()) for row in chances.numpy().astype("float64")]
rewards = ps.asarray(np.take_along_axis(lights, np.array(pulled)[:, None], 1))
values = states @ critic[0]

with ps.GradientTape() as tape:
    advantage = rewards - values
    chosen = ps.sum(chances * ps.one_hot(ps.asarray(pulled), 2), axis=1, keepdims=True)
    policy_cost = -ps.mean(ps.stop_gradient(advantage) * ps.log(chosen))
actor_adam.apply_gradients(zip(tape.gradient(policy_cost, actor), actor))

with ps.GradientTape() as tape:
    value_cost = ps.mean(ps.square(rewards - values))
critic_adam.apply_gradients(zip(tape.gradient(value_cost, critic), critic))
