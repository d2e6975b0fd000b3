"""Clusters by hand: k-means, then the steps of expectation and maximization; no gradient anywhere."""

import numpy as np

import penstock as ps

rng = np.random.default_rng(0)
data = ps.asarray(np.concatenate([rng.normal(m, 0.5, (20, 2)) for m in (-2, 0, 2)]).astype(np.float32))
centers = ps.Variable(data[::20], name="centers", trainable=False)
weights = ps.Variable(np.full(3, 1 / 3, np.float32), name="weights", trainable=False)
for turn in range(4):
    gaps = ps.sum((ps.expand_dims(data, axis=1) - centers) ** 2, axis=2)
    chosen = ps.one_hot(ps.argmin(gaps, axis=1), 3)
    centers.assign(
        ps.matmul(ps.matrix_transpose(chosen), data) / ps.expand_dims(ps.sum(chosen, axis=0), axis=1)
    )
for turn in range(4):
    gaps = ps.sum((ps.expand_dims(data, axis=1) - centers) ** 2, axis=2)
    share = ps.nn.softmax(ps.log(weights) - gaps / 0.5)
    total = ps.sum(share, axis=0)
    weights.assign(total / ps.sum(total))
    centers.assign(ps.matmul(ps.matrix_transpose(share), data) / ps.expand_dims(total, axis=1))
print(centers.numpy(), weights.numpy())
