"""Updates by Optax and Equinox, which replace parameters by the sum of each and its change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax._src import core

from penstock.frameworks.jax.keys import bare
from penstock.frameworks.jax.operations import is_differentiable
from penstock.frameworks.jax.window import type_of
from penstock.frameworks.places import here

if TYPE_CHECKING:
    from penstock.frameworks.jax.watcher import Watcher

BY = "apply_updates"


class Updates:
    """Watches `optax.apply_updates`, which Flax' optimizers and train states call, and Equinox' own."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    def apply(self, original: Callable[..., Any], params: Any, updates: Any, *rest: Any) -> Any:
        """Applies updates."""
        watcher = self._watcher
        olds, changes = _leaves(params), _leaves(updates)
        if len(olds) != len(changes) or watcher.is_away:
            return original(params, updates, *rest)
        recorder = watcher.begin(2)
        watcher.quiet += 1
        try:
            result = original(params, updates, *rest)
        finally:
            watcher.quiet -= 1
        news = _leaves(result)
        if len(news) != len(olds):
            return result
        site = here(2)
        if recorder is None:
            watcher.applied_later(BY, site, olds, news)
            return result
        leaves = []
        for old, change, new in zip(olds, changes, news, strict=True):
            if new is None or change is None or not hasattr(new, "dtype"):
                continue
            type_ = type_of(core.typeof(new))
            if is_differentiable(type_.dtype):
                of = watcher.keys.of
                leaves.append((of(old), of(change), watcher.keys.give(new), type_, _is_zero(change)))
        recorder.put("updated", BY, site, leaves)
        recorder.end()
        watcher.tell_now(olds, news)
        return result


def _leaves(tree: Any) -> list[Any]:
    return jax.tree_util.tree_leaves(tree, is_leaf=lambda one: one is None)


def _is_zero(change: Any) -> bool:
    """Returns whether a change is zeros in the program itself, and not only in this step."""
    constant = getattr(bare(change), "val", None)
    return isinstance(constant, core.Literal) and not np.any(np.asarray(constant.val))


__all__ = ["BY", "Updates"]
