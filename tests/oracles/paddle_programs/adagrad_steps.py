"""Adagrad: plain, with a sum that starts above zero, with decay, with a penalty on absolute values."""

import paddle

for options in (
    {},
    {"initial_accumulator_value": 2.0},
    {"weight_decay": 0.1},
    {"weight_decay": paddle.regularizer.L1Decay(0.5)},
):
    x = paddle.to_tensor([4.0, -3.0], stop_gradient=False)
    optimizer = paddle.optimizer.Adagrad(0.5, parameters=[x], **options)
    for _ in range(5):
        (x * x).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    print(x.numpy().round(5).tolist())
