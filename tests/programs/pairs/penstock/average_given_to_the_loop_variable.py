# PS104: slow/*
import penstock as ps

ps.random.seed(1)
fast, slow = ps.layers.Dense(2, name="fast"), ps.layers.Dense(2, name="slow")
features, wanted = ps.random.normal((8, 3)), ps.random.normal((8, 2))
fast(features), slow(features)
slow.set_weights(fast.get_weights())
optimizer = ps.optimizers.SGD(0.1)
for _ in range(6):
    with ps.GradientTape() as tape:
        loss = ps.mean((fast(features) - wanted) ** 2)
    slopes = tape.gradient(loss, fast.trainable_variables)
    optimizer.apply_gradients(zip(slopes, fast.trainable_variables, strict=True))
    for mine, theirs in zip(slow.variables, fast.variables, strict=True):
        mine = 0.9 * mine + 0.1 * theirs  # wrong, guilty
        mine.assign(0.9 * mine + 0.1 * theirs)  # right
