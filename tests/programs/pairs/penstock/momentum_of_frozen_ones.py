# PS404: body
import penstock as ps

ps.random.seed(2)
body = ps.Variable(ps.random.normal((3, 4)), name="body")
head = ps.Variable(ps.random.normal((4, 1)), name="head")
body.trainable = False
features, wanted = ps.random.normal((8, 3)), ps.random.normal((8, 1))
both = [body, head]
speeds = [ps.Variable(ps.zeros(one.shape), name=f"speed/{one.name}", trainable=False) for one in both]
for _ in range(4):
    with ps.GradientTape() as tape:
        tape.watch(body)
        loss = ps.mean((ps.tanh(features @ body) @ head - wanted) ** 2)
    for one, speed, slope in zip(both, speeds, tape.gradient(loss, both)):
        if not one.trainable:  # right
            continue  # right
        speed.assign(0.9 * speed + slope)
        one.assign_sub(0.05 * speed)  # guilty
