# PS106: maker
import penstock as ps

ps.random.seed(1)
maker = ps.Variable(ps.random.normal((2, 3)), name="maker")
judge = ps.Variable(ps.random.normal((3, 1)), name="judge")
descent = ps.optimizers.SGD(0.05)
for _ in range(3):
    noise, real = ps.random.normal((8, 2)), ps.random.normal((8, 3))
    with ps.GradientTape(persistent=True) as tape:
        fake = noise @ maker
        judging = ps.mean((real @ judge - 1.0) ** 2) + ps.mean((ps.stop_gradient(fake) @ judge) ** 2)
        making = ps.mean((ps.stop_gradient(fake) @ judge - 1.0) ** 2)  # wrong, guilty
        making = ps.mean((fake @ judge - 1.0) ** 2)  # right
    descent.apply_gradients([(tape.gradient(judging, judge), judge)])
    slope = tape.gradient(making, maker)
    if slope is not None:
        descent.apply_gradients([(slope, maker)])
