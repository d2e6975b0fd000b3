"""A layer whose parameters stop gradients."""

import paddle

constant = paddle.nn.initializer.Constant
body = paddle.nn.Linear(2, 2, weight_attr=constant(0.5), bias_attr=constant(0.1))
head = paddle.nn.Linear(2, 1, weight_attr=constant(1.0), bias_attr=constant(0.0))
for parameter in body.parameters():
    parameter.stop_gradient = True
optimizer = paddle.optimizer.SGD(0.1, parameters=[*body.parameters(), *head.parameters()])
x = paddle.to_tensor([[1.0, 2.0]])
for _ in range(3):
    loss = (head(body(x)) - 1).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    print(round(loss.item(), 5))
print(body.weight.grad, body.weight.numpy().tolist(), head.weight.numpy().round(4).tolist())
