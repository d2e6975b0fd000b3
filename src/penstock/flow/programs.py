"""Analyses primitives that contain programs: the operands of results, and where paths end inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.flow.graph import Graph, Inside, Region, Wall
from penstock.flow.reach import judge
from penstock.functions.rewrite import BodyBuilder, computed
from penstock.grad.backward import passes
from penstock.ops import control
from penstock.ops.pointwise import where
from penstock.tiers.subprogram import Body
from penstock.trace.source_site import Site
from penstock.trace.spec import spec
from penstock.trace.tensor import Tensor
from penstock.trace.tree import Call

TURNS = 3
"""A loop is analysed as this many iterations: only paths through several carried values need more."""

Found = tuple[tuple[int, ...], tuple[str, ...], tuple[Inside | None, ...]]


def operands_of(call: Call, graph_of: Callable[[Body], Graph]) -> Found:
    """Returns the operands of one result of a program, the word for each link, and where it ends inside."""
    if call.primitive is control.custom:
        return _own_gradient(call)
    body = _unrolled(call)
    graph = graph_of(body)
    target = body.outputs[call.params["output"]]
    behind = graph.ancestors([target])
    region = Region.whole(graph)
    inputs: list[int] = []
    links: list[str] = []
    insides: list[Inside | None] = []
    for place, slot in enumerate(call.inputs):
        flowing = passes(call, place)
        if place not in behind and not flowing:
            continue
        inputs.append(slot)
        if flowing:
            links.append("")
            insides.append(None)
            continue
        verdict = judge(graph, [target], [place], region)
        if verdict.reason in ("flows", "unwatched", "unused", "dead_end") or not verdict.cuts:
            links.append("unruled")
            insides.append(Inside(call.site, call.primitive.name, _OPEN))
            continue
        cut = verdict.cuts[0]
        links.append(cut.word)
        deeper = graph.values[cut.value].inside(cut.operand)
        insides.append(deeper or Inside(graph.site(cut.value), graph.values[cut.value].name))
    return tuple(inputs), tuple(links), tuple(insides)


_OPEN = "Bound the number of iterations: while_loop(..., max_iterations=n) lets gradients pass."


def walls_of(call: Call, graph_of: Callable[[Body], Graph]) -> list[Wall]:
    """Returns the barriers inside a program, one for each line, seen from outside.

    `call` is the first of the program's results.
    """
    if call.primitive is control.custom:
        return []
    body = _unrolled(call)
    graph = graph_of(body)
    region = Region.whole(graph)
    passing = call.primitive is not control.while_loop
    found: dict[Site | None, Wall] = {}
    for wall in graph.barriers:
        results = [(call.slot + place, [target]) for place, target in enumerate(body.outputs)]
        made = [one for one, target in results if graph.ancestors(target) & {*wall.made}]
        above = [one for one, target in results if graph.clear(target, region) & {*wall.above}]
        behind, onward = graph.ancestors(wall.of), graph.clear(wall.below, region)
        of = [slot for place, slot in enumerate(call.inputs) if place in behind]
        below = [slot for place, slot in enumerate(call.inputs) if place in onward]
        # The unrolled turns of a loop share it.
        known = found.get(wall.site, Wall(wall.site, call.slot, (), (), (), ()))
        found[wall.site] = Wall(
            wall.site,
            call.slot,
            (*known.made, *made),
            (*known.of, *of),
            (*known.above, *(above if passing else ())),
            (*known.below, *below),
        )
    return list(found.values())


def _own_gradient(call: Call) -> Found:
    """The operands of a function with a custom gradient: its value, and the arguments with a gradient."""
    params = call.params
    name = call.within or "the function"
    arguments = len(call.inputs) - params["body"].count
    places = [params["output"], *range(params["count"], params["count"] + arguments)]
    none = Inside(call.site, name, f"Let the gradient function of {name} return a gradient for it.")
    flowing = [passes(call, place) for place in places]
    return (
        tuple(call.inputs[place] for place in places),
        tuple("" if one else "unruled" for one in flowing),
        tuple(None if one else none for one in flowing),
    )


def _unrolled(call: Call) -> Body:
    """Returns a program of plain operations that computes a primitive's results from its operands.

    A branch becomes a choice between values, a loop a few of its turns; a scanned operand becomes its slice.
    """
    params = {name: value for name, value in call.params.items() if name != "output"}
    first: Body = call.primitive.bodies(**params)[0]
    key = ("unrolled", call.primitive, *params.values())
    found: Body | None = first.facts.get(key)
    if found is None:
        builder = BodyBuilder(None, None)
        with builder:
            found = builder.body(_UNROLLING[call.primitive](builder, **params))
        first.facts[key] = found
    return found


def _call(builder: BodyBuilder, body: Body, **_: Any) -> list[Tensor]:
    return computed(builder, body, builder.inputs(body.input_specs))


def _cond(builder: BodyBuilder, then: Body, otherwise: Body) -> list[Tensor]:
    (chosen,) = builder.inputs([spec((), bool)])
    given = builder.inputs(then.input_specs)
    both = zip(computed(builder, then, given), computed(builder, otherwise, given), strict=True)
    return [where(chosen, a, b) for a, b in both]


def _scan(builder: BodyBuilder, body: Body, constants: int, carried: int, **_: Any) -> list[Tensor]:
    given = builder.inputs(body.input_specs)
    fixed, carry, slices = (
        given[:constants],
        given[constants : constants + carried],
        given[constants + carried :],
    )
    made: list[Tensor] = []
    before = carry
    for _turn in range(TURNS):
        before = carry
        made = computed(builder, body, [*fixed, *carry, *slices])
        carry = made[:carried]
    return [*made, *before]


def _while(builder: BodyBuilder, test: Body, body: Body, tested: int, constants: int) -> list[Tensor]:
    asked = builder.inputs(test.input_specs[:tested])
    given = builder.inputs(body.input_specs)
    fixed, carry = given[:constants], given[constants:]
    for _turn in range(TURNS):
        (goes_on,) = computed(builder, test, [*asked, *carry])
        after = computed(builder, body, [*fixed, *carry])
        carry = [where(goes_on, a, b) for a, b in zip(after, carry, strict=True)]
    return carry


_UNROLLING: dict[Any, Callable[..., list[Tensor]]] = {
    control.call: _call,
    control.cond: _cond,
    control.scan: _scan,
    control.while_loop: _while,
}

__all__ = ["operands_of", "walls_of"]
