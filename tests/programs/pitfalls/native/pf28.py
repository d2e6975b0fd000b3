# nothing
import penstock as ps

embed = ps.Variable([[1.0, 2.0], [3.0, 4.0]], name="embed/w")
head = ps.Variable(embed.numpy(), name="head/w")  # wrong
head = embed  # right
chosen = list({id(v): v for v in (embed, head)}.values())
optimizer = ps.optimizers.SGD(0.01)
for row in (0, 1, 0):
    with ps.GradientTape() as tape:
        loss = ps.sum((ps.take(embed, ps.asarray([row]), axis=0) @ ps.matrix_transpose(head) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, chosen), chosen))
