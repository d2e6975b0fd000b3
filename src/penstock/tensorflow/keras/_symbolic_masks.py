"""Masks of symbolic tensors: they are operations of a functional model, which Keras lists in its summary."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow.keras._functional import KerasTensor, note

_AT_CALLS = ("penstock.layers.merging", "penstock.layers.dot_attention", "penstock.layers.core")
"""Where the layers are whose masks need values: they are made in each call."""


def mask_of(value: Any) -> Any:
    """Returns the mask of a symbolic tensor; None for no mask."""
    return value._keras_mask if isinstance(value, KerasTensor) and hasattr(value, "_keras_mask") else None


def with_mask(layer: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options of a call, with the mask of its tensor where the layer takes one."""
    names = list(layer._signature[0].parameters)
    if "mask" not in names[len(inputs) :] or options.get("mask") is not None:
        return options
    mask = mask_of(inputs[0]) if len(inputs) == 1 else None
    beside = [one for one in options.values() if isinstance(one, KerasTensor)]
    return options if mask is None or beside else {**options, "mask": mask}


def hand_on(layer: Any, inputs: tuple[Any, ...], mask: Any, outputs: Any) -> None:
    """Attaches the mask of a layer's result, as `compute_mask` gives it, to its symbolic result."""
    if not isinstance(outputs, KerasTensor) or not inputs:
        return
    found = _made(layer, inputs[0], mask_of(inputs[0]) if mask is None else mask)
    if found is not None:
        outputs._keras_mask = found


def _made(layer: Any, x: Any, mask: Any) -> Any:
    from penstock.tensorflow.keras import ops

    found = type(layer).compute_mask
    kind = getattr(found, "__qualname__", "").partition(".")[0]
    if kind == "Embedding":
        return ops.not_equal(x, 0) if layer.mask_zero else None
    if kind == "Masking":
        return ops.any(ops.not_equal(x, layer.mask_value), axis=-1)
    if kind == "Attention" and isinstance(x, list):
        first = mask_of(x[0])
        return None if first is None else note(ops.convert_to_tensor, (first,), {}, "convert_to_tensor")
    if mask is None or not layer.supports_masking or found.__module__ in _AT_CALLS:
        return None
    return layer.compute_mask(x, mask)


def operations_of(layer: Any) -> tuple[str, ...]:
    """Returns the classes of the operations that Keras notes for the mask that a layer makes."""
    kind = getattr(type(layer).compute_mask, "__qualname__", "").partition(".")[0]
    if kind == "Embedding" and layer.mask_zero:
        return ("NotEqual",)
    return ("NotEqual", "Any") if kind == "Masking" else ()


__all__ = ["hand_on", "mask_of", "operations_of", "with_mask"]
