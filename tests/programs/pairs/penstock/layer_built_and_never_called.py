# PS101: refine/*
import penstock as ps

ps.random.seed(1)
first = ps.layers.Dense(4, name="first")
refine = ps.layers.Dense(4, name="refine")
features, wanted = ps.random.normal((8, 3)), ps.random.normal((8, 4))
refine(first(features))
adam = ps.optimizers.Adam(0.01)
variables = first.trainable_variables + refine.trainable_variables
for _ in range(3):
    with ps.GradientTape() as tape:
        found = first(features)  # wrong
        found = refine(first(features))  # right
        loss = ps.mean((found - wanted) ** 2)
    slopes = tape.gradient(loss, variables)  # guilty
    adam.apply_gradients([(slope, one) for slope, one in zip(slopes, variables) if slope is not None])
