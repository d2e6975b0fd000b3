# PS101 decay/w
import penstock as ps

w = ps.Variable([1.0, 2.0], name="w")
optimizer = ps.optimizers.SGD(0.1)
decay = ps.Variable(3.0, name="decay/w")
for _ in range(3):
    with ps.GradientTape() as tape:
        fit = ps.sum((w - 1.0) ** 2)
        penalty = 0.5 * ps.sum(decay**2)  # here
        loss = fit  # wrong
        loss = fit + penalty  # right
    pairs = zip(tape.gradient(loss, [w, decay]), [w, decay])  # here
    optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None])
