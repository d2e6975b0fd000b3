"""`paddle.summary`: the layers of a model, their inputs and outputs, and their parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.paddle import _creation
from penstock.paddle._convert import HANDLES
from penstock.paddle._declaring import in_paddle
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._grad_mode import no_grad
from penstock.trace.source_site import here

_MEGABYTE = 1024**2.0


def _shape_of(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_shape_of(one) for one in value]
    return list(value._spec.shape) if isinstance(value, HANDLES) else []


def _shapes_taken(value: Any) -> Any:
    """Returns the shapes of what a layer was given; None for what is no tensor, as Paddle prints."""
    if isinstance(value, list | tuple):
        return [_shapes_taken(one) for one in value]
    return list(value._spec.shape) if isinstance(value, HANDLES) else None


def _elements(shape: Any) -> int:
    if shape and isinstance(shape[0], list):
        return sum(_elements(one) for one in shape)
    return int(np.prod(shape)) if shape else 0


def _listed(net: Any) -> list[Any]:
    """Returns the layers that have a line: not the model, if it has others, nor mere containers."""
    from penstock.paddle.nn._containers import LayerList, Sequential
    from penstock.paddle.nn._recurrent import _Stack

    found: list[Any] = []
    inside: set[int] = set()
    for one in net.sublayers(True):
        if id(one) in inside:
            continue
        if isinstance(one, _Stack):
            inside.update(id(each) for each in one.sublayers())
            found.append(one)
        elif one is not net and not isinstance(one, Sequential | LayerList):
            found.append(one)
    return found or [net]


def _sized(size: Any) -> list[int]:
    """Returns a shape with one row where the number of rows is open."""
    return [1 if n is None or n == -1 else int(n) for n in size]


def _inputs(size: Any, dtypes: Any) -> tuple[list[Any], list[Any]]:
    """Returns random inputs and their shapes, of one shape or several."""
    if hasattr(size, "shape") and not isinstance(size, list | tuple):
        size = tuple(size.shape)
    if isinstance(size, int):
        size = (size,)
    if not (isinstance(size, list) or (size and not isinstance(size[0], int | None))):
        size = [size]
    shapes: list[Any] = []
    for one in size:
        one = getattr(one, "shape", (one,) if isinstance(one, int) else one)
        nested = bool(one) and isinstance(one[0], list | tuple)
        shapes.append([_sized(each) for each in one] if nested else _sized(one))
    kinds = dtypes if isinstance(dtypes, list | tuple) else [dtypes or "float32"] * len(shapes)
    return [_drawn(one, kind) for one, kind in zip(shapes, kinds, strict=True)], shapes


def _drawn(shape: Any, kind: Any) -> Any:
    """Returns numbers in [0, 1) as `kind`, drawn as Paddle draws them: the next draw of a program is its."""
    if shape and isinstance(shape[0], list):
        return [_drawn(one, kind) for one in shape]
    return _creation.rand(shape).astype(kind)


@in_paddle
def summary(net: Any, input_size: Any = None, dtypes: Any = None, input: Any = None) -> dict[str, Any]:
    """Prints the layers of a model with their shapes and counts; returns how many parameters there are.

    The model is called once, in evaluation mode, with random numbers of `input_size` (a shape, or a list of
    shapes) and `dtypes`, or with `input`.
    """
    if input is None and input_size is None:
        raise InvalidValueError("input_size and input cannot be None at the same time", site=here())
    if input is not None:
        given = [input]
        several = isinstance(input, dict | list | tuple)
        listed = list(input.values()) if isinstance(input, dict) else list(input) if several else [input]
        shapes = [_shape_of(one) for one in listed]
    else:
        given, shapes = _inputs(input_size, dtypes)
    rows: dict[str, tuple[str, Any, Any, int]] = {}
    trained: dict[str, int] = {}

    def note(layer: Any, inputs: Any, outputs: Any) -> None:
        name = f"{type(layer).__name__}-{int(layer.full_name().rpartition('_')[2]) + 1}"
        own = layer.parameters(include_sublayers=False)
        count = sum(one._spec.size for one in own)
        trained[name] = sum(one._spec.size for one in own if not one.stop_gradient)
        # A layer that is called again keeps its line, with the inputs of its last call.
        rows[name] = (name, _shapes_taken(inputs), _shape_of(outputs), count)

    hooks = [one.register_forward_post_hook(note) for one in _listed(net)]
    training = net.training
    if training:
        net.eval()
    try:
        with no_grad():
            net(*given)
    finally:
        for hook in hooks:
            hook.remove()
        if training:
            net.train()
    total = sum(row[3] for row in rows.values())
    trainable = sum(trained.values())
    _show(list(rows.values()), shapes, total, trainable)
    return {"total_params": np.int64(total), "trainable_params": np.int64(trainable)}


def _show(rows: list[tuple[str, Any, Any, int]], shapes: list[Any], total: int, trainable: int) -> None:
    heads = ("Layer (type)", "Input Shape", "Output Shape", "Param #")
    texts = [(name, str(taken), str(given), f"{count:,}") for name, taken, given, count in rows]
    widths = [max([least, *(len(one[i]) for one in texts)]) for i, least in enumerate((15, 20, 20, 15))]
    wide = max(75, sum(widths) + 5)

    def line(parts: Any) -> str:
        return " ".join(f"{part:^{width}}" for part, width in zip(parts, widths, strict=True))

    taken = sum(_elements(one) for one in shapes) * 4.0 / _MEGABYTE
    passed = 2.0 * sum(_elements(given) for _, _, given, _ in rows) * 4.0 / _MEGABYTE
    held = total * 4.0 / _MEGABYTE
    print("-" * wide, line(heads), "=" * wide, *map(line, texts), "=" * wide, sep="\n")
    print(f"Total params: {total:,}")
    print(f"Trainable params: {trainable:,}")
    print(f"Non-trainable params: {total - trainable:,}")
    print("-" * wide)
    print(f"Input size (MB): {taken:0.2f}")
    print(f"Forward/backward pass size (MB): {passed:0.2f}")
    print(f"Params size (MB): {held:0.2f}")
    print(f"Estimated Total Size (MB): {taken + passed + held:0.2f}")
    print("-" * wide)
    print()
