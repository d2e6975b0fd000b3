# PS401: head
import penstock as ps

ps.random.seed(1)
body = ps.Variable(ps.random.normal((3, 4)), name="body")
head = ps.Variable(ps.random.normal((4, 1)), name="head")
features, wanted = ps.random.normal((8, 3)), ps.random.normal((8, 1))
adam = ps.optimizers.Adam(0.01)
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = ps.mean((ps.tanh(features @ body) @ head - wanted) ** 2)
    slopes = tape.gradient(loss, [body, head])
    adam.apply_gradients(list(zip(slopes, [body])))  # wrong, guilty
    adam.apply_gradients(list(zip(slopes, [body, head])))  # right
