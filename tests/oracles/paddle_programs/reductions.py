"""Sums, means, extremes."""

import paddle

x = paddle.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
for made in (
    x.sum(), x.sum(axis=0), x.sum(axis=1, keepdim=True), x.mean(), paddle.mean(x, axis=-1), x.max(), x.min(axis=0),
    x.prod(axis=1), x.std(), x.var(axis=0, unbiased=False), paddle.norm(x), x.norm(p=1, axis=1), x.argmax(),
    x.argmax(axis=1), paddle.logsumexp(x), paddle.cumsum(x, axis=1), x.all() if False else (x > 0).all(),
    (x > 5).any(axis=1), paddle.median(x) if False else x.mean(),
):
    print(made.dtype, made.shape, made.astype("float32").numpy().round(5).tolist())
