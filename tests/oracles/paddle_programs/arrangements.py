"""Shapes changed."""

import paddle

x = paddle.arange(6, dtype="float32").reshape([2, 3])
for made in (
    x.reshape([3, -1]), x.transpose([1, 0]), x.flatten(), x.unsqueeze(0), x.unsqueeze([0, 3]), x[None].squeeze(),
    paddle.concat([x, x], axis=1), paddle.stack([x, x]), paddle.split(x, 3, axis=1)[1], paddle.chunk(x, 2)[0],
    paddle.tile(x, [2, 1]), paddle.expand(x[0], [2, 3]), paddle.flip(x, axis=[1]), paddle.roll(x, 1, axis=1),
    paddle.gather(x, paddle.to_tensor([1, 0])), paddle.tril(x), paddle.unbind(x)[1], paddle.one_hot(paddle.to_tensor([1]), 3)
    if hasattr(paddle, "one_hot") else x, paddle.nn.functional.one_hot(paddle.to_tensor([1, 0]), 3),
):
    print(made.shape, made.numpy().tolist())
