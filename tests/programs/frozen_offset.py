import numpy as np

import penstock as ps

offset = ps.Variable(np.zeros(1, np.float32), name="layer/offset", trainable=False)
kernel = ps.Variable(np.full((10, 1), 0.5, np.float32), name="layer/kernel")
features = ps.asarray(np.arange(20, dtype=np.float32).reshape(2, 10) % 4 / 4)
wanted = ps.asarray([[1.0], [2.0]])
descent = ps.optimizers.SGD(0.0625)

for turn in range(4):
    with ps.GradientTape() as tape:
        cost = ps.mean((features @ kernel + offset - wanted) ** 2)
    variables = [variable for variable in (kernel, offset) if variable.trainable]
    descent.apply_gradients(zip(tape.gradient(cost, variables), variables))
