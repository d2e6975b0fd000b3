# PS406|nothing linear_1.w_0 linear_1.b_0
import paddle
from paddle import nn

paddle.seed(0)

main, extra, x = nn.Linear(3, 1), nn.Linear(3, 1), paddle.randn([8, 3])
optimizer = paddle.optimizer.SGD(0.1, parameters=main.parameters() + extra.parameters())
for _ in range(3):
    loss = ((main(x) - 1.0) ** 2).mean() + 0.0 * (extra(x) ** 2).mean()  # wrong
    loss = ((main(x) - 1.0) ** 2).mean() + 0.1 * (extra(x) ** 2).mean()  # right
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
