"""Optimizers around optimizers."""

from __future__ import annotations

from typing import Any

from penstock.paddle._errors import RefusedError
from penstock.paddle._grad_mode import no_grad
from penstock.paddle._names import absent
from penstock.paddle.incubate._model_average import ModelAverage
from penstock.paddle.optimizer import LBFGS
from penstock.trace.source_site import here


class LookAhead:
    """Lets another optimizer go ahead; every `k` steps goes a share `alpha` of its way (Zhang et al., 2019).

    >>> from penstock import paddle
    >>> w = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
    >>> inner = paddle.optimizer.SGD(0.1, parameters=[w])
    >>> optimizer = paddle.incubate.LookAhead(inner, alpha=0.5, k=2)
    >>> for _ in range(2):
    ...     (w * 2.0).sum().backward()
    ...     optimizer.step()
    ...     optimizer.clear_grad()
    >>> round(w.item(), 4)
    0.7
    """

    def __init__(self, inner_optimizer: Any, alpha: float = 0.5, k: int = 5, name: Any = None) -> None:
        if inner_optimizer is None:
            raise RefusedError("inner optimizer can not be None", site=here())
        if not 0.0 <= alpha <= 1.0:
            raise RefusedError(
                "alpha should be larger or equal to 0.0, and less or equal than 1.0", site=here()
            )
        if not (isinstance(k, int) and k > 0):
            raise RefusedError("k should be a positive integer", site=here())
        self.inner_optimizer, self.alpha, self.k = inner_optimizer, alpha, k
        self.type = "lookahead"
        self._steps = 0
        self._slow: dict[int, Any] = {}

    @no_grad()  # type: ignore[untyped-decorator]
    def step(self) -> None:
        """Lets the other optimizer move the parameters, and goes after it every `k` steps."""
        moved = [
            one for one in self.inner_optimizer._parameter_list if one.trainable and one.grad is not None
        ]
        self.inner_optimizer.step()
        self._steps += 1
        for one in moved:
            # The first starting point is the one after the first step, as in Paddle.
            slow = one.clone() if self._steps == 1 else self._slow.get(id(one), one * 0.0)
            if self._steps % self.k == 0:
                slow = self.alpha * one + (1.0 - self.alpha) * slow
                one.set_value(slow)
            self._slow[id(one)] = slow

    def minimize(
        self, loss: Any, startup_program: Any = None, parameters: Any = None, no_grad_set: Any = None
    ) -> Any:
        """Makes a step with the present gradients: the `loss` does nothing.

        Only static graphs have a `startup_program`, `parameters` or a `no_grad_set`.
        """
        self.step()
        return [], []

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Clears the gradients of the parameters."""
        self.inner_optimizer.clear_grad(set_to_zero)

    def __getattr__(self, name: str) -> Any:
        if name == "inner_optimizer":
            raise AttributeError(name)
        return getattr(self.inner_optimizer, name)


__all__ = ["LBFGS", "LookAhead", "ModelAverage"]


def __getattr__(name: str) -> Any:
    raise absent("paddle.incubate.optimizer", name, __all__)
