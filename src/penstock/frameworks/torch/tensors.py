"""PyTorch's tensors, modules and optimizers, as the shared parts of the sources ask for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch

from penstock.flow.words import Words
from penstock.frameworks.torch import amounts, links
from penstock.frameworks.torch.words import TORCH


class TorchTensors:
    """The facts about PyTorch's objects."""

    words: Words = TORCH
    flag = "requires_grad is False"
    Tensor: type = torch.Tensor
    Parameter: type = torch.nn.Parameter
    Module: type = torch.nn.Module
    containers = "nn.ModuleList", "nn.ModuleDict", "nn.ParameterList", "nn.ParameterDict"

    def is_trained(self, tensor: Any) -> bool:
        return bool(tensor.requires_grad)

    def is_leaf(self, tensor: Any) -> bool:
        return links.is_leaf(tensor)

    def is_recording(self) -> bool:
        return bool(torch.is_grad_enabled())

    def gradient(self, tensor: Any) -> Any:
        return tensor.grad

    def with_gradient(self, tensors: Sequence[Any]) -> list[Any]:
        return [one for one in tensors if one.grad is not None]

    def frozen(self, tensors: Sequence[Any]) -> list[Any]:
        return [one for one in tensors if not one.requires_grad]

    def is_zero(self, tensor: Any) -> bool:
        with torch._C.DisableTorchFunction(), torch.no_grad():
            return not bool(tensor.count_nonzero())

    def dtype(self, tensor: Any) -> str:
        return str(tensor.dtype).removeprefix("torch.")

    def shape(self, tensor: Any) -> tuple[int, ...] | None:
        return None if torch.nn.parameter.is_lazy(tensor) else tuple(tensor.shape)

    def is_differentiable(self, tensor: Any) -> bool:
        return links.is_differentiable(tensor)

    def bytes_of(self, tensor: Any, most: int) -> bytes | None:
        try:
            flat = tensor.detach().reshape(-1)
            if flat.numel() > most:
                flat = flat[:: flat.numel() // most]
            found: bytes = flat.to("cpu").contiguous().view(torch.uint8).numpy().tobytes()
        except (RuntimeError, NotImplementedError, TypeError, ValueError):
            # Sparse tensors, those on the meta device, and subclasses with a special kind of memory.
            return None
        return found

    def named_tensors(self, module: Any) -> Iterable[tuple[str, Any]]:
        yield from module.named_parameters(remove_duplicate=False)
        yield from module.named_buffers(remove_duplicate=False)

    def named_modules(self, module: Any) -> Iterable[tuple[str, Any]]:
        found: Iterable[tuple[str, Any]] = module.named_modules()
        return found

    def own_parameters(self, module: Any) -> Mapping[str, Any]:
        found: Mapping[str, Any] = module._parameters
        return found

    def own_buffers(self, module: Any) -> Mapping[str, Any]:
        found: Mapping[str, Any] = module._buffers
        return found

    def own_modules(self, module: Any) -> Mapping[str, Any]:
        found: Mapping[str, Any] = module._modules
        return found

    def parameters(self, module: Any) -> Iterator[Any]:
        found: Iterator[Any] = module.parameters()
        return found

    def groups_of(self, optimizer: Any) -> Sequence[Sequence[Any]]:
        return [one["params"] for one in optimizer.param_groups]

    def parameters_of(self, optimizer: Any) -> list[Any]:
        return [one for group in optimizer.param_groups for one in group["params"]]

    def rate_of(self, optimizer: Any) -> float | None:
        rate = next((one["lr"] for one in optimizer.param_groups if "lr" in one), None)
        return float(rate) if isinstance(rate, int | float) else None

    def is_idle(self, optimizer: Any) -> bool:
        return all(not one.get("lr", 1.0) for one in optimizer.param_groups)

    def state_of(self, optimizer: Any) -> tuple[str, ...]:
        return amounts.state_of(optimizer)

    def kept(self, tensors: Sequence[Any], measured: Callable[[Any], bool]) -> list[tuple[Any, Any]]:
        return [(one, one.detach().clone() if measured(one) else None) for one in tensors]

    def distances(self, pairs: Sequence[tuple[Any, Any]]) -> list[float]:
        return amounts.distances([(after.detach(), before) for after, before in pairs])

    def number(self, tensor: Any) -> float | None:
        if not (tensor.numel() == 1 and tensor.is_floating_point() and tensor.is_cpu):
            return None
        # Observers of calls must not mistake this for the program's own.
        with torch._C.DisableTorchFunction():
            found: float = tensor.item()
        return found

    def has_norm(self, gradient: Any) -> bool:
        return bool(gradient.layout == torch.strided and gradient.is_floating_point())

    def norms(self, tensors: Sequence[Any]) -> list[float]:
        if not tensors:
            return []
        with torch.no_grad():
            own = [one.detach() for one in tensors]
            wide = [one.float() if one.dtype in (torch.float16, torch.bfloat16) else one for one in own]
            kinds = {(type(one), one.dtype, one.device) for one in wide}
            if len(kinds) > 1 or type(wide[0]) is not torch.Tensor:
                # Tensors of other kinds, such as sharded ones, may have no list of their numbers.
                return [float(torch.linalg.vector_norm(one)) for one in wide]
            found: list[float] = torch.stack(torch._foreach_norm(wide)).tolist()
        return found

    def first_bad(self, tensor: Any) -> float | None:
        own = tensor.detach()
        bad = own[~torch.isfinite(own)].flatten()
        return float(bad[0]) if bad.numel() else None


TENSORS = TorchTensors()

__all__ = ["TENSORS", "TorchTensors"]
