"""PaddlePaddle's tensors, layers and optimizers, as the shared parts of the sources ask for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import paddle
from paddle.base import core
from paddle.base.framework import EagerParamBase

from penstock.flow.words import Words
from penstock.frameworks.paddle.words import PADDLE

SMOOTH = ("float", "bfloat", "complex")


class PaddleTensors:
    """The facts about PaddlePaddle's objects."""

    words: Words = PADDLE
    flag = "stop_gradient is True"
    Tensor: type = paddle.Tensor
    Parameter: type = EagerParamBase
    Module: type = paddle.nn.Layer
    containers = "nn.LayerList", "nn.LayerDict", "nn.ParameterList", "nn.ParameterDict"

    def is_trained(self, tensor: Any) -> bool:
        return not tensor.stop_gradient

    def is_leaf(self, tensor: Any) -> bool:
        return bool(tensor.is_leaf)

    def is_recording(self) -> bool:
        return bool(core._has_grad())

    def gradient(self, tensor: Any) -> Any:
        return tensor._grad_ivar()

    def with_gradient(self, tensors: Sequence[Any]) -> list[Any]:
        return [one for one in tensors if one._grad_ivar() is not None]

    def frozen(self, tensors: Sequence[Any]) -> list[Any]:
        return [one for one in tensors if one.stop_gradient]

    def is_zero(self, tensor: Any) -> bool:
        return not array(tensor).any()

    def dtype(self, tensor: Any) -> str:
        return _name(tensor.dtype)

    def shape(self, tensor: Any) -> tuple[int, ...] | None:
        return tuple(tensor.shape)

    def is_differentiable(self, tensor: Any) -> bool:
        return self.dtype(tensor).startswith(SMOOTH)

    def bytes_of(self, tensor: Any, most: int) -> bytes | None:
        try:
            flat = array(tensor).reshape(-1)
        except (RuntimeError, ValueError):
            # Sparse tensors, and those without memory.
            return None
        found: bytes = flat[:: max(flat.size // most, 1)].tobytes()
        return found

    def named_tensors(self, module: Any) -> Iterable[tuple[str, Any]]:
        for path, layer in self.named_modules(module):
            prefix = f"{path}." if path else ""
            for name, tensor in (*layer._parameters.items(), *layer._buffers.items()):
                if tensor is not None:
                    yield prefix + name, tensor

    def named_modules(self, module: Any) -> Iterable[tuple[str, Any]]:
        yield from _layers("", module, ())

    def own_parameters(self, module: Any) -> Mapping[str, Any]:
        found: Mapping[str, Any] = module._parameters
        return found

    def own_buffers(self, module: Any) -> Mapping[str, Any]:
        found: Mapping[str, Any] = module._buffers
        return found

    def own_modules(self, module: Any) -> Mapping[str, Any]:
        found: Mapping[str, Any] = module._sub_layers
        return found

    def parameters(self, module: Any) -> Iterator[Any]:
        return iter(module.parameters())

    def groups_of(self, optimizer: Any) -> Sequence[Sequence[Any]]:
        groups = (
            getattr(optimizer, "_param_groups", None) or getattr(optimizer, "_parameter_list", None) or ()
        )
        if groups and isinstance(groups[0], dict):
            return [list(one["params"]) for one in groups]
        return [list(groups)]

    def parameters_of(self, optimizer: Any) -> list[Any]:
        return [one for group in self.groups_of(optimizer) for one in group]

    def rate_of(self, optimizer: Any) -> float | None:
        rate = optimizer.get_lr() if hasattr(optimizer, "_learning_rate") else None
        return float(rate) if isinstance(rate, int | float) else None

    def is_idle(self, optimizer: Any) -> bool:
        return self.rate_of(optimizer) == 0.0

    def state_of(self, optimizer: Any) -> tuple[str, ...]:
        kept = getattr(optimizer, "_accumulators", None) or {}
        return tuple(name for name, held in kept.items() if held and not name.endswith("_pow_acc"))

    def kept(self, tensors: Sequence[Any], measured: Callable[[Any], bool]) -> list[tuple[Any, Any]]:
        return [(one, array(one) if measured(one) else None) for one in tensors]

    def distances(self, pairs: Sequence[tuple[Any, Any]]) -> list[float]:
        return [distance(array(after), before) for after, before in pairs]

    def number(self, tensor: Any) -> float | None:
        if tensor.size != 1 or not self.is_differentiable(tensor) or not tensor.place.is_cpu_place():
            return None
        return float(array(tensor).reshape(-1)[0].real)

    def has_norm(self, gradient: Any) -> bool:
        return self.is_differentiable(gradient) and not gradient.is_selected_rows()

    def norms(self, tensors: Sequence[Any]) -> list[float]:
        return [norm(array(one)) for one in tensors]

    def first_bad(self, tensor: Any) -> float | None:
        found = array(tensor)
        if found.dtype.kind not in "fc" or np.isfinite(found).all():
            return None
        return float(found[~np.isfinite(found)].reshape(-1)[0].real)


@cache
def _name(dtype: Any) -> str:
    return str(dtype).rpartition(".")[2]


def _layers(path: str, layer: Any, above: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    """Yields a layer and those inside it; a shared one under each of its paths."""
    yield path, layer
    for name, inner in layer._sub_layers.items():
        if inner is not None and not any(one is inner for one in (*above, layer)):
            yield from _layers(f"{path}.{name}" if path else name, inner, (*above, layer))


def array(tensor: Any) -> Any:
    """Returns a copy of a tensor's numbers; for rows of a table, of the rows alone."""
    if tensor.is_selected_rows():
        tensor = tensor._get_tensor_from_selected_rows()
    found = tensor.numpy()
    if found.dtype == np.uint16:
        # NumPy has no bfloat16: these are the upper halves of numbers of float32.
        found = (found.astype(np.uint32) << 16).view(np.float32)
    return found


def distance(after: Any, before: Any) -> float:
    """Returns the Euclidean norm of a change; if the tensor got another shape, all of it counts."""
    if after.shape != before.shape:
        return math.nan
    if after.dtype.kind not in "fc":
        return norm(after.astype(np.float64) - before.astype(np.float64))
    with np.errstate(all="ignore"):
        return norm(after - before)


def norm(numbers: Any) -> float:
    """Returns the Euclidean norm of an array."""
    flat = numbers.reshape(-1)
    if not flat.size:
        return 0.0
    with np.errstate(all="ignore"):
        found = float(np.sqrt(np.vdot(flat, flat).real))
        if 0.0 < found < math.inf:
            return found
        # Squares of tiny or huge numbers need more range, and so do narrow dtypes.
        wide = flat.astype(np.complex128 if flat.dtype.kind == "c" else np.float64)
        return float(np.linalg.norm(wide))


TENSORS = PaddleTensors()

__all__ = ["TENSORS", "PaddleTensors", "array"]
