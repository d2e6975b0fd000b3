import warnings

warnings.simplefilter("ignore")
import numpy as np
import paddle

# Taken before the mode is static.
transforms = paddle.fft.fft, paddle.fft.rfft, paddle.fft.fftshift, paddle.fft.irfftn
from paddle import matmul, tanh
from paddle.linalg import cholesky, det, eigh, norm, qr, svd
from paddle.nn.functional import binary_cross_entropy_with_logits, softplus

eager = paddle.ones([2])
print(isinstance(eager, paddle.static.Variable), isinstance(eager, paddle.pir.Value))
print(isinstance(1.0, paddle.static.Variable), isinstance(np.ones(2), paddle.static.Variable))

paddle.enable_static()
x = paddle.static.data("x", [3, 3], "float32")
rows = paddle.static.data("rows", [-1, 3], "float32")
x.stop_gradient = False
weight = paddle.static.create_parameter([1], "float32")
print([isinstance(one, paddle.static.Variable) for one in (x, x + 1.0, weight, eager)])
print([isinstance(one, paddle.pir.Value) for one in (x, x + 1.0, weight, eager)])

spectra = [one(x) for one in transforms]
print([list(one.shape) for one in spectra])
print(list(transforms[0](rows).shape), list(norm(rows, axis=1).shape))
square = matmul(x, x, transpose_y=True) + paddle.eye(3)
values, vectors = eigh(square)
q, r = qr(x)
u, s, v = svd(x)
loss = softplus(tanh(x)).sum() + binary_cross_entropy_with_logits(x, paddle.ones([3, 3]) * 0.5)
asked = [
    det(square),
    cholesky(square),
    values,
    paddle.abs(vectors),
    paddle.abs(r),
    s,
    norm(rows, axis=1),
    loss,
]
print([list(one.shape) for one in asked])
slopes = paddle.static.gradients([loss, norm(x)], [x])
product, tangent = paddle.incubate.autograd.vjp(lambda one: tanh(one) * one, x)

# A layer that holds a tensor of the program.
weighted = paddle.nn.CrossEntropyLoss(weight=x[0])
labels = paddle.static.data("labels", [-1], "int64")
asked += [slopes[0], product, tangent, weighted(rows, labels)]

executor = paddle.static.Executor()
executor.run(paddle.static.default_startup_program())
draws = np.random.default_rng(0)
for count in (1, 4):
    feed = {
        "x": draws.uniform(0.5, 1.5, (3, 3)).astype("float32"),
        "rows": draws.normal(size=(count, 3)).astype("float32"),
        "labels": draws.integers(0, 3, count),
    }
    found = executor.run(feed=feed, fetch_list=[*spectra, *asked])
    for one in found:
        print(one.dtype, one.shape, [f"{n:.3f}" for n in one.ravel()[:4].tolist()])

paddle.disable_static()
print(isinstance(eager, paddle.static.Variable), paddle.fft.fft is transforms[0], paddle.tanh is tanh)
print(np.round(tanh(eager).numpy(), 4).tolist(), tanh(eager).shape)
