# PS107 b
import penstock as ps

b = ps.Variable([4.0, 5.0], name="b")
for _ in range(3):
    column = ps.reshape(b, (2, 1))  # wrong
    with ps.GradientTape() as tape:
        column = ps.reshape(b, (2, 1))  # right
        loss = ps.sum(column * column)
    gradient = tape.gradient(loss, b)
    if gradient is not None:
        b.assign_sub(0.1 * gradient)
