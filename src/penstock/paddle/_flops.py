"""`paddle.flops`: how many multiplications and additions a model needs for one input, by layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.paddle import _creation
from penstock.paddle._convert import HANDLES
from penstock.paddle._declaring import in_paddle
from penstock.paddle._errors import RefusedError
from penstock.paddle._grad_mode import no_grad
from penstock.trace.source_site import here, warn_once

_HOMES = {
    "_activations": "activation", "_adaptive_pooling": "pooling", "_classes": "loss",
    "_classification_losses": "loss", "_convolution": "conv", "_fractional": "pooling",
    "_norm_layers": "norm", "_recurrent": "rnn", "_reparametrized": "norm",
    "_transformer": "transformer", "_volumes": "conv",
}  # fmt: skip
"""Paddle's modules of layers, by the files of ours; those of the others are "common"."""
_ENDINGS = {"Loss": "loss", "Pool1D": "pooling", "Pool2D": "pooling", "Pool3D": "pooling"}


def _shown(kind: type) -> str:
    """Returns a class as Paddle prints it."""
    if not kind.__module__.startswith("penstock.paddle.nn"):
        return str(kind)
    name, file = kind.__name__, kind.__module__.rpartition(".")[2]
    ending = next((home for end, home in _ENDINGS.items() if name.endswith(end)), "activation")
    return f"<class 'paddle.nn.layer.{ending if file == 'nn' else _HOMES.get(file, 'common')}.{name}'>"


def _convolution(layer: Any, inputs: Any, output: Any) -> float:
    per_value = inputs[0].shape[1] / layer._groups * np.prod(layer.weight.shape[2:])
    return output._spec.size * (per_value + (layer.bias is not None))  # type: ignore[no-any-return]


def _average(layer: Any, inputs: Any, output: Any) -> float:
    """Counts the additions in a window, and a division."""
    window = np.array(inputs[0].shape[2:]) // np.array(output.shape[2:])
    return output._spec.size * (np.prod(window) + 1)  # type: ignore[no-any-return]


_Count = Callable[[Any, Any, Any], float]
_COUNTS: dict[str, _Count] = {
    "Conv1D Conv2D Conv3D Conv1DTranspose Conv2DTranspose Conv3DTranspose": _convolution,
    "BatchNorm BatchNorm2D": lambda layer, inputs, output: 2 * inputs[0]._spec.size,
    "ReLU ReLU6 Dropout": lambda layer, inputs, output: 0,
    "LeakyReLU": lambda layer, inputs, output: inputs[0]._spec.size,
    "Linear": lambda layer, inputs, output: layer.weight.shape[0] * output._spec.size,
    "AvgPool1D AvgPool2D AvgPool3D": lambda layer, inputs, output: output._spec.size,
    "AdaptiveAvgPool1D AdaptiveAvgPool2D AdaptiveAvgPool3D": _average,
}


def _counts() -> dict[type, _Count]:
    from penstock.paddle import nn

    return {getattr(nn, name): count for names, count in _COUNTS.items() for name in names.split()}


@in_paddle
def flops(net: Any, input_size: Any, custom_ops: Any = None, print_detail: bool = False) -> int:
    """Counts the operations of a model on a random input of `input_size`; prints the total and returns it.

    Layers without a rule count as 0. `custom_ops` has functions of a layer, its inputs and its output, by
    class: each adds its count to `layer.total_ops`. With `print_detail` there is a line for each layer.

    >>> from penstock import paddle
    >>> paddle.flops(paddle.nn.Sequential(paddle.nn.Linear(3, 2)), [1, 3])
    <class 'paddle.nn.layer.common.Linear'>'s flops has been counted
    Total Flops: 6     Total Params: 8
    6
    """
    from penstock.paddle.nn import Layer
    from penstock.paddle.static import Program

    if isinstance(net, Program):
        raise RefusedError(
            "paddle.flops counts layers, not static programs.",
            remedy="Pass the layer that the program calls.",
            site=here(),
        )
    if not isinstance(net, Layer):
        warn_once("Your model must be an instance of paddle.nn.Layer or paddle.static.Program.")
        return -1
    inputs = _creation.randn(input_size)
    rules, own = _counts(), custom_ops or {}
    leaves = [layer for layer in net.sublayers(True) if not list(layer.children())]
    rows: dict[Any, tuple[list[int], list[int]]] = {}
    hooks = [layer.register_forward_post_hook(_noting(rows)) for layer in leaves]
    hooks += [layer.register_forward_post_hook(_adding(layer, rules, own)) for layer in leaves]
    for kind in dict.fromkeys(type(layer) for layer in leaves):
        if kind in own:
            print(f"Customize Function has been applied to {_shown(kind)}")
        elif kind in rules:
            print(f"{_shown(kind)}'s flops has been counted")
        else:
            print(f"Cannot find suitable count function for {_shown(kind)}. Treat it as zero FLOPs.")
    training = net.training
    net.eval()
    for layer in leaves:
        layer.register_buffer("total_ops", _creation.zeros([1], "int64"), persistable=False)
    try:
        with no_grad():
            net(inputs)
        counts = {layer: int(layer.total_ops) for layer in rows if layer is not net}
    finally:
        for hook in hooks:
            hook.remove()
        for layer in leaves:
            del layer.total_ops
    if training:
        net.train()
    weights = {layer: sum(one._spec.size for one in layer.parameters()) for layer in counts}
    if print_detail:
        heads = ["Layer Name", "Input Shape", "Output Shape", "Params", "Flops"]
        lines = [
            [layer.full_name(), *rows[layer], weights[layer], counts[layer]]
            for layer in leaves
            if layer in counts
        ]
        _print_table([heads, *lines])
    total = sum(counts.values())
    print(f"Total Flops: {total}     Total Params: {sum(weights.values())}")
    return total


def _noting(rows: dict[Any, Any]) -> Any:
    def note(layer: Any, inputs: Any, output: Any) -> None:
        first: Any = output if isinstance(output, HANDLES) else output[0]
        rows[layer] = (list(inputs[0].shape), list(first.shape))

    return note


def _adding(layer: Any, rules: dict[type, _Count], own: Any) -> Any:
    kind = type(layer)
    if kind in own:
        return own[kind]
    rule = rules.get(kind)

    def add(layer: Any, inputs: Any, output: Any) -> None:
        layer.total_ops += 0 if rule is None else abs(int(rule(layer, inputs, output)))

    return add


def _print_table(rows: list[list[Any]]) -> None:
    widths = [max(len(str(row[i])) for row in rows) + 2 for i in range(len(rows[0]))]
    shelf = "".join(f"+{'-' * width}" for width in widths) + "+"
    print(shelf)
    for i, row in enumerate(rows):
        print("".join("|" + str(one).center(width) for one, width in zip(row, widths, strict=True)) + "|")
        if i in (0, len(rows) - 1):
            print(shelf)
