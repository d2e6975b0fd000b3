# PS415: slow/*
import penstock as ps

ps.random.seed(1)


def network(name):
    dense, norm = ps.layers.Dense(4), ps.layers.BatchNormalization()
    return ps.layers.Sequential([dense, norm, ps.layers.Dense(1)], name=name)


fast, slow = network("fast"), network("slow")
features, wanted = ps.random.normal((16, 3)), ps.random.normal((16, 1))
fast(features), slow(features)
for mine, other in zip(slow.variables, fast.variables):
    mine.assign(other)
sgd = ps.optimizers.SGD(0.05)
for _ in range(5):
    with ps.GradientTape() as tape:
        loss = ps.mean((fast(features, training=True) - wanted) ** 2)
    variables = fast.trainable_variables
    sgd.apply_gradients(zip(tape.gradient(loss, variables), variables))
    for mine, other in zip(slow.trainable_variables, fast.trainable_variables):  # wrong, guilty
    for mine, other in zip(slow.variables, fast.variables):  # right
        mine.assign(0.9 * mine + 0.1 * other)
print(float(ps.mean((slow(features) - wanted) ** 2)))
