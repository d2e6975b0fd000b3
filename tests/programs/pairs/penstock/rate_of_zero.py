# PS410: w
import penstock as ps

ps.random.seed(1)
w = ps.Variable(ps.random.normal((3, 1)), name="w")
features, wanted = ps.random.normal((8, 3)), ps.random.normal((8, 1))
descent = ps.optimizers.SGD(0.0)  # wrong, guilty
descent = ps.optimizers.SGD(0.1)  # right
for _ in range(4):
    with ps.GradientTape() as tape:
        loss = ps.mean((features @ w - wanted) ** 2)
    descent.apply_gradients([(tape.gradient(loss, w), w)])
