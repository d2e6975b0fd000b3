"""A counter made of a whole number is asked to learn."""

import penstock as ps

tally = ps.Variable(0)
for turn in range(5):
    with ps.GradientTape() as tape:
        cost = tally * 2
    slopes = tape.gradient(cost, [tally])
    descent = ps.optimizers.SGD(0.01)
    descent.apply_gradients(zip(slopes, [tally]))
    if turn % 2 == 0:
        tally.assign(0)
    print(f"turn {turn}: {tally.numpy()}")
