"""A hook of a leaf looks at a gradient that passed another hook; other leaves get theirs all the same."""

import paddle


def run(words):
    x = paddle.to_tensor([0.0, 1.0, 2.0], stop_gradient=False)
    y = paddle.to_tensor([4.0, 5.0, 6.0], stop_gradient=False)
    seen = []
    if "look" in words:
        x.register_hook(lambda g: seen.append(g.tolist()))
    if "double" in words:
        x.register_hook(lambda g: g * 2)
    w = x + y * 1.5
    if "result" in words:
        w.register_hook(lambda g: g * 3)
    if "look at result" in words:
        w.register_hook(lambda g: seen.append(float(g.sum())))
    (w * paddle.to_tensor([1.0, 2.0, 3.0])).sum().backward()
    print(words, seen, x.grad.tolist(), y.grad.tolist())


for words in (
    ["look"], ["double"], ["result"], ["look", "result"], ["double", "result"], ["look", "double", "result"],
    ["look", "result", "look at result"], ["look", "double", "look at result"],
):  # fmt: skip
    run(words)
