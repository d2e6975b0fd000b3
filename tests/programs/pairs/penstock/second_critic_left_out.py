# PS401: second/*
import penstock as ps

ps.random.seed(1)
actor, first, second = (ps.layers.Dense(1, name=name) for name in ("actor", "first", "second"))
states, goals = ps.random.normal((8, 3)), ps.random.normal((8, 1))
actor(states), first(ps.ones((1, 4))), second(ps.ones((1, 4)))
optimizer, tuner = ps.optimizers.Adam(0.01), ps.optimizers.Adam(0.01)
critics = first.trainable_variables + second.trainable_variables  # right
for _ in range(4):
    pairs = ps.concat([states, goals], axis=1)
    with ps.GradientTape() as tape:
        loss = ps.mean((first(pairs) - goals) ** 2) + ps.mean((second(pairs) - goals) ** 2)
    critics = first.trainable_variables  # wrong
    optimizer.apply_gradients(zip(tape.gradient(loss, critics), critics, strict=True))  # guilty
    with ps.GradientTape() as tape:
        chosen = ps.concat([states, actor(states)], axis=1)
        loss = -ps.mean(ps.minimum(first(chosen), second(chosen)))
    own = actor.trainable_variables
    tuner.apply_gradients(zip(tape.gradient(loss, own), own, strict=True))
