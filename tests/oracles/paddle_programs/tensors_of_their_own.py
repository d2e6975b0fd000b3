"""What is a tensor of its own, what wants a gradient inside of no_grad, and whole numbers in statistics."""

import paddle

x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
LINES = "x.view([2, 2])|x.view_as(x)|x.view([4])|paddle.add_n([x])|x.argsort()|x.topk(1)[1]|x.mode()[1]|x.kthvalue(1)[1]"
for line in LINES.split("|"):
    found = eval(line)
    with paddle.no_grad():
        quiet = eval(line)
    print(line, found is x, found.stop_gradient, quiet is x, quiet.stop_gradient)
(x.view([2, 2]) * paddle.add_n([x])).sum().backward()
print(x.grad.tolist())

whole = paddle.to_tensor([[1, 2], [4, 9]])
for dtype in ("int32", "int64"):
    given = whole.astype(dtype)
    for found in (
        given.masked_fill(given > 1, 1.7), given.masked_fill(given > 1, -1.7), given.var(), given.var(0),
        given.var(unbiased=False), given.var(1, keepdim=True), given.std(), given.std(0), given.std(unbiased=False),
    ):  # fmt: skip
        print(found.dtype, found.shape, [f"{one:.5g}" for one in found.flatten().tolist()])
s = paddle.to_tensor(3.0)
print(s.var(0, unbiased=False).item(), s.var(-1, unbiased=False).item(), s.std(0, False).item())
for function in (paddle.nn.functional.softmax, paddle.nn.functional.log_softmax):
    one = paddle.to_tensor(3.0, stop_gradient=False)
    found = function(one)
    print(found.shape, found.item(), paddle.grad(found, one)[0].item(), function(one, axis=0).item())
