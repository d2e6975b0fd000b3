# nothing
import penstock as ps

source = ps.Variable([1.0, 2.0], name="source", trainable=False)
weight = ps.Variable(source, name="weight")  # wrong
weight = ps.Variable(source, name="weight", trainable=False)  # right
free = ps.Variable([1.0, 1.0], name="free")
chosen = [v for v in (weight, free) if v.trainable]
optimizer = ps.optimizers.SGD(0.1)
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = ps.sum((weight * free - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, chosen), chosen))
