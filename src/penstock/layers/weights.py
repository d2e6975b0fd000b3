"""The variables of a layer: creating one from its description, and setting the values of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from penstock.errors import ArgumentError, ShapeError
from penstock.layers import constraints, regularizers, tracking
from penstock.layers.calls import calls
from penstock.layers.tracking import Structure
from penstock.state.members import note_user
from penstock.trace.convert import refuse_masked
from penstock.trace.source_site import here
from penstock.trace.spec import Shape
from penstock.trace.tensor import Cell, Tensor

if TYPE_CHECKING:
    from penstock.layers.base import Layer


def added(
    layer: Layer,
    shape: Any,
    initializer: Any,
    dtype: Any,
    trainable: bool,
    autocast: bool,
    regularizer: Any,
    constraint: Any,
    name: str | None,
) -> Any:
    """Returns a new variable of a layer: see `Layer.add_weight`."""
    if isinstance(shape, str):
        raise ArgumentError(
            f"`name` must be passed as a keyword argument. Received: add_weight('{shape}', ...). "
            f"Use: add_weight(shape=..., name='{shape}').",
            site=here(),
        )
    lengths = () if shape is None else _shape(shape)
    if any(n is None for n in lengths):
        raise ArgumentError(
            f"Shapes used to initialize variables must be fully-defined (no `None` dimensions). "
            f"Received: shape={lengths} for variable path='{layer.path}/{name}'",
            site=here(),
        )
    chosen = layer._dtype if dtype is None else _numpy_dtype(dtype)
    if initializer is None:
        initializer = "glorot_uniform" if chosen.kind in "fV" else "zeros"
    constraint = constraints.get(constraint)
    value = layer._initializer(initializer)(lengths, dtype=chosen)
    value = np.asarray(value.numpy() if isinstance(value, Tensor | Cell) else value).astype(chosen)
    if value.shape != lengths:
        raise ShapeError(
            f"The initializer of {layer.path}/{name} gave an array of shape {value.shape}, not {lengths}.",
            site=here(),
        )
    local_name = layer._unnamed() if name is None else name
    variable = layer._make_variable(value, local_name, trainable, constraint)
    layer._weights.append((local_name, variable))
    if not autocast:
        layer._plain.add(variable._uid)
    if trainable:
        layer._trained.add(variable._uid)
    if regularizer is not None:
        layer._penalties.append((regularizers.get(regularizer), variable))
    tracking.owned(variable, layer)
    if calls.layers and calls.layers[0] is not layer:
        note_user(variable, tracking.Unlisted(variable, layer, tuple(calls.layers)))
    Structure.changes += 1
    return variable


def set_values(layer: Layer, weights: Sequence[Any]) -> None:
    """Assigns arrays to all variables of a layer, in order; all of them, or none if one does not fit."""
    own = layer.weights
    if len(own) != len(weights):
        raise ArgumentError(
            f"You called `set_weights(weights)` on layer '{layer.name}' with a weight list of length "
            f"{len(weights)}, but the layer was expecting {len(own)} weights.",
            remedy="" if layer.built else "Call the layer once first: that creates its variables.",
            site=here(),
        )
    for one in weights:
        refuse_masked(one)
    arrays = [np.asarray(one.numpy() if isinstance(one, Tensor | Cell) else one) for one in weights]
    for variable, array in zip(own, arrays, strict=True):
        if tuple(variable.shape) != array.shape:
            raise ArgumentError(
                f"Layer {layer.name} weight shape {tuple(variable.shape)} is not compatible with provided "
                f"weight shape {array.shape}.",
                origin=f"the variable is {variable.path!r}",
                site=here(),
            )
    for variable, array in zip(own, arrays, strict=True):
        variable.assign(array.astype(variable._spec.dtype))


def _numpy_dtype(dtype: Any) -> np.dtype[Any]:
    dtype = getattr(dtype, "as_numpy_dtype", dtype)
    try:
        if dtype == "bfloat16":
            import ml_dtypes

            dtype = ml_dtypes.bfloat16
        made: np.dtype[Any] = np.dtype(dtype)
        return made
    except TypeError:
        raise ArgumentError(f"{dtype!r} is not a dtype.", site=here()) from None


def _shape(shape: Any) -> Shape:
    return (int(shape),) if isinstance(shape, int | np.integer) else tuple(shape)


__all__ = ["added", "set_values"]
