"""Gradient tapes: when they record, what they watch, and what they are asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorflow.python.eager import backprop
from tensorflow.python.framework import indexed_slices
from tensorflow.python.framework import tensor as tensors
from tensorflow.python.ops import gradients_impl
from tensorflow.python.ops.unconnected_gradients import UnconnectedGradients
from tensorflow.python.util import nest

from penstock.flow.asked import name_of_sources, paths_of
from penstock.frameworks.tensorflow.entries import Asked, Closed, Key, Opened, Type, Watched, type_of
from penstock.frameworks.tensorflow.lines import here
from penstock.frameworks.tensorflow.variable import Requested
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.tensorflow.watcher import Watcher


class Tapes:
    """The tapes of a program."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    @property
    def _records(self) -> bool:
        watcher = self._watcher
        return watcher.is_home and (watcher.window is not None or watcher.script() is not None)

    def push(self, original: Callable[..., Any], tape: Any) -> Any:
        """Lets a tape record."""
        if self._watcher.is_home and self._watcher.script() is None:
            self._watcher.begin_step()
        new = tape._tape is None
        result = original(tape)
        if self._records:
            site = here(2)
            self._watcher.put(Opened(id(tape), bool(tape._watch_accessed_variables), new, site))
        return result

    def pop(self, original: Callable[..., Any], tape: Any) -> Any:
        """Stops a tape."""
        result = original(tape)
        if self._records:
            self._watcher.put(Closed(id(tape), here(2)))
        return result

    def watch(self, original: Callable[..., Any], tape: Any, tensor: Any) -> Any:
        """Lets a tape watch tensors or variables."""
        result = original(tape, tensor)
        if self._records:
            for one in backprop._extract_tensors_and_variables(tensor):
                parameter = self._watcher.registry.of(one)
                if parameter is not None:
                    self._watcher.put(Watched(id(tape), parameter, None))
                elif (key := self.key(one)) is not None:
                    self._watcher.put(Watched(id(tape), key, type_of(one), one))
        return result

    def gradient(
        self, original: Callable[..., Any], tape: Any, target: Any, sources: Any, *given: Any, **named: Any
    ) -> Any:
        """Asks a tape for gradients."""
        return self._ask(original, tape, "gradient", target, sources, given, named)

    def jacobian(
        self, original: Callable[..., Any], tape: Any, target: Any, sources: Any, *given: Any, **named: Any
    ) -> Any:
        """Asks a tape for a jacobian."""
        return self._ask(original, tape, "jacobian", target, sources, given, named)

    def _ask(
        self,
        original: Callable[..., Any],
        tape: Any,
        how: str,
        target: Any,
        sources: Any,
        given: Sequence[Any],
        named: dict[str, Any],
    ) -> Any:
        watcher = self._watcher
        if not watcher.is_home:
            return original(tape, target, sources, *given, **named)
        script = watcher.script()
        if script is None:
            watcher.began = True
        records = self._records
        site = here(3) if records or script is None else None
        if records and tape._recording and not tape._persistent:
            # It stops here, before the gradient is computed.
            watcher.put(Closed(id(tape), site))
        targets = [one for one in nest.flatten(target) if one is not None]
        if script is None:
            watcher.sizes.asked(targets, site)
        watcher.quiet += 1
        try:
            result = original(tape, target, sources, *given, **named)
        finally:
            watcher.quiet -= 1
        if records:
            asked = self._asked(tape, how, site, targets, sources, nest.flatten(result))
            asked.filled = _fills(given[how == "gradient" :], named)
            watcher.put(asked)
        return result

    def gradients(self, original: Callable[..., Any], ys: Any, xs: Any, *given: Any, **named: Any) -> Any:
        """Asks the function that is being traced for gradients: `tf.gradients`, which needs no tape.

        In the record, one has been open since the function began, and has watched the sources.
        """
        watcher = self._watcher
        typed = sys._getframe(2).f_globals is vars(gradients_impl)
        script = watcher.script() if typed and watcher.is_home else None
        if script is None:
            return original(ys, xs, *given, **named)
        site = here(2)
        watcher.quiet += 1
        try:
            result = original(ys, xs, *given, **named)
        finally:
            watcher.quiet -= 1
        targets = [one for one in nest.flatten(ys) if one is not None]
        tape = object()
        asked = self._asked(tape, "gradients", site, targets, xs, nest.flatten(result))
        for thing, tensor in zip(asked.sources, nest.flatten(xs), strict=True):
            if isinstance(thing, str):
                made = [at for at, one in enumerate(script.entries) if thing in getattr(one, "outputs", ())]
                watched = Watched(id(tape), thing, type_of(tensor))
                script.entries.insert(made[0] + 1 if made else 0, watched)
            elif thing is not None and not thing.watched:
                script.entries.insert(0, Watched(id(tape), thing, None))
        script.entries.insert(0, Opened(id(tape), True, True, site))
        script.tapes.append(tape)
        watcher.put(Closed(id(tape), site))
        watcher.put(asked)
        return result

    def _asked(
        self,
        tape: Any,
        how: str,
        site: Site | None,
        targets: Sequence[Any],
        sources: Any,
        found: Sequence[Any],
    ) -> Asked:
        registry = self._watcher.registry
        flat = nest.flatten(sources)
        tensors_of = [dense(one) for one in found]
        if len(tensors_of) != len(flat):
            tensors_of = [None] * len(flat)
        things: list[Any] = []
        requested: list[Requested] = []
        names = _names(sources, site, len(flat))
        for place, one in enumerate(flat):
            parameter = registry.of(one)
            if parameter is not None:
                things.append(parameter)
                continue
            things.append(self.key(one))
            if isinstance(one, tensors.Tensor):
                requested.append(registry.requested(one, names[place], place, site))
        types: list[Type | None] = [None if one is None else type_of(one) for one in tensors_of]
        return Asked(
            id(tape),
            how,
            site,
            tuple([key for one in targets if (key := registry.of(one) or self.key(one)) is not None]),
            tuple(things),
            tuple([None if one is None else self.key(one) for one in tensors_of]),
            tuple(types),
            tuple(requested),
            (
                *(one for one in tensors_of if one is not None),
                *(one for one in targets if isinstance(one, tensors.Tensor) and registry.of(one) is None),
            ),
        )

    def key(self, tensor: Any) -> Key | None:
        """Returns the key of a tensor where the program is now."""
        if self._watcher.script() is None:
            return id(tensor)
        try:
            return str(tensor.name)
        except (AttributeError, ValueError):
            return None


def _fills(given: Sequence[Any], named: dict[str, Any]) -> bool:
    """Returns whether a request gets zeros in place of a gradient that does not exist."""
    asked = given[0] if given else named.get("unconnected_gradients")
    return bool(getattr(asked, "value", asked) == UnconnectedGradients.ZERO.value)


def _names(sources: Any, site: Site | None, count: int) -> list[str]:
    """Returns a name for each source of a gradient, from the line that asks; "" where there is none."""
    try:
        names = list(paths_of(sources, name_of_sources(site))) if site is not None else []
    except TypeError:
        names = []
    return names if len(names) == count else [""] * count


def dense(gradient: Any) -> Any:
    """Returns the tensor of a gradient: for rows of a table, their values."""
    if isinstance(gradient, indexed_slices.IndexedSlices):
        return gradient.values
    return gradient if isinstance(gradient, tensors.Tensor) else None


__all__ = ["Tapes", "dense"]
