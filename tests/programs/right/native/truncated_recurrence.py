"""A recurrent cell by hand; the state is carried from one piece of the sequence to the next."""

import numpy as np

import penstock as ps

rng = np.random.default_rng(0)
inward = ps.layers.Dense(6, name="inward")
across = ps.layers.Dense(6, use_bias=False, name="across")
out = ps.layers.Dense(1, name="out")
wave = np.sin(np.arange(200) * 0.3).astype(np.float32)
inward(ps.zeros((1, 1)))
across(ps.zeros((1, 6)))
out(ps.zeros((1, 6)))
variables = inward.trainable_variables + across.trainable_variables + out.trainable_variables
optimizer = ps.optimizers.Adam(0.01)
h = ps.zeros((1, 6))
for piece in range(6):
    h = ps.stop_gradient(h)
    with ps.GradientTape() as tape:
        loss = 0.0
        for t in range(piece * 5, piece * 5 + 5):
            h = ps.tanh(inward(ps.asarray(wave[t].reshape(1, 1))) + across(h))
            loss = loss + ps.mean((out(h) - float(wave[t + 1])) ** 2)
        loss = loss / 5
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
print(float(loss))
