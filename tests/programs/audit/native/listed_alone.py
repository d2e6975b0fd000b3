"""A frozen variable beside one that learns: the list of sources names the one that learns."""

import penstock as ps

learner = ps.Variable(0.0, trainable=True, name="learner")
bystander = ps.Variable(1.0, trainable=False, name="bystander")


def distance(first, second):
    return (first - 2) ** 2 + (second - 3) ** 2


descent = ps.optimizers.SGD(0.1)
for turn in range(10):
    with ps.GradientTape() as tape:
        cost = distance(learner, bystander)
    slopes = tape.gradient(cost, [learner])
    descent.apply_gradients(zip(slopes, [learner]))
print(f"learner {learner.numpy():.7f}, bystander {bystander.numpy():.7f}")
