# PS106 mean scale; PS302 mean scale
import penstock as ps

mean, scale = ps.Variable(0.5, name="mean"), ps.Variable(1.0, name="scale")
optimizer = ps.optimizers.SGD(0.1)
for _ in range(3):
    with ps.GradientTape() as tape:
        noise = ps.random.normal(())
        sample = ps.stop_gradient(mean + scale * noise)  # wrong
        sample = mean + scale * noise  # right
        loss = (sample - 2.0) ** 2
    pairs = zip(tape.gradient(loss, [mean, scale]), [mean, scale])
    optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None] or [(ps.asarray(0.1), mean)])
