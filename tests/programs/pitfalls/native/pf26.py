# PS106 codebook
import penstock as ps

codebook, encoder = ps.Variable([[0.0, 1.0], [2.0, 1.5]], name="codebook"), ps.Variable([0.9, 1.2], name="encoder")
optimizer = ps.optimizers.SGD(0.1)
for _ in range(3):
    with ps.GradientTape() as tape:
        z = encoder * 1.1
        nearest = ps.take(codebook, ps.argmin(ps.sum((codebook - z) ** 2, axis=1)), axis=0)
        through = z + ps.stop_gradient(nearest - z)  # here
        fit = ps.sum((through - 1.0) ** 2)
        commit = ps.sum((through - ps.stop_gradient(z)) ** 2)  # wrong
        commit = ps.sum((nearest - ps.stop_gradient(z)) ** 2)  # right
        loss = fit + commit
    pairs = zip(tape.gradient(loss, [encoder, codebook]), [encoder, codebook])  # here
    optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None])
