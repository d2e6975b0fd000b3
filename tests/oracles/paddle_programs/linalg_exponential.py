import numpy as np
import paddle


def show(x):
    print(list(x.shape), np.round(x.numpy() + 0.0, 6).tolist())


a = paddle.to_tensor(np.cos(np.arange(18.0)).reshape(2, 3, 3), stop_gradient=False)
show(paddle.linalg.matrix_exp(a))
turn = a - paddle.transpose(a, [0, 2, 1])
show(paddle.linalg.matrix_exp(turn * 20.0))
(paddle.linalg.matrix_exp(a) ** 2).sum().backward()
show(a.grad)
