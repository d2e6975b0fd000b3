"""Draws after `paddle.seed`: of each function, and how many words of the generator it takes."""

import paddle
import paddle.nn.functional as F
from paddle import to_tensor


def shown(name, *draws, digits=5):
    rows = [one.astype("float64").reshape([-1]) for one in draws]
    texts = [" ".join(f"{n:.{digits}f}" for n in row[:4].tolist()) for row in rows]
    sums = [f"{row.sum().item():.{digits - 2}f}" for row in rows]
    # What comes next tells how many words were taken.
    print(name, *draws[0].shape, "|", *texts, "|", *sums, "|", f"{paddle.rand([1]).item():.6f}")


for seed in (0, 7, 2**40 + 5):
    paddle.seed(seed)
    shown("seed", paddle.rand([5]), paddle.randn([3, 3]))
for kind in ("float32", "float64", "bfloat16", "float16"):
    shown(kind, paddle.rand([1001], kind), paddle.randn([7, 11], kind))
shown("complex64", paddle.randn([7], "complex64").abs())
shown("uniform", paddle.uniform([700], min=-0.3, max=2.7), paddle.uniform([3], "float64", -0.3, 2.7))
shown("normal", paddle.normal(1.5, 0.3, [701]), paddle.normal(to_tensor([1.0, 2.0, 3.0]), 2.0))
shown("own seed", paddle.uniform([5], seed=3), paddle.uniform([5], seed=3))
shown("randint", paddle.randint(0, 10, [50]), paddle.randint(-5, 7, [50], "int32"), paddle.randint(9))
shown("like", paddle.randint_like(paddle.ones([5]), 9), paddle.rand_like(paddle.ones([2, 3])))
for n in (1, 2, 3, 10, 11, 100, 101):
    shown("randperm", paddle.randperm(n), paddle.randperm(n, "int32"))
shown("bernoulli", paddle.bernoulli(paddle.full([200], 0.3)), paddle.bernoulli(paddle.zeros([9]), 0.6))
weights = to_tensor([[0.2, 0.3, 0.4, 0.1], [4.0, 3.0, 2.0, 1.0]])
shown("multinomial", paddle.multinomial(weights, 20, True), paddle.multinomial(weights, 3))
means = to_tensor([0.5, 1.0, 3.0, 8.0, 11.9, 12.0, 20.0, 100.0, 1000.0] * 20)
shown("poisson", paddle.poisson(means))
counts, shares = to_tensor([10, 20, 100, 1000, 50] * 20), to_tensor([0.1, 0.7, 0.5, 0.3, 0.99] * 20)
shown("binomial", paddle.binomial(counts, shares))
shown("gamma", paddle.standard_gamma(to_tensor([0.5, 1.0, 3.0, 8.0] * 20)))
shown("log_normal", paddle.log_normal(0.5, 0.3, [50]))
x = paddle.zeros([50])
for word, given in (
    ("uniform_", ()), ("normal_", ()), ("exponential_", (2.0,)), ("bernoulli_", (0.3,)), ("cauchy_", ()),
    ("geometric_", (0.3,)), ("log_normal_", ()), ("random_", (0, 10)), ("random_", ()),
):  # fmt: skip
    shown(word, getattr(x, word)(*given))
shown("random_", paddle.zeros([50], "int64").random_(), paddle.zeros([50], "int32").random_(5, 100))

ones = paddle.ones([30, 30])
shown("dropout", F.dropout(ones, 0.3), F.dropout(ones, 0.3, mode="downscale_in_infer"), F.dropout(ones, 1.0))
shown("by axis", F.dropout(ones, 0.3, axis=1), F.dropout2d(paddle.ones([4, 5, 3, 3]), 0.3))
print(F.dropout(paddle.full([2, 3], -1.0), 0.5, axis=1).tolist())
shown("alpha", F.alpha_dropout(ones, 0.3), F.feature_alpha_dropout(paddle.ones([10, 10, 2]), 0.3))
logits = paddle.arange(60).reshape([6, 10]).astype("float32") / 10
shown("gumbel", F.gumbel_softmax(logits, 0.7), F.gumbel_softmax(logits, 0.7, hard=True, axis=0))
shown("rrelu", F.rrelu(paddle.arange(-50, 50).astype("float32")))
query = paddle.ones([1, 4, 2, 8])
value = paddle.arange(64).reshape([1, 4, 2, 8]).astype("float32")
shown("attention", F.scaled_dot_product_attention(query, query, value, dropout_p=0.5))
shown("pool", F.fractional_max_pool2d(paddle.arange(49).reshape([1, 1, 7, 7]).astype("float32"), 3))
