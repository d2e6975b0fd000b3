"""Gradient clipping as `grad_clip` of an optimizer, under Paddle's names."""

from __future__ import annotations

from typing import Any

from penstock.functions.composite import composite
from penstock.ops import pointwise, reduce
from penstock.paddle._convert import operand
from penstock.paddle._declaring import in_nn
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._handing import dense
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_Pairs = list[tuple[Any, Any]]


@composite(1, wide=True)
def _square_sum(x: Any) -> Any:
    return reduce.sum(pointwise.square(x), axes=tuple(range(len(x.shape))), keepdims=False)


@composite(1, wide=True)
def _to_norm(x: Any, limit: float) -> Any:
    size = pointwise.sqrt(reduce.sum(pointwise.square(x), axes=tuple(range(len(x.shape))), keepdims=False))
    # Guarded inside, so that a gradient of zeros is divided by 1.
    return pointwise.where(size > limit, x * (limit / pointwise.where(size > limit, size, 1.0)), x)


class _Clip:
    """Base of the clips: called with pairs of parameter and gradient, it gives such pairs back.

    Clipping by the norm of all changes the gradients themselves, as in Paddle; the others do not.
    """

    _in_place = False

    def _changed(self, gradients: list[Any]) -> list[Any]:
        raise NotImplementedError

    def _clipped(self, pairs: _Pairs, frame: Any) -> _Pairs:
        """Returns pairs of gradient and parameter, clipped where the parameter wants it."""
        chosen = [i for i, (_, one) in enumerate(pairs) if getattr(one, "need_clip", True)]
        found = list(pairs)
        if chosen:
            for i, changed in zip(chosen, self._changed([dense(pairs[i][0]) for i in chosen])):
                found[i] = (changed, pairs[i][1])
                if self._in_place:
                    pairs[i][1]._gradient = changed
        return found

    def __call__(self, params_grads: _Pairs) -> _Pairs:
        """Returns pairs of parameter and gradient, clipped."""
        pairs = [(gradient, one) for one, gradient in params_grads if gradient is not None]
        return [(one, gradient) for gradient, one in self._clipped(pairs, None)]


@in_nn
class ClipGradByValue(_Clip):
    """Brings every element of every gradient into min .. max."""

    def __init__(self, max: float, min: float | None = None) -> None:
        if min is None and not max > 0.0:
            raise InvalidValueError(
                f"ClipGradByValue without min takes a max above 0, but it is {max}.", site=here()
            )
        self.max = float(max)
        self.min = -self.max if min is None else float(min)

    def _changed(self, gradients: list[Any]) -> list[Any]:
        return [pointwise.clip(one, self.min, self.max) for one in gradients]

    def __str__(self) -> str:
        return f"Clip Gradient By Value, min = {self.min:f}, max={self.max:f}"


@in_nn
class ClipGradByNorm(_Clip):
    """Scales each gradient whose norm is above `clip_norm` down to it."""

    def __init__(self, clip_norm: float) -> None:
        self.clip_norm = float(clip_norm)

    def _changed(self, gradients: list[Any]) -> list[Any]:
        return [_to_norm(one, self.clip_norm) for one in gradients]

    def __str__(self) -> str:
        return f"Gradient Clip By Norm, clip_norm={self.clip_norm:f}"


def clip_by_norm(x: Any, max_norm: float, name: Any = None) -> Any:
    """Returns x, made smaller if its norm is above `max_norm`: `paddle.nn.clip.clip_by_norm`."""
    return _to_norm(operand(x), float(max_norm))


@in_nn
class ClipGradByGlobalNorm(_Clip):
    """Scales all gradients together, so that the norm of them all is at most `clip_norm`.

    All that an optimizer has are one group: `group_name` and `auto_skip_clip` do nothing.
    """

    def __init__(
        self, clip_norm: float, group_name: str = "default_group", auto_skip_clip: bool = False
    ) -> None:
        self.clip_norm = float(clip_norm)
        self.group_name, self.auto_skip_clip, self.should_comm_on_shard_dim = (
            group_name,
            auto_skip_clip,
            False,
        )

    _in_place = True

    def _changed(self, gradients: list[Any]) -> list[Any]:
        total: Tensor = _square_sum(gradients[0])
        for one in gradients[1:]:
            total = total + _square_sum(one)
        size = pointwise.sqrt(total)
        factor = self.clip_norm / pointwise.maximum(size, self.clip_norm)
        return [one * factor for one in gradients]

    def __str__(self) -> str:
        return f"Gradient Clip By GlobalNorm, global_norm={self.clip_norm:f}"
