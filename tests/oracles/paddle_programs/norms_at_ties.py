"""Norms and distances where elements are equal, or none is counted: who has the gradient."""

import paddle

inf = float("inf")
functional = paddle.nn.functional
zeros = paddle.zeros([2, 2])


def shown(name, function, values=((1.0, 1.0), (-1.0, 1.0))):
    x = paddle.to_tensor(values, stop_gradient=False)
    y = function(x)
    y.sum().backward()
    print(name, y.tolist(), x.grad.tolist(), y.stop_gradient)


for p in (0, 1, inf, -inf):
    shown(f"dist {p}", lambda x: paddle.dist(x, zeros, p=p))
    shown(f"pdist {p}", lambda x: paddle.pdist(x, p=float(p)), ((0.0, 0.0), (1.0, -1.0)))
    shown(f"pairwise {p}", lambda x: functional.pairwise_distance(x, zeros, p=float(p), epsilon=0.0))
    shown(f"vector_norm {p}", lambda x: paddle.linalg.vector_norm(x, p=float(p), axis=1))
    if p:
        shown(f"both axes {p}", lambda x: paddle.linalg.vector_norm(x, p=float(p), axis=[0, 1], keepdim=True))
    shown(f"norm {p}", lambda x: paddle.norm(x, p=p, axis=1, keepdim=True))
    shown(f"all {p}", lambda x: paddle.norm(x, p=p))
    if p >= 0:
        shown(f"cdist {p}", lambda x: paddle.cdist(x, zeros, p=float(p)))
shown("normalize", lambda x: functional.normalize(x, p=inf, axis=1) * paddle.to_tensor([1.0, 2.0]))
shown("power 0", lambda x: paddle.linalg.matrix_power(x, 0))
print(paddle.linalg.vector_norm(paddle.to_tensor([[inf, 1.0], [float("nan"), 0.0]]), p=0, axis=1).tolist())
try:
    paddle.cdist(zeros, zeros, p=-1.0)
except (AssertionError, ValueError):
    print("refused")
