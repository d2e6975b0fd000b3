"""The error for a missing name: it says what to use instead, or which names are similar."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_INSTEAD = {
    "fluid": "Paddle 3 has no paddle.fluid: use paddle.nn, paddle.optimizer and tensors directly.",
    "Variable": "Use paddle.Tensor; make one with paddle.to_tensor or paddle.create_parameter.",
    "GradientTape": "Paddle needs no tape: call loss.backward(), or paddle.grad(outputs, inputs).",
    "tensor": "Use paddle.to_tensor.",
    "constant": "Use paddle.to_tensor.",
    "stop_gradient": "Set tensor.stop_gradient = True, or use tensor.detach().",
    "enable_static": "There is only one mode: write the program as for dynamic graphs.",
    "static": "There is only one mode: write the program as for dynamic graphs.",
    "one_hot": "Use paddle.nn.functional.one_hot.",
    "permute": "Use paddle.transpose(x, perm).",
    "cat": "Use paddle.concat.",
    "summary": "Print the layer, or sum p.numel() over layer.parameters().",
    "fft": "Not supported yet; use penstock.fft.",
    "vision": "Load images and data sets with NumPy or Pillow; layers are in paddle.nn.",
    "text": "Convert text to numbers in Python; layers are in paddle.nn.",
    "distributed": "Penstock uses one device, the one that JAX is set to.",
    "DataParallel": "Penstock uses one device, the one that JAX is set to.",
    "inference_mode": "Use paddle.no_grad.",
    "sparse": "Tensors are dense here; the gradient of an embedding is rows.",
    "quantile": "Sort and pick the element: paddle.sort(x, axis).",
    "index_put": "Write x[index] = value, or paddle.scatter_nd_add.",
}
_ELSEWHERE = {
    "paddle.linalg": {
        "lstsq": "Use paddle.linalg.pinv(a) @ b, or paddle.linalg.solve of the normal equations.",
        "eig": "Not supported; for a symmetric matrix use paddle.linalg.eigh.",
        "lu": "Not supported; use paddle.linalg.solve to solve, or paddle.linalg.qr to factorize.",
        "matrix_rank": "Count the paddle.linalg.svd(x)[1] above a tolerance.",
        "vector_norm": "Use paddle.linalg.norm.",
        "matrix_norm": "Use paddle.linalg.norm.",
    },
    "paddle.nn": {
        "LSTM": "Recurrent layers are not supported yet; use penstock.layers.LSTM.",
        "GRU": "Recurrent layers are not supported yet; use penstock.layers.GRU.",
        "MultiHeadAttention": "Build it from Linear and functional.scaled_dot_product_attention.",
        "Upsample": "Interpolation is not supported yet; penstock.nn.resize accepts these tensors.",
        "SyncBatchNorm": "There is only one device: use BatchNorm2D.",
    },
    "paddle.nn.functional": {
        "interpolate": "Not supported yet; use penstock.nn.resize(x, size, method, axes=(2, 3)).",
        "upsample": "Not supported yet; use penstock.nn.resize(x, size, method, axes=(2, 3)).",
        "alpha_dropout": "Use dropout.",
        "grid_sample": "Not supported yet.",
    },
    "paddle.autograd": {
        "PyLayer": "Not supported yet; use penstock.custom_gradient.",
        "jacobian": "Call paddle.grad for each element, or use penstock.jacobian.",
        "hessian": "Call paddle.grad twice with create_graph=True, or use penstock.hessian.",
    },
}


def absent(module: str, name: str, names: Iterable[str]) -> AttributeError:
    """Returns the error for a name that a module does not have."""
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
