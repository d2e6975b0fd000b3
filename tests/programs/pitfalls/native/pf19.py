# PS201 w
import penstock as ps

w = ps.Variable(5.0, name="w")
optimizer = ps.optimizers.Adam(0.1)  # right
for _ in range(4):
    optimizer = ps.optimizers.Adam(0.1)  # wrong
    with ps.GradientTape() as tape:
        loss = w * w
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
