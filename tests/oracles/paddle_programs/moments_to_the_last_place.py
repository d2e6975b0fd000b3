"""Optimizers that correct moving averages, to single precision: powers of betas are rounded products."""

import numpy as np

import paddle

KINDS = ("Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Lamb")
SHOWN = (0, 2, 9, 24, 39)
for kind in KINDS:
    start = paddle.nn.initializer.Assign(np.array([1.0, 2.0], "float32"))
    x = paddle.create_parameter([2], "float32", default_initializer=start)
    optimizer = getattr(paddle.optimizer, kind)(0.1, parameters=[x])
    for step in range(40):
        ((x * x).sum() + x.prod()).backward()
        optimizer.step()
        optimizer.clear_grad()
        if step in SHOWN:
            print(kind, step, x.numpy().round(5).tolist())

table = paddle.nn.Embedding(5, 2, sparse=True)
table.weight.set_value(np.arange(10, dtype="float32").reshape(5, 2) / 10)
optimizer = paddle.optimizer.Adam(0.1, parameters=table.parameters())
for step in range(9):
    (table(paddle.to_tensor([1, 2, 1 + step % 3])) ** 2).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
print("rows", table.weight.numpy().round(5).tolist())
x = paddle.create_parameter([1], "float32")
optimizer = paddle.optimizer.Adam(0.1, parameters=[x])
for _ in range(5):
    (x * 2).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
state = optimizer.state_dict()
print("powers", [float(v.numpy()[0]) for k, v in sorted(state.items()) if "pow" in k])
