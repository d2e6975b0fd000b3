"""Settings of parameter groups, and the state that each optimizer keeps, which loads in another."""

import warnings

import numpy as np

import paddle

# Here a setting that Paddle does not read is named in a warning.
warnings.simplefilter("ignore")
KINDS = "SGD Momentum Adagrad RMSProp Adadelta Adam AdamW Adamax Lamb NAdam RAdam ASGD Rprop".split()
GROUPS = [
    ("learning_rate", 0.5),
    ("weight_decay", 0.2),
    ("beta1", 0.5),
    ("beta2", 0.5),
    ("epsilon", 0.1),
    ("momentum", 0.4),
    ("rho", 0.3),
    ("grad_clip", paddle.nn.ClipGradByNorm(0.05)),
    ("momentum_decay", 0.3),
    ("centered", True),
    ("use_nesterov", True),
    ("initial_accumulator_value", 0.7),
    ("lamb_weight_decay", 0.4),
    ("exclude_from_weight_decay_fn", lambda one: True),
    ("multi_precision", True),
    ("amsgrad", True),
    ("always_adapt", True),
    ("batch_num", 3),
    ("etas", (0.3, 1.4)),
]


def parameters(dtype="float32"):
    made = [paddle.create_parameter([2, 2], dtype) for _ in range(2)]
    for i, one in enumerate(made):
        one.set_value(np.array([[0.5, -1.0], [1.5, 2.0]]).astype(dtype) - i)
    return made


def train(optimizer, x, y, times=3):
    for i in range(times):
        ((x * x).sum() + (y * y * y).sum() * 0.3).scale(1.0 / (i + 1)).backward()
        optimizer.step()
        optimizer.clear_grad()


def made(kind, given):
    return getattr(paddle.optimizer, kind)(learning_rate=0.05, parameters=given)


for kind in KINDS:
    for word, value in GROUPS:
        x, y = parameters()
        train(made(kind, [{"params": [x], word: value}, {"params": [y]}]), x, y)
        print(kind, word, np.round(x.numpy(), 4).tolist(), np.round(y.numpy(), 4).tolist())

for kind in KINDS:
    for dtype in ("float32", "float64"):
        x, y = parameters(dtype)
        optimizer = made(kind, [x, y])
        train(optimizer, x, y)
        found = optimizer.state_dict()
        for name in sorted(found):
            value, word = found[name], name.replace(x.name, "x").replace(y.name, "y")
            print(
                kind,
                word,
                str(value.dtype),
                list(value.shape),
                [f"{one:.4g}" for one in value.flatten().tolist()],
            )
    kept = {name: value.numpy() for name, value in optimizer.state_dict().items()}
    values = [x.numpy(), y.numpy()]
    train(optimizer, x, y)
    after = np.round([x.numpy(), y.numpy()], 4).tolist()
    for one, value in zip((x, y), values):
        one.set_value(value)
    optimizer.set_state_dict({name: paddle.to_tensor(value) for name, value in kept.items()})
    train(optimizer, x, y)
    print(kind, "goes on as before:", np.round([x.numpy(), y.numpy()], 4).tolist() == after)

x, y = parameters()
try:
    paddle.optimizer.SGD(0.1, parameters=[{"params": [x, y]}, {"params": [y]}])
except ValueError as error:
    print(str(error).splitlines()[0])
