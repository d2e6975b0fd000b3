"""Rows of a fixed table are used as they are: what is no variable is not trained."""

import numpy as np
import penstock as ps

draw = np.random.default_rng(7)
table = ps.asarray(draw.standard_normal((6, 3)).astype("float32"))
weights = ps.Variable(np.zeros((3, 1), "float32"), name="weights")
adam = ps.optimizers.Adam(0.1)
words = ps.asarray([0, 1, 2, 3, 4, 5])
scores = table @ ps.asarray([[1.0], [-2.0], [0.5]])
for turn in range(200):
    with ps.GradientTape() as tape:
        rows = ps.take(table, words, axis=0)
        cost = ps.mean(ps.square(rows @ weights - scores))
    slopes = tape.gradient(cost, [weights])
    adam.apply_gradients(zip(slopes, [weights]))
print(f"cost {cost.numpy():.4f}")
