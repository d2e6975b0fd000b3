"""Keras' functions without side effects: StatelessScope, and calls of layers and metrics in it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.state.stand_ins import StandIns
from penstock.state.variable import read
from penstock.tensorflow._convert import constant, operand, record
from penstock.tensorflow._elementwise import cast
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._tensor_shape import shape_of
from penstock.tensorflow._variable import ResourceVariable
from penstock.tensorflow.keras._seed_generator import SeedGenerator, SeedState
from penstock.tensorflow.keras._variable import KerasVariable
from penstock.tensorflow.keras.optimizers._base import Optimizer
from penstock.trace.local import value_of
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor


@named("tf.keras.SymbolicScope")
class SymbolicScope:
    """A block for symbolic results. It changes nothing: calls on symbolic tensors need no block."""

    def __enter__(self) -> SymbolicScope:
        return self

    def __exit__(self, *error: object) -> None:
        pass


class _Present(threading.local):
    scope: StatelessScope | None = None


_present = _Present()


@named("tf.keras.StatelessScope")
class StatelessScope:
    """A block in which Keras' variables have other values, and in which none is written.

    `state_mapping` are pairs of variables and the values that they have inside; gradients go on in these.
    What the block assigns to a variable is what it reads from then on; `get_current_value` returns it, or
    None for a variable without another value. `collect_losses` and `initialize_variables` do nothing: layers
    keep their losses inside, too, and a variable that is made inside has its value at once.

    >>> from penstock import tensorflow as tf
    >>> weight = tf.keras.Variable(2.0)
    >>> with tf.keras.StatelessScope([(weight, 5.0)]) as scope:
    ...     _ = weight.assign_add(1.0)
    ...     doubled = weight * 2
    >>> print(float(doubled), float(scope.get_current_value(weight)), float(weight))
    12.0 6.0 2.0
    """

    def __init__(
        self,
        state_mapping: Iterable[tuple[Any, Any]] | None = None,
        collect_losses: bool = False,
        initialize_variables: bool = True,
    ) -> None:
        self.collect_losses, self.initialize_variables = collect_losses, initialize_variables
        self.losses: list[Any] = []
        self._seeds: dict[int, tuple[SeedGenerator, tuple[int, int]]] = {}
        self._numbers: dict[int, Any] = {}
        self._stand_ins = StandIns()
        for variable, value in state_mapping or ():
            if isinstance(variable, SeedState):
                self._numbers[id(variable.generator)] = _numbers(value)
                self._seeds[id(variable.generator)] = variable.generator, (0, 0)
            elif isinstance(variable, KerasVariable):
                self._stand_ins.tensors[variable._uid] = _for(variable, value)
            else:
                raise ArgumentError(
                    "Invalid reference variable in StatelessScope: all keys in argument `mapping` must be "
                    f"Variable instances. Received instead: {variable}",
                    site=here(),
                )

    def add_loss(self, loss: Any) -> None:
        """Notes a loss in `losses`."""
        self.losses.append(loss)

    def add_update(self, update: tuple[Any, Any]) -> None:
        """Gives a variable another value in the block."""
        variable, value = update
        variable.assign(value) if _present.scope is self else self._stand_ins.tensors.update(
            {variable._uid: _for(variable, value)}
        )

    def get_current_value(self, variable: Any) -> Any:
        """Returns the value that a variable has in the block, or had at its end; None if it has its own."""
        if isinstance(variable, SeedState):
            place = id(variable.generator)
            if _present.scope is self and place in self._seeds:
                return variable.value
            found = self._numbers.get(place)
            return None if found is None else constant(np.asarray(found, np.int64))
        return self._stand_ins.tensors.get(variable._uid)

    def __enter__(self) -> StatelessScope:
        _watch_writes()
        self._around = _present.scope
        if self._around is not None:
            self._around._rest()
        self._stand_ins.enter(None if self._around is None else self._around._stand_ins)
        self._resume()
        return self

    def __exit__(self, *error: object) -> None:
        self._rest()
        self._stand_ins.leave()
        if self._around is not None:
            self._around._resume()

    # -- seeds: their generators are written by every draw ---------------------------------------------------

    def _resume(self) -> None:
        _present.scope = self
        for place, (generator, _) in self._seeds.items():
            self._seeds[place] = generator, (generator.seed, generator.drawn)
            generator.seed, generator.drawn = self._numbers[place]

    def _rest(self) -> None:
        _present.scope = None
        for place, (generator, own) in self._seeds.items():
            self._numbers[place] = generator.seed, generator.drawn
            generator.seed, generator.drawn = own

    def _note_seed(self, generator: SeedGenerator) -> None:
        """Keeps where a generator is, before it moves on."""
        self._seeds.setdefault(id(generator), (generator, (generator.seed, generator.drawn)))


def _numbers(value: Any) -> tuple[int, int]:
    first, second = np.asarray(value.numpy() if isinstance(value, Tensor | Cell | SeedState) else value)
    return int(first), int(second)


def _for(variable: Any, value: Any) -> Tensor:
    """Returns a value for a variable, as a tensor of its dtype; raises ArgumentError for another shape."""
    dtype = variable._spec.dtype
    if not isinstance(value, Tensor | Cell):
        value = operand(np.asarray(value).astype(dtype))
    elif value._spec.dtype != dtype:
        value = cast(value, dtype)
    found: Any = read(value) if isinstance(value, Cell) else value
    if found._spec.shape != variable._spec.shape:
        raise ArgumentError(
            "Invalid variable value in StatelessScope: all values in argument `mapping` must be tensors with "
            f"a shape that matches the corresponding variable shape. For variable {variable}, received "
            f"invalid value {value} with shape {shape_of(found._spec.shape)}.",
            site=here(),
        )
    return found  # type: ignore[no-any-return]


# -- writes in a scope: Keras' variables look for one from the first scope of a program on ----------------


def _write(self: Any, by: str, value: Any, combine: Any, frame: Any) -> Any:
    scope = _present.scope
    if scope is None:
        return ResourceVariable._write(self, by, value, combine, frame)
    value = operand(value, self._spec.dtype)
    if combine is not None:
        value = record(combine, (self, value), {}, frame)
    scope._stand_ins.put(self, _for(self, value))
    return self


def _look(self: Any, how: str, frame: Any) -> Any:
    scope = _present.scope
    found = None if scope is None or how == "repr()" else scope._stand_ins.tensors.get(self._uid)
    return ResourceVariable._look(self, how, frame) if found is None else value_of(found, how, frame)


def _take(self: Any) -> Any:
    if _present.scope is not None:
        _present.scope._note_seed(self)
    return super(SeedGenerator, self).take()


_scattered, _moved = SeedGenerator.scattered, Optimizer._move


def _scatter_seed(self: Any) -> Any:
    if _present.scope is not None:
        _present.scope._note_seed(self)
    return _scattered(self)


def _move(self: Any, pairs: Any, frame: Any, by_rule: bool = False) -> None:
    if _present.scope is not None:
        raise ArgumentError(
            f"Optimizer {self.name!r} was applied in a StatelessScope.",
            why="It writes variables, and nothing is written there.",
            remedy="Take the gradients in the scope, and apply them after it.",
            site=here(),
        )
    _moved(self, pairs, frame, by_rule)


def _watch_writes() -> None:
    changed: Any = KerasVariable
    if changed._write is not _write:
        changed._write, changed._look = _write, _look
        SeedGenerator.take, SeedGenerator.scattered = _take, _scatter_seed  # type: ignore[method-assign]
        Optimizer._move = _move  # type: ignore[method-assign]


# -- calls without side effects ------------------------------------------------------------------------


def _check_length(given: Sequence[Any], name: str, owner: Any, wanted: Sequence[Any]) -> None:
    if len(given) != len(wanted):
        raise ArgumentError(
            f"Argument `{name}` must be a list of tensors corresponding 1:1 to "
            f"{type(owner).__name__}().{name.replace('metric_', '')}. Received list with length "
            f"{len(given)}, but expected {len(wanted)} variables.",
            site=here(),
        )


def call(
    layer: Any, trained: Sequence[Any], others: Sequence[Any], inputs: Any, options: Any, losses: bool
) -> Any:
    """Returns the result of a layer that has these values, and the values that its other variables get."""
    if not layer.built:
        raise ArgumentError(
            f"To call stateless_call, {type(layer).__name__} must be built (i.e. its variables must have "
            "been already created). You can build it by calling it on some data.",
            site=here(),
        )
    own, beside = list(layer.trainable_variables), list(layer.non_trainable_variables)
    _check_length(trained, "trainable_variables", layer, own)
    _check_length(others, "non_trainable_variables", layer, beside)
    pairs = [*zip(own, trained, strict=True), *zip(beside, others, strict=True)]
    with StatelessScope(pairs, collect_losses=losses) as scope:
        outputs = layer(*inputs, **options)
        added = list(layer.losses) if losses else []
    found = [scope.get_current_value(one) for one in beside]
    return (outputs, found, added) if losses else (outputs, found)


def compute_loss(model: Any, values: Sequence[Sequence[Any]], data: Any, training: bool) -> Any:
    """Returns the loss of a model with these values, and the values that its variables get."""
    kinds = model.trainable_variables, model.non_trainable_variables, model.metrics_variables
    pairs = [pair for own, given in zip(kinds, values, strict=True) for pair in zip(own, given, strict=False)]
    x, y, y_pred, sample_weight = data
    with StatelessScope(pairs) as scope:
        loss = model._compute_loss(x, y, y_pred, sample_weight, training)
    beside, metrics = ([scope.get_current_value(one) for one in own] for own in kinds[1:])
    return loss, (values[0], beside, metrics)


def update_metric(metric: Any, values: Sequence[Any], arguments: Any, options: Any) -> list[Any]:
    """Returns the values of a metric's variables after one more batch."""
    _check_length(values, "metric_variables", metric, metric.variables)
    with StatelessScope(zip(metric.variables, values, strict=True)) as scope:
        metric.update_state(*arguments, **options)
    return _values_in(scope, metric)


def metric_result(metric: Any, values: Sequence[Any]) -> Any:
    """Returns the result of a metric whose variables have these values."""
    _check_length(values, "metric_variables", metric, metric.variables)
    with StatelessScope(zip(metric.variables, values, strict=True)):
        return metric.result()


def reset_metric(metric: Any) -> list[Any]:
    """Returns the values with which a metric begins."""
    with StatelessScope() as scope:
        metric.reset_state()
    return _values_in(scope, metric)


def _values_in(scope: StatelessScope, metric: Any) -> list[Any]:
    found = [(scope.get_current_value(one), one) for one in metric.variables]
    return [variable if value is None else value for value, variable in found]


__all__ = ["StatelessScope", "SymbolicScope"]
