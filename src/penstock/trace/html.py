"""How a notebook shows objects other than reports: tables of a few rows, in the notebook's own style."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

ROWS = 60
"""The most rows of a table; the others are counted."""


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[Any]], below: Sequence[str] = ()) -> str:
    """Returns a title, a table and lines below it. Cells are texts; numbers are aligned right."""
    shown = "".join("<tr>" + "".join(_cell(one) for one in row) + "</tr>" for row in rows[:ROWS])
    if len(rows) > ROWS:
        shown += f'<tr><td colspan="{len(head)}"><em>{len(rows) - ROWS:,} more rows</em></td></tr>'
    heads = "".join(f'<th scope="col" style="text-align: left">{escape(one)}</th>' for one in head)
    lines = "".join(f"<p>{escape(one)}</p>" for one in below)
    return (
        f"<div><p><strong>{escape(title)}</strong></p>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{shown}</tbody></table>{lines}</div>"
    )


def _cell(value: Any) -> str:
    if isinstance(value, int | float):
        text = f"{value:,}" if isinstance(value, int) else f"{value:.3g}"
        return f'<td style="text-align: right">{text}</td>'
    return f'<td style="text-align: left; white-space: pre-wrap">{escape(str(value))}</td>'


__all__ = ["table"]
