# nothing
import penstock as ps

a, b = ps.Variable([3.0, 4.0], name="a"), ps.Variable([0.5], name="b")
optimizer = ps.optimizers.SGD(0.1, clipvalue=1.0)  # wrong
optimizer = ps.optimizers.SGD(0.1, global_clipnorm=1.0)  # right
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = (ps.sum(a * a) + ps.sum(b * b)) / 2.0
    optimizer.apply_gradients(zip(tape.gradient(loss, [a, b]), [a, b]))
