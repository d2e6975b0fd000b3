# PS101: last
import penstock as ps

ps.random.seed(1)
inner = ps.Variable(ps.random.normal((3, 4)), name="inner")
last = ps.Variable(ps.random.normal((4, 4)), name="last")
features, wanted = ps.random.normal((8, 3)), ps.random.normal((8, 4))
descent = ps.optimizers.SGD(0.05)
for _ in range(3):
    with ps.GradientTape() as tape:
        hidden = ps.tanh(features @ inner)
        answer = hidden @ last  # guilty
        loss = ps.mean((hidden - wanted) ** 2)  # wrong
        loss = ps.mean((answer - wanted) ** 2)  # right
    slopes = tape.gradient(loss, [inner, last])
    descent.apply_gradients([(slope, one) for slope, one in zip(slopes, [inner, last]) if slope is not None])
