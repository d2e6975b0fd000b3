# PS414: w
import penstock as ps

ps.random.seed(1)
w = ps.Variable(ps.random.normal((3, 1)), name="w")
shadow = ps.Variable(w, name="shadow", trainable=False)
features, wanted = ps.random.normal((8, 3)), ps.random.normal((8, 1))
sgd = ps.optimizers.SGD(0.1)
for epoch in range(3):
    for _ in range(4):
        with ps.GradientTape() as tape:
            loss = ps.mean((features @ w - wanted) ** 2)
        sgd.apply_gradients([(tape.gradient(loss, w), w)])
        shadow.assign(0.9 * shadow + 0.1 * w)  # right
    learned = w.numpy()  # right
    w.assign(shadow)  # guilty
    print(float(ps.mean((features @ w - wanted) ** 2)))
    w.assign(learned)  # right
