# PS303: w
import penstock as ps

ps.random.seed(1)
w = ps.Variable(ps.random.normal((3, 1)), name="w")
features, wanted = ps.random.normal((8, 3)), ps.random.normal((8, 1))
descent = ps.optimizers.SGD(0.05)
for _ in range(3):
    with ps.GradientTape() as tape:
        fit = ps.mean((features @ w - wanted) ** 2)
        size = ps.mean(w**2)
        loss = fit + size
        loss = loss + size  # wrong, guilty
    descent.apply_gradients([(tape.gradient(loss, w), w)])
