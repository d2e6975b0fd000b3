"""Hooks of layers: functions that are called with the inputs or the outputs of a layer, or with its state."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from penstock.trace.source_site import warn_once


class HookRemoveHelper:
    """The result of registering a hook; `remove` removes the hook."""

    next_hook_id = 0
    _numbers = itertools.count()

    def __init__(self, hooks: Any, hook: Any, *, first: bool = False) -> None:
        self._hooks = hooks
        self._hook_id = next(self._numbers)
        HookRemoveHelper.next_hook_id = self._hook_id + 1
        hooks[self._hook_id] = hook
        if first:
            hooks.move_to_end(self._hook_id, last=False)

    def remove(self) -> None:
        """Removes the hook."""
        self._hooks.pop(self._hook_id, None)


class WithOptions:
    """A hook that is also given the arguments of the call that were given by name."""

    __slots__ = ("hook",)

    def __init__(self, hook: Callable[..., Any]) -> None:
        self.hook = hook


class Always:
    """A hook that is called with the output None if the layer fails."""

    __slots__ = ("hook",)

    def __init__(self, hook: Any) -> None:
        self.hook = hook


def called(layer: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Calls the `forward` of a layer, between its hooks."""
    done: set[int] = set()
    found = None
    try:
        for before in list(layer._before.values()):
            inputs, options = _prepared(layer, before, inputs, options)
        found = layer.forward(*inputs, **options)
        for number, after in list(layer._after.items()):
            done.add(number)
            changed = _told(layer, after, inputs, options, found)
            if changed is not None:
                found = changed
        return found
    except Exception:
        for number, after in layer._after.items():
            if isinstance(after, Always) and number not in done:
                _told_of_failure(layer, after, inputs, options, found)
        raise


def _prepared(layer: Any, hook: Any, inputs: Any, options: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns the inputs and options of a call after a hook has seen them."""
    if isinstance(hook, WithOptions):
        changed = hook.hook(layer, inputs, options)
        if changed is None:
            return inputs, options
        if not isinstance(changed, tuple) or len(changed) != 2:
            raise RuntimeError(
                f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
            )
        return changed
    changed = hook(layer, inputs)
    if changed is not None:
        inputs = changed if isinstance(changed, tuple) else (changed,)
    return inputs, options


def _told(layer: Any, hook: Any, inputs: Any, options: Any, found: Any) -> Any:
    """Calls a hook with what `forward` returned."""
    if isinstance(hook, Always):
        hook = hook.hook
    if isinstance(hook, WithOptions):
        return hook.hook(layer, inputs, options, found)
    return hook(layer, inputs, found)


def _told_of_failure(layer: Any, hook: Any, inputs: Any, options: Any, found: Any) -> None:
    """Calls a hook after an error, which the hook's own error does not hide."""
    try:
        _told(layer, hook, inputs, options, found)
    except Exception as error:
        warn_once(
            "forward hook with ``always_call=True`` raised an exception that was silenced as another error "
            f"was raised in forward: {error!s}",
        )


__all__ = ["Always", "HookRemoveHelper", "WithOptions", "called"]
