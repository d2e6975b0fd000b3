# PS104: w
import penstock as ps

ps.random.seed(1)
w = ps.Variable(ps.random.normal((3, 1)), name="w")
features, wanted = ps.random.normal((8, 3)), ps.random.normal((8, 1))
for _ in range(2):
    with ps.GradientTape() as tape:
        loss = ps.mean((features @ w - wanted) ** 2)
    slope = tape.gradient(loss, w)
    if slope is not None:
        w = w - 0.1 * slope  # wrong, guilty
        w.assign_sub(0.1 * slope)  # right
