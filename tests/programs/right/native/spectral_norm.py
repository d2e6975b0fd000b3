"""Spectral normalisation: a vector follows the weight's first singular vector, without a gradient."""

import penstock as ps

ps.random.seed(7)
w = ps.Variable(ps.random.normal((5, 4)), name="w")
u = ps.Variable(ps.random.normal((1, 4)), name="u", trainable=False)
x = ps.random.normal((16, 5))
sgd = ps.optimizers.SGD(0.1)
for _ in range(5):
    v = u @ ps.matrix_transpose(w)
    v = v / ps.sqrt(ps.sum(v * v))
    fresh = v @ w
    u.assign(fresh / ps.sqrt(ps.sum(fresh * fresh)))
    v = ps.stop_gradient(v)
    held = ps.stop_gradient(u + 0.0)
    with ps.GradientTape() as tape:
        sigma = ps.sum((v @ w) * held)
        loss = ps.mean(((x @ w) / sigma - 1.0) ** 2)
    sgd.apply_gradients([(tape.gradient(loss, w), w)])
print(float(loss))
