# PS104: body/*
import penstock as ps

ps.random.seed(1)
body = ps.layers.Dense(2, name="body")
features, wanted = ps.random.normal((8, 3)), ps.random.normal((8, 2))
body(features)
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = ps.mean((body(features) - wanted) ** 2)
    slopes = tape.gradient(loss, body.trainable_variables)
    for weight, slope in zip(body.trainable_variables, slopes, strict=True):
        weight = weight - 0.1 * slope  # wrong, guilty
        weight.assign_sub(0.1 * slope)  # right
