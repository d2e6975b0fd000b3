"""The same with 0.0, one optimizer, and a reset in every other turn alone."""

import penstock as ps

level = ps.Variable(0.0, name="level")
descent = ps.optimizers.SGD(0.01)
for turn in range(5):
    with ps.GradientTape() as tape:
        cost = level * 2
    if turn % 2 == 0:
        level.assign(0.0)
    else:
        descent.apply_gradients([(tape.gradient(cost, level), level)])
    print(f"turn {turn}: {level.numpy():.2f}")
