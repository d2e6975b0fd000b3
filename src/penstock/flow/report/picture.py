"""A picture of a loss, as SVG: its terms on the left, the variables on the right, gradients in between."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from penstock.flow.report.data import Names
from penstock.flow.report.groups import named
from penstock.flow.report_model import Report

ROW = 46
"""The height of a row, in pixels."""
LEFT, RIGHT, WIDTH = 300, 620, 900
"""The right end of the terms, the left end of the variables, and the width of the picture."""
MIDDLE = (LEFT + RIGHT) // 2
MOST = 14
"""The most terms, and the most groups of variables, in a picture; the others are counted."""
LONGEST = 32
"""How many letters a box holds."""


@dataclass(frozen=True, slots=True)
class Link:
    """A line of the picture: from which term to which group, and how it is drawn."""

    term: int
    group: str
    kind: str
    said: str


def picture(report: Report, names: Names) -> str:
    """Returns the picture, or nothing if no gradient was requested."""
    terms = report.terms[:MOST]
    links = []
    for number, term in enumerate(terms):
        where = names.short(term.cut)
        for kind, subjects, said in (
            ("flows", term.reaches, "trains"),
            ("unasked", term.unasked, "would train, but is not asked"),
            ("frozen" if term.word == "frozen" else "cut", term.blocked, f"{term.word} {where}".strip()),
        ):
            links += [Link(number, group, kind, said) for group in named(subjects, report.subjects)]
    groups = list(dict.fromkeys(link.group for link in links))
    shown = _most(groups, links)
    if not shown:
        return ""
    height = ROW * max(len(terms), len(shown)) + 30
    left = _spread(len(terms), height)
    right = dict(zip(shown, _spread(len(shown), height), strict=True))
    parts = [_link(link, left[link.term], right[link.group]) for link in links if link.group in right]
    parts += [_gate(group, left, right) for group in _gates(links, right)]
    for y, term in zip(left, terms, strict=True):
        state = "flows" if term.reaches else "dead"
        line = names.short(term.site)
        parts.append(_box(20, y, LEFT - 20, term.name, line, f"term {state}"))
    parts += [_box(RIGHT, y, WIDTH - RIGHT - 20, group, "", "group") for group, y in right.items()]
    label = "Terms of the loss and the variables that each of them trains"
    picture = f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">{"".join(parts)}</svg>'
    hidden = (len(report.terms) - len(terms), "term"), (len(groups) - len(shown), "group")
    left_out = [f"{count} more {what}{'s' * (count > 1)}" for count, what in hidden if count]
    return picture + (f"<p class=dim>Not drawn: {', '.join(left_out)}.</p>" if left_out else "")


def _most(groups: Sequence[str], links: Iterable[Link]) -> list[str]:
    """Returns the groups to draw, in order: groups that are kept from learning come first."""
    kept_back = {link.group for link in links if link.kind != "flows"}
    chosen = set(sorted(groups, key=lambda group: group not in kept_back)[:MOST])
    return [group for group in groups if group in chosen]


_STYLE = """svg { background: #ffffff; font: 14px system-ui, "DejaVu Sans", sans-serif; }
text { fill: #1d2733; } text.small { fill: #66758a; font-size: 11.5px; }
rect { fill: #f3f6f9; stroke: #dbe3ea; }
.term.flows rect { stroke: #1b7fbd; } .term.dead rect { stroke: #c0392b; stroke-dasharray: 5 3; }
.link { fill: none; stroke: #1b7fbd; stroke-width: 3; }
.unasked { stroke: #66758a; stroke-width: 2; stroke-dasharray: 2 6; }
.frozen { stroke: #2b7a8c; stroke-width: 2; stroke-dasharray: 8 5; }
.cut { stroke: #c0392b; stroke-width: 2; stroke-dasharray: 6 6; }
.gate line { stroke: #c0392b; stroke-width: 6; stroke-linecap: round; } .gate text { fill: #c0392b; }"""


def as_svg(report: Report) -> str:
    """Returns the picture as the text of an SVG file; empty if no gradient was requested."""
    drawn = picture(report, Names(report.script)).partition("<p ")[0]
    head = '<svg xmlns="http://www.w3.org/2000/svg" '
    quoted = re.sub(r"=(\w+)(?=[ />])", r'="\1"', drawn)
    return (
        quoted.replace("<svg ", head, 1).replace(">", f"><style>{_STYLE}</style>", 1) + "\n" if drawn else ""
    )


def _spread(count: int, height: int) -> list[float]:
    return [height * (number + 0.5) / count for number in range(count)]


def _box(x: float, y: float, width: float, text: str, small: str, kind: str) -> str:
    longest = LONGEST - len(small)
    text = text if len(text) <= longest else text[: longest - 1] + "…"
    rest = f'<text class=small x="{x + width - 10}" y="{y + 4}" text-anchor="end">{escape(small)}</text>'
    return (
        f'<g class="{kind}"><rect x="{x}" y="{y - 15}" width="{width}" height="30" rx="6"/>'
        f'<text x="{x + 12}" y="{y + 5}">{escape(text)}</text>{rest if small else ""}</g>'
    )


def _link(link: Link, y: float, to: float) -> str:
    curve = f"M{LEFT} {y:.0f} C{MIDDLE} {y:.0f} {MIDDLE} {to:.0f} {RIGHT} {to:.0f}"
    return f'<path class="link {link.kind}" d="{curve}"><title>{escape(link.said)}</title></path>'


def _gates(links: Iterable[Link], right: Mapping[str, float]) -> list[list[Link]]:
    """Returns the links that one cut closes, for each cut of each term."""
    found: dict[tuple[int, str], list[Link]] = {}
    for link in links:
        if link.kind == "cut" and link.group in right:
            found.setdefault((link.term, link.said), []).append(link)
    return list(found.values())


def _gate(links: Sequence[Link], left: Sequence[float], right: Mapping[str, float]) -> str:
    """Returns a gate across the links that a cut closes: variables behind it get no gradient."""
    middles = [(left[link.term] + right[link.group]) / 2 for link in links]
    top, bottom = min(middles) - 11, max(middles) + 11
    return (
        f'<g class=gate><line x1="{MIDDLE}" x2="{MIDDLE}" y1="{top:.0f}" y2="{bottom:.0f}"/>'
        f'<text class=small x="{MIDDLE + 8}" y="{bottom + 4:.0f}">{escape(links[0].said)}</text></g>'
    )
