# PS410 target/w
import penstock as ps

online, target = ps.Variable([1.0, 2.0], name="online/w"), ps.Variable([1.0, 2.0], name="target/w", trainable=False)
optimizer = ps.optimizers.SGD(0.1)
for _ in range(4):
    goal = 1.0 + 0.9 * ps.sum(target)
    with ps.GradientTape() as tape:
        loss = (ps.sum(online * ps.asarray([0.5, 1.0])) - goal) ** 2
    optimizer.apply_gradients([(tape.gradient(loss, online), online)])
    target.assign(target)  # wrong
    target.assign(0.9 * target + 0.1 * online)  # right
