"""Other losses."""

import paddle
import paddle.nn.functional as F

a = paddle.to_tensor([0.2, 0.9, 0.5])
b = paddle.to_tensor([0.0, 1.0, 1.0])
for loss in (
    F.mse_loss(a, b),
    F.l1_loss(a, b),
    F.smooth_l1_loss(a * 4, b),
    F.binary_cross_entropy(a, b),
    F.binary_cross_entropy_with_logits(a, b),
    F.kl_div(paddle.log(a), paddle.to_tensor([0.3, 0.3, 0.4])),
    F.mse_loss(a, b, reduction="sum"),
    paddle.nn.BCELoss()(a, b),
    paddle.nn.MSELoss()(a, b),
    paddle.nn.L1Loss()(a, b),
):
    print(round(loss.item(), 6))
print(F.mse_loss(a, b, reduction="none"))
