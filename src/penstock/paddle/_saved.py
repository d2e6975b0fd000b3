"""`saved_tensors_hooks`: how a PyLayer's tensors are kept until its `backward`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from penstock.declared import named
from penstock.paddle._convert import HANDLES
from penstock.trace.structure import mapped


class _Hooks(threading.local):
    pair: saved_tensors_hooks | None = None


_present = _Hooks()


@named("paddle.autograd.saved_tensors_hooks", "paddle.autograd.saved_tensors_hooks")
class saved_tensors_hooks:
    """A context in which `pack_hook` converts saved tensors, and `unpack_hook` restores them.

    They are called for the tensors that `PyLayerContext.save_for_backward` keeps. An operation keeps no
    tensors of its own here: its gradient is computed from the record of the step. So no hook is called for
    it, and gradients equal Paddle's, where `unpack_hook` must return the tensor that `pack_hook` received.

    >>> from penstock import paddle
    >>> class Twice(paddle.autograd.PyLayer):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * 2
    ...     @staticmethod
    ...     def backward(ctx, gradient):
    ...         ctx.saved_tensor()
    ...         return gradient * 2
    >>> x = paddle.to_tensor(3.0, stop_gradient=False)
    >>> with paddle.autograd.saved_tensors_hooks(lambda x: x.numpy(), paddle.to_tensor):
    ...     y = Twice.apply(x)
    >>> y.backward()
    >>> x.grad.item()
    2.0
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        _present.pair = self

    def __exit__(self, *exception: object) -> None:
        _present.pair = None


class Kept:
    """A saved tensor as a hook converted it, with the hook that restores it."""

    def __init__(self, tensor: Any, hooks: saved_tensors_hooks) -> None:
        self.packed, self.unpack = hooks.pack_hook(tensor), hooks.unpack_hook


def kept(tensors: Any) -> Any:
    """Returns tensors as they are to be kept."""
    hooks = _present.pair
    if hooks is None:
        return tensors
    return mapped(tensors, lambda one: Kept(one, hooks) if isinstance(one, HANDLES) else one)


def given_back(held: Any) -> Any:
    """Returns the tensors again."""
    return mapped(held, lambda one: one.unpack(one.packed) if isinstance(one, Kept) else one)


__all__ = ["saved_tensors_hooks"]
