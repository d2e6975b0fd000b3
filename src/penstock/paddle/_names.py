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
    "Model": "Write the loop: loss.backward(), optimizer.step(), optimizer.clear_grad().",
    "one_hot": "It is paddle.nn.functional.one_hot.",
    "permute": "It is paddle.transpose(x, perm).",
    "cat": "It is paddle.concat.",
    "summary": "Print the layer, or sum p.numel() over layer.parameters().",
    "fft": "It is not there yet; native programs have penstock.fft.",
    "vision": "Images and data sets are made with NumPy or Pillow; layers are in paddle.nn.",
    "text": "Texts are made into numbers in Python; layers are in paddle.nn.",
    "distributed": "There is one device here, or JAX's: see penstock's README on machines.",
    "DataParallel": "There is one device here, or JAX's: see penstock's README on machines.",
    "inference_mode": "It is paddle.no_grad.",
    "sparse": "Tensors are dense here; the gradient of an embedding is rows.",
    "quantile": "Sort, and take the place: paddle.sort(x, axis).",
    "index_put": "Write x[index] = value, or paddle.scatter_nd_add.",
}
_ELSEWHERE = {
    "paddle.linalg": {
        "lstsq": "Use paddle.linalg.pinv(a) @ b, or paddle.linalg.solve of the normal equations.",
        "eig": "It is not there; of a symmetric matrix, take paddle.linalg.eigh.",
        "lu": "It is not there; paddle.linalg.solve solves, and paddle.linalg.qr factorises.",
        "matrix_rank": "Count paddle.linalg.svd(x)[1] above a tolerance.",
        "vector_norm": "It is paddle.linalg.norm.",
        "matrix_norm": "It is paddle.linalg.norm.",
    },
    "paddle.nn": {
        "LSTM": "Recurrent layers are not there yet; native programs have penstock.layers.LSTM.",
        "GRU": "Recurrent layers are not there yet; native programs have penstock.layers.GRU.",
        "MultiHeadAttention": "Compose it of Linear and functional.scaled_dot_product_attention.",
        "Upsample": "Interpolation is not there yet: penstock.nn.resize takes these tensors.",
        "SyncBatchNorm": "There is one device: it is BatchNorm2D.",
    },
    "paddle.nn.functional": {
        "interpolate": "It is not there yet: penstock.nn.resize(x, size, method, axes=(2, 3)) takes these.",
        "upsample": "It is not there yet: penstock.nn.resize(x, size, method, axes=(2, 3)) takes these.",
        "alpha_dropout": "Use dropout.",
        "grid_sample": "It is not there yet.",
    },
    "paddle.autograd": {
        "PyLayer": "It is not there yet; native programs have penstock.custom_gradient.",
        "jacobian": "Take paddle.grad of each element; native programs have penstock.jacobian.",
        "hessian": "Take paddle.grad twice, with create_graph; native programs have penstock.hessian.",
    },
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
    elif name in _ELSEWHERE.get(module, ()):
        lines.append(_ELSEWHERE[module][name])
    elif near:
        lines.append(f"Near it: {', '.join(near)}.")
    return AttributeError("\n".join(lines))
