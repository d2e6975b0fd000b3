"""The error for a missing name: it says what to use instead, or which names are similar."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable

_INSTEAD = {
    "inference": "Run the layer itself: layer.eval(), then layer(x) inside `with paddle.no_grad():`.",
    "onnx": "Write the weights with paddle.save(layer.state_dict(), path).",
    "audio": "Compute spectra with paddle.signal.stft.",
    "quantization": "Weights keep their dtype here; paddle.amp computes in half precision.",
    "fluid": "Paddle 3 has no paddle.fluid: use paddle.nn, paddle.optimizer and tensors directly.",
    "Variable": "Use paddle.Tensor; make one with paddle.to_tensor or paddle.create_parameter.",
    "GradientTape": "Paddle needs no tape: call loss.backward(), or paddle.grad(outputs, inputs).",
    "constant": "Use paddle.to_tensor.",
    "stop_gradient": "Set tensor.stop_gradient = True, or use tensor.detach().",
    "one_hot": "Use paddle.nn.functional.one_hot.",
    "inference_mode": "Use paddle.no_grad.",
    "sparse": "Tensors are dense here; the gradient of an embedding is rows.",
}
_ELSEWHERE = {
    "paddle.text": dict.fromkeys(
        ("Conll05st", "Imikolov", "Movielens", "WMT14", "WMT16"),
        "Read the files yourself: subclass paddle.io.Dataset with __getitem__ and __len__.",
    ),
    "paddle.nn.functional": {},
}


def absent_from(module: str) -> Callable[[str, Iterable[str]], AttributeError]:
    """Returns what makes the error for a name that a module does not have."""
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
