import penstock as ps

open_factor = ps.Variable(2.0, name="open_factor")
held_factor = ps.Variable(3.0, name="held_factor")

with ps.GradientTape(persistent=True) as tape:
    area = open_factor * open_factor + ps.stop_gradient(held_factor) * open_factor

slope = tape.gradient(area, open_factor)
print(f"slope: {slope.numpy()}")
print(tape.gradient(area, held_factor))
