import numpy as np
import paddle


def show(x):
    print(list(x.shape), np.round(x.numpy() + 0.0, 6).tolist())


a = paddle.to_tensor(np.cos(np.arange(18.0)).reshape(2, 3, 3) + 2 * np.eye(3), stop_gradient=False)
b = paddle.to_tensor(np.sin(np.arange(12.0)).reshape(2, 3, 2), stop_gradient=False)
for upper in (True, False):
    for transpose in (False, True):
        for unit in (False, True):
            show(paddle.linalg.triangular_solve(a, b, upper=upper, transpose=transpose, unitriangular=unit))
loss = (paddle.linalg.triangular_solve(a, b) ** 2).sum()
loss.backward()
show(a.grad)
show(b.grad)
show(paddle.einsum("bij,bjk->bki", a, b))
show(paddle.einsum("...ij,...jk", a, b))
show(paddle.einsum("bii->b", a))
