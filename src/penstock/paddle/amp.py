"""paddle.amp: operations in half precision inside a `with` block, and the loss scaling for it.

As in Paddle, both have an effect on accelerators only, and warn on a processor: `_place.py` says where.
"""

from __future__ import annotations

import sys as _sys
from typing import Any

import numpy as _np

from penstock.functions.array import all as _every
from penstock.grad.rows import Rows as _Rows
from penstock.ops import pointwise as _pointwise
from penstock.optimizers.scaling import is_scale as _is_scale
from penstock.optimizers.scaling import rescaled as _rescaled
from penstock.paddle._convert import converted as _converted
from penstock.paddle._convert import operand as _operand
from penstock.paddle._convert import record as _record
from penstock.paddle._errors import InvalidValueError as _InvalidValueError
from penstock.paddle._names import namespace as _namespace
from penstock.paddle._place import accelerated as _accelerated
from penstock.paddle._place import without_effect as _without_effect
from penstock.paddle._standing import ZERO as _ZERO
from penstock.paddle._tensor import Leaf as _Leaf
from penstock.state.variable import updating as _updating
from penstock.trace.source_site import here as _here

_frame = _sys._getframe
_FLOAT = _np.dtype(_np.float32)


class GradScaler:
    """Multiplies a loss by a scale, and divides the gradients by it before an optimizer steps.

    If a gradient is not finite, the optimizer changes nothing, to the bit; the compiled step decides this.
    `update` then multiplies the scale by `decr_ratio`, once in `decr_every_n_nan_or_inf` such steps, or by
    `incr_ratio` after `incr_every_n_steps` others. As in Paddle's static programs it stays finite and at
    least 1. On a processor the scaler is off, as in Paddle, unless the program asks for another device.

    >>> from penstock import paddle
    >>> place = paddle.set_device("gpu")
    >>> x = paddle.to_tensor(1.0, stop_gradient=False)
    >>> optimizer = paddle.optimizer.SGD(0.1, parameters=[x])
    >>> scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0)
    >>> for slope in (1.0, float("inf")):
    ...     scaler.scale(x * slope).backward()
    ...     scaler.step(optimizer)
    ...     scaler.update()
    ...     optimizer.clear_grad()
    >>> round(x.item(), 3), scaler.state_dict()["scale"].item()
    (0.9, 512.0)
    >>> place = paddle.set_device("cpu")
    """

    def __init__(
        self,
        enable: bool = True,
        init_loss_scaling: float = 2.0**16,
        incr_ratio: float = 2.0,
        decr_ratio: float = 0.5,
        incr_every_n_steps: int = 2000,
        decr_every_n_nan_or_inf: int = 1,
        use_dynamic_loss_scaling: bool = True,
    ) -> None:
        if enable and not _accelerated():
            _without_effect("AmpScaler", "CUDAPlace, XPUPlace and CustomPlace")
            enable = False
        for name, value, fits in (
            ("incr_ratio", incr_ratio, incr_ratio > 1.0),
            ("decr_ratio", decr_ratio, decr_ratio < 1.0),
        ):
            if enable and not fits:
                sign = ">" if name == "incr_ratio" else "<"
                raise AssertionError(f"The {name} must be {sign} 1.0. It is {value!r}.")
        if enable:
            _check_scale("init_loss_scaling", init_loss_scaling)
        self._enable = bool(enable)
        self._dynamic = bool(use_dynamic_loss_scaling) and self._enable
        self._first = float(init_loss_scaling) if enable else 1.0
        self._incr_ratio, self._decr_ratio = float(incr_ratio), float(decr_ratio)
        self._incr_every, self._decr_every = int(incr_every_n_steps), int(decr_every_n_nan_or_inf)
        self._scale = _Leaf(_np.asarray([self._first], _FLOAT), name="grad_scaler/scale")
        self._good = _Leaf(_np.zeros((), _np.int64), name="grad_scaler/incr_count")
        self._bad = _Leaf(_np.zeros((), _np.int64), name="grad_scaler/decr_count")
        self._states: dict[int, str] = {}
        self._found: dict[int, Any] = {}
        self._latest: Any = None

    def scale(self, var: Any) -> Any:
        """Returns a loss multiplied by the scale; for a scalar loss it has shape [1], as in Paddle."""
        if not self._enable:
            return var
        var = _operand(var)
        return var * _converted(self._scale, var._spec.dtype, _frame(1))

    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of an optimizer's parameters by the scale, to clip or read them."""
        if not self._enable:
            return
        state = self._states.get(id(optimizer))
        if state == "unscaled":
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if state == "stepped":
            raise RuntimeError("unscale_() is being called after step().")
        self._unscale(optimizer, _frame(1))

    def _unscale(self, optimizer: Any, frame: Any) -> None:
        inverse = _record(_pointwise.divide, (1.0, self._scale), {}, frame).reshape([])
        finite: Any = None
        for one in optimizer._parameter_list:
            gradient = one._gradient
            if gradient is None or gradient is _ZERO:
                continue
            rows = isinstance(gradient, _Rows)
            values = gradient.values if rows else gradient
            factor = _converted(inverse, values._spec.dtype, frame)
            values = _record(_pointwise.multiply, (values, factor), {}, frame)
            here = _every(_record(_pointwise.isfinite, (values,), {}, frame))
            finite = here if finite is None else _record(_pointwise.logical_and, (finite, here), {}, frame)
            one._gradient = gradient.with_values(values) if rows else values
        self._found[id(optimizer)] = finite
        self._states[id(optimizer)] = "unscaled"

    def step(self, optimizer: Any) -> None:
        """Steps an optimizer with unscaled gradients, or skips the step if one is not finite."""
        if not self._enable:
            optimizer.step()
            return
        if self._states.get(id(optimizer)) == "stepped":
            raise RuntimeError("step() has already been called since the last update().")
        self._step(optimizer, _frame(1))
        if not self._dynamic:
            self._forget()

    def _step(self, optimizer: Any, frame: Any) -> None:
        if id(optimizer) not in self._states:
            self._unscale(optimizer, frame)
        finite = self._found[id(optimizer)]
        if finite is not None and len(optimizer._groups) > 1:
            # Each group asks its own gradients: one that is not finite holds the others back as well.
            for one in optimizer._parameter_list:
                gradient = one._gradient
                if gradient is not None and gradient is not _ZERO and not isinstance(gradient, _Rows):
                    held = (finite, gradient, _np.nan)
                    one._gradient = _record(_pointwise.where, held, {}, frame)
        optimizer._guarded = True
        try:
            optimizer._step(frame)
        finally:
            optimizer._guarded = False
        self._states[id(optimizer)] = "stepped"
        self._latest = finite

    def update(self) -> None:
        """Updates the scale after the latest step."""
        if self._enable and self._dynamic and self._latest is not None:
            frame, finite = _frame(1), self._latest

            def choose(good: Any, bad: Any) -> Any:
                return _record(_pointwise.where, (finite, good, bad), {}, frame)

            with _updating(self._scale, frame):
                good, bad = choose(self._good + 1, 0), choose(0, self._bad + 1)
                grown, shrunk = good == self._incr_every, bad == self._decr_every
                where = _pointwise.where
                factor = _record(where, (shrunk, self._decr_ratio, 1.0), {}, frame)
                factor = _record(where, (grown, self._incr_ratio, factor), {}, frame)
                scale = _converted(_rescaled(self._scale, factor), _FLOAT, frame)
                self._scale._write("GradScaler", scale, None, frame)
                for cell, count, over in ((self._good, good, grown), (self._bad, bad, shrunk)):
                    kept = _record(where, (over, 0, count), {}, frame)
                    cell._write("GradScaler", _converted(kept, _np.dtype(_np.int64), frame), None, frame)
        self._forget()

    def _forget(self) -> None:
        self._states.clear()
        self._found.clear()
        self._latest = None

    def minimize(self, optimizer: Any, *arguments: Any, **options: Any) -> tuple[list[Any], list[Any]]:
        """Steps an optimizer and updates the scale; `scaled.backward()` comes before it."""
        if not self._enable:
            return optimizer.minimize(*arguments, **options)  # type: ignore[no-any-return]
        pairs = [(one, one.grad) for one in optimizer._parameter_list if one._gradient is not None]
        self._step(optimizer, _frame(1))
        self.update()
        return [], pairs

    # -- settings and state --------------------------------------------------------------------------------

    def is_enable(self) -> bool:
        """Returns whether it scales anything."""
        return self._enable

    def is_use_dynamic_loss_scaling(self) -> bool:
        """Returns whether the scale changes."""
        return self._dynamic

    def get_init_loss_scaling(self) -> float:
        """Returns the first scale."""
        return self._first

    def set_init_loss_scaling(self, new_init_loss_scaling: float) -> None:
        """Sets the first scale, and the present one."""
        _check_scale("new_init_loss_scaling", new_init_loss_scaling)
        self._first = float(new_init_loss_scaling)
        self._scale.set_value(_np.asarray([self._first], _FLOAT))

    def get_incr_ratio(self) -> float:
        """Returns the factor by which the scale grows."""
        return self._incr_ratio

    def set_incr_ratio(self, new_incr_ratio: float) -> None:
        """Sets the factor by which the scale grows."""
        assert new_incr_ratio > 1.0, "The new_incr_ratio must be > 1.0."
        self._incr_ratio = float(new_incr_ratio)

    def get_decr_ratio(self) -> float:
        """Returns the factor by which the scale shrinks."""
        return self._decr_ratio

    def set_decr_ratio(self, new_decr_ratio: float) -> None:
        """Sets the factor by which the scale shrinks."""
        assert new_decr_ratio < 1.0, "The new_decr_ratio must be < 1.0."
        self._decr_ratio = float(new_decr_ratio)

    def get_incr_every_n_steps(self) -> int:
        """Returns after how many good steps the scale grows."""
        return self._incr_every

    def set_incr_every_n_steps(self, new_incr_every_n_steps: int) -> None:
        """Sets after how many good steps the scale grows."""
        self._incr_every = int(new_incr_every_n_steps)

    def get_decr_every_n_nan_or_inf(self) -> int:
        """Returns after how many bad steps the scale shrinks."""
        return self._decr_every

    def set_decr_every_n_nan_or_inf(self, new_decr_every_n_nan_or_inf: int) -> None:
        """Sets after how many bad steps the scale shrinks."""
        self._decr_every = int(new_decr_every_n_nan_or_inf)

    def state_dict(self) -> dict[str, Any]:
        """Returns the scale, the counts and their limits; an empty dict if it is not enabled."""
        if not self._enable:
            return {}
        return {
            "scale": self._scale.numpy(),
            "incr_ratio": self._incr_ratio,
            "decr_ratio": self._decr_ratio,
            "incr_every_n_steps": self._incr_every,
            "decr_every_n_nan_or_inf": self._decr_every,
            "incr_count": int(self._good.numpy()),
            "decr_count": int(self._bad.numpy()),
            "use_dynamic_loss_scaling": self._dynamic,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` gave."""
        if not self._enable:
            return
        if not state_dict:
            raise RuntimeError(
                "The input state dict is empty, possibly because it was saved from a disabled instance of "
                "GradScaler."
            )
        first = float(_np.asarray(state_dict["scale"]).reshape(-1)[0])
        _check_scale("state_dict['scale']", first)
        self._first = first
        self._incr_ratio, self._decr_ratio = state_dict["incr_ratio"], state_dict["decr_ratio"]
        self._incr_every = state_dict["incr_every_n_steps"]
        self._decr_every = state_dict["decr_every_n_nan_or_inf"]
        for cell, given in (
            (self._scale, [self._first]),
            (self._good, state_dict["incr_count"]),
            (self._bad, state_dict["decr_count"]),
        ):
            value = _np.asarray(given, cell._spec.dtype)
            cell._replace(cell._fitting(value), "load_state_dict", _frame(1))
        self._dynamic = bool(state_dict["use_dynamic_loss_scaling"])


def _check_scale(name: str, value: Any) -> None:
    if not _is_scale(value):
        raise _InvalidValueError(
            f"GradScaler: {name} is {value!r}.",
            why="The loss is multiplied by it and the gradients are divided by it, in float32.",
            remedy="Give a positive number, such as 65536.0.",
            site=_here(),
        )


AmpScaler = GradScaler


def is_float16_supported(device: Any = None) -> bool:
    """Returns True: float16 is computed on any `device`."""
    return True


def is_bfloat16_supported(device: Any = None) -> bool:
    """Returns True: bfloat16 is computed on any `device`."""
    return True


__getattr__, __dir__, __all__ = _namespace("paddle.amp", globals(), "_autocast _decorating")
