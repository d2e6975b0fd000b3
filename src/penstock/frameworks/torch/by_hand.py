"""Writes by lines of the program or its layers, and flags that they set on the wrong object."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch

from penstock.flow.noted import Switched
from penstock.frameworks.places import here, site_of, user_frame, user_frames
from penstock.frameworks.torch.links import is_leaf, memory, node_of
from penstock.frameworks.torch.measured import Normalised, measured
from penstock.frameworks.torch.modes import layer_around
from penstock.frameworks.torch.parameter import Parameter
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


class ByHand:
    """Writes without an optimizer."""

    def __init__(self, source: Torch) -> None:
        self.source = source
        self._flags: list[tuple[Site | None, list[Parameter], str]] = []
        self._pending: list[Written] = []
        self._sought: set[int] = set()
        self._silent: list[Normalised] = []
        self.counted = False

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
        event = window.wrote(name, site, [target], "write", terms)
        itself = name == "copy_" and source is not None and memory(source) == memory(target)
        amount = 0.0 if itself else None
        hidden = name == "data" or (target is not tensor and window.is_apart(tensor))
        self.source.versions.saw(parameter, (name, site, terms), hidden)
        write = Written(parameter, name, site, "write", terms, event, amount, idle=itself)
        write.before, write.settling = before, _settles(window, name, source)
        self.source.tell([write])
        if terms == ("assign",) and not itself:
            self.source.copies.wrote(parameter, target, name, site)
        if isinstance(source, torch.Tensor) and not itself:
            other = self._taken_from(window, source, parameter)
            if other is not None:
                self.source.followers.wrote(target, other, name, site)
                whole = self.is_parameter(source)
                self.source.sink.followed(parameter, name, site, self.source.registry.of(other), whole)

    def _taken_from(self, window: Window, source: Any, own: Parameter) -> Any:
        """Returns the only other parameter from which a value is taken, if there is just one."""
        if self.is_parameter(source):
            return source
        number = window.number(source)
        behind = window.graph.ancestors([number]) if number is not None else ()
        held = {window.graph.values[one].variable for one in behind} - {None}
        found = [one for index in held if (one := window.variables[index or 0]) is not own]
        return found[0].tensor() if len(found) == 1 else None

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

    def is_parameter(self, tensor: Any) -> bool:
        """Returns whether a tensor is a leaf that is trained, or created for training."""
        return isinstance(tensor, torch.nn.Parameter) or (is_leaf(tensor) and tensor.requires_grad)

    def note_misplaced(self, tensor: Any, site: Site | None) -> None:
        """Notes that a flag is cleared on a tensor that only shares a parameter's memory."""
        own = self.is_parameter(tensor) or self.source.registry.find(tensor) is not None
        at = None if own else memory(tensor)
        held = [one for one in self.source.registry.made() if at and memory(one) == at and one.requires_grad]
        if held:
            self._flags.append((site, [self.source.registry.of(one) for one in held], ""))

    def set_attribute(self, original: Callable[..., Any], module: Any, name: str, value: Any) -> None:
        """Sets an attribute of a module; notes a flag of tensors, which a module keeps and nothing reads."""
        original(module, name, value)
        if name != "requires_grad" or value is not False:
            return
        frame = user_frame(2)
        if frame is None or frame.f_locals.get("self") is module:
            # A module's own methods may set any attribute.
            return
        held = [one for one in module.parameters() if one.requires_grad]
        self._flags.append((site_of(frame), [self.source.registry.of(one) for one in held], name))

    def note_statistics(
        self, name: str, arguments: Sequence[Any], options: Mapping[str, Any], result: Any
    ) -> None:
        """Notes that a layer normalises by its batch, and so writes its statistics."""
        training = options.get("training", arguments[5] if len(arguments) > 5 else False)
        if name == "instance_norm":
            training = options.get("use_input_stats", True)
        if not training:
            return
        site = here(3)
        layer = layer_around(arguments[1])
        switched = self.source.modes.line(layer)
        written: list[Parameter] = []
        for tensor in arguments[1:3]:
            if isinstance(tensor, torch.Tensor):
                parameter = self.source.registry.of(tensor, "state")
                if not parameter.path and parameter.uid not in self._sought:
                    self._sought.add(parameter.uid)
                    self.source.registry.name(user_frames(3))
                self.source.versions.saw(parameter, (name, site, ("state",)), True)
                self._pending.append(self._write(parameter, name, site, "write", ("state",)))
                self.source.note(Switched(switched), [parameter])
                written.append(parameter)
        window = self.source.window
        number = window.number(result) if window is not None else None
        # A layer has a mode, which may be wrong. A program that calls the function names the mode itself.
        if layer is not None and written and number is not None and not torch.is_grad_enabled():
            self._silent.append(Normalised(number, site, switched, tuple(written)))

    def settle_measured(self, window: Window | None) -> None:
        """Notes the passes that only evaluate but have written statistics."""
        if window is None:
            return
        goals = self.source.gradients.all_goals(window)
        for left, references in self.source.modes.left(window.graph.ancestors(goals)):
            tensors = [one for reference in references if (one := reference()) is not None]
            self.source.note(left, [self.source.registry.of(one) for one in tensors])
        if self._silent:
            for fact, parameters in measured(window, self._silent, goals):
                self.source.note(fact, parameters)
        self._silent.clear()

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

    def tell_misplaced(self) -> None:
        """Reports flags that were set where nothing reads them."""
        for site, parameters, attribute in self._flags:
            self.source.sink.misplaced(site, parameters, attribute)
        self._flags.clear()

    def take_pending(self) -> list[Written]:
        """Returns later writes by layers, which are reported with the next write."""
        states, self._pending = self._pending, []
        return states

    def _write(
        self, parameter: Parameter, by: str, site: Site | None, kind: str, terms: tuple[str, ...]
    ) -> Written:
        return Written(parameter, by, site, kind, terms, next(self.source.events), None)


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
