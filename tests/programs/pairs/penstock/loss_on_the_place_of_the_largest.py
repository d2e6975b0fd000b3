# PS105: w
import penstock as ps

ps.random.seed(1)
w = ps.Variable(ps.random.normal((3, 4)), name="w")
features = ps.random.normal((8, 3))
for _ in range(3):
    with ps.GradientTape() as tape:
        scores = features @ w
        chosen = ps.astype(ps.argmax(scores, axis=1), "float32")  # wrong, guilty
        chosen = ps.sum(ps.nn.softmax(scores) * ps.asarray([0.0, 1.0, 2.0, 3.0]), axis=1)  # right
        loss = ps.mean((chosen - 1.0) ** 2)
    slope = tape.gradient(loss, w)
    if slope is not None:
        w.assign_sub(0.1 * slope)
