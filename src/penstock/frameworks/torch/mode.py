"""Observes the calls of a PyTorch program as the user types them, through a torch function mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from penstock.frameworks.places import here
from penstock.frameworks.torch.links import ESCAPES, given_to, is_leaf, key_of
from penstock.frameworks.torch.window import Window

LOOKS = {
    "item": "item()", "tolist": "tolist()", "numpy": "numpy()", "__float__": "float()", "__int__": "int()",
    "__bool__": "bool()", "__array__": "numpy()", "__format__": "format()", "__repr__": "repr()",
    "__complex__": "complex()", "__index__": "int()", "cpu_numpy": "numpy()",
}  # fmt: skip
QUIET = frozenset(
    (
        "size", "dim", "stride", "numel", "is_floating_point", "is_complex", "__len__", "__hash__",
        "storage_offset", "untyped_storage", "data_ptr", "is_contiguous", "register_hook", "retain_grad",
        "get_device", "element_size", "ndimension", "backward", "grad", "_record_function_enter_new",
        "_record_function_exit._RecordFunction", "__reduce_ex__", "__deepcopy__", "is_set_to", "is_nonzero",
        "register_post_accumulate_grad_hook", "_is_view", "_use_count", "is_same_size", "manual_seed",
    )
)  # fmt: skip
"""Calls without a result that a gradient could pass through."""


class Mode(TorchFunctionMode):  # type: ignore[misc]
    """Reports calls to a watcher, the source."""

    def __init__(self, watcher: Any) -> None:
        super().__init__()
        self.watcher = watcher

    def __torch_function__(
        self,
        function: Callable[..., Any],
        types: Any,
        arguments: Sequence[Any] = (),
        options: Mapping[str, Any] | None = None,
    ) -> Any:
        options = options or {}
        if not self.watcher.recording:
            return function(*arguments, **options)
        name = getattr(function, "__name__", "")
        if name in QUIET or not name:
            return function(*arguments, **options)
        return self.watcher.called(name, function, arguments, options)


def tensors_in(*things: Any) -> Iterator[Any]:
    """Yields the tensors in arguments or results, in order, including those in lists and dictionaries."""
    for one in things:
        if isinstance(one, torch.Tensor):
            yield one
        elif isinstance(one, list | tuple):
            yield from tensors_in(*one)
        elif isinstance(one, dict):
            yield from tensors_in(*one.values())
        elif isinstance(one, torch.nn.utils.rnn.PackedSequence):
            yield one.data


def record(
    window: Window,
    name: str,
    function: Callable[..., Any],
    arguments: Sequence[Any],
    options: Mapping[str, Any],
    wrote: Callable[[str, Any, Any, Any, Any], None],
) -> Any:
    """Makes a call and records it; `wrote` is called for in-place writes.

    Its arguments are name, tensor, site, source, and the value before, if the tensor may be a parameter.
    """
    operands = list(dict.fromkeys(tensors_in(*given_to(name, arguments, options))))
    if name in LOOKS:
        gave = function(*arguments, **options)
        if operands and window.stems(operands[0]):
            window.look(operands[0], LOOKS[name], gave, here(2))
        return gave
    if name in ESCAPES:
        return _made(window, name, function, arguments, options, operands)
    relevant = any(window.stems(one) for one in operands)
    keys = [key_of(one) for one in operands] if relevant else []
    in_place = bool(operands) and writes_in_place(name)
    before = operands[0].detach().clone() if relevant and in_place and operands[0].grad_fn is None else None
    result = function(*arguments, **options)
    if not relevant:
        for one in tensors_in(result):
            if is_leaf(one) and one.requires_grad:
                window.registry.note_made(one, here(2))
        return result
    site = here(2)
    own = {id(one) for one in operands}
    made = [one for one in tensors_in(result) if id(one) not in own]
    if in_place:
        target = operands[0]
        if not _is_known_leaf(window, target):
            made = [target, *made]
        source = arguments[1] if len(arguments) > 1 else None
        for one in tensors_in(arguments[0]) if arguments else [target]:
            wrote(name, one, site, source, before if one is target else None)
    out = options.get("out")
    if isinstance(out, torch.Tensor):
        wrote(name, out, site, None, None)
    if made:
        window.follow_recording(site)
        window.call(name, operands, keys, made, site)
    return result


def _made(
    window: Window,
    name: str,
    function: Callable[..., Any],
    arguments: Sequence[Any],
    options: Mapping[str, Any],
    operands: Sequence[Any],
) -> Any:
    """Makes and records a tensor from numbers, arrays or tensors, without their history."""
    result = function(*arguments, **options)
    site = here(3)
    if result.is_leaf and result.requires_grad:
        window.registry.note_made(result, site)
    if any(result is one for one in operands):
        return result
    for one in operands:
        if window.stems(one):
            window.look(one, f"torch.{name}()", result, site)
    if operands and any(window.stems(one) for one in operands):
        window.came_from(result, operands, site)
    else:
        window.came_in(result, next(iter([*arguments[:1], *options.values()]), None), site)
    return result


def writes_in_place(name: str) -> bool:
    """Returns whether a call of this name writes its first tensor."""
    if name in ("__setitem__", "__set__", "copy_"):
        return True
    if name.startswith("__i") and name.endswith("__"):
        return name not in ("__index__", "__int__", "__invert__", "__iter__")
    return (
        name.endswith("_")
        and not name.endswith("__")
        and name not in ("requires_grad_", "detach_", "share_memory_")
    )


def _is_known_leaf(window: Window, tensor: Any) -> bool:
    return is_leaf(tensor) and (
        isinstance(tensor, torch.nn.Parameter) or window.registry.find(tensor) is not None
    )


__all__ = ["LOOKS", "Mode", "record", "tensors_in", "writes_in_place"]
