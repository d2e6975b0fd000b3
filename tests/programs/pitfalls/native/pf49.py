# PS205 w
import penstock as ps

w = ps.Variable(0.0, name="w")
optimizer = ps.optimizers.SGD(0.1, finite="skip")
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = ps.sqrt(w)  # wrong
        loss = ps.sqrt((w - 1.0) ** 2 + 1.0)  # right
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])  # here
