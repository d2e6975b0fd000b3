# PS416 embed/w head/w
import penstock as ps


class Table(ps.layers.Layer):
    def __init__(self, w, name):
        super().__init__(name=name)
        self.w = w

    def call(self, ids):
        return ps.take(self.w, ids, axis=0)


embed = Table(ps.Variable([[1.0, 2.0], [3.0, 4.0]], name="w"), "embed")
head = Table(embed.w, "head")
embed.w = ps.Variable(embed.w.numpy(), name="embed/w")
head.w = ps.Variable(head.w.numpy(), name="head/w")  # wrong
head.w = embed.w  # right
chosen = list({id(v): v for v in (embed.w, head.w)}.values())
optimizer = ps.optimizers.SGD(0.01)
for row in (0, 1, 0):
    with ps.GradientTape() as tape:
        loss = ps.sum((embed(ps.asarray([row])) @ ps.matrix_transpose(head.w) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, chosen), chosen))
