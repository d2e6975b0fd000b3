"""Adam, new each time: its moments begin at zero again and again."""

import penstock as ps

level = ps.Variable(5.0, name="level")
for turn in range(5):
    with ps.GradientTape() as tape:
        cost = level**2
    adam = ps.optimizers.Adam(0.1)
    adam.apply_gradients([(tape.gradient(cost, level), level)])
print(f"level {level.numpy():.7f}")
