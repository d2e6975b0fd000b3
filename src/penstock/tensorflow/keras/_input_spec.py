"""What the inputs of a layer must be: shapes, numbers of axes and dtypes, checked when the layer is called.

A layer whose `input_spec` nobody sets is called as before: setting it gives the layer's class a `__call__`
that checks first.
"""

from __future__ import annotations

import functools
from typing import Any

from penstock.declared import named
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._errors import ArgumentError
from penstock.trace import structure
from penstock.trace.source_site import here


@named("tf.keras.InputSpec", "tf.keras.layers.InputSpec")
class InputSpec:
    """The dtype, shape or number of axes that an input has; what is None may be anything.

    `axes` has the lengths of some axes by their numbers. With `allow_last_axis_squeeze` a last axis of length
    1 may be missing or added. `name` is the key of the input in a dictionary, and an `optional` one may be
    None.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.InputSpec(shape=(None, 3))
    InputSpec(shape=(None, 3), ndim=2)
    """

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: Any = None,
        allow_last_axis_squeeze: bool = False,
        name: str | None = None,
        optional: bool = False,
    ) -> None:
        self.dtype = None if dtype is None else as_dtype(dtype).name
        self.shape = None if shape is None else tuple(shape)
        self.ndim = ndim if self.shape is None else len(self.shape)
        self.max_ndim, self.min_ndim = max_ndim, min_ndim
        self.name, self.optional = name, optional
        self.allow_last_axis_squeeze = allow_last_axis_squeeze
        try:
            axes = axes or {}
            self.axes = {int(key): axes[key] for key in axes}
        except (ValueError, TypeError):
            raise TypeError(
                f"Argument `axes` must be a dict with integer keys. Received: axes={axes}"
            ) from None
        if self.axes and (self.ndim is not None or self.max_ndim is not None):
            last = (self.ndim or self.max_ndim or 0) - 1
            if max(self.axes) > last:
                raise ArgumentError(
                    f"Axis {max(self.axes)} is greater than the maximum allowed value: {last}", site=here()
                )

    def __repr__(self) -> str:
        words = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
        return f"InputSpec({', '.join(f'{one}={getattr(self, one)}' for one in words if getattr(self, one))})"

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        words = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes", "optional")
        return {one: getattr(self, one) for one in words}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> InputSpec:
        """Returns the specification with these arguments."""
        return cls(**config)


def watch(kind: type) -> None:
    """Makes the layers of a class check their inputs when they are called."""
    if getattr(kind, "_checks_inputs", False):
        return
    called = kind.__call__

    @functools.wraps(called)
    def __call__(self: Any, *inputs: Any, **options: Any) -> Any:
        spec = self.input_spec
        if spec is not None:
            _check(spec, inputs[0] if inputs else _first_named(self, options), self.name)
        return called(self, *inputs, **options)

    kind.__call__ = __call__  # type: ignore[method-assign]
    kind._checks_inputs = True  # type: ignore[attr-defined]


def _first_named(layer: Any, options: dict[str, Any]) -> Any:
    first = next(iter(layer._signature[0].parameters), None)
    return options.get(first) if first is not None else None


def _flat(given: Any) -> list[Any]:
    return structure.flat(given, lambda one: one is None)


def _check(spec: Any, inputs: Any, layer: str) -> None:
    """Refuses inputs that are not what the specification of a layer says."""
    specs = _flat(spec)
    names = [one.name for one in specs if one is not None]
    named_all = len(names) == len(specs) and all(names)
    if isinstance(inputs, dict) and named_all:
        for name in names:
            if name not in inputs:
                _refuse(
                    f'Missing data for input "{name}". You passed a data dictionary with keys '
                    f"{list(inputs)}. Expected the following keys: {names}"
                )
        inputs = [inputs[name] for name in names]
    given = _flat(inputs)
    if len(given) != len(specs):
        if named_all:
            keys = ", ".join(f"'{name}': ..." for name in names)
            _refuse(
                f'Layer "{layer}" expects {len(specs)} named input(s) with keys {names}, but it received '
                f"{len(given)} input tensors. Pass inputs as a dict, e.g. `layer({{{keys}}})`."
            )
        _refuse(
            f'Layer "{layer}" expects {len(specs)} input(s), but it received {len(given)} input tensors. '
            f"Inputs received: {given}"
        )
    for place, (x, one) in enumerate(zip(given, specs, strict=True)):
        if one is not None and not (x is None and one.optional):
            _check_one(one, x, place, layer)


def _check_one(spec: InputSpec, x: Any, place: int, layer: str) -> None:
    if not hasattr(x, "shape"):
        _refuse(
            f"Inputs to a layer should be tensors. Got '{x}' (of type {type(x)}) as input for layer "
            f"'{layer}'."
        )
    shape = tuple(n if isinstance(n, int) else None for n in x.shape)
    rank = len(shape)
    start = (
        f"Input {place} with name '{spec.name}' of layer '{layer}' is incompatible with the layer: expected"
    )
    if spec.ndim is not None and not spec.allow_last_axis_squeeze and rank != spec.ndim:
        _refuse(f"{start} ndim={spec.ndim}, found ndim={rank}. Full shape received: {shape}")
    if spec.max_ndim is not None and rank > spec.max_ndim:
        _refuse(f"{start} max_ndim={spec.max_ndim}, found ndim={rank}")
    if spec.min_ndim is not None and rank < spec.min_ndim:
        _refuse(f"{start} min_ndim={spec.min_ndim}, found ndim={rank}. Full shape received: {shape}")
    if spec.dtype is not None and as_dtype(x.dtype).name != spec.dtype:
        _refuse(f"{start} dtype={spec.dtype}, found dtype={as_dtype(x.dtype).name}")
    for axis, value in spec.axes.items():
        if value is not None and shape[axis] not in (value, None):
            _refuse(
                f"{start} axis {axis} of input shape to have value {value}, but received input with shape "
                f"{shape}"
            )
    if spec.shape is not None:
        wanted, found = spec.shape, shape
        if spec.allow_last_axis_squeeze:
            wanted, found = (one[:-1] if one and one[-1] == 1 else one for one in (wanted, found))
        for wished, length in zip(wanted, found, strict=False):
            if wished is not None and length is not None and wished != length:
                _refuse(f"{start} shape={spec.shape}, found shape={found}")


def _refuse(text: str) -> None:
    raise ArgumentError(text, site=here())
