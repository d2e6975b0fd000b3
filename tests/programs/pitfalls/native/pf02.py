# PS108 w
import penstock as ps

import numpy as np

w, b = ps.Variable(2.0, name="w"), ps.Variable(1.0, name="b")
optimizer = ps.optimizers.SGD(0.1)
for _ in range(3):
    with ps.GradientTape() as tape:
        square = w * w
        again = ps.asarray(np.square(float(square)))  # wrong
        again = ps.square(square)  # right
        loss = again * b
    gradients = tape.gradient(loss, [w, b])
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, [w, b]) if g is not None])
