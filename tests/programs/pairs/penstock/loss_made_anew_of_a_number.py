# PS108: w
import penstock as ps

ps.random.seed(1)
w = ps.Variable(ps.random.normal((3, 1)), name="w")
features, wanted = ps.random.normal((8, 3)), ps.random.normal((8, 1))
descent = ps.optimizers.SGD(0.05)
for _ in range(3):
    with ps.GradientTape() as tape:
        errors = (features @ w - wanted) ** 2
        total = sum(float(one) for one in errors[:, 0])  # wrong, guilty
        total = ps.sum(errors)  # right
        loss = ps.asarray(total) / 8.0
    slope = tape.gradient(loss, w)
    if slope is not None:
        descent.apply_gradients([(slope, w)])
