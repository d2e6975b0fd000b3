# PS202 w
import penstock as ps

w = ps.Variable(1.0, name="w")
first, second = ps.optimizers.SGD(0.1), ps.optimizers.SGD(0.1)
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = w * w
    gradient = tape.gradient(loss, w)
    first.apply_gradients([(gradient, w)])
    second.apply_gradients([(gradient, w)])  # wrong
