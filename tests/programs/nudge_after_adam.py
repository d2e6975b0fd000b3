import penstock as ps

position = ps.Variable(0.0, name="position")
adam = ps.optimizers.Adam(0.1)

for turn in range(10):
    with ps.GradientTape() as tape:
        energy = position**2
    slopes = tape.gradient(energy, [position])
    adam.apply_gradients(zip(slopes, [position]))
    position.assign_add(0.5)
