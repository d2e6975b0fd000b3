"""Optimizers of the user's own: subclasses that write `update_step`, which assigns to one variable."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._arrays import clip_by_value, zeros_like
from penstock.tensorflow._clipping import clip_by_global_norm, clip_by_norm
from penstock.tensorflow._control import cond
from penstock.tensorflow._convert import operand
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._elementwise import cast
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._tape import IndexedSlices
from penstock.tensorflow.keras import initializers
from penstock.tensorflow.keras._variable import KerasVariable
from penstock.trace.source_site import here


class ByHand:
    """What Keras' base gives to subclasses that write `update_step`.

    >>> from penstock import tensorflow as tf
    >>> class Halved(tf.keras.optimizers.Optimizer):
    ...     def update_step(self, gradient, variable, learning_rate):
    ...         variable.assign_sub(0.5 * learning_rate * gradient)
    >>> x = tf.Variable(1.0)
    >>> Halved(0.5).apply_gradients([(tf.constant(2.0), x)])
    >>> print(x.numpy())
    0.5
    """

    _by_hand = True
    """Whether `update_step` moves the variables, and not the rule of a native optimizer."""

    name: str
    weight_decay: Any
    clipnorm: Any
    clipvalue: Any
    global_clipnorm: Any
    loss_scale_factor: Any
    use_ema: Any
    gradient_accumulation_steps: Any
    learning_rate: Any
    ema_momentum: Any
    ema_overwrite_frequency: Any
    iterations: Any
    _model_variables_moving_average: list[Any]
    _accumulated_gradients: list[Any]
    _iterations: Any
    _known: dict[int, Any]
    _own: list[Any]

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Moves one variable by its gradient; subclasses write it. Raises NotImplementedError without one."""
        raise NotImplementedError(
            f"{type(self).__name__}: the base has no update_step. Write update_step(self, gradient, "
            "variable, learning_rate), which assigns to the variable. The rules of Keras' own optimizers "
            "are no methods here, so super().update_step(...) calls none of them."
        )

    def add_variable(
        self, shape: Any, initializer: Any = "zeros", dtype: Any = None, aggregation: Any = None,
        layout: Any = None, name: str | None = None,
    ) -> Any:  # fmt: skip
        """Returns a new variable of the optimizer, float32 by default.

        `aggregation` and `layout` do nothing.
        """
        value = initializers.get(initializer)(tuple(shape), dtype=dtype or "float32")
        made = KerasVariable(
            value,
            dtype=numpy_dtype(dtype or "float32"),
            trainable=False,
            name=f"{self.name}/{name or 'variable'}",
        )
        self._own.append(made)
        return made

    def add_variable_from_reference(
        self, reference_variable: Any, name: str | None = None, initializer: Any = "zeros"
    ) -> Any:
        """Returns a new variable of the shape and dtype of another, which its name begins with."""
        last = f"{_word(reference_variable)}_{name or 'var'}"
        kept = reference_variable
        return self.add_variable(kept.shape, initializer, kept.dtype, name=last)

    def add_optimizer_variables(self, trainable_variables: Any, name: Any, initializer: Any = "zeros") -> Any:
        """Returns a new variable for each of these; a list of such lists for several names."""
        several = not isinstance(name, str)
        names = list(name) if several else [name]
        starts = list(initializer) if isinstance(initializer, list | tuple) else [initializer] * len(names)
        found: list[list[Any]] = [[] for _ in names]
        # Those of one variable follow each other, as in files of Keras.
        for one in trainable_variables:
            for kept, word, start in zip(found, names, starts, strict=True):
                kept.append(self.add_variable_from_reference(one, word, start))
        return found if several else found[0]

    def assign(self, variable: Any, value: Any) -> None:
        """Gives a variable a value of its dtype."""
        variable.assign(value)

    def assign_add(self, variable: Any, value: Any) -> None:
        """Adds a value to a variable."""
        variable.assign_add(value)

    def assign_sub(self, variable: Any, value: Any) -> None:
        """Subtracts a value from a variable."""
        variable.assign_sub(value)

    def _get_variable_index(self, variable: Any) -> int:
        return list(self._known).index(variable._uid)

    def _get_current_learning_rate(self) -> Any:
        return self.learning_rate

    def _refuse_unknown_ways(self) -> None:
        if not self._by_hand:
            for name in ("_backend_update_step", "_apply_weight_decay", "_use_weight_decay"):
                if getattr(type(self), name) is not getattr(ByHand, name):
                    raise ArgumentError(
                        f"{type(self).__name__} writes {name}, which a rule of Keras' own does not call.",
                        why="The whole update of such an optimizer is computed at once.",
                        remedy="Extend _backend_apply_gradients, or write update_step.",
                        site=here(),
                    )

    def _build_by_hand(self, variables: list[Any]) -> None:
        """Makes the averages and the accumulators, which come before the variables of a subclass."""
        if self.use_ema:
            self._model_variables_moving_average = self.add_optimizer_variables(variables, "average")
        if self.gradient_accumulation_steps:
            made = self.add_optimizer_variables(variables, "gradient_accumulator")
            self._accumulated_gradients = made

    def _is_exempt(self, variable: Any) -> bool:
        return False

    def _move_by_hand(self, pairs: list[tuple[Any, Any]]) -> None:
        """Moves variables in Keras' order: scale, clip, decay, `update_step`, constraints, the count."""
        gradients = [one for one, _ in pairs]
        if self.loss_scale_factor is not None:
            gradients = [_divided(one, self.loss_scale_factor) for one in gradients]
        self._backend_apply_gradients(gradients, [variable for _, variable in pairs])
        for _, variable in pairs:
            constraint = getattr(variable, "constraint", None)
            if constraint is not None:
                variable.assign(constraint(variable))
        self._iterations.assign_add(1)

    # Subclasses extend these, under Keras' names: what they write is called once in each step.

    def _backend_apply_gradients(self, grads: Any, trainable_variables: Any) -> None:
        """Clips gradients, lets variables decay, and moves them."""
        if self.gradient_accumulation_steps:
            self._accumulate_by_hand(grads, trainable_variables)
        else:
            self._step_by_hand(grads, trainable_variables)
        if self.use_ema:
            self._average_by_hand()

    def _step_by_hand(self, grads: Any, trainable_variables: Any) -> None:
        gradients = self._clip_gradients(grads)
        self._apply_weight_decay(trainable_variables)
        self._backend_update_step(gradients, trainable_variables, self.learning_rate)

    def _accumulate_by_hand(self, grads: Any, trainable_variables: Any) -> None:
        """Adds gradients up, and makes a step with their mean in every so manieth call."""
        steps = self.gradient_accumulation_steps
        kept = [self._accumulated_gradients[self._get_variable_index(one)] for one in trainable_variables]
        sums = [operand(one) + operand(before) for one, before in zip(grads, kept, strict=True)]

        def step() -> None:
            self._step_by_hand([one / steps for one in sums], trainable_variables)
            for one in self._accumulated_gradients:
                one.assign(zeros_like(one))

        def add() -> None:
            for one, total in zip(kept, sums, strict=True):
                one.assign(total)

        cond((self._iterations + 1) % steps == 0, step, add)

    def _average_by_hand(self) -> None:
        """Moves the averages towards the variables, and now and then puts them in their place."""
        variables = list(self._known.values())
        # In the first update, an average begins as its variable.
        later = self.iterations != 0
        for variable, average in zip(variables, self._model_variables_moving_average, strict=True):
            momentum = cast(later, variable.dtype) * self.ema_momentum
            average.assign(momentum * average + (1 - momentum) * operand(variable))
        if self.ema_overwrite_frequency:
            due = (self.iterations + 1) % self.ema_overwrite_frequency == 0
            cond(due, self._overwrite_by_averages, lambda: None)

    def _overwrite_by_averages(self) -> None:
        for variable, average in zip(self._known.values(), self._model_variables_moving_average, strict=True):
            variable.assign(operand(average))

    def _backend_update_step(self, grads: Any, trainable_variables: Any, learning_rate: Any) -> None:
        for gradient, variable in zip(grads, trainable_variables, strict=True):
            self.update_step(gradient, variable, learning_rate)

    def _apply_weight_decay(self, variables: Any) -> None:
        if self.weight_decay is not None:
            for variable in variables:
                if self._use_weight_decay(variable):
                    variable.assign_sub(variable * (self.weight_decay * self.learning_rate))

    def _use_weight_decay(self, variable: Any) -> bool:
        return not self._is_exempt(variable)

    def _clip_gradients(self, grads: Any) -> list[Any]:
        if self.clipnorm:
            return [clip_by_norm(one, self.clipnorm) for one in grads]
        if self.global_clipnorm:
            return list(clip_by_global_norm(list(grads), self.global_clipnorm)[0])
        if self.clipvalue:
            return [clip_by_value(one, -self.clipvalue, self.clipvalue) for one in grads]
        return list(grads)


def _word(variable: Any) -> str:
    """Returns a variable's path, or its name, as a part of another name."""
    if isinstance(variable, KerasVariable):
        return variable.path.replace("/", "_")
    return str(variable.name).replace("/", "_").replace(":", "_")


def _divided(gradient: Any, factor: float) -> Any:
    if isinstance(gradient, IndexedSlices):
        return gradient.with_values(gradient.values / factor)
    return gradient / factor
