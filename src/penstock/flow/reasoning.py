"""Decides why a gradient of some values of a passage reaches a source, or does not, and says so in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from penstock.flow.explanation import Explanation
from penstock.flow.graph import Request
from penstock.flow.naming import Place
from penstock.flow.observed import Passage, Variable
from penstock.flow.reach import choose_region, judge, stored_anew
from penstock.flow.wording import Question, explanation


def explain_value(
    passage: Passage,
    numbers: Sequence[int],
    source: Any,
    request: Request | None = None,
    sources: Sequence[int] | None = None,
) -> Explanation:
    """Returns why a gradient of these values of a passage reaches a source, or not.

    `source` is a variable, or another subject that the passage knows or whose values are `sources`.
    `request`, if the question is about a requested gradient, gives the region that decides.
    """
    graph = passage.graph
    number = numbers[-1] if numbers else None
    sources = passage.numbers(source) if sources is None else sources
    region = request.region if request is not None else choose_region(graph, number, sources)
    verdict = judge(graph, numbers, sources, region)
    places = [Place(graph, passage.variables, region, one) for one in verdict.chain]
    if verdict.reason in ("unused", "dead_end", "escaped"):
        anew = stored_anew(graph, numbers, sources, passage.is_after)
        if anew is not None:
            verdict, places = anew, [Place(graph, passage.variables, region, one) for one in anew.chain]
        elif verdict.reason != "escaped":
            verdict, places = passage.earlier(numbers, source, region) or (verdict, places)
    origin = None
    handle = source.handle if isinstance(source, Variable) else source
    if handle is not None and verdict.reason in _MISTAKABLE:
        origin = passage.origin(handle)
    target = Place(graph, passage.variables, region, -1 if number is None else number)
    return explanation(Question(target, source, sources, verdict, places, origin))


_MISTAKABLE = ("unwatched", "outside", "unused", "dead_end")
"""Reasons for a tensor that the program mistakes for the variable it was computed from."""

__all__ = ["explain_value"]
