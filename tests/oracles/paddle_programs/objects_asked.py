"""What dtypes, places, loaders, samplers, distributions, metrics and optimizers are asked beside their work."""

import numpy as np
import paddle

# Dtypes and places.
print(paddle.float32.value, int(paddle.int64), paddle.float32.FLOAT16 is paddle.float16)
print(
    paddle.dtype.BOOL,
    paddle.dtype.BFLOAT16 == paddle.bfloat16,
    paddle.dtype.UINT32,
    repr(paddle.dtype.COMPLEX64),
)
place = paddle.zeros([1]).place
print(
    place.is_cpu_place(),
    place.is_gpu_place(),
    place.is_xpu_place(),
    place.is_custom_place(),
    place.is_ipu_place(),
)
print(place.is_cuda_pinned_place(), place.is_xpu_pinned_place(), place.gpu_device_id(), place.xpu_device_id())
print(repr(place.custom_device_type()), place.custom_device_id(), place.ipu_device_id())
print(place.set_place(paddle.CPUPlace()))

# Random numbers.
generator = paddle.seed(5)
print(generator.random(), generator.random(), round(paddle.rand([1]).item(), 5))
print(generator.manual_seed(7).get_state().current_seed())

# Loaders and samplers.
rows = paddle.io.TensorDataset([paddle.arange(8.0).reshape([4, 2])])


class Stream(paddle.io.IterableDataset):
    def __iter__(self):
        return iter([np.zeros(2, "float32")] * 3)


words = (
    "auto_collate_batch dataset_kind pin_memory return_list timeout use_buffer_reader use_shared_memory "
    "reader_buffer_size places feed_list batch_size num_workers prefetch_factor drop_last"
).split()
for loader in (
    paddle.io.DataLoader(rows, batch_size=2),
    paddle.io.DataLoader(rows, batch_size=None, use_buffer_reader=False, timeout=3),
    paddle.io.DataLoader(Stream(), batch_size=2, reader_buffer_size=4, prefetch_factor=3),
    paddle.io.DataLoader(
        rows, batch_sampler=paddle.io.BatchSampler(rows, batch_size=2), places=paddle.CPUPlace()
    ),
):
    print({word: getattr(loader, word) for word in words})
    print([[part.shape for part in batch] if isinstance(batch, list) else batch.shape for batch in loader])
print(paddle.io.BatchSampler(rows, shuffle=True).shuffle, paddle.io.BatchSampler(rows).shuffle)
print(paddle.io.WeightedRandomSampler([0.5, 0.5], 2).weights)
print(paddle.io.ConcatDataset.cumsum([rows, rows]), paddle.io.ConcatDataset([rows, rows]).cumulative_sizes)

# Distributions.
D = paddle.distribution
one, half = paddle.to_tensor(1.0), paddle.to_tensor(0.5)
for made in (
    D.Normal(0.0, 1.0),
    D.Normal(one, one, name="n"),
    D.Uniform(0, 1.0),
    D.Categorical(paddle.ones([3])),
):
    print(type(made).__name__, made.dtype, made.name, getattr(made, "all_arg_is_float", None))
print(D.Uniform(0.0, 1.0).batch_size_unknown, D.Normal(np.zeros(2), np.ones(2)).dtype)
for made in (D.Bernoulli(0.3), D.Cauchy(one, one), D.StudentT(one, one, one)):
    print(type(made).__name__, made.name, getattr(made, "dtype", None))
for made in (D.Exponential(one), D.Poisson(one), D.Gamma(one, one), D.Chi2(one), D.Binomial(one, half)):
    print(type(made).__name__, made.dtype)
for made in (
    D.ContinuousBernoulli(half),
    D.MultivariateNormal(paddle.zeros([2]), paddle.eye(2)),
    D.LKJCholesky(2),
):
    print(type(made).__name__, made.dtype)

# Metrics and callbacks.
print(paddle.metric.Accuracy((1, 3)).maxk, paddle.metric.Auc().trapezoid_area(1.0, 3.0, 2.0, 4.0))
print(paddle.callbacks.EarlyStopping().best_weights)

# Optimizers.
layer = paddle.nn.Linear(2, 1, paddle.nn.initializer.Constant(0.5))
O = paddle.optimizer
given = {"parameters": layer.parameters()}


class Own(O.Adam):
    pass


for made in (
    O.SGD(0.1, **given), O.Momentum(0.1, **given), O.Adam(0.1, **given), O.AdamW(0.1, weight_decay=0.1, **given),
    O.Adamax(0.1, **given), O.Adagrad(0.1, initial_accumulator_value=0.2, **given), O.Adadelta(0.1, **given),
    O.RMSProp(0.1, **given), O.Lamb(0.1, always_adapt=True, **given), O.NAdam(0.1, **given), O.RAdam(0.1, **given),
    Own(0.1, **given),
):  # fmt: skip
    print(made.type, made.regularization, made.get_opti_var_name_list())
    print(getattr(made, "initial_accumulator_value", None), getattr(made, "always_adapt", None))
print(paddle.incubate.LookAhead(O.SGD(0.1, **given)).type)
print(O.Adam(0.1, weight_decay=paddle.regularizer.L2Decay(0.5), **given).regularization.__class__.__name__)
adam = O.Adam(0.1, **given)
x = paddle.to_tensor([[1.0, 2.0]])
layer(x).sum().backward()
pairs = [(one, one.grad) for one in layer.parameters()]
for one, gradient in adam.append_regularization_ops(pairs, paddle.regularizer.L2Decay(0.5)):
    print(gradient.numpy().ravel())
for one, gradient in adam.append_regularization_ops(pairs, paddle.regularizer.L1Decay(0.5)):
    print(gradient.numpy().ravel())
print([gradient.numpy().ravel() for _, gradient in adam.append_regularization_ops(pairs)])
adam.step()
print([name.partition("_moment")[2] or name.partition("_beta")[2] for name in adam.get_opti_var_name_list()])
search = O.LBFGS(0.5, max_iter=4, **given)
print(search.max_iter, search.max_eval, search.tolerance_grad, search.tolerance_change, search.history_size)
print(search.line_search_fn, search.learning_rate)
print(len(adam.backward(layer(x).sum(), callbacks=None)))
cycle = O.lr.CyclicLR(0.1, 0.5, 2, 6)
print(
    cycle.amplitude, cycle.cycle_size, cycle.step_up_pct, cycle.max_lr, cycle.mode, cycle.gamma, cycle.base_lr
)
