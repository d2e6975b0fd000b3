"""Variables as they are created, and writes to them by lines of the program and by layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorflow.python.framework import ops

from penstock.frameworks.sampling import is_measured
from penstock.frameworks.tensorflow.amounts import array_of, present, value_of
from penstock.frameworks.tensorflow.entries import Assigned, type_of
from penstock.frameworks.tensorflow.lines import Whence, here, whence
from penstock.frameworks.tensorflow.told import Written
from penstock.frameworks.tensorflow.variable import Parameter
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.tensorflow.watcher import Watcher

_NAMED = {
    "set_weights": ("assign",), "load_weights": ("load",), "load_own_variables": ("load",),
    "restore": ("load",), "read": ("load",), "load_model": ("load",), "load_state_tree": ("load",),
}  # fmt: skip
"""Functions that write whole models, and the causes of what they write."""


SETTLING = frozenset(("clip_by_value", "maximum", "minimum", "clip_by_norm"))
"""Operations that change nothing if they are repeated."""


class Hand:
    """Writes without an optimizer."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self.initial: tuple[int, Any] | None = None
        self._times: dict[int, int] = {}
        self._onto_itself: set[Site | None] = set()

    def make(self, original: Callable[..., Any], variable: Any, *given: Any, **named: Any) -> Any:
        """Creates a variable, and notes the line."""
        result = original(variable, *given, **named)
        watcher = self._watcher
        handle = named.get("handle")
        if not isinstance(handle, ops.EagerTensor) or type(variable).__name__ == "_UnreadVariable":
            # The result of a write is no new variable.
            return result
        parameter = watcher.registry.note_made(variable, 3)
        if parameter is not None and watcher.window is not None and watcher.is_home:
            if self.initial is not None and self.initial[0] == id(handle):
                watcher.window.look(self.initial[1], "tf.Variable()", None, parameter.site)
            watcher.window.created(parameter)
        self.initial = None
        return result

    def begin(self, original: Callable[..., Any], variable: Any, *given: Any, **named: Any) -> Any:
        """Begins to make a variable of Keras, which may get its value later, and notes the line."""
        self._watcher.registry.note_begun(variable, here(2))
        return original(variable, *given, **named)

    def writer(self, name: str) -> Callable[..., Any]:
        """Returns the function that watches a method of variables."""

        def watched(original: Callable[..., Any], variable: Any, *given: Any, **named: Any) -> Any:
            watcher = self._watcher
            if not watcher.is_home or watcher.script() is not None:
                return original(variable, *given, **named)
            parameter = watcher.registry.of_handle(variable.handle)
            if parameter is None:
                return original(variable, *given, **named)
            value = given[0] if given else named.get("value", named.get("delta"))
            times = self._times[parameter.uid] = self._times.get(parameter.uid, 0) + 1
            watcher.quiet += 1
            try:
                before = present(variable) if is_measured(times) else None
                result = original(variable, *given, **named)
                amount = watcher.updates.amount(parameter, before)
            finally:
                watcher.quiet -= 1
            self._wrote(parameter, name, value, whence(3), amount, before)
            return result

        return watched

    def _wrote(
        self,
        parameter: Parameter,
        name: str,
        value: Any,
        where: Whence,
        amount: float | None,
        before: Any,
    ) -> None:
        watcher, window = self._watcher, self._watcher.window
        terms: tuple[str, ...] = ("state",) if where.whole else ("assign",)
        by = where.name if where.whole else name
        for one in where.inside:
            if one in _NAMED:
                by, terms = one if one != "load_own_variables" else "load_weights", _NAMED[one]
        if terms == ("state",):
            parameter.note_state()
        elif not watcher.began and not (window is not None and window.records):
            # What comes before the first gradient is creation.
            parameter.note_given()
            if window is not None:
                window.flush()
                window.forget(parameter)
            return
        number: int | None = None
        if window is not None:
            other = watcher.registry.of(value)
            key: Any = None
            if other is not None:
                key = id(value)
                number = window.read(other, where.site)
                window.running.bind(key, number, value)
            elif isinstance(value, ops.EagerTensor):
                key = id(value)
                number = window.follow(value, type_of(value), where.site)
            window.assigned(Assigned(by, where.site, parameter, key, terms), window.running)
        write = Written(parameter, by, where.site, "write", terms, next(watcher.events), amount)
        if before is not None and terms != ("state",):
            write.before, write.after = array_of(before), array_of(value_of(parameter.tensor()))
        if window is not None and number is not None:
            if "fit" not in where.inside and window.has_given(number, parameter):
                self._onto_itself.add(where.site)
            write.settling = window.graph.values[number].name in SETTLING
        write.idle = amount == 0.0 and where.site in self._onto_itself
        watcher.tell([write])
        if window is not None and watcher.window is window and not watcher.updates.any:
            watcher.stepped([write])


__all__ = ["Hand"]
