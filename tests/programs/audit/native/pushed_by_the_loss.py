"""The push is a term of the loss, so that Adam knows of it."""

import penstock as ps

place = ps.Variable(0.0, name="place")
adam = ps.optimizers.Adam(0.1)
for turn in range(10):
    with ps.GradientTape() as tape:
        pull = place**2
        push = -3.0 * place
        cost = pull + push
    slopes = tape.gradient(cost, [place])
    adam.apply_gradients(zip(slopes, [place]))
print(f"{place.numpy():.7f}")
