import numpy as np
import paddle
from paddle import distribution as D

several = D.Multinomial(10, paddle.to_tensor([[0.2, 0.3], [0.5, 0.6]]))
for value in ([0.9], [3.0, 7.0], [[2.0, 8.0], [4.0, 6.0]]):
    print([f"{one:.3f}" for one in several.log_prob(paddle.to_tensor(value)).numpy()])
joined = D.Independent(several, 1)
print(f"{float(joined.prob(paddle.to_tensor([0.9]))):.4f}", f"{float(joined.entropy()):.4f}")


@D.register_kl(D.Beta, D.Beta)
def rule(p, q):
    """Takes the place of the rule that Paddle has, which no divergence has brought in yet."""
    return p.mean + q.mean


print(D.kl_divergence(D.Beta(0.5, 0.5), D.Beta(0.5, 0.5)).numpy())
assert np.all(D.kl_divergence(D.Normal(0.0, 1.0), D.Normal(0.0, 1.0)).numpy() == 0.0)
