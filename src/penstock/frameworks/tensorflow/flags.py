"""The flags of Keras' variables over time, and functions that were traced before a flag was set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from penstock.flow.noted import Outdated, Untrainable
from penstock.frameworks.sampling import is_measured
from penstock.frameworks.tensorflow.lines import here
from penstock.frameworks.tensorflow.variable import Parameter
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.tensorflow.traced import Effect, Script
    from penstock.frameworks.tensorflow.watcher import Watcher

MOST = 64
"""How many settings of a flag are kept: the first one, and the latest."""


class Counted(Protocol):
    """Something whose runs are counted: `since` were made before flags were set as never before."""

    times: int
    met: int
    since: int


class Flags:
    """The flags of a program's variables.

    `changes` counts how often a flag was changed, `state` identifies the present settings of all flags, and
    `met` counts the different settings that steps have begun with.
    """

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self.changes = self.state = self.met = 0
        self._states = {0}
        self._pending = False
        self._told: set[tuple[Outdated | Untrainable, int]] = set()

    def set(self, variable: Any, value: bool) -> None:
        """Notes a line that freezes a variable of Keras, or lets it be trained again."""
        watcher = self._watcher
        parameter = watcher.registry.of(variable) if watcher.is_home else None
        if parameter is None or parameter.settings_[-1][0] == bool(value):
            return
        self.changes += 1
        self.state ^= hash(("frozen", parameter.uid))
        self._pending = True
        parameter.settings_.append((bool(value), here(3)))
        parameter.set_at.append(self.changes)
        if len(parameter.settings_) > MOST:
            del parameter.settings_[1], parameter.set_at[1]
        watcher.sink.flagged(parameter, bool(value))

    def are_new(self) -> bool:
        """Returns whether a step begins with settings that no earlier step has had; says so once."""
        if not self._pending:
            return False
        self._pending = False
        if self.state in self._states:
            return False
        self._states.add(self.state)
        self.met += 1
        return True

    def is_measured(self, one: Counted) -> bool:
        """Returns whether a run is measured: under new settings, the first ones are measured again."""
        if one.met != self.met:
            one.met, one.since = self.met, one.times - 1
        return is_measured(one.times - one.since)

    # -- functions that go by earlier flags ------------------------------------------------------------------

    def compare(
        self, script: Script, effects: Sequence[Effect], held: Iterable[Parameter], site: Site | None
    ) -> None:
        """Notes the variables whose flags have changed since a function was traced that trains others.

        `held` are the variables that it reads or writes, `site` is the line that calls it.
        """
        if script.compared == self.changes:
            return
        script.compared = self.changes
        moved = {one.variable.uid for one in effects if one.kind == "apply"}
        if not moved:
            return
        groups: dict[Outdated, list[Parameter]] = {}
        for one in {each.uid: each for each in held}.values():
            now = one.trainable
            # One that is trained although it is frozen now, or the other way round.
            if one.set_at[-1] > script.traced and one.setting_at(script.traced) != now != (one.uid in moved):
                fact = Outdated(site, script.home, one.settings_[-1][1], now)
                groups.setdefault(fact, []).append(one)
        for fact, group in groups.items():
            self._note(fact, group)

    def train_step(self, original: Callable[..., Any], model: Any, *given: Any, **named: Any) -> Any:
        """Runs or traces Keras' own training step, and notes a model without a trainable variable."""
        watcher = self._watcher
        if watcher.is_home and not model.trainable_weights:
            known = (watcher.registry.of(one) for one in model.weights)
            held = [one for one in known if one is not None and not one.trainable and len(one.settings_) > 1]
            if held:
                self._note(Untrainable(here(2), held[0].settings_[-1][1]), held)
        return original(model, *given, **named)

    def _note(self, fact: Outdated | Untrainable, group: Sequence[Parameter]) -> None:
        new = [one for one in group if (fact, one.uid) not in self._told]
        self._told.update((fact, one.uid) for one in new)
        if new:
            self._watcher.note(fact, new)


__all__ = ["Counted", "Flags"]
