"""Weights computed from other parameters before each call: by their norm, or their largest factor."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle import _manipulation, _math
from penstock.paddle._convert import data
from penstock.paddle._declaring import in_nn
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._grad_mode import no_grad
from penstock.paddle._numbering import Names
from penstock.paddle._tensor import Leaf, Parameter, saving
from penstock.paddle.nn import initializer
from penstock.paddle.nn._layer import Standard as Layer
from penstock.trace.source_site import here, user_frame

Array = np.ndarray[Any, np.dtype[Any]]


def _norm(weight: Any, dim: int | None) -> Any:
    """Returns the norm of each part along an axis, with axes of length 1; of all elements without one."""
    rank = weight._spec.ndim
    if dim is None or dim == -1:
        return _math.sqrt(_math.sum(_math.square(weight)) + 1e-12)
    others = [one for one in range(rank) if one != dim % rank]
    return _math.sqrt(_math.sum(_math.square(weight), others, keepdim=True) + 1e-12)


def _parameter(value: Any, name: str) -> Parameter:
    array = np.array(value.numpy())
    array.flags.writeable = False
    return Parameter(array, True, name)


class _Computed:
    """The hook of a layer that computes its weight before each call."""

    def __init__(self, layer: Any, name: str) -> None:
        self.name = name
        self.held = layer.register_forward_pre_hook(self)

    def __call__(self, layer: Any, inputs: Any) -> None:
        """Gives the layer its weight, as a buffer, whatever its `inputs`: they do nothing."""
        setattr(layer, self.name, self.weight(layer))

    def weight(self, layer: Any) -> Any:
        raise NotImplementedError

    def take(self, layer: Any) -> Any:
        """Takes the parameter that is computed from here on; returns it."""
        found = layer._parameters.pop(self.name, None)
        if found is None:
            self.held.remove()
            raise InvalidValueError(f"The layer has no parameter {self.name!r}.", site=here())
        return found


class _Normed(_Computed):
    def __init__(self, layer: Any, name: str, dim: int | None) -> None:
        super().__init__(layer, name)
        self.dim = dim
        before = self.take(layer)
        with no_grad():
            size = _norm(before, dim)
        if dim is not None and dim != -1:
            size = size.reshape([-1])
        for word, value in (("v", before), ("g", size)):
            # In Paddle each is made as a parameter with a start of its own, which is drawn.
            initializer.XavierUniform()._made(value._spec.shape, value._spec.dtype)
            layer.add_parameter(f"{name}_{word}", _parameter(value, Names.next(f"{layer.full_name()}.w")))
        self(layer, ())

    def weight(self, layer: Any) -> Any:
        size, direction = (layer._parameters[f"{self.name}_{one}"] for one in "gv")
        norm = _norm(direction, self.dim)
        return direction * (size.reshape(list(norm._spec.shape)) / norm)


class _Spectral(_Computed):
    def __init__(self, layer: Any, name: str, steps: int, epsilon: float, dim: int) -> None:
        super().__init__(layer, name)
        self.steps, self.epsilon, self.dim = steps, epsilon, dim
        before = self.take(layer)
        layer.add_parameter(f"{name}_orig", before)
        # As in Paddle, the weight is divided from the first call on.
        setattr(layer, name, before * 1.0)
        rows, columns = self._matrix(before)._spec.shape
        for word, count in (("u", rows), ("v", columns)):
            # In Paddle each is made as a parameter, whose start is drawn too.
            initializer.XavierUniform()._made((count,), before._spec.dtype)
            drawn = initializer.Normal()._made((count,), before._spec.dtype)
            layer.register_buffer(f"{name}_{word}", Leaf(drawn / max(np.linalg.norm(drawn), epsilon)))

    def _matrix(self, weight: Any) -> Any:
        if self.dim:
            rest = [one for one in range(weight._spec.ndim) if one != self.dim]
            weight = _manipulation.transpose(weight, [self.dim, *rest])
        return weight.reshape([weight._spec.shape[0], -1])

    def weight(self, layer: Any) -> Any:
        own = layer._parameters[f"{self.name}_orig"]
        u, v = (layer._buffers[f"{self.name}_{one}"] for one in "uv")
        matrix = self._matrix(own)
        if layer.training:
            with no_grad():
                left, right = _iterated(matrix, u, v, self.steps, self.epsilon)
                u.set_value(left)
                v.set_value(right)
        largest = _math.sum(u.clone() * _math.matmul(matrix, v.clone()))
        return own / largest


def _iterated(matrix: Any, u: Any, v: Any, steps: int, epsilon: float) -> tuple[Array, Array]:
    """Returns two vectors turned towards those of the largest singular value, so many times."""
    array, left, right = np.asarray(matrix.detach()), u.numpy(), v.numpy()
    for _ in range(steps):
        right = array.T @ left
        right = right / max(np.linalg.norm(right), epsilon)
        left = array @ right
        left = left / max(np.linalg.norm(left), epsilon)
    return left.astype(array.dtype), right.astype(array.dtype)


@named("paddle.nn.utils.weight_norm")
def weight_norm(layer: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Trains a weight as its size along an axis, and its direction; returns the layer."""
    _Normed(layer, name, dim)
    return layer


@named("paddle.nn.utils.remove_weight_norm")
def remove_weight_norm(layer: Any, name: str = "weight") -> Any:
    """Trains a weight itself again; returns the layer."""
    for hook in list(layer._before.values()):
        if isinstance(hook, _Normed) and hook.name == name:
            with no_grad():
                value = hook.weight(layer)
            path = Names.next(f"{layer.full_name()}.w")
            hook.held.remove()
            for word in "gv":
                del layer._parameters[f"{name}_{word}"]
            delattr(layer, name)
            layer.add_parameter(name, _parameter(value, path))
            return layer
    raise InvalidValueError(f"weight_norm of {name!r} not found in {type(layer).__name__}.", site=here())


@named("paddle.nn.utils.spectral_norm")
def spectral_norm(
    layer: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Divides a weight by its largest singular value before each call; returns the layer."""
    if dim is None:
        kind = type(layer).__name__
        dim = 1 if kind == "Linear" or kind.endswith("Transpose") else 0
    _Spectral(layer, name, n_power_iterations, eps, dim)
    return layer


@in_nn
class SpectralNorm(Layer):
    """A weight divided by its largest singular value, which each call estimates from the same vectors.

    They stay as they were drawn, and the gradient is that of Paddle's kernel: with the vectors u and v, the
    singular value s and the quotient y, the gradient of y times (1 - u v' sum(y)) / s, elementwise. This is
    not the derivative of the quotient, which `paddle.nn.utils.spectral_norm` has; that one keeps its vectors.
    """

    def __init__(
        self, weight_shape: Any, dim: int = 0, power_iters: int = 1, epsilon: float = 1e-12,
        dtype: Any = "float32", *, eps: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._given = (dim, power_iters, epsilon if eps is None else eps)
        rows = weight_shape[dim]
        columns = int(np.prod(weight_shape)) // rows
        for word, count in (("weight_u", rows), ("weight_v", columns)):
            start = self.create_parameter([count], dtype=dtype, default_initializer=initializer.Normal())
            start.stop_gradient = True
            self.add_parameter(word, start)

    def forward(self, x: Any) -> Any:
        """Returns the weight divided."""
        dim, steps, epsilon = self._given
        order = [dim, *(one for one in range(x._spec.ndim) if one != dim)]
        laid = np.transpose(np.asarray(x.detach()), order)
        matrix = laid.reshape(len(laid), -1)
        u, v = _iterated(data(matrix), self.weight_u, self.weight_v, steps, epsilon)
        largest = (u * (matrix @ v)).sum()
        found = matrix / largest
        slope = (1.0 - np.outer(u, v) * found.sum()) / largest
        value, factor = (
            np.transpose(one.astype(laid.dtype).reshape(laid.shape), np.argsort(order))
            for one in (found, slope)
        )
        return saving(data(value) + (x - x.detach()) * data(factor), user_frame(1), x)
