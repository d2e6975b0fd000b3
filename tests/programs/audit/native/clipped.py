"""The clipped gradient is the only thing that moves the variable."""

import penstock as ps

height = ps.Variable(1.0, name="height")
descent = ps.optimizers.SGD(0.1)
for turn in range(10):
    with ps.GradientTape() as tape:
        cost = height**2
    slopes = tape.gradient(cost, [height])
    slopes = [ps.clip(slope, -0.5, 0.5) for slope in slopes]
    descent.apply_gradients(zip(slopes, [height]))
print(f"{height.numpy():.7f}")
