"""Transforms of distributions: forward, back, and how much they stretch."""

import numpy as np
import paddle

D, t = paddle.distribution, paddle.to_tensor


def shown(found):
    return (np.round(np.asarray(found, np.float64), 3) + 0.0).tolist()


x = t([0.3, 0.6])
for one in (
    D.AffineTransform(t([1.0, 0.0]), t([2.0, -0.5])),
    D.ExpTransform(),
    D.PowerTransform(t(2.0)),
    D.SigmoidTransform(),
    D.TanhTransform(),
    D.StickBreakingTransform(),
    D.ReshapeTransform((2,), (1, 2)),
    D.ChainTransform([D.ExpTransform(), D.PowerTransform(t(3.0))]),
    D.IndependentTransform(D.ExpTransform(), 1),
    D.StackTransform([D.ExpTransform(), D.TanhTransform()], 0),
):
    y = one.forward(x)
    print(type(one).__name__, shown(y), shown(one.inverse(y)))
    print(" ", shown(one.forward_log_det_jacobian(x)), shown(one.inverse_log_det_jacobian(y)))
print(shown(D.SoftmaxTransform().forward(x)), shown(D.AbsTransform().inverse(x)))
print(
    D.StickBreakingTransform().forward_shape((4, 2)),
    D.ReshapeTransform((2,), (1, 2)).inverse_shape((4, 1, 2)),
)
