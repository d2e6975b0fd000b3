"""`paddle.autograd.PyLayer`: functions whose gradient the program computes when `backward` gets there."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.ops import pointwise
from penstock.ops import shape as shapes
from penstock.paddle._convert import HANDLES, data, record
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._grad_mode import is_grad_enabled, switch
from penstock.paddle._handing import NOTHING, left, quiet
from penstock.paddle._saved import given_back, kept
from penstock.trace.source_site import here
from penstock.trace.structure import flat

_frame = sys._getframe


@named("paddle.autograd.PyLayerContext")
class PyLayerContext:
    """The tensors and attributes that `forward` passes to `backward`."""

    def __init__(self) -> None:
        self.container: Any = None
        self.materialize_grads = True
        self._plain: set[int] = set()

    def save_for_backward(self, *tensors: Any) -> None:
        """Keeps tensors for `saved_tensor`."""
        self.container = kept(tensors)

    def saved_tensor(self) -> Any:
        """Returns the tensors that were kept."""
        return given_back(self.container)

    def mark_not_inplace(self, *args: Any) -> None:
        """Does nothing: results never share memory with inputs here; `args` are these inputs."""

    def mark_non_differentiable(self, *args: Any) -> None:
        """Marks results whose gradient is not needed."""
        self._plain.update(map(id, args))

    def set_grad_in_dtype_consistent(self, flag: bool) -> None:
        """Does nothing: a gradient has the dtype of its result in any case, whatever the `flag`."""

    def set_materialize_grads(self, value: bool) -> None:
        """Says whether a result without a gradient gets zeros, or None."""
        self.materialize_grads = value


@named("paddle.autograd.PyLayer", "paddle.autograd.Function")
class PyLayer:
    """Base of functions with a custom gradient: subclasses write `forward` and `backward`.

    `backward` gets a gradient for each result of `forward`, and returns one for each tensor among its
    arguments, including those in lists: None to stop the gradient there. It is called while `backward()`
    runs, so it may look at values.

    >>> from penstock import paddle
    >>> class Cube(paddle.autograd.PyLayer):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x * x
    ...     @staticmethod
    ...     def backward(ctx, gradient):
    ...         (x,) = ctx.saved_tensor()
    ...         return gradient * 3 * x * x
    >>> x = paddle.to_tensor(2.0, stop_gradient=False)
    >>> Cube.apply(x).backward()
    >>> x.grad.item()
    12.0
    """

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        """Computes the results. Subclasses say how."""
        raise NotImplementedError("You must implement the forward function for PyLayer.")

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        """Computes the gradients. Subclasses say how."""
        raise NotImplementedError("You must implement the backward function for PyLayer.")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Calls `forward`; `backward` computes the gradients of its results."""
        frame = _frame(1)
        ctx = PyLayerContext()
        given: list[Any] = flat([*args, *kwargs.values()])
        inputs: list[Any] = [one for one in given if isinstance(one, HANDLES)]
        before = switch(False, frame)
        try:
            made = cls.forward(ctx, *args, **kwargs)
        finally:
            switch(before, frame)
        if not any(isinstance(one, HANDLES) for one in (made if isinstance(made, list | tuple) else [made])):
            raise InvalidValueError(
                f"At least one output of `PyLayer.forward` is a `Tensor`, but {cls.__name__}.forward "
                f"returned {made!r}."[:300],
                remedy="Return what forward computes, as tensors.",
                site=here(),
            )
        if not before or all(one.stop_gradient for one in inputs):
            return made
        several = isinstance(made, list | tuple)
        return _Ports(cls, ctx, inputs, frame).joined(made, several)


class _Ports:
    """The places at which a gradient enters and leaves a PyLayer: hooks on results, and on inputs."""

    def __init__(self, kind: Any, ctx: PyLayerContext, inputs: list[Any], frame: Any) -> None:
        self.kind, self.ctx, self.inputs, self.frame = kind, ctx, inputs, frame
        self.places = [
            None if one.stop_gradient else record(pointwise.identity, (one,), {}, frame) for one in inputs
        ]
        for i, one in enumerate(self.places):
            if one is not None:
                one.register_hook(lambda _, i=i: self._leaving(i))
        self.arrived: dict[int, Any] = {}
        self.found: list[Any] | None = None
        self.outputs: list[Any] = []

    def joined(self, made: Any, several: bool) -> Any:
        """Returns results as they are, with a history that leads through the hooks to the inputs."""
        found = []
        for one in made if several else [made]:
            smooth = isinstance(one, HANDLES) and one._spec.dtype.kind in "fVc"
            if not smooth or id(one) in self.ctx._plain:
                if isinstance(one, HANDLES):
                    self.outputs.append(one)
                found.append(one)
                continue
            output = self._after(one)
            number = len(self.outputs)
            self.outputs.append(output)
            output.register_hook(lambda gradient, number=number: self._arriving(number, gradient))
            last = record(pointwise.identity, (output,), {}, self.frame)
            last._note("layer", self)
            found.append(last)
        return type(made)(found) if several else found[0]

    def _after(self, value: Any) -> Any:
        """Returns a value that depends on all places, and only through a branch that is never taken."""
        if not value.stop_gradient:
            value = value.detach()
        never = data(np.zeros((), np.bool_))
        for one in self.places:
            if one is None:
                continue
            size = one._spec.size
            flat = record(shapes.reshape, (one,), {"shape": (size,)}, self.frame)
            total = flat.sum().astype(value._spec.dtype.name)
            value = record(pointwise.where, (never, total, value), {}, self.frame)
        return value

    def _arriving(self, number: int, gradient: Any) -> None:
        self.arrived[number], self.found = gradient, None

    def _leaving(self, i: int) -> Any:
        if self.found is None:
            self.found = self._called()
        gradient = self.found[i]
        if gradient is None:
            return NOTHING
        if gradient._spec.shape != self.inputs[i]._spec.shape:
            raise InvalidValueError(
                f"{self.kind.__name__}.backward returned a gradient of shape {list(gradient._spec.shape)} "
                f"for input {i}, whose shape is {list(self.inputs[i]._spec.shape)}.",
                site=here(),
            )
        owner = self.inputs[i]
        if gradient.stop_gradient and owner._gradient is None:
            quiet[id(owner)] = owner
        return gradient.astype(owner._spec.dtype.name)

    def _called(self) -> list[Any]:
        zeros = self.ctx.materialize_grads
        given = [
            self.arrived.get(i, data(np.zeros(one._spec.shape, one._spec.dtype)) if zeros else None)
            for i, one in enumerate(self.outputs)
        ]
        self.arrived = {}
        # Its own operations have gradients only where the result is to be differentiated again.
        before = switch(left.create_graph and is_grad_enabled(), self.frame)
        try:
            found = self.kind.backward(self.ctx, *given)
        finally:
            switch(before, self.frame)
        listed = _one_by_one(found)
        if len(listed) == sum(one is not None for one in self.places) != len(self.places):
            wanted = iter(listed)
            listed = [None if one is None else next(wanted) for one in self.places]
        if len(listed) != len(self.inputs):
            raise InvalidValueError(
                f"The number of outputs of `PyLayer.backward` should be {len(self.inputs)}, but received "
                f"{len(listed)}.",
                origin=f"{self.kind.__name__}.forward was given {len(self.inputs)} tensors",
                remedy="Return one gradient for each tensor that forward takes; None where there is none.",
                site=here(),
            )
        for one in listed:
            if one is not None and not isinstance(one, HANDLES):
                raise InvalidValueError(
                    f"{self.kind.__name__}.backward returned {type(one).__name__}.",
                    remedy="Return tensors: paddle.to_tensor(value).",
                    site=here(),
                )
        return listed


def _one_by_one(found: Any) -> list[Any]:
    """Returns gradients in order; those of tensors in a list come in a list."""
    if not isinstance(found, list | tuple):
        return [found]
    return [one for each in found for one in (_one_by_one(each))]
