"""Writes by lines of a PyTorch program, and flags that they set on the wrong object."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch

from penstock.frameworks.eager import by_hand
from penstock.frameworks.eager.parameter import Parameter
from penstock.frameworks.torch.links import memory, node_of
from penstock.frameworks.torch.told import Written
from penstock.frameworks.torch.window import Window
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.torch.source import Torch

_DECAYS = ("mul_", "div_", "__imul__", "__itruediv__")
"""Calls that shrink the written tensor, if the other operand is a number."""

_SETTLING = frozenset(
    (
        "abs", "clamp", "clamp_max", "clamp_min", "clip", "fill", "hardtanh", "masked_fill", "normalize",
        "relu", "renorm", "zero",
    )
)  # fmt: skip
"""Calls that change nothing when they are repeated."""


class ByHand(by_hand.ByHand):
    """Writes without an optimizer."""

    source: Torch

    def wrote_in_place(
        self, name: str, tensor: Any, site: Site | None, source: Any = None, before: Any = None
    ) -> None:
        """Notes a write by a line of the program; what comes before the first backward pass is creation."""
        window = self.source.window
        if window is None:
            return
        target = self._written(tensor)
        if target is None:
            return
        parameter = self.source.registry.of(target)
        if parameter.kind == "state":
            self.source.tell([self._write(parameter, "forward", site, "write", ("state",))])
            return
        if not self.source.began or _is_initialising():
            window.renewed(parameter, name, site)
            return
        terms = ("decay",) if name in _DECAYS and not isinstance(source, torch.Tensor) else ("assign",)
        itself = name == "copy_" and source is not None and memory(source) == memory(target)
        hidden = name == "data" or (target is not tensor and window.is_apart(tensor))
        self.source.versions.saw(parameter, (name, site, terms), hidden)
        self.wrote(window, target, name, site, terms, source, before, itself, _settles(window, name, source))

    def follow(self, target: Any, other: Any, by: str, site: Site | None) -> None:
        self.source.followers.wrote(target, other, by, site)

    def _written(self, tensor: Any) -> Any:
        """Returns the parameter or buffer whose memory an in-place call has written, if it is one."""
        if self.is_parameter(tensor) or self.source.registry.find(tensor) is not None:
            return tensor
        if not tensor.is_floating_point():
            return None
        base = tensor._base
        if base is not None and self.is_parameter(base):
            return base
        if node_of(tensor) is not None:
            return None
        at = memory(tensor)
        for _, known in self.source.registry.living():
            if known is not tensor and at is not None and memory(known) == at:
                return known
        return None

    def set_attribute(self, original: Callable[..., Any], module: Any, name: str, value: Any) -> None:
        """Sets an attribute of a module."""
        original(module, name, value)
        if name == "requires_grad" and value is False:
            self.note_attribute(module, name)

    def note_statistics(
        self, name: str, arguments: Sequence[Any], options: Mapping[str, Any], result: Any
    ) -> None:
        """Notes a call that may normalise by its batch."""
        training = options.get("training", arguments[5] if len(arguments) > 5 else False)
        if name == "instance_norm":
            training = options.get("use_input_stats", True)
        if not training:
            return
        self.normalised(name, arguments[1:3], result)

    def saw_statistics(self, parameter: Parameter, by: str, site: Site | None) -> None:
        self.source.versions.saw(parameter, (by, site, ("state",)), True)

    def count(self) -> None:
        """Reports later writes by lines of the program, detected from the versions of tensors."""
        if self.source.window is not None:
            return
        self.counted = True
        writes = []
        for parameter, line in self.source.versions.advanced():
            if line is None:
                self.source.turns.want()
            else:
                by, site, terms = line
                writes.append(Written(parameter, by, site, "write", terms, next(self.source.events), None))
        if writes:
            self.source.tell(writes)


def _settles(window: Window, name: str, source: Any) -> bool:
    """Returns whether a repetition of an in-place write would change nothing."""
    if name in ("copy_", "data") and isinstance(source, torch.Tensor):
        number = window.number(source)
        return number is not None and window.graph.values[number].name in _SETTLING
    if name in ("mul_", "__imul__") and isinstance(source, torch.Tensor):
        # That is, by a mask.
        return source.dtype == torch.bool or bool(((source == 0) | (source == 1)).all())
    return name.removesuffix("_") in _SETTLING


def _is_initialising() -> bool:
    """Returns whether a call comes from the initialization of new parameters."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if code.co_name in ("reset_parameters", "_reset_parameters", "init_weights", "_init_weights"):
            return True
        if code.co_filename.endswith("nn/init.py"):
            return True
        frame = frame.f_back
    return False


__all__ = ["ByHand"]
