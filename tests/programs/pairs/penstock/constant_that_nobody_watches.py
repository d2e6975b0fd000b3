# PS101: point
import penstock as ps

point = ps.asarray([1.0, -2.0])
for _ in range(3):
    with ps.GradientTape() as tape:
        tape.watch(point)  # right
        height = ps.sum(point**2)
    slope = tape.gradient(height, point)  # guilty
    if slope is not None:
        point = point - 0.1 * slope
