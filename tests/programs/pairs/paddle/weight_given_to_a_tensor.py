# PS104: w
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
w = paddle.create_parameter([3, 1], "float32", name="w")
features, wanted = paddle.randn([8, 3]), paddle.randn([8, 1])
for _ in range(2):
    loss = F.mse_loss(features @ w, wanted)
    loss.backward()
    if w.grad is not None:
        w = w - 0.1 * w.grad  # wrong, guilty
        w.set_value(w - 0.1 * w.grad)  # right
        w.clear_gradient()
