# PS413: *
import penstock as ps

ps.random.seed(1)
net = ps.layers.Sequential([ps.layers.Dense(4), ps.layers.BatchNormalization(), ps.layers.Dense(1)], name="net")
features, wanted = ps.random.normal((16, 3)), ps.random.normal((16, 1))
others, answers = ps.random.normal((8, 3)) + 5.0, ps.random.normal((8, 1))
net(features)
sgd = ps.optimizers.SGD(0.05)
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = ps.mean((net(features, training=True) - wanted) ** 2)
    variables = net.trainable_variables
    sgd.apply_gradients(zip(tape.gradient(loss, variables), variables))
    guess = net(others, training=True)  # wrong, guilty
    guess = net(others, training=False)  # right
    print(float(ps.mean((guess - answers) ** 2)))
