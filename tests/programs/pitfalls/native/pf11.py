# PS104 w
import penstock as ps

w = ps.Variable(2.0, name="w")
for _ in range(2):
    with ps.GradientTape() as tape:
        loss = w * w
    gradient = tape.gradient(loss, w)
    if gradient is not None:
        w = w - 0.1 * gradient  # wrong
        w.assign_sub(0.1 * gradient)  # right
