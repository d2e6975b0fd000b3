"""What a tensor says of itself."""

import paddle

x = paddle.to_tensor([[1.0, 2.0, 3.0]], stop_gradient=False)
print(x.shape, x.ndim, x.size, x.dtype, x.place, x.name, x.persistable)
print(len(x), x.dim(), x.rank().item(), x.numel().item(), list(x.shape), x.shape == [1, 3])
print(x.T.shape, x.t().shape, x.tolist(), x.sum().item())
print(type(x).__name__, isinstance(x, paddle.Tensor), isinstance(x * 2, paddle.Tensor))
print(f"{x.sum():.3f}", float(x[0, 1]), int(x[0, 2]), bool(x[0, 0] > 0))
