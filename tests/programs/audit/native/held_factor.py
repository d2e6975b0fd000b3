"""One factor of a sum is held; the slope of the other counts both terms."""

import penstock as ps

open_one = ps.Variable(2.0, name="open_one")
held = ps.Variable(3.0, name="held")
with ps.GradientTape() as tape:
    area = open_one * open_one + ps.stop_gradient(held) * open_one
slopes = tape.gradient(area, [open_one, held])
print(f"slope {slopes[0].numpy():.1f}, {slopes[1]}")
