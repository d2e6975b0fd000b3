"""The modules of the dialect, and the error for a name that is in none: what to use, what is similar."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

from penstock import declared

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


def namespace(
    place: str,
    space: dict[str, Any],
    sources: str = "",
    rest: str = "",
    later: Mapping[str, str] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Fills a module with what files declare for it; returns its `__getattr__`, `__dir__` and `__all__`.

    `sources` and `rest` are files of the dialect, with blanks between them, and `later` is as in
    `declared.namespace`. What the module itself makes belongs to it, unless it is declared for another place.
    A module with a rest leaves the third of what is returned alone, so that whoever asks for its `__all__` is
    given all of it.
    """
    own = space["__name__"]
    files = [import_module(f"penstock.paddle.{one}") for one in sources.split()]
    waiting = [f"penstock.paddle.{one}" for one in rest.split()]
    elsewhere = {id(one) for file, one in declared.every_name().values() if file == own}

    def ours(one: Any) -> bool:
        return getattr(one, "__module__", None) == own and id(one) not in elsewhere

    return declared.namespace(place, space, files, absent_from(place), later or {}, waiting, ours)
