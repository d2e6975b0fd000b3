"""The same slope, without asking for that of the factor which is held."""

import penstock as ps

open_one = ps.Variable(2.0, name="open_one")
held = ps.Variable(3.0, name="held")
with ps.GradientTape() as tape:
    area = open_one * open_one + ps.stop_gradient(held) * open_one
print(f"slope {tape.gradient(area, open_one).numpy():.1f}")
