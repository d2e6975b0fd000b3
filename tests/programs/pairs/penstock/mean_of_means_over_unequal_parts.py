# PS419: w
import penstock as ps

ps.random.seed(1)
w = ps.Variable(ps.random.normal((3, 1)), name="w")
features, wanted = ps.random.normal((12, 3)), ps.random.normal((12, 1))
chosen = ps.asarray([[1.0]] * 7 + [[0.0]] * 5)
sgd = ps.optimizers.SGD(0.1)
for _ in range(3):
    slopes = []
    for part in (slice(0, 6), slice(6, 12)):
        with ps.GradientTape() as tape:
            errors = (features[part] @ w - wanted[part]) ** 2
            loss = ps.sum(errors * chosen[part]) / ps.sum(chosen[part])  # wrong, guilty
            loss = ps.sum(errors * chosen[part]) / ps.sum(chosen) * 2.0  # right
        slopes.append(tape.gradient(loss, w))
    sgd.apply_gradients([((slopes[0] + slopes[1]) / 2.0, w)])
