"""Names that programs take from Paddle's inner modules, and small methods of layers and contexts."""

import logging
import warnings

import numpy as np
import paddle
from paddle.distribution import independent
from paddle.nn import clip
from paddle.vision.models.vgg import make_layers

warnings.simplefilter("ignore")

print(clip.clip_by_norm(paddle.to_tensor([[2.0, 2.0], [2.0, 2.0]]), max_norm=1.0).tolist())
print(clip.clip_by_norm(paddle.to_tensor([0.3, 0.4]), 1.0).numpy().round(5).tolist())
print(independent.Independent(paddle.distribution.Normal(paddle.zeros([2]), paddle.ones([2])), 1).event_shape)
array = paddle.tensor.array.create_array(dtype="float32")
for i in range(3):
    paddle.tensor.array.array_write(paddle.full([2, i + 1], i, "float32"), paddle.to_tensor([i]), array)
joined, sizes = paddle.tensor.manipulation.tensor_array_to_tensor(input=array)
print(joined.tolist(), sizes.tolist(), sizes.dtype)
stacked, sizes = paddle.tensor.manipulation.tensor_array_to_tensor(
    [paddle.ones([2])] * 3, axis=0, use_stack=True
)
print(stacked.shape, sizes.tolist())
logger = paddle.static.log_helper.get_logger("of_the_program", logging.INFO, fmt="%(message)s")
print(logger.level, logger.propagate, len(logger.handlers))

# -- rates by their older names
lr = paddle.optimizer.lr
for rate in (
    lr.noam_decay(64, 10, 0.1),
    lr.exponential_decay(0.1, 5, 0.9),
    lr.natural_exp_decay(0.1, 5, 0.9, staircase=True),
    lr.inverse_time_decay(0.1, 5, 0.9),
    lr.polynomial_decay(0.1, 5, 0.01, power=2.0),
    lr.cosine_decay(0.1, 5, 4),
    lr.piecewise_decay([2, 3], [0.3, 0.2, 0.1]),
    lr.linear_lr_warmup(0.1, 3, 0.0, 0.1),
):
    values = []
    for _ in range(5):
        values.append(round(rate(), 6))
        rate.step()
    print(type(rate).__name__, values)

# -- layers
model = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.Bilinear(2, 2, 3))
print(model.float())
print(model.to(dtype="float64")[0], model.astype("float32")[0], model.to(dtype=paddle.float64)[1])
model = paddle.nn.Sequential(
    paddle.nn.Conv2D(3, 5, 3), paddle.nn.BatchNorm2D(5), paddle.nn.Sequential(paddle.nn.BatchNorm1D(4))
)
before = model[1].weight
changed = paddle.nn.SyncBatchNorm.convert_sync_batchnorm(model)
print(changed, changed is model, changed[1].weight is before, list(changed.state_dict()))


class Two(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.inner = paddle.nn.Linear(1, 1)
        self.register_buffer("kept", paddle.ones([1]))
        self.register_buffer("passing", paddle.ones([1]), persistable=False)


print(list(Two().state_dict()), list(Two().to_static_state_dict()))
with paddle.LazyGuard():
    late = paddle.nn.Linear(2, 2)
for one in late.parameters():
    one.initialize()
print(late(paddle.ones([1, 2])).shape)

# -- pictures
print(make_layers([4, "M", 8], batch_norm=True))
model = paddle.nn.Sequential(
    ("a", paddle.nn.Linear(2, 3)), ("b", paddle.nn.ReLU()), ("c", paddle.nn.Linear(3, 1))
)
getter = paddle.vision.models._utils.IntermediateLayerGetter(model, {"a": "first", "b": "second"})
print({name: one.shape for name, one in getter(paddle.ones([4, 2])).items()}, len(getter))
from paddle.vision.transforms import functional as V

image = np.zeros((4, 5, 3), "uint8")
print(V._is_numpy_image(image), V._is_pil_image(image), V._is_tensor_image(paddle.ones([3, 4, 5])))


# -- functions with a gradient of their own, which gives another dtype
class Tripled(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_not_inplace(x)
        ctx.set_grad_in_dtype_consistent(True)
        return x * 1.0

    @staticmethod
    def backward(ctx, gradient):
        return (gradient * 3).astype("float64").exp()


x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
for _ in range(2):
    Tripled.apply(x).sum().backward()
    print(x.grad.numpy().round(4).tolist())

# -- what was drawn is a leaf that several passes reach
x = paddle.randn([2])
x.stop_gradient = False
for _ in range(3):
    (x * 2).sum().backward()
print(x.grad.tolist(), x.is_leaf)
x = paddle.ones([2]) * 2
x.stop_gradient = False
for _ in range(2):
    (x * x).sum().backward()
print(x.grad.tolist())
