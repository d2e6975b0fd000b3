# PS404: prompt
import penstock as ps

ps.random.seed(1)
prompt = ps.Variable(ps.ones((4,)), name="prompt", trainable=False)
w = ps.Variable(ps.random.normal((4, 1)), name="w")
features = ps.random.normal((8, 4))
descent = ps.optimizers.SGD(0.1, weight_decay=0.1)
variables = [w, prompt]  # wrong
variables = [w]  # right
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = ps.mean((features * prompt @ w) ** 2)
    slopes = tape.gradient(loss, variables, unconnected_gradients="zero")
    descent.apply_gradients(zip(slopes, variables))  # guilty
