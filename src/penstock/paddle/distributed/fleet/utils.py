"""Calls whose values Paddle computes again for the gradient, to save memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.paddle._names import namespace as _namespace


def recompute(
    function: Callable[..., Any], *args: Any, preserve_rng_state: bool = True, use_reentrant: bool = True,
    **kwargs: Any,
) -> Any:  # fmt: skip
    """Returns `function(*args, **kwargs)`, with its gradients.

    What the gradient needs is kept, not computed again, so random numbers are drawn once:
    `preserve_rng_state` and `use_reentrant` do nothing.

    >>> from penstock import paddle
    >>> x = paddle.to_tensor(3.0, stop_gradient=False)
    >>> paddle.distributed.fleet.utils.recompute(lambda x: x * x, x).backward()
    >>> x.grad.item()
    6.0
    """
    return function(*args, **kwargs)


__getattr__, __dir__, __all__ = _namespace("paddle.distributed.fleet.utils", globals())
