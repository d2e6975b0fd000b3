# nothing
import penstock as ps

w = ps.Variable(1.0, name="w")
optimizer = ps.optimizers.SGD(0.1)
for _ in range(3):
    with ps.GradientTape() as outer:
        with ps.GradientTape() as inner:
            first = w * w
        slope = ps.stop_gradient(inner.gradient(first, w))  # wrong
        slope = inner.gradient(first, w)  # right
        fast = w - 0.1 * slope
        loss = fast * fast
    optimizer.apply_gradients([(outer.gradient(loss, w), w)])
