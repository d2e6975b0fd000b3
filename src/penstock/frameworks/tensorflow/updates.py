"""Updates by optimizers: the variables that each moves, and by how much."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tensorflow.python.training import optimizer as optimizers

from penstock.flow.observed import Stepped
from penstock.frameworks.replaced import Replaced
from penstock.frameworks.tensorflow.amounts import array_of, distance, value_of
from penstock.frameworks.tensorflow.entries import Key, Updated
from penstock.frameworks.tensorflow.lines import here
from penstock.frameworks.tensorflow.tapes import dense
from penstock.frameworks.tensorflow.told import Written
from penstock.frameworks.tensorflow.variable import Parameter
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.tensorflow.watcher import Watcher


@dataclass(slots=True)
class Group:
    """The notes on an optimizer: what it is called, how often it has stepped, its counted writes.

    `met` and `since` are for `Flags.is_measured`; `state` identifies the flags at the counted writes.
    """

    stepped: Stepped
    times: int = 0
    met: int = 0
    since: int = 0
    state: int = 0
    counted: list[Written] = field(default_factory=list)


class Updates:
    """The optimizers of a program, and each of their updates."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._numbers = itertools.count()
        self._groups: weakref.WeakKeyDictionary[Any, Group] = weakref.WeakKeyDictionary()
        self._sites: weakref.WeakKeyDictionary[Any, Site | None] = weakref.WeakKeyDictionary()
        self._given: set[int] = set()

    @property
    def any(self) -> bool:
        """Whether an optimizer has made an update."""
        return bool(self._given)

    def start(self, replaced: Replaced) -> None:
        """Watches the optimizers of TensorFlow 1, which also run in TensorFlow 2."""
        replaced.function(optimizers.Optimizer, "__init__", self._make)
        replaced.function(optimizers.Optimizer, "apply_gradients", self._apply_pairs)

    def start_keras(self, replaced: Replaced) -> None:
        """Watches the optimizers of Keras."""
        from keras.src.optimizers import base_optimizer

        replaced.function(base_optimizer.BaseOptimizer, "__init__", self._make)
        replaced.function(base_optimizer.BaseOptimizer, "apply", self._apply)

    def start_keras_2(self, replaced: Replaced) -> None:
        """Watches the optimizers of Keras 2, which the package tf_keras has."""
        from tf_keras.src.optimizers import optimizer
        from tf_keras.src.optimizers.legacy import optimizer_v2

        for kind in (optimizer.Optimizer, optimizer_v2.OptimizerV2):
            replaced.function(kind, "__init__", self._make)
            replaced.function(kind, "apply_gradients", self._apply_pairs)

    def _make(self, original: Callable[..., Any], owner: Any, *given: Any, **named: Any) -> Any:
        result = original(owner, *given, **named)
        self._sites.setdefault(owner, here(2))
        return result

    # -- updates ---------------------------------------------------------------------------------------------

    def _apply(
        self, original: Callable[..., Any], owner: Any, grads: Any, trainable_variables: Any = None
    ) -> Any:
        """Applies gradients by an optimizer of Keras."""
        if not self._watcher.is_home:
            self._watcher.apart(type(owner).__name__, here(2))
            return original(owner, grads, trainable_variables)
        gradients = list(grads)
        given = None if trainable_variables is None else list(trainable_variables)
        variables = list(getattr(owner, "_trainable_variables", ())) if given is None else given
        return self._update(lambda: original(owner, gradients, given), owner, gradients, variables, here(2))

    def _apply_pairs(
        self, original: Callable[..., Any], owner: Any, grads_and_vars: Any, *given: Any, **named: Any
    ) -> Any:
        """Applies gradients by an optimizer of TensorFlow 1."""
        if not self._watcher.is_home:
            self._watcher.apart(type(owner).__name__, here(2))
            return original(owner, grads_and_vars, *given, **named)
        pairs = list(grads_and_vars)
        gradients, variables = [one for one, _ in pairs], [one for _, one in pairs]
        return self._update(
            lambda: original(owner, pairs, *given, **named), owner, gradients, variables, here(2)
        )

    def _update(
        self,
        run: Callable[[], Any],
        owner: Any,
        gradients: Sequence[Any],
        variables: Sequence[Any],
        site: Site | None,
    ) -> Any:
        watcher = self._watcher
        registry = watcher.registry
        held = [registry.of(one) for one in variables]
        pairs = [(one, gradient) for one, gradient in zip(held, gradients) if one is not None]
        moved = [(one, gradient) for one, gradient in pairs if gradient is not None]
        if watcher.script() is not None:
            result = self._quietly(run, pairs)
            watcher.put(self._entry(owner, site, moved))
            return result
        group = self._group(owner)
        group.times += 1
        measured = watcher.flags.is_measured(group)
        watcher.quiet += 1
        try:
            before = [(one, self._value(one)) for one, _ in moved] if measured else []
        finally:
            watcher.quiet -= 1
        result = self._quietly(run, pairs)
        if group.times == 1:
            group.stepped.state = state_of(owner)
        if watcher.window is not None:
            watcher.put(self._entry(owner, site, moved))
        self._told(group, owner, site, moved, before, [one for one in held if one is not None])
        return result

    def _quietly(self, run: Callable[[], Any], pairs: Sequence[tuple[Parameter, Any]]) -> Any:
        """Lets an optimizer work; notes an update that it refuses because there is no gradient at all."""
        self._watcher.quiet += 1
        try:
            return run()
        except ValueError:
            if pairs and all(gradient is None for _, gradient in pairs):
                self._watcher.sink.absent([one for one, _ in pairs])
            raise
        finally:
            self._watcher.quiet -= 1

    def _entry(self, owner: Any, site: Site | None, moved: Sequence[tuple[Parameter, Any]]) -> Updated:
        keys = tuple([self._keys(gradient) for _, gradient in moved])
        return Updated(type(owner).__name__, site, tuple([one for one, _ in moved]), keys, owner)

    def _keys(self, gradient: Any) -> tuple[Key, ...]:
        tensor = dense(gradient)
        key = self._watcher.tapes.key(tensor) if tensor is not None else None
        return () if key is None else (key,)

    def _value(self, parameter: Parameter) -> Any:
        variable = parameter.tensor()
        return None if variable is None else value_of(variable)

    def _told(
        self,
        group: Group,
        owner: Any,
        site: Site | None,
        moved: Sequence[tuple[Parameter, Any]],
        before: Sequence[tuple[Parameter, Any]],
        held: Sequence[Parameter],
    ) -> None:
        """Reports an update of the running program."""
        watcher = self._watcher
        if watcher.sink.stopped:
            return
        parameters = [one for one, _ in moved]
        if before:
            watcher.quiet += 1
            try:
                amounts = [self.amount(one, old) for one, old in before]
            finally:
                watcher.quiet -= 1
            writes = self.writes(group, site, parameters, amounts, [old for _, old in before])
            self.note_idle(writes, owner)
            watcher.sizes.applied(writes, [gradient for _, gradient in moved], site)
        else:
            writes = self.counted(group, site, parameters)
        self.tell(group, writes, held if before or watcher.window is not None else ())

    def tell(self, group: Group, writes: Sequence[Written], held: Sequence[Parameter]) -> None:
        """Reports the writes of an update, and does what is due after it."""
        watcher = self._watcher
        new = [one.variable for one in writes if one.uid not in self._given]
        if new and watcher.window is None:
            # Its first gradient came in a step that was not recorded.
            watcher.sink.graded(new)
        self._given.update(one.uid for one in writes)
        watcher.sink.stepped(group.stepped, [one.uid for one in writes], held)
        watcher.tell(writes)
        watcher.sizes.lost(writes)
        watcher.stepped(writes)

    def note_idle(self, writes: Sequence[Written], owner: Any) -> None:
        """Notes writes that have changed nothing because the learning rate is zero."""
        still = [one for one in writes if one.amount == 0.0 and one.trainable]
        if still and self._present_rate(owner) == 0.0:
            for one in still:
                one.idle = True

    def _present_rate(self, owner: Any) -> float | None:
        """Returns the learning rate of the latest update of an optimizer of Keras."""
        given = getattr(owner, "_learning_rate", None)
        self._watcher.quiet += 1
        try:
            if callable(given) and not hasattr(given, "assign"):
                count = self._watcher.scaling.count(owner)
                given = given(count - 1) if count else None
            inner = getattr(given, "value", given)
            if hasattr(inner, "handle"):
                inner = value_of(inner)
            if hasattr(inner, "_numpy_internal"):
                return float(array_of(inner))
            return float(inner) if isinstance(inner, int | float) else None
        finally:
            self._watcher.quiet -= 1

    def amount(self, parameter: Parameter, old: Any) -> float | None:
        """Returns by how much a variable has changed since it had this value."""
        variable = parameter.tensor()
        if variable is None or old is None:
            return None
        return distance(array_of(value_of(variable)), array_of(old))

    def writes(
        self,
        group: Group,
        site: Site | None,
        moved: Sequence[Parameter],
        amounts: Sequence[float | None],
        before: Sequence[Any] = (),
    ) -> list[Written]:
        """Returns the writes of an update, with the amounts and the values `before` it, if they are known."""
        name, made, event = group.stepped.name, group.stepped.site, next(self._watcher.events)
        found = [
            Written(one, name, site, "apply", ("gradient",), event, amount, made)
            for one, amount in zip(moved, amounts, strict=True)
        ]
        for one, old in zip(found, before):
            one.before = None if old is None else array_of(old)
        return found

    def counted(self, group: Group, site: Site | None, moved: Sequence[Parameter]) -> list[Written]:
        """Returns the writes of an update that is only counted, as objects that are reused each time."""
        known = group.counted
        same = len(known) == len(moved) and all(
            one.variable is parameter for one, parameter in zip(known, moved)
        )
        state = self._watcher.flags.state
        if not same or group.state != state or (known and known[0].site != site):
            group.state = state
            known = group.counted = self.writes(group, site, moved, [None] * len(moved))
        return known

    def group(self, owner: Any) -> Group:
        """Returns the notes on an optimizer."""
        return self._group(owner)

    def _group(self, owner: Any) -> Group:
        group = self._groups.get(owner)
        if group is None:
            name = type(owner).__name__
            stepped = Stepped(next(self._numbers), name, self._sites.get(owner), (), self._rate(owner))
            group = self._groups[owner] = Group(stepped)
        return group

    def _rate(self, owner: Any) -> float | None:
        """Returns the initial learning rate of an optimizer, if it is a number."""
        given = getattr(owner, "_learning_rate", None)
        inner = getattr(given, "value", None)
        self._watcher.quiet += 1
        try:
            if inner is not None and hasattr(inner, "handle") and self._watcher.script() is None:
                return float(array_of(value_of(inner)))
            return float(given) if isinstance(given, int | float) else None
        finally:
            self._watcher.quiet -= 1


def state_of(owner: Any) -> tuple[str, ...]:
    """Returns the names of what an optimizer keeps from one update to the next."""
    found = []
    for name, one in vars(owner).items():
        plural = name.startswith("_") and name.endswith("s") and "variable" not in name
        kept = [each for each in one if each is not None] if plural and isinstance(one, list) else []
        if kept and all(hasattr(each, "assign") for each in kept):
            found.append(name.strip("_"))
    return tuple(found)


__all__ = ["Group", "Updates", "state_of"]
