"""The same, with the list made by asking each variable whether it wants to learn."""

import penstock as ps

learner = ps.Variable(0.0, trainable=True, name="learner")
bystander = ps.Variable(1.0, trainable=False, name="bystander")
wanted = [variable for variable in (learner, bystander) if variable.trainable]


def distance(first, second):
    return (first - 2) ** 2 + (second - 3) ** 2


descent = ps.optimizers.SGD(0.1)
for turn in range(10):
    with ps.GradientTape() as tape:
        cost = distance(learner, bystander)
    slopes = tape.gradient(cost, wanted)
    descent.apply_gradients(zip(slopes, wanted))
print(f"learner {learner.numpy():.7f}, bystander {bystander.numpy():.7f}")
