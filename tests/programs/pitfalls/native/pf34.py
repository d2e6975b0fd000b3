# PS420 b
import penstock as ps

a, b = ps.Variable(1.0, name="a"), ps.Variable(1.0, name="b")
optimizer = ps.optimizers.Adam(0.1)
for turn in range(6):
    with ps.GradientTape() as tape:
        loss = (a * a + b * b) if turn < 2 else a * a
    slopes = tape.gradient(loss, [a, b], unconnected_gradients="zero")  # wrong
    slopes = tape.gradient(loss, [a, b] if turn < 2 else [a])  # right
    optimizer.apply_gradients(zip(slopes, [a, b]))
