# PS401 scale/kernel scale/bias
import penstock as ps

SCALE = ps.layers.Dense(4, name="scale")


class Net(ps.layers.Model):
    def __init__(self):
        super().__init__(name="net")
        self.scale = SCALE  # right
        self.head = ps.layers.Dense(1, name="head")

    def call(self, x):
        return self.head(SCALE(x))


net, x = Net(), ps.random.normal((8, 3))
net(x)
optimizer = ps.optimizers.SGD(0.01)
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = ps.mean((net(x) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
