"""Among equal elements, sorting and selection keep the order that std::sort and its kin leave."""

import paddle

for length in (12, 40, 300):
    x = paddle.to_tensor([float(i * i % 7) for i in range(length)], stop_gradient=False)
    weights = paddle.arange(length, dtype="float32")
    print(paddle.argsort(x).tolist(), paddle.argsort(x, descending=True).tolist())
    print(
        paddle.argsort(x, stable=True).tolist()[:12],
        paddle.argsort(x, descending=True, stable=True).tolist()[:12],
    )
    for descending in (False, True):
        x.clear_grad()
        (paddle.sort(x, descending=descending) * weights).sum().backward()
        print(x.grad.tolist())
    for k in (1, 3, 10):
        for largest in (True, False):
            values, places = paddle.topk(x, k, largest=largest)
            loose = paddle.topk(x, k, largest=largest, sorted=False)
            print(k, values.tolist(), places.tolist(), loose[0].tolist(), loose[1].tolist())
        print(paddle.kthvalue(x, k)[1].item(), end=" ")
    print(paddle.mode(x)[1].item(), paddle.median(x, 0, mode="min")[1].item())
    print(paddle.nanmedian(x, 0, mode="min")[1].item())

known = paddle.to_tensor([float(i % 4) for i in range(60)])
holes = paddle.where(known == 2.0, paddle.full_like(known, float("nan")), known)
print(paddle.argsort(holes).tolist(), paddle.argsort(holes, descending=True).tolist())
print(paddle.topk(holes, 5)[1].tolist(), paddle.topk(holes, 5, largest=False)[1].tolist())
table = paddle.to_tensor([[(i * 5 + j * 3) % 4 for j in range(3)] for i in range(20)])
print(paddle.argsort(table, 0).tolist())
print(paddle.topk(table, 4, axis=0)[1].tolist())
print(paddle.argsort(paddle.to_tensor([[i * j % 3 for j in range(20)] for i in range(2)], "int32")).tolist())

labels = paddle.to_tensor([[i % 20] for i in range(8)])
scores = paddle.to_tensor([[float((i * j) % 4) for j in range(20)] for i in range(8)])
print(paddle.metric.accuracy(scores, labels, 3).item())
score = paddle.metric.Accuracy(topk=(1, 5))
score.update(score.compute(scores, labels))
print(score.accumulate())
