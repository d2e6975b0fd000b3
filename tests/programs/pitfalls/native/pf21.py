# PS419 w
import penstock as ps

w = ps.Variable(1.0, name="w")
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = w * 5.0 * 1024.0
    gradient = tape.gradient(loss, w)
    gradient = ps.clip_by_norm(gradient, 1.0) / 1024.0  # wrong
    gradient = ps.clip_by_norm(gradient / 1024.0, 1.0)  # right
    w.assign_sub(0.1 * gradient)
