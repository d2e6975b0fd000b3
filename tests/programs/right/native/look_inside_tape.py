"""The loss is printed inside the tape, in front of the gradient."""

import penstock as ps
ps.random.seed(1)
net = ps.layers.Sequential([ps.layers.Dense(4), ps.layers.BatchNormalization(), ps.layers.Dense(1)], name="net")
x, y = ps.random.normal((16, 3)), ps.random.normal((16, 1))
net(x)
adam = ps.optimizers.Adam(0.02)
for _ in range(4):
    with ps.GradientTape() as tape:
        loss = ps.mean((net(x, training=True) - y) ** 2)
        print(float(loss))
    variables = net.trainable_variables
    adam.apply_gradients(zip(tape.gradient(loss, variables), variables))
