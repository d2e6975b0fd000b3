"""One weight learns the product of two others, which a barrier keeps as they are."""

import numpy as np

import penstock as ps

draw = np.random.default_rng(11)


def weight(name):
    return ps.Variable(draw.standard_normal((5, 1)).astype("float32"), name=name)


learner, left, right = weight("learner"), weight("left"), weight("right")
descent = ps.optimizers.SGD(0.1)
before = [left.numpy(), right.numpy()]
for turn in range(200):
    points = ps.asarray(draw.standard_normal((20, 5)).astype("float32"))
    with ps.GradientTape() as tape:
        wanted = ps.stop_gradient(points @ (left * right))
        cost = ps.mean((points @ learner - wanted) ** 2)
    descent.apply_gradients([(tape.gradient(cost, learner), learner)])
after = [left.numpy(), right.numpy()]
print("left and right unchanged:", all(np.array_equal(*pair) for pair in zip(before, after)))
print(f"largest distance of learner and product: {np.abs(learner.numpy() - after[0] * after[1]).max():.4f}")
