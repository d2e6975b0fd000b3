"""Random programs in Paddle's names: functions with random options, layers in both modes, training loops.

A program is a list of statements that run one after another, whether one of them fails or not. `see` keeps
what they show. The functions come from templates: `{a|b}` chooses, `{f:2,3}` is a tensor of a kind and shape,
and S a shape that is drawn for the template.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from paddle_view_programs import ViewWriter
from random_programs import Writer

PRELUDE = '''\
def data(seed, *shape, kind="f", dtype="float32"):
    rng = np.random.RandomState(seed)
    if kind == "b":
        return rng.random_sample(shape) > 0.5
    if kind[0] == "i":
        return rng.randint(0, int(kind[1:]), shape).astype("int64")
    made = rng.standard_normal(shape)
    if kind == "p":
        made = 0.5 + 1.5 * rng.random_sample(shape)
    elif kind == "u":
        made = 0.05 + 0.9 * rng.random_sample(shape)
    elif kind == "s":
        made = made @ np.swapaxes(made, -1, -2) + 0.5 * np.eye(shape[-1])
    return np.asarray(made).astype(dtype)


def tensor(seed, *shape, kind="f", dtype="float32"):
    return paddle.to_tensor(data(seed, *shape, kind=kind, dtype=dtype), stop_gradient=kind[0] in "ib")


def flat(found):
    return [one for part in found for one in flat(part)] if isinstance(found, (list, tuple)) else [found]


def slopes(found, *inputs):
    """Shows results, and the gradients of their sum under fixed weights."""
    found, loss = flat(found), 0.0
    see(*found)
    for one in found:
        if "float" in str(one.dtype) and not one.stop_gradient:
            weights = np.cos(np.arange(int(np.prod(one.shape))) * 1.7 + 0.3).reshape(one.shape)
            loss = loss + (one * paddle.to_tensor(weights.astype(str(one.dtype)[7:]))).sum()
    inputs = [one for one in inputs if not one.stop_gradient]
    if inputs and not isinstance(loss, float):
        see(*paddle.grad(loss, inputs, allow_unused=True))
'''

FUNCTIONS = """
paddle.{tanh|exp|square|erf|sin|abs|atan|expm1}({f:S})
paddle.{log|sqrt|rsqrt|log1p|lgamma|digamma|log2}({p:S})
paddle.{add|subtract|multiply|maximum|minimum|atan2|hypot}({f:S}, {f:S})
paddle.lerp({f:S}, {f:S}, {0.3|u:S})
paddle.clip({f:S}, {None|-0.5}, {None|0.5})
paddle.where({b:S}, {f:S}, {f:S})
paddle.{sum|mean|max|min|prod|logsumexp|nansum}({f:S}, axis={axes}, keepdim={bool})
paddle.{std|var}({f:2,3,2}, axis={None|0|-1|[0, 2]}, unbiased={bool}, keepdim={bool})
paddle.{cumsum|logcumsumexp}({f:2,3}, axis={None|0|-1})
paddle.sort({f:3,4}, axis={0|-1}, descending={bool})
paddle.topk({f:3,4}, {1|3}, axis={0|-1}, largest={bool})[0]
paddle.norm({f:2,3}, p={"fro"|1|2|3.0}, axis={None|0|-1}, keepdim={bool})
paddle.unique({i4:8}, return_index={bool}, return_inverse={bool}, return_counts={bool})
paddle.{concat|stack}([{f:2,3}, {f:2,3}], axis={0|1|-1})
paddle.split({f:4,6}, {2|[1, 3]|[1, -1]}, axis={0|-2})
paddle.roll({f:2,3}, {1|-2}, axis={None|0|-1})
paddle.gather({f:4,3}, {i3:3}, axis={0|1})
paddle.take_along_axis({f:3,4}, {i3:2,4}, 0)
paddle.put_along_axis({f:3,4}, {i3:1,4}, {f:1,4}, 0, reduce="{assign|add|mul}")
paddle.scatter({f:4,3}, paddle.to_tensor([2, 1]), {f:2,3}, overwrite={bool})
paddle.index_add({f:4,3}, {i4:2}, 0, {f:2,3})
paddle.matmul({f:4,2,3}, {f:{3|3,2|4,3,2}})
paddle.einsum("{ij,jk->ik|ij,kj->ki|ij,ij->}", {f:3,3}, {f:3,3})
paddle.linalg.{inv|cholesky|det|slogdet}({s:3,3})
paddle.linalg.solve({s:3,3}, {f:3,2})
{f:4,3,2}[{index}, {index}]
{f:4,3,2}[{i4:2}, {index}]
F.{gelu|elu|silu|softplus|hardswish|mish|selu|log_sigmoid}({f:S})
F.{softmax|log_softmax}({f:2,3}, axis={0|-1})
F.pad({f:1,2,3,3}, {[1, 1, 1, 0]|[0, 1, 0, 2]}, mode="{constant|reflect|replicate|circular}")
F.interpolate({f:1,2,3,4}, {size=[5, 6]|scale_factor=2}, mode="{nearest|bilinear|bicubic}")
F.grid_sample({f:1,2,4,4}, {u:1,3,3,2}, mode="bilinear", padding_mode="{zeros|border|reflection}")
F.{mse_loss|l1_loss|smooth_l1_loss}({f:S}, {f:S}, reduction="{red}")
F.cross_entropy({f:4,3}, {i3:4}, {p:3}, {-100|1}, "{red}", label_smoothing={0.0|0.1})
F.cross_entropy({f:4,3}, F.softmax({f:4,3}), soft_label=True, reduction="{red}")
F.nll_loss(F.log_softmax({f:4,3}), {i3:4}, {p:3}, {-100|1}, "{red}")
F.kl_div({f:4,3}, {u:4,3}, reduction="{red|batchmean}", log_target={bool})
F.binary_cross_entropy({u:S}, {u:S}, {p:S}, reduction="{red}")
F.binary_cross_entropy_with_logits({f:4,3}, {u:4,3}, {None|p:3}, "{red}", {None|p:3})
F.margin_ranking_loss({f:S}, {f:S}, paddle.sign({f:S}).detach(), {0.0|0.5}, "{red}")
F.cosine_embedding_loss({f:4,3}, {f:4,3}, paddle.to_tensor([1, -1, 1, -1]), {0|0.3}, "{red}")
F.triplet_margin_loss({f:4,3}, {f:4,3}, {f:4,3}, {1.0|0.5}, swap={bool}, reduction="{red}")
"""

LAYERS = """
nn.Linear(3, 4, bias_attr={None|False}) :: {f:2,3}
nn.Conv1D(2, 4, {1|3}, {1|2}, {0|1|"SAME"}, {1|2}, {1|2}) :: {f:2,2,7}
nn.Conv2D(2, 4, {1|2|[2, 3]}, {1|2}, {0|1|"VALID"}, {1|2}, {1|2}) :: {f:2,2,6,6}
nn.Conv2DTranspose(2, 4, {2|3}, {1|2}, {0|1}, 0, {1|2}, {1|2}) :: {f:2,2,4,5}
nn.AvgPool2D({2|[2, 3]}, {None|1}, {0|1}, ceil_mode={bool}, exclusive={bool}) :: {f:2,2,6,5}
nn.MaxPool2D({2|3}, {None|1}, {0|1}, ceil_mode={bool}) :: {f:2,2,6,5}
nn.AdaptiveAvgPool2D({1|3|(2, 3)}) :: {f:2,2,5,7}
nn.BatchNorm1D(3, momentum={0.9|0.5}, epsilon={1e-5|1e-2}) :: {f:5,3}
nn.BatchNorm2D(2, use_global_stats={None|False}) :: {f:3,2,3,2}
nn.LayerNorm({3|[2, 3]}, epsilon={1e-5|1e-2}) :: {f:4,2,3}
nn.GroupNorm({1|2}, 4) :: {f:2,4,3,2}
nn.InstanceNorm2D(2) :: {f:3,2,3,2}
nn.Embedding(5, 3, padding_idx={None|1|-1}) :: {i5:2,3}
nn.{SimpleRNN|GRU|LSTM}(3, 4, time_major={bool}) :: {f:2,5,3}
nn.MultiHeadAttention(4, {1|2}, need_weights={bool}) :: {f:2,3,4}, {f:2,5,4}, {f:2,5,4}
nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, {0.0|0.3}), 2, nn.LayerNorm(4)) :: {f:2,3,4}
nn.Dropout({0.5|0.2}, mode="{upscale_in_train|downscale_in_infer}") :: {f:4,5}
nn.PReLU({1|3}) :: {f:2,3,2}
nn.Bilinear(3, 4, 2) :: {f:5,3}, {f:5,4}
"""

SCHEDULES = """
StepDecay(0.1, {1|2}, {0.1|0.5})
ExponentialDecay(0.1, 0.7)
PolynomialDecay(0.1, {2|5}, 0.01, {1.0|2.0}, {bool})
LinearWarmup({0.1|paddle.optimizer.lr.StepDecay(0.1, 2)}, {2|3}, 0.01, 0.1)
CosineAnnealingDecay(0.1, {2|4}, {0|0.01})
OneCycleLR(0.1, 8, anneal_strategy="{cos|linear}")
CyclicLR(0.01, 0.1, {2|3}, mode="{triangular|triangular2|exp_range}")
NoamDecay(16, {2|3})
"""

OPTIMIZERS = """
SGD({rate}, {groups}, {decay}, {clip})
Momentum({rate}, {0.9|0.5}, {groups}, {bool}, {decay}, {clip})
Adam({rate}, {0.9|0.8}, 0.99, 1e-6, {groups}, {decay}, {clip}, amsgrad={bool})
AdamW({rate}, parameters={groups}, weight_decay={0.01|0.1}, grad_clip={clip})
Adagrad({rate}, 1e-6, {groups}, {decay}, {clip})
RMSProp({rate}, 0.9, 1e-5, {0.0|0.5}, {bool}, {groups}, {decay}, {clip})
Adadelta({rate}, 1e-5, 0.9, {groups}, {decay}, {clip})
Adamax({rate}, parameters={groups}, weight_decay={decay}, grad_clip={clip})
Lamb({rate}, {0.01|0.1}, parameters={groups}, grad_clip={clip})
NAdam({rate}, parameters={groups}, weight_decay={decay}, grad_clip={clip})
RAdam({rate}, parameters={groups}, weight_decay={decay}, grad_clip={clip})
"""

HOLES = {
    "bool": "True|False", "red": "mean|sum|none", "axes": "None|0|-1|[0]|[0, 1]",
    "index": "0|-1|:|1:|::-1|None|...|[1, 0]|paddle.to_tensor([0, 1])",
    "decay": "None|0.1|paddle.regularizer.L1Decay(0.05)",
    "clip": "None|nn.ClipGradByGlobalNorm(0.1)|nn.ClipGradByNorm(0.05)|nn.ClipGradByValue(0.02)",
    "groups": "P|P|[dict(params=P[:2], learning_rate=0.5), dict(params=P[2:])]",
}  # fmt: skip
SHAPES = ((2, 3), (3, 1), (2, 3, 2), (2, 1, 3))
INPUT = re.compile(r"([a-z]\d*):([\dS,]*)")


class PaddleWriter(Writer):
    """Draws a program; `declared` are the lines that make the tensors of a template."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.declared: list[str] = []
        self.shape: tuple[int, ...] = self.one(*SHAPES)
        self.rate, self.dtype = "0.05", self.one("", "", "", ', dtype="float64"')

    def template(self, lines: str) -> str:
        """Returns one of the lines with its holes filled, the innermost first."""
        text = self.one(*lines.strip().splitlines())
        while (found := re.search(r"\{([^{}]*)\}", text)) is not None:
            text = text[: found.start()] + self.filled(found[1]) + text[found.end() :]
        return text

    def filled(self, hole: str) -> str:
        if hole == "rate":
            return self.rate
        chosen = self.one(*HOLES.get(hole, hole).split("|"))
        given = INPUT.fullmatch(chosen)
        if given is not None:
            return self.input(*given.groups())
        return "{" + chosen + "}" if chosen in HOLES and chosen != hole else chosen

    def input(self, kind: str, shape: str) -> str:
        lengths = self.shape if shape == "S" else [int(one) for one in shape.split(",")]
        name = f"v{len(self.declared) + 1}"
        drawn = ", ".join(str(one) for one in (self.random.randrange(1000), *lengths))
        self.declared.append(f'{name} = tensor({drawn}, kind="{kind}"{self.dtype})')
        return name

    def names(self) -> str:
        return ", ".join(line.split(" =")[0] for line in self.declared)

    def function(self) -> list[str]:
        made = self.template(FUNCTIONS)
        return [*self.declared, f"found = {made}", f"slopes(found, {self.names()})"]

    def layer(self) -> list[str]:
        self.dtype = ""
        made, _, given = self.template(LAYERS).partition(" :: ")
        lines = [*self.declared, f"layer = {made}", "see([one.name for one in layer.parameters()])"]
        for mode in self.one(["train"], ["eval"], ["train", "eval"]):
            lines += [f"layer.{mode}()", f"slopes(layer({given}), {self.names()}, *layer.parameters())"]
        return [*lines, "see(*layer.state_dict().values())"]

    def training(self) -> list[str]:
        lines = []
        scheduled = self.chance(0.5)
        if scheduled:
            lines.append(f"rate = paddle.optimizer.lr.{self.template(SCHEDULES)}")
            self.rate = "rate"
        optimizer = self.template(OPTIMIZERS)
        body = self.one("nn.Tanh()", "nn.GELU()", "nn.ReLU(), nn.Dropout(0.3)", "nn.LayerNorm(5)")
        loss = self.one("F.mse_loss(found, y)", "F.cross_entropy(found, labels)", "(found - y).abs().mean()")
        # Paddle's minimize takes no groups.
        step = self.one(
            ["loss.backward()", "optimizer.step()", "optimizer.clear_grad()"],
            [
                "loss.backward()",
                "optimizer.step()" if "dict" in optimizer else "optimizer.minimize(loss)",
                "network.clear_gradients()",
            ],
            ["loss.backward()", "if i % 2:", "    optimizer.step()", "    optimizer.clear_grad(False)"],
            ["(loss * 0.5).backward(retain_graph=True)", "loss.backward()", "optimizer.step()"],
        )
        if "retain_graph" in step[0] and "cross_entropy" in loss:
            # Paddle's kernel writes over its shares: its second gradient is none of the loss.
            step = step[1:]
        turn = ["found = network(x)", f"loss = {loss}", *step, *["rate.step()"] * scheduled]
        turn.append("see(loss, optimizer.get_lr())")
        return [
            "x, y, labels = tensor(1, 6, 4), tensor(2, 6, 2), tensor(3, 6, kind='i2')",
            f"network = nn.Sequential(nn.Linear(4, 5), {body}, nn.Linear(5, 2))",
            "P = list(network.parameters())",
            *lines,
            f"optimizer = paddle.optimizer.{optimizer}",
            "\n    ".join([f"for i in range({self.one(2, 4)}):", *turn]),
            "see(*P)",
            "see(*[one.grad for one in P])",
        ]


KINDS: dict[str, Callable[[int], list[str]]] = {
    "function": lambda seed: PaddleWriter(seed).function(),
    "layer": lambda seed: PaddleWriter(seed).layer(),
    "training": lambda seed: PaddleWriter(seed).training(),
    "views": lambda seed: ViewWriter(seed, False).program(),
    "views trained": lambda seed: ViewWriter(seed, True).program(),
}


def program(kind: str, seed: int) -> list[str]:
    """Returns the statements of a program."""
    return KINDS[kind](seed)


def shown(value: Any) -> Any:
    """Returns what a program sees of a value, as JSON holds it."""
    if isinstance(value, list | tuple):
        return [shown(one) for one in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(f"{value:.7g}")
    array = np.asarray(value.numpy())
    numbers = [float(f"{one:.7g}") for one in array.astype("float64").ravel().tolist()]
    if len(numbers) > 24:
        waves = np.cos(np.arange(len(numbers)) * 0.7)
        numbers = [*numbers[:12], *(float(f"{one:.7g}") for one in (np.sum(numbers), waves @ numbers))]
    return [str(value.dtype)[7:], list(value.shape), value.stop_gradient, numbers]


def run(statements: list[str], paddle: Any) -> list[Any]:
    """Runs a program; returns what each statement showed, and the types of the errors it raised.

    An error has all types that it is of, so that one that is caught under the same name counts as the same.
    """
    paddle.seed(1)
    seen: list[Any] = []
    names = {
        "paddle": paddle, "nn": paddle.nn, "F": paddle.nn.functional, "np": np,
        "see": lambda *values: seen.extend(shown(one) for one in values),
    }  # fmt: skip
    exec(compile(PRELUDE, "<prelude>", "exec"), names)
    for one in statements:
        try:
            exec(compile(one, "<program>", "exec"), names)
        except Exception as error:
            seen.append({"error": [kind.__name__ for kind in type(error).__mro__]})
    return seen


def differences(found: Any, wanted: Any, tolerance: float = 5e-5) -> Iterator[str]:
    """Yields how what was seen differs from the record; numbers may differ by rounding."""
    if isinstance(wanted, dict) or isinstance(found, dict):
        if not (isinstance(found, dict) and isinstance(wanted, dict)):
            yield f"{found} instead of {wanted}"
        elif wanted["error"][0] not in found["error"]:
            yield f"raised {found['error'][0]}, which is no {wanted['error'][0]}"
    elif isinstance(wanted, list) and isinstance(found, list):
        if len(found) != len(wanted):
            yield f"{len(found)} values instead of {len(wanted)}"
        elif wanted and all(isinstance(one, int | float) for one in (*wanted, *found)):
            # Of gradients that are 0 but for rounding, nothing is compared.
            size = max(0.1, float(np.nanmax(np.abs([wanted, found]))))
            if not np.allclose(found, wanted, tolerance, tolerance * size, equal_nan=True):
                yield f"{found} instead of {wanted}"
        else:
            for one, other in zip(found, wanted):
                yield from differences(one, other, tolerance)
    elif isinstance(wanted, float) and isinstance(found, float):
        if not np.isclose(found, wanted, tolerance, tolerance, equal_nan=True):
            yield f"{found} instead of {wanted}"
    elif found != wanted:
        yield f"{found!r} instead of {wanted!r}"
