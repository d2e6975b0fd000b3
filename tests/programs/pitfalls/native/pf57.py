# PS202 w
import penstock as ps

w = ps.Variable(5.0, name="w")
optimizer = ps.optimizers.Adam(0.1)
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = w * w
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
    w.assign_add(0.5)  # wrong
