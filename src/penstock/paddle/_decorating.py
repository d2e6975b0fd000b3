"""paddle.amp.decorate: half-precision models, with master weights in float32 at their optimizers."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions.arguments import dtype_of
from penstock.paddle._errors import InvalidTypeError, InvalidValueError
from penstock.paddle._place import accelerated
from penstock.paddle.nn import BatchNorm, BatchNorm1D, BatchNorm2D, BatchNorm3D, Layer, LayerNorm
from penstock.paddle.optimizer._base import Optimizer
from penstock.trace.source_site import here

_frame = sys._getframe
_ALWAYS_WIDE = (BatchNorm, BatchNorm1D, BatchNorm2D, BatchNorm3D)
_WIDE_IN_FLOAT16 = (LayerNorm,)


@named("paddle.amp.decorate", "paddle.amp.amp_decorate")
def decorate(
    models: Any, optimizers: Any = None, level: str = "O1", dtype: str = "float16",
    master_weight: bool | None = None, save_dtype: str | None = None, master_grad: bool = False,
    excluded_layers: Any = None,
) -> Any:  # fmt: skip
    """Returns models, and optimizers if there are any, made ready for `auto_cast`; they are changed in place.

    Nothing is done at level "O1". At "O2" parameters and buffers are cast to `dtype`: all but those of batch
    normalization, for float16 also of layer normalization, and of `excluded_layers` (a layer, a class of
    layers, or a list of them) with all that is in them. Optimizers keep master weights in float32, unless
    `master_weight` is False: they update the master weights, and the parameters are rounded from these. If
    the program writes a parameter, its master weight restarts from it. `state_dict` gives values in
    `save_dtype`, if given; with `master_grad`, gradients are clipped and decayed in float32.

    On a processor nothing is done, as in Paddle, unless the program asks for another device.

    Raises ValueError for another level or dtype, and TypeError for anything but layers or optimizers; then
    nothing is changed.

    >>> from penstock import paddle
    >>> place = paddle.set_device("gpu")
    >>> model = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.BatchNorm1D(3))
    >>> optimizer = paddle.optimizer.Adam(0.1, parameters=model.parameters())
    >>> model, optimizer = paddle.amp.decorate(model, optimizer, level="O2", dtype="bfloat16")
    >>> print(model[0].weight.dtype, model[1].weight.dtype)
    paddle.bfloat16 paddle.float32
    >>> place = paddle.set_device("cpu")
    """
    frame = _frame(1)
    if level not in ("O1", "O2"):
        raise InvalidValueError(
            "level should be O1 or O2, O1 represent AMP train mode, O2 represent Pure fp16 train mode.",
            origin=f"level is {level!r}",
            site=here(),
        )
    if dtype not in ("float16", "bfloat16"):
        raise InvalidValueError(
            "dtype only support float16 or bfloat16.", origin=f"dtype is {dtype!r}", site=here()
        )
    if save_dtype not in (None, "float16", "bfloat16", "float32", "float64"):
        raise InvalidValueError(
            f"save_dtype can only be float16 float32 or float64, but your input save_dtype is {save_dtype}.",
            site=here(),
        )
    if level == "O2" and accelerated():
        layers = _listed(models, Layer, "models must be either a single model or a list of models.")
        moved = [] if optimizers is None else _listed(
            optimizers, Optimizer, "optimizers must be either a single optimizer or a list of optimizers."
        )  # fmt: skip
        for layer in _in_halves(layers, dtype, _excluded(layers, excluded_layers)):
            layer._cast(dtype_of(dtype), frame)
        for one in moved:
            one._keep_masters(master_weight is not False, bool(master_grad))
        if save_dtype is not None:
            for model in layers:
                for layer in model.sublayers(True):
                    layer._save_dtype = np.dtype(dtype_of(save_dtype))
    return models if optimizers is None else (models, optimizers)


def _listed(given: Any, kind: type, wrong: str) -> list[Any]:
    found = given if isinstance(given, list) else [given]
    for one in found:
        if not isinstance(one, kind):
            raise InvalidTypeError(wrong, origin=f"given is {type(one).__name__}", site=here())
    return found


def _excluded(models: list[Any], given: Any) -> set[int]:
    """Returns which layers are to stay as they are, by identity."""
    found: set[int] = set()
    for one in given if isinstance(given, list) else [] if given is None else [given]:
        if isinstance(one, Layer):
            found.update(id(layer) for layer in one.sublayers(True))
        elif isinstance(one, type) and issubclass(one, Layer):
            every = (layer for model in models for layer in model.sublayers(True))
            found.update(id(layer) for layer in every if isinstance(layer, one))
        else:
            raise InvalidTypeError(
                "excluded_layers must be either a nn.Layer instance/type or a list of nn.Layer "
                "instances/types.",
                origin=f"given is {one!r}"[:120],
                site=here(),
            )
    return found


def _in_halves(models: list[Any], dtype: str, excluded: set[int]) -> list[Any]:
    wide = _ALWAYS_WIDE + (_WIDE_IN_FLOAT16 if dtype == "float16" else ())
    every = {id(layer): layer for model in models for layer in model.sublayers(True)}
    return [one for key, one in every.items() if key not in excluded and not isinstance(one, wide)]
