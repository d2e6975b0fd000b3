"""A quantizer with a straight-through gradient, a codebook loss and a commitment loss."""

import numpy as np

import penstock as ps

ps.random.seed(0)
rng = np.random.default_rng(0)
encoder, decoder = ps.layers.Dense(2, name="encoder"), ps.layers.Dense(4, name="decoder")
codebook = ps.Variable(rng.standard_normal((5, 2)).astype(np.float32), name="codebook")
encoder(ps.zeros((1, 4)))
decoder(ps.zeros((1, 2)))
variables = [*encoder.trainable_variables, *decoder.trainable_variables, codebook]
optimizer = ps.optimizers.Adam(0.02)
for step in range(6):
    x = ps.asarray(rng.standard_normal((16, 4)).astype(np.float32))
    with ps.GradientTape() as tape:
        z = encoder(x)
        gaps = ps.sum((ps.expand_dims(z, axis=1) - codebook) ** 2, axis=2)
        nearest = ps.argmin(gaps, axis=1)
        q = ps.take(codebook, nearest, axis=0)
        commitment = ps.mean((ps.stop_gradient(q) - z) ** 2)
        dictionary = ps.mean((q - ps.stop_gradient(z)) ** 2)
        passed = z + ps.stop_gradient(q - z)
        rebuilt = ps.mean((decoder(passed) - x) ** 2)
        loss = rebuilt + dictionary + 0.25 * commitment
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
print(float(loss))
