"""NAdam, with and without decay."""

import paddle

for decay in (None, 0.1):
    x = paddle.to_tensor([4.0, 0.01], stop_gradient=False)
    optimizer = paddle.optimizer.NAdam(0.1, parameters=[x], weight_decay=decay, momentum_decay=0.01)
    for _ in range(8):
        (x * x * x).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    print(x.numpy().round(4).tolist())
