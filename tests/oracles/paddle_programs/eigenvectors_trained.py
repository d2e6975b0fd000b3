"""Gradients through eigenvalues and eigenvectors of matrices that are not symmetric."""

import warnings

import numpy as np
import paddle

warnings.simplefilter("ignore")
rng = np.random.default_rng(3)


def shown(x):
    return (x.numpy() + 0.0).round(4).tolist()


for shape in ((2, 2), (3, 3), (5, 5)):
    a = paddle.to_tensor(rng.normal(size=shape), stop_gradient=False)
    w, v = paddle.linalg.eig(a)
    print(w.dtype, v.dtype, w.stop_gradient, np.sort_complex(w.numpy().ravel()).round(4).tolist())
    rest = a.astype("complex128").detach() @ v.detach() - v.detach() * w.detach().unsqueeze(-2)
    print(bool(rest.abs().max() < 1e-9))
    (w.real().sum() * 2 + w.abs().square().sum()).backward()
    print(shown(a.grad))
    a.clear_gradient()
    w, v = paddle.linalg.eig(a)
    weights = paddle.to_tensor(np.cos(np.arange(v.size)).reshape(v.shape))
    ((v.abs().square() * weights).sum() + (w.abs().unsqueeze(-2) * v.abs().square()).sum()).backward()
    print(shown(a.grad))
values = paddle.linalg.eigvals(a)
print(values.stop_gradient)
