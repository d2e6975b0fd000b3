"""The weight in a loss of an element selected by a mask: for losses that are added up part by part."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from penstock.flow.noted import Unequal
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.eager.parameter import Parameter
    from penstock.frameworks.torch.gradients import Backward
    from penstock.frameworks.torch.window import Window

_QUOTIENTS = ("div", "true_divide", "divide", "div_", "__itruediv__")
_PRODUCTS = ("mul", "multiply", "__rmul__", "mul_", "__imul__")
_LOSSES = ("cross_entropy", "nll_loss")
_MEANS = frozenset((
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "cross_entropy", "nll_loss",
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "soft_margin_loss", "hinge_embedding_loss",
    "margin_ranking_loss", "cosine_embedding_loss", "triplet_margin_loss", "poisson_nll_loss",
    "gaussian_nll_loss", "multi_margin_loss",
))  # fmt: skip
"""Losses that are means over elements, unless `reduction` says otherwise."""
IGNORED = -100
"""The label that losses ignore by default."""


ALIKE, SHOWN = 1.001, 4
"""Weights that differ by less count as equal; this many counts are shown."""


@dataclass(frozen=True, slots=True)
class _Share:
    """The weight of an element in the loss of a pass, by the line of the mean, over `count` elements."""

    call: Backward
    site: Site | None
    weight: float
    count: int
    whole: bool = False


class Means:
    """The elements selected by masks in a window, and the numbers by which values were scaled."""

    def __init__(self) -> None:
        self._chosen: dict[int, int] = {}
        self._whole: set[int] = set()
        self._means: set[int] = set()
        self._factors: dict[int, tuple[float, bool]] = {}
        self._told: dict[Site | None, tuple[Unequal, list[Parameter]]] = {}

    def called(
        self,
        window: Window,
        name: str,
        arguments: Sequence[Any],
        options: Mapping[str, Any],
        result: Any,
    ) -> None:
        """Notes a call that selects elements, or scales."""
        number = window.number(result) if isinstance(result, torch.Tensor) else None
        if number is None:
            return
        if name in _MEANS and options.get("reduction", "mean") == "mean" and not result.ndim:
            self._means.add(number)
        if name in ("__getitem__", "masked_select") and len(arguments) > 1 and _is_mask(arguments[1]):
            self._chosen[number] = result.numel()
        elif name in _LOSSES and options.get("reduction", "mean") == "mean" and len(arguments) > 1:
            with contextlib.suppress(RuntimeError):  # Tensors inside vmap have no numbers of their own.
                self._choose(number, arguments[1], options.get("ignore_index", IGNORED))
        elif name in (*_QUOTIENTS, *_PRODUCTS) and len(arguments) > 1:
            with contextlib.suppress(RuntimeError):
                self._scale(number, name in _QUOTIENTS, arguments[0], arguments[1])

    def is_mean(self, window: Window, number: int) -> bool:
        """Returns whether a value is a mean over elements, without another factor."""
        value = window.graph.values[number]
        return number in self._means or (value.name == "mean" and value.spec.endswith("[]"))

    def _choose(self, number: int, labels: Any, ignored: int) -> None:
        if _has_numbers(labels) and not labels.is_floating_point():
            known = labels != ignored
            self._chosen[number] = int(known.sum())
            if self._chosen[number] == known.numel():
                self._whole.add(number)

    def _scale(self, number: int, divided: bool, left: Any, right: Any) -> None:
        other: Any = left if isinstance(left, int | float) else right
        counted = _has_numbers(other) and not other.requires_grad and other.numel() == 1
        if counted or (isinstance(other, int | float) and not (divided and other is left)):
            value = float(other)
            if value:
                self._factors[number] = (1.0 / value if divided else value), divided and counted

    def added(self, window: Window, calls: Iterable[Backward]) -> None:
        """Examines backward passes whose gradients are added up."""
        lines: dict[Site | None, list[_Share]] = {}
        for call in calls:
            if call.window is window and len(call.goals) == 1:
                share = self._share(window, call)
                if share is not None:
                    lines.setdefault(share.site, []).append(share)
        for site, shares in lines.items():
            counts = tuple(dict.fromkeys(one.count for one in shares))
            weights = {one.weight for one in shares}
            if (
                len(counts) > 1
                and not all(one.whole for one in shares)
                and max(weights) > ALIKE * min(weights)
                and site not in self._told
            ):
                held = {uid: one for share in shares for uid, one in share.call.gave.items()}
                self._told[site] = Unequal(site, counts[:SHOWN]), [held[uid] for uid in sorted(held)]

    def _share(self, window: Window, call: Backward) -> _Share | None:
        """Returns the weight of each selected element in the loss of a backward pass."""
        graph, number = window.graph, call.goals[0]
        factor, divisor, reduced, at = 1.0, 0, "", number
        while True:
            value = graph.values[number]
            if number in self._chosen:
                count = self._chosen[number]
                if value.name in _LOSSES or reduced == "mean":
                    site = graph.site(at if reduced else number)
                    whole = number in self._whole
                    return _Share(call, site, factor / count, count, whole) if count else None
                return _Share(call, graph.site(at), factor, divisor or count) if reduced else None
            if value.name in ("mean", "sum") and value.spec.endswith("[]"):
                reduced, at = value.name, number
            own, divides = self._factors.get(number, (1.0, False))
            divisor = round(1.0 / own) if divides else divisor
            if value.role == "scale" and number not in self._factors:
                return _Share(call, graph.site(at), factor, divisor) if reduced == "sum" and divisor else None
            made = [one for one in value.inputs if graph.values[one].kind == "operation"]
            if value.role not in ("scale", "linear") or not made:
                return None
            factor, number = factor * own, made[0]

    def told(self) -> list[tuple[Unequal, list[Parameter]]]:
        """Returns the results, one for each line."""
        found = list(self._told.values())
        for one in (self._told, self._chosen, self._factors, self._whole, self._means):
            one.clear()
        return found


def _has_numbers(thing: Any) -> bool:
    """Returns whether a tensor may be read: not during the capture of a CUDA graph."""
    if not isinstance(thing, torch.Tensor):
        return False
    return not (thing.is_cuda and torch.cuda.is_current_stream_capturing())


def _is_mask(index: Any) -> bool:
    parts = index if isinstance(index, tuple) else (index,)
    return any(isinstance(one, torch.Tensor) and one.dtype == torch.bool for one in parts)


__all__ = ["Means"]
