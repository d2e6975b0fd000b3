"""What a name that is not there is answered with: that it is not there, or not yet, and what is near."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_INSTEAD = {
    "fluid": "Paddle 3 has no paddle.fluid: use paddle.nn, paddle.optimizer and tensors directly.",
    "Variable": "It is paddle.Tensor; make one with paddle.to_tensor or paddle.create_parameter.",
    "GradientTape": "Paddle needs no tape: call loss.backward(), or paddle.grad(outputs, inputs).",
    "tensor": "It is paddle.to_tensor.",
    "constant": "It is paddle.to_tensor.",
    "stop_gradient": "Set tensor.stop_gradient = True, or use tensor.detach().",
    "enable_static": "There is one mode: write the program as with dynamic graphs.",
    "static": "There is one mode: write the program as with dynamic graphs.",
}


def absent(module: str, name: str, names: Iterable[str]) -> AttributeError:
    """Returns the error for a name that a module does not have."""
    near = difflib.get_close_matches(name, [one for one in names if not one.startswith("_")], 3)
    lines = [
        f"module {module!r} has no attribute {name!r}",
        f"penstock.{module} does not have this name, or not yet.",
    ]
    if module == "paddle" and name in _INSTEAD:
        lines.append(_INSTEAD[name])
    elif near:
        lines.append(f"Near it: {', '.join(near)}.")
    return AttributeError("\n".join(lines))
