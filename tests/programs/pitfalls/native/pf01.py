# PS105 w
import penstock as ps

w = ps.Variable([1.2, 3.4], name="w")
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = 1.0 * ps.argmax(w)  # wrong
        loss = ps.sum(ps.nn.softmax(w) * ps.asarray([0.0, 1.0]))  # right
    gradient = tape.gradient(loss, w)
    if gradient is not None:
        w.assign_sub(0.1 * gradient)
