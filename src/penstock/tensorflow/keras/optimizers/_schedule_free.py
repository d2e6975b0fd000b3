"""Keras' ScheduleFreeAdamW: Adam that averages its values in place of lowering its learning rate."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.tensorflow._convert import operand
from penstock.tensorflow.keras import ops
from penstock.tensorflow.keras.optimizers._base import Optimizer


@named("tf.keras.optimizers.ScheduleFreeAdamW")
class ScheduleFreeAdamW(Optimizer):
    """Adam on a value beside the variable, which is mixed with the mean of such: Defazio et al. (2024).

    The variable is (1 - beta_1) z + beta_1 x, where z is moved by Adam without a mean gradient, and x is the
    mean of all z. Keras finds the earlier x from the variable and, on TensorFlow, from z after its move,
    where the paper has z before it. `warmup_steps` is the number of steps in which the learning rate rises.

    Here z always begins as the variable. On TensorFlow it begins at 0 where `fit` builds the optimizer, and
    the weights with it, unless `optimizer.build(model.trainable_variables)` was called before.

    >>> from penstock import tensorflow as tf
    >>> x = tf.keras.Variable(1.0)
    >>> tf.keras.optimizers.ScheduleFreeAdamW(0.5).apply_gradients([(tf.constant(2.0), x)])
    >>> round(float(x), 4)
    0.5
    """

    def __init__(
        self,
        learning_rate: Any = 0.0025,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        warmup_steps: int = 0,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(
            learning_rate,
            weight_decay=weight_decay,
            clipnorm=clipnorm,
            clipvalue=clipvalue,
            global_clipnorm=global_clipnorm,
            use_ema=use_ema,
            ema_momentum=ema_momentum,
            ema_overwrite_frequency=ema_overwrite_frequency,
            loss_scale_factor=loss_scale_factor,
            gradient_accumulation_steps=gradient_accumulation_steps,
            name=name,
            **options,
        )
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon
        self.warmup_steps = warmup_steps

    def build(self, variables: Any) -> None:
        """Makes the values beside the variables, which begin as these are, and the mean squares."""
        if self.built:
            return
        super().build(variables)
        self._momentums, self._velocities = self.add_optimizer_variables(variables, ["momentum", "velocity"])
        for momentum, variable in zip(self._momentums, variables, strict=True):
            momentum.assign(operand(variable))

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Moves a variable."""
        place = self._get_variable_index(variable)
        z, squares = self._momentums[place], self._velocities[place]
        step = ops.cast(self.iterations + 1, variable.dtype)
        rate = ops.cast(learning_rate, variable.dtype)
        if self.warmup_steps > 0:
            rate = rate * ops.minimum(step / float(self.warmup_steps), 1.0)
        squares.assign_add((gradient * gradient - squares) * (1.0 - self.beta_2))
        root = ops.sqrt(squares / (1.0 - ops.power(self.beta_2, step))) + self.epsilon
        z.assign_sub(rate * gradient / root)
        weight = 1.0 / step
        mean = (operand(variable) - (1.0 - self.beta_1) * operand(z)) / self.beta_1
        mean = (1.0 - weight) * mean + weight * operand(z)
        variable.assign((1.0 - self.beta_1) * operand(z) + self.beta_1 * mean)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        own = {
            "beta_1": self.beta_1, "beta_2": self.beta_2, "epsilon": self.epsilon,
            "warmup_steps": self.warmup_steps,
        }  # fmt: skip
        return {**super().get_config(), **own}
