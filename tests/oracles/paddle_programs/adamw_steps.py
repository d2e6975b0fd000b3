"""AdamW decays apart from the gradient."""

import paddle

x = paddle.to_tensor([4.0, -3.0], stop_gradient=False)
optimizer = paddle.optimizer.AdamW(0.1, parameters=[x], weight_decay=0.1)
for _ in range(5):
    (x * x).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
print(x.numpy().round(4).tolist())
