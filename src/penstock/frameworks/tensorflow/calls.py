"""Calls of traced functions: the updates and writes that each call makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from penstock.frameworks.tensorflow.amounts import present
from penstock.frameworks.tensorflow.lines import here
from penstock.frameworks.tensorflow.playing import Moved
from penstock.frameworks.tensorflow.told import Written
from penstock.frameworks.tensorflow.traced import Effect, Script
from penstock.frameworks.tensorflow.updates import Group
from penstock.frameworks.tensorflow.variable import Parameter

if TYPE_CHECKING:
    from penstock.frameworks.tensorflow.watcher import Watcher


class Calls:
    """The calls of functions by the running program."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self.moved: Moved | None = None

    def call(
        self, original: Callable[..., Any], function: Any, tensor_inputs: Any, captured_inputs: Any
    ) -> Any:
        """Calls a traced function, and reports what it writes."""
        watcher = self._watcher
        if not watcher.is_home or watcher.script() is not None:
            return original(function, tensor_inputs, captured_inputs)
        watcher.begin_step()
        graph = function.graph
        script = watcher.traced.ran(graph)
        if watcher.window is None and not script.played and script.entries:
            self._meet(script)
        held = watcher.observer.inside(graph, [*tensor_inputs, *captured_inputs], None).variables
        effects = watcher.traced.effects(script, held)
        if watcher.window is None and not effects:
            return original(function, tensor_inputs, captured_inputs)
        site = here(2)
        if not script.times:
            script.home = site
        watcher.flags.compare(script, effects, held.values(), site)
        self.moved = None if site == script.home else (script.home, site)
        try:
            return self._call(original, function, script, effects, tensor_inputs, captured_inputs)
        finally:
            self.moved = None

    def _call(
        self,
        original: Callable[..., Any],
        function: Any,
        script: Script,
        effects: Sequence[Effect],
        tensor_inputs: Any,
        captured_inputs: Any,
    ) -> Any:
        watcher = self._watcher
        script.times += 1
        if not effects:
            return original(function, tensor_inputs, captured_inputs)
        if self.moved is not None:
            home, site = self.moved
            effects = [replace(one, site=site) if one.site == home else one for one in effects]
        if script.known or watcher.traced.asks(script):
            watcher.began = True
        measured = watcher.flags.is_measured(script)
        before = self._before(effects, measured)
        counters = self._counters(effects)
        result = original(function, tensor_inputs, captured_inputs)
        self._tell(effects, before, self._turns(counters))
        return result

    def _meet(self, script: Script) -> None:
        """Opens a window for a function that has not run under watch, if it does something new."""
        watcher = self._watcher
        script.played = True
        if watcher.traced.asks(script) and watcher.turns.is_new(watcher.traced.print(script)):
            watcher.open_window()

    def _before(self, effects: Sequence[Effect], measured: bool) -> dict[int, Any]:
        """Returns the values of the variables that a call is about to write, if they are measured.

        Of two writes of one variable, only the whole change could be measured.
        """
        if not measured:
            return {}
        found = {}
        times = Counter(one.variable.uid for one in effects)
        self._watcher.quiet += 1
        try:
            for one in effects:
                variable = one.variable.tensor()
                alone = times[one.variable.uid] == 1 and not one.loops
                known = one.kind == "apply" or alone
                if known and variable is not None and one.variable.uid not in found:
                    found[one.variable.uid] = present(variable)
        finally:
            self._watcher.quiet -= 1
        return found

    def _counters(self, effects: Sequence[Effect]) -> dict[int, tuple[Any, int]]:
        """Returns the counters of optimizers whose updates may repeat inside a call, or stay out."""
        found: dict[int, tuple[Any, int]] = {}
        for one in effects:
            if (one.loops or one.chosen) and one.optimizer is not None and id(one.optimizer) not in found:
                count = self._watcher.scaling.count(one.optimizer)
                if count is not None:
                    found[id(one.optimizer)] = one.optimizer, count
        return found

    def _turns(self, counters: dict[int, tuple[Any, int]]) -> dict[int, int]:
        count = self._watcher.scaling.count
        return {key: (count(optimizer) or 0) - before for key, (optimizer, before) in counters.items()}

    def _tell(self, effects: Sequence[Effect], before: dict[int, Any], turns: dict[int, int]) -> None:
        """Reports the writes of a call, in the order in which it makes them."""
        watcher = self._watcher
        groups: dict[int, list[Effect]] = {}
        for one in effects:
            groups.setdefault(one.group, []).append(one)
        updated = False
        last: tuple[Group, list[Written], list[Parameter]] | None = None
        for held in groups.values():
            first = held[0]
            if first.kind == "write":
                if first.terms == ("state",) or watcher.began:
                    watcher.tell(self._by_hand(held, before))
                continue
            times = turns.get(id(first.optimizer), 1)
            if watcher.scaling.scales(first.optimizer):
                watcher.scaling.ran(first.optimizer, first.site, [one.variable for one in held], not times)
            if times == 0:
                continue
            group = watcher.updates.group(first.optimizer)
            group.times += 1
            parameters = [one.variable for one in held]
            for turn in range(times):
                if last is not None:
                    watcher.updates.tell(*last)
                if before and times == 1:
                    writes = self._measured(group, held, before)
                else:
                    if turn == 0 or not group.counted:
                        writes = watcher.updates.counted(group, first.site, parameters)
                    writes = group.counted
                last = group, writes, parameters
                updated = True
        if last is not None:
            watcher.updates.tell(*last)
        elif not updated and watcher.window is not None and watcher.is_over:
            watcher.close()

    def _measured(self, group: Group, held: Sequence[Effect], before: dict[int, Any]) -> list[Written]:
        amounts = self._amounts(held, before)
        moved, old = [one.variable for one in held], [before.get(one.variable.uid) for one in held]
        updates = self._watcher.updates
        writes = updates.writes(group, held[0].site, moved, amounts, old)
        updates.note_idle(writes, held[0].optimizer)
        return writes

    def _amounts(self, held: Sequence[Effect], before: dict[int, Any]) -> list[float | None]:
        """Returns by how much variables have changed, None where their earlier values are unknown."""
        watcher = self._watcher
        watcher.quiet += 1
        try:
            return [watcher.updates.amount(one.variable, before.get(one.variable.uid)) for one in held]
        finally:
            watcher.quiet -= 1

    def _by_hand(self, held: Sequence[Effect], before: dict[int, Any]) -> list[Written]:
        event = next(self._watcher.events)
        amounts = self._amounts(held, before)
        for one in held:
            if one.terms == ("state",):
                one.variable.note_state()
        return [
            Written(one.variable, one.by, one.site, "write", one.terms, event, amount)
            for one, amount in zip(held, amounts, strict=True)
        ]


__all__ = ["Calls"]
