"""A result computed inside no_grad and told to want its gradient: nothing goes on from there."""

import paddle

a, b = (paddle.to_tensor([value], stop_gradient=False) for value in (2.0, 1.0))
for asked in (False, True):
    c = a**2
    with paddle.no_grad():
        d = c * 3
        d = d + a
    d.stop_gradient = False
    if asked:
        print(paddle.grad((a * a).sum(), [b], allow_unused=True))
    e = d * 3
    (c * 2 + d * a + e).sum().backward()
    print(d.is_leaf, a.grad.tolist(), d.grad.tolist())
    a.clear_grad()
