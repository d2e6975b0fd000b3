# PS104: linear_*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
body = nn.Linear(3, 2)
features, wanted = paddle.randn([8, 3]), paddle.randn([8, 2])
for _ in range(3):
    loss = F.mse_loss(body(features), wanted)
    loss.backward()
    with paddle.no_grad():
        for weight in body.parameters():
            weight = weight - 0.1 * weight.grad  # wrong, guilty
            weight.set_value(weight - 0.1 * weight.grad)  # right
    body.clear_gradients()
