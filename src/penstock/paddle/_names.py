"""The modules of the dialect, and the error for a missing name: its replacement, or similar names."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

from penstock import declared

_INSTEAD = {
    "onnx": "Write the weights with paddle.save(layer.state_dict(), path).",
    "quantization": "Weights keep their dtype here; paddle.amp computes in half precision.",
    "fluid": "Paddle 3 has no paddle.fluid: use paddle.nn, paddle.optimizer and tensors directly.",
    "Variable": "Use paddle.Tensor; make one with paddle.to_tensor or paddle.create_parameter.",
    "GradientTape": "Paddle needs no tape: call loss.backward(), or paddle.grad(outputs, inputs).",
    "constant": "Use paddle.to_tensor.",
    "stop_gradient": "Set tensor.stop_gradient = True, or use tensor.detach().",
    "one_hot": "Use paddle.nn.functional.one_hot.",
    "inference_mode": "Use paddle.no_grad.",
    "hub": "Make the model, and load its weights: model.set_state_dict(paddle.load(path)).",
}
_ELSEWHERE = {
    "paddle.audio": dict.fromkeys(
        ("backends", "datasets", "info", "load", "save"),
        "Read sounds with Python's module wave or another package: paddle.to_tensor takes arrays.",
    ),
    "paddle.nn": {"quant": _INSTEAD["quantization"]},
    "paddle.incubate.nn": {
        "FusedMultiHeadAttention": "Use paddle.nn.MultiHeadAttention and paddle.nn.LayerNorm.",
        "FusedFeedForward": "Use paddle.nn.Linear, an activation, paddle.nn.Linear and paddle.nn.LayerNorm.",
        "FusedTransformerEncoderLayer": "Use paddle.nn.TransformerEncoderLayer.",
        "FusedMultiTransformer": "Use paddle.nn.TransformerEncoder.",
    },
    "paddle.static": {
        "amp": "Leave enable_static() out, and compute inside `with paddle.amp.auto_cast():`.",
        "auc": "Use paddle.metric.Auc: update(predictions, labels), then accumulate().",
    },
    "paddle.incubate.optimizer": {
        "functional": "Use paddle.optimizer.LBFGS: optimizer.step(closure) minimizes what closure returns.",
    },
    "paddle.vision.ops": {
        "decode_jpeg": "Read pictures with Pillow: paddle.to_tensor(numpy.array(PIL.Image.open(path))).",
    },
    "paddle.distributed": dict.fromkeys(
        ("InMemoryDataset", "QueueDataset"),
        "Read batches with paddle.io.DataLoader and pass them to Executor.run: PaddlePaddle 3.3 trains from "
        "this only in programs of the older kind, with FLAGS_enable_pir_api=0.",
    ),
    "paddle.sparse.nn": dict.fromkeys(
        ("BatchNorm", "Conv2D", "Conv3D", "MaxPool3D", "SubmConv2D", "SubmConv3D", "SyncBatchNorm"),
        "Compute with x.to_dense() and the layer of paddle.nn.",
    ),
    "paddle.geometric": dict.fromkeys(
        ("reindex_graph", "reindex_heter_graph", "sample_neighbors", "weighted_sample_neighbors"),
        "Choose neighbours with NumPy before the step, and give the edges as tensors.",
    ),
}


def instead_of(path: str) -> str:
    """Returns what to use in the place of a name, given as it is written behind `paddle.`; "" for most.

    >>> instead_of("nn.quant.quant_layers")
    'Weights keep their dtype here; paddle.amp computes in half precision.'
    """
    place = "paddle"
    for part in path.split("."):
        found = (_INSTEAD if place == "paddle" else _ELSEWHERE.get(place, {})).get(part)
        if found:
            return found
        place = f"{place}.{part}"
    return ""


def absent_from(module: str) -> Callable[[str, Iterable[str]], AttributeError]:
    """Returns the function that makes the error for a name that a module does not have."""
    return functools.partial(absent, module)


def absent(module: str, name: str, names: Iterable[str]) -> AttributeError:
    """Returns the error for a name that a module does not have."""
    import difflib

    near = difflib.get_close_matches(name, [one for one in names if not one.startswith("_")], 3)
    lines = [
        f"module {module!r} has no attribute {name!r}",
        f"penstock.{module} does not have this name (yet).",
    ]
    if module == "paddle" and name in _INSTEAD:
        lines.append(_INSTEAD[name])
    elif name in _ELSEWHERE.get(module, ()):
        lines.append(_ELSEWHERE[module][name])
    elif near:
        lines.append(f"Similar names: {', '.join(near)}.")
    return AttributeError("\n".join(lines))


def namespace(
    place: str,
    space: dict[str, Any],
    sources: str = "",
    rest: str = "",
    later: Mapping[str, str] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Fills a module with the declarations of files; returns its `__getattr__`, `__dir__` and `__all__`.

    `sources` and `rest` are files of the dialect, with blanks between them, and `later` is as in
    `declared.namespace`. The module's own objects belong to it, unless they are declared for another place. A
    module with a rest does not use the third result, so that a reader of its `__all__` gets all names.
    """
    own = space["__name__"]
    files = [import_module(f"penstock.paddle.{one}") for one in sources.split()]
    waiting = [f"penstock.paddle.{one}" for one in rest.split()]
    elsewhere = {id(one) for file, one in declared.every_name().values() if file == own}

    def ours(one: Any) -> bool:
        return getattr(one, "__module__", None) == own and id(one) not in elsewhere

    return declared.namespace(place, space, files, absent_from(place), later or {}, waiting, ours)
