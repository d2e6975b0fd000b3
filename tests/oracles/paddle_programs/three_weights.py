"""A product behind detach stays fixed while one weight learns it."""

import paddle

w1 = paddle.to_tensor([[0.1], [0.2]], stop_gradient=False)
w2 = paddle.to_tensor([[1.0], [2.0]], stop_gradient=False)
w3 = paddle.to_tensor([[3.0], [0.5]], stop_gradient=False)
x = paddle.to_tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
optimizer = paddle.optimizer.SGD(0.3, parameters=[w1, w2, w3])
for _ in range(60):
    loss = ((x @ w1 - (x @ (w2 * w3)).detach()) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
print(w1.numpy().round(3).tolist(), w2.numpy().tolist(), w3.numpy().tolist(), w2.grad)
