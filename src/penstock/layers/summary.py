"""The table of a model's layers."""

from __future__ import annotations

import io
import re
from typing import Any

from penstock.errors import ArgumentError
from penstock.functions.scratch import shown_shape
from penstock.streams import streams_kept
from penstock.trace.source_site import here


def _size(layers: Any) -> str:
    return f"{sum(v._spec.size for v in layers):,}"


def _bytes(variables: list[Any]) -> str:
    size = float(sum(v._spec.nbytes for v in variables))
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024 or unit == "GB":
            return f"{size:.2f} {unit}"
        size /= 1024
    raise AssertionError


def _between(layers: list[Any], names: Any) -> list[Any]:
    """Returns the layers from the first that one regular expression matches to the last of another."""
    if names is None:
        return layers
    if len(names) != 2 or not all(isinstance(one, str) for one in names):
        raise ArgumentError(
            f"layer_range must be two strings. Received: {names!r}.",
            remedy="Give the names of the first and of the last layer: layer_range=('dense', 'dense_2').",
            site=here(),
        )
    first, last = ([i for i, one in enumerate(layers) if re.match(name, one.name)] for name in names)
    if not first or not last:
        raise ArgumentError(
            f"Passed layer_range does not match the model layers. Received: {names!r}.",
            origin=f"layers: {[one.name for one in layers]}",
            site=here(),
        )
    if min(first) > max(last):
        first, last = last, first
    return layers[min(first) : max(last) + 1]


def summary(
    model: Any, line_length: int | None, print_fn: Any, expand_nested: bool, show_trainable: bool,
    layer_range: Any = None, of_optimizer: Any = None,
) -> None:  # fmt: skip
    """Prints the table, or hands its text to `print_fn`.

    `of_optimizer` are the variables of the model's optimizer; None if it has no optimizer.
    """
    with streams_kept():
        from rich.console import Console
        from rich.markup import escape
        from rich.table import Table

    listed, connected = model._rows()
    length = line_length or 76
    heads: list[tuple[str, Any]] = [("Layer (type)", "left"), ("Output Shape", "left"), ("Param #", "right")]
    ends = [0.45, 0.8, 1.0]
    if connected is not None:
        heads.append(("Connected to", "left"))
        ends = [0.3, 0.56, 0.74, 1.0]
    if show_trainable:
        heads.append(("Trainable", "center"))
        ends = [*(end * 0.9 for end in ends), 1.0]
    table = Table(width=length, show_lines=True)
    begin = 0
    for (head, side), end in zip(heads, ends, strict=True):
        width = int(end * length) - begin
        table.add_column(head, header_style="bold", justify=side, width=width)
        begin += width

    def rows(layers: list[Any], depth: int) -> None:
        for layer in layers:
            before = f"{'   ' * depth}└ " if depth else ""
            label = f"{before}{layer.name} ({getattr(layer, 'kind', type(layer).__name__)})"
            told = getattr(layer, "_listed_shape", None)
            shape = getattr(layer, "_output_shape", None) if told is None else told()
            count = _size(layer.weights)
            if not layer.built and not layer.weights:
                count = f"{count} (unbuilt)"
            row = [escape(label), "?" if shape is None else escape(_shown(shape)), count]
            if connected is not None:
                row.append(escape(connected.get(id(layer), "-")))
            if show_trainable:
                row.append("-" if not layer.weights else "Y" if layer.trainable else "N")
            table.add_row(*row)
            if expand_nested and hasattr(layer, "_is_layer"):
                rows(getattr(layer, "layers", []), depth + 1)

    rows(_between(listed, layer_range), 0)
    weights = model.weights
    trained = model.trainable_weights
    every = [*weights, *(of_optimizer or ())]
    lines = [
        f" Total params: {_size(every)} ({_bytes(every)})",
        f" Trainable params: {_size(trained)} ({_bytes(trained)})",
    ]
    others = [v for v in weights if all(v is not one for one in trained)]
    lines.append(f" Non-trainable params: {_size(others)} ({_bytes(others)})")
    if of_optimizer is not None:
        lines.append(f" Optimizer params: {_size(of_optimizer)} ({_bytes(of_optimizer)})")
    buffer = io.StringIO() if print_fn else None
    console = Console(file=buffer, width=max(line_length or 80, 80), highlight=False)
    console.print(f'[bold]Model: "{escape(model.name)}"[/bold]')
    console.print(table)
    for line in lines:
        console.print(f"[bold]{line.partition(':')[0]}:[/bold]{line.partition(':')[2]}")
    if buffer is not None:
        print_fn(buffer.getvalue())


def _shown(shape: Any) -> str:
    """Returns the shape of a result, or those of several."""
    if isinstance(shape, list):
        return str([shown_shape(one) for one in shape])
    return str(shown_shape(shape))


def as_html(model: Any) -> str:
    """Returns the table for a notebook: each layer, the shape of its result, and its variables."""
    from penstock.trace.html import table

    rows = []
    for layer in (model, *model._found().layers):
        shape = layer.__dict__.get("_output_shape")
        cells = [one for _, one in layer._parts([]) if not hasattr(one, "_is_layer")]
        own = ", ".join(f"{one.path.rpartition('/')[2]} {one._spec!r}" for one in cells)
        said = "" if shape is None else _shown(shape)
        trained = "" if not cells else "trained" if any(one._trainable for one in cells) else "frozen"
        rows.append((layer.path, type(layer).__name__, said, own, trained))
    weights = model.weights
    counts = (
        f"{_size(weights)} numbers ({_bytes(weights)}), of which {_size(model.trainable_weights)} trained"
    )
    head = ("layer", "class", "result", "variables", "")
    return table(f"{type(model).__name__} {model.name!r}", head, rows, [counts])
