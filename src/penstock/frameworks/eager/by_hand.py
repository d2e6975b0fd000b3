"""Writes by lines of the program or its layers, and flags that they set on the wrong object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from penstock.flow.noted import Switched
from penstock.frameworks.eager.measured import Normalised, measured
from penstock.frameworks.eager.modes import layer_around
from penstock.frameworks.eager.parameter import Parameter
from penstock.frameworks.eager.told import Written
from penstock.frameworks.eager.window import Window
from penstock.frameworks.places import here, site_of, user_frame, user_frames
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.eager.source import Eager


class ByHand:
    """Writes without an optimizer."""

    def __init__(self, source: Eager) -> None:
        self.source, self.tensors = source, source.registry.tensors
        self._flags: list[tuple[Site | None, list[Parameter], str]] = []
        self.pending: list[Written] = []
        self._sought: set[int] = set()
        self._silent: list[Normalised] = []
        self.counted = False

    def wrote(
        self, window: Window, target: Any, name: str, site: Site | None, terms: tuple[str, ...],
        source: Any, before: Any, itself: bool, settling: bool,
    ) -> None:  # fmt: skip
        """Reports that a line has written a parameter, from another tensor if `source` is one.

        `itself` says that the source is its own memory, `settling` that a repetition would change nothing.
        """
        parameter = self.source.registry.of(target)
        event = window.wrote(name, site, [target], "write", terms)
        amount = 0.0 if itself else None
        write = self.source.Written(parameter, name, site, "write", terms, event, amount, idle=itself)
        write.before, write.settling = before, settling
        self.source.tell([write])
        if terms == ("assign",) and not itself:
            self.source.copies.wrote(parameter, target, name, site)
        if isinstance(source, self.tensors.Tensor) and not itself:
            other = self._taken_from(window, source, parameter)
            if other is not None:
                self.follow(target, other, name, site)
                whole = self.is_parameter(source)
                self.source.sink.followed(parameter, name, site, self.source.registry.of(other), whole)

    def follow(self, target: Any, other: Any, by: str, site: Site | None) -> None:
        """Is called with a parameter that a line writes from another one."""

    def _taken_from(self, window: Window, source: Any, own: Parameter) -> Any:
        """Returns the only other parameter from which a value is taken, if there is just one."""
        if self.is_parameter(source):
            return source
        number = window.number(source)
        behind = window.graph.ancestors([number]) if number is not None else ()
        held = {window.graph.values[one].variable for one in behind} - {None}
        found = [one for index in held if (one := window.variables[index or 0]) is not own]
        return found[0].tensor() if len(found) == 1 else None

    def is_parameter(self, tensor: Any) -> bool:
        """Returns whether a tensor is a leaf that is trained, or created for training."""
        return isinstance(tensor, self.tensors.Parameter) or (
            self.tensors.is_leaf(tensor) and self.tensors.is_trained(tensor)
        )

    def note_misplaced(self, tensor: Any, site: Site | None) -> None:
        """Notes that a flag is cleared on a tensor that only shares a parameter's memory."""
        own = self.is_parameter(tensor) or self.source.registry.find(tensor) is not None
        at = None if own else self.source.memory(tensor)
        held = [
            one
            for one in self.source.registry.made()
            if at and self.source.memory(one) == at and self.tensors.is_trained(one)
        ]
        if held:
            self._flags.append((site, [self.source.registry.of(one) for one in held], ""))

    def note_attribute(self, module: Any, name: str) -> None:
        """Notes that an attribute of a module is set like a flag of tensors, which nothing reads there."""
        frame = user_frame(2)
        if frame is None or frame.f_locals.get("self") is module:
            # A module's own methods may set any attribute.
            return
        held = [one for one in self.tensors.parameters(module) if self.tensors.is_trained(one)]
        self._flags.append((site_of(frame), [self.source.registry.of(one) for one in held], name))

    def normalised(self, name: str, tensors: Sequence[Any], result: Any) -> None:
        """Notes that a layer normalises by its batch, and so writes its statistics."""
        site = here(3)
        layer = layer_around(self.tensors, tensors[0]) if tensors else None
        switched = self.source.modes.line(layer)
        written: list[Parameter] = []
        for tensor in tensors:
            if isinstance(tensor, self.tensors.Tensor):
                parameter = self.source.registry.of(tensor, "state")
                if not parameter.path and parameter.uid not in self._sought:
                    self._sought.add(parameter.uid)
                    self.source.registry.name(user_frames(3))
                self.saw_statistics(parameter, name, site)
                self.pending.append(self._write(parameter, name, site, "write", ("state",)))
                self.source.note(Switched(switched), [parameter])
                written.append(parameter)
        window = self.source.window
        number = window.number(result) if window is not None else None
        # A layer has a mode, which may be wrong. A program that calls the function names the mode itself.
        if layer is not None and written and number is not None and not self.tensors.is_recording():
            self._silent.append(Normalised(number, site, switched, tuple(written)))

    def saw_statistics(self, parameter: Parameter, by: str, site: Site | None) -> None:
        """Is called with each statistic that a line writes."""

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
        """Reports writes by lines of the program since the last update, outside a window."""

    def tell_misplaced(self) -> None:
        """Reports flags that were set where nothing reads them."""
        for site, parameters, attribute in self._flags:
            self.source.sink.misplaced(site, parameters, attribute)
        self._flags.clear()

    def take_pending(self) -> list[Written]:
        """Returns later writes by layers, which are reported with the next write."""
        states, self.pending = self.pending, []
        return states

    def _write(
        self, parameter: Parameter, by: str, site: Site | None, kind: str, terms: tuple[str, ...]
    ) -> Written:
        return self.source.Written(parameter, by, site, kind, terms, next(self.source.events), None)


__all__ = ["ByHand"]
