"""How far distributions are apart: a rule for each pair of kinds, which are registered here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.declared import named
from penstock.paddle._errors import NotThereError
from penstock.trace.source_site import here

Rule = Callable[[Any, Any], Any]
_rules: dict[tuple[type, type], Rule] = {}
later: list[Callable[[], Any]] = []
"""Imports the rules of the package when the first divergence is computed."""


def _bring_in() -> None:
    """Brings in the rules of the package, which those of a program come after."""
    while later:
        later.pop()()


@named("paddle.distribution.register_kl")
def register_kl(cls_p: type, cls_q: type) -> Callable[[Rule], Rule]:
    """Makes a function the rule for distributions of two kinds and their subclasses; the last one counts."""
    _bring_in()

    def decorate(rule: Rule) -> Rule:
        _rules[cls_p, cls_q] = rule
        return rule

    return decorate


@named("paddle.distribution.kl_divergence")
def kl_divergence(p: Any, q: Any) -> Any:
    """Returns how far distribution p is from q, in nats; the rule of the nearest classes decides.

    Raises NotImplementedError for kinds without a rule.
    """
    _bring_in()
    best: tuple[int, Rule] | None = None
    for (first, second), rule in _rules.items():
        if isinstance(p, first) and isinstance(q, second):
            far = type(p).__mro__.index(first) + type(q).__mro__.index(second)
            if best is None or far < best[0]:
                best = far, rule
    if best is None:
        raise NotThereError(
            f"kl_divergence has no rule for {type(p).__name__} and {type(q).__name__}.",
            remedy=f"Write one: @paddle.distribution.register_kl({type(p).__name__}, {type(q).__name__}).",
            site=here(),
        )
    return best[1](p, q)
