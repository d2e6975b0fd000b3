"""Functions that are asked for less often: values, and gradients of the sum of their squares."""

import paddle


def rounded(tensor):
    return [float(f"{one:.4g}") for one in tensor.flatten().tolist()]


x = [[0.3, 0.6], [0.8, 0.9]]
for name in (
    "asinh", "atanh", "log2", "log10", "erfinv", "digamma", "lgamma", "i0", "i0e", "i1", "i1e", "deg2rad",
    "rad2deg", "frac", "logit", "stanh",
):  # fmt: skip
    at = paddle.to_tensor(x, stop_gradient=False)
    found = getattr(paddle, name)(at)
    (found**2).sum().backward()
    print(name, rounded(found), rounded(at.grad))
a = paddle.to_tensor([1.0, -2.0, 0.0], stop_gradient=False)
b = paddle.to_tensor([3.0, 4.0, 5.0])
for name in ("logaddexp", "hypot", "copysign", "heaviside"):
    print(name, rounded(getattr(paddle, name)(a, b)))
found = paddle.lerp(a, b, 0.25)
found.sum().backward()
print(rounded(found), rounded(a.grad))
print(rounded(paddle.polygamma(b, 1)), paddle.signbit(a.detach()), rounded(paddle.acosh(b)))
print(paddle.nan_to_num(paddle.to_tensor([float("nan"), float("inf"), 1.0]), posinf=9.0))
whole = paddle.complex(a.detach(), b)
print(paddle.real(whole), paddle.imag(whole), rounded(paddle.angle(whole)), paddle.is_complex(whole))
