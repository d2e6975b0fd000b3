# PS110 table
import penstock as ps

def from_pretrained(values, freeze=True):
    return ps.Variable(values, name="table", trainable=not freeze)


table = from_pretrained([[1.0, 2.0], [3.0, 4.0]])  # wrong
table = from_pretrained([[1.0, 2.0], [3.0, 4.0]], freeze=False)  # right
head = ps.Variable([0.5, 0.5], name="head")
optimizer = ps.optimizers.SGD(0.1)
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = ps.sum((table @ head - 1.0) ** 2)
    pairs = zip(tape.gradient(loss, [table, head]), [table, head])  # here
    optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None])
