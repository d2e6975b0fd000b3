"""Statistics of a new domain are gathered in training mode before the model is used there."""

import penstock as ps

ps.random.seed(16)
net = ps.layers.Sequential(
    [ps.layers.Dense(4), ps.layers.BatchNormalization(), ps.layers.Dense(1)], name="net"
)
x, y = ps.random.normal((16, 3)), ps.random.normal((16, 1))
net(x)
adam = ps.optimizers.Adam(0.02)
for _ in range(4):
    with ps.GradientTape() as tape:
        loss = ps.mean((net(x, training=True) - y) ** 2)
    variables = net.trainable_variables
    adam.apply_gradients(zip(tape.gradient(loss, variables), variables))
other = x * 2.0 + 1.0
for _ in range(5):
    net(other, training=True)
print(float(ps.mean(net(other))))
