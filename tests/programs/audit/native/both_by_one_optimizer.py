"""Both variables learn, from one optimizer that is made once."""

import penstock as ps

variables = [ps.Variable(0.0, name="first"), ps.Variable(1.0, name="second")]


def distance(first, second):
    return (first - 2) ** 2 + (second - 3) ** 2


descent = ps.optimizers.SGD(0.1)
for turn in range(10):
    with ps.GradientTape() as tape:
        cost = distance(*variables)
    descent.apply_gradients(zip(tape.gradient(cost, variables), variables))
first, second = variables
print(f"first {first.numpy():.7f}, second {second.numpy():.7f}")
