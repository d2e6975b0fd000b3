# PS406|nothing extra
import penstock as ps

main, extra = ps.Variable(1.0, name="main"), ps.Variable(1.0, name="extra")
optimizer = ps.optimizers.SGD(0.1)
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = (main - 2.0) ** 2 + 0.0 * (extra - 3.0) ** 2  # wrong
        loss = (main - 2.0) ** 2 + 0.1 * (extra - 3.0) ** 2  # right
    optimizer.apply_gradients(zip(tape.gradient(loss, [main, extra]), [main, extra]))
