import penstock as ps

ticks = ps.Variable(0, name="ticks")

for turn in range(5):
    with ps.GradientTape() as tape:
        cost = ticks * 2
    slopes = tape.gradient(cost, [ticks])
    print(slopes)
    descent = ps.optimizers.SGD(0.01)
    descent.apply_gradients(zip(slopes, [ticks]))
    if turn % 2 == 0:
        ticks.assign(0)
    print(f"turn {turn}: {ticks.numpy()}")
