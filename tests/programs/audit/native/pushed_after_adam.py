"""Adam pulls towards zero, and the next line pushes half a unit up, every time."""

import penstock as ps

place = ps.Variable(0.0, name="place")
adam = ps.optimizers.Adam(0.1)
for turn in range(10):
    with ps.GradientTape() as tape:
        cost = place**2
    slopes = tape.gradient(cost, [place])
    adam.apply_gradients(zip(slopes, [place]))
    place.assign_add(0.5)
    print(f"{place.numpy():.7f}")
