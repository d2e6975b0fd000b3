"""What Penstock set out to reach, held against the figures of one run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from compare import Row
from environments import PEERS

Table = dict[str, list[Row]]

FIRST_STEP_SECONDS = 0.010
IMPORT_SECONDS = 0.15

RATIOS = [
    # workload, Penstock's row, peer's row, at most, as people say it
    ("two_scalars", "penstock loop", "tensorflow eager", 1 / 40, "1/40"),
    ("two_scalars", "penstock loop", "torch eager", 1 / 4, "1/4"),
    ("two_scalars", "penstock loop", "paddle eager", 1 / 4, "1/4"),
    ("two_scalars", "penstock loop", "autograd eager", 1 / 2, "1/2"),
    ("two_scalars", "penstock loop", "jax jit", 4.0, "4"),
    ("two_scalars", "penstock step", "jax jit", 1.3, "1.3"),
    ("mlp", "penstock loop", "jax jit", 1.10, "1.10"),
    ("mlp", "penstock loop", "torch pure", 1.0, "1"),
    ("cnn", "penstock loop", "tensorflow function", 1.0, "1"),
    ("two_scalars", "penstock.paddle eager", "penstock loop_unwaited", 1.2, "1.2"),
    *(
        (workload, dialect, "penstock loop_unwaited", most, words)
        for workload in ("two_scalars", "three_weights", "actor_critic")
        for dialect, most, words in (
            ("penstock.tensorflow eager", 1.3, "1.3"),
            ("penstock.paddle eager", 1.3, "1.3"),
            ("penstock.tensorflow session", 2.0, "2"),
        )
        if (workload, dialect) != ("two_scalars", "penstock.paddle eager")
    ),
]

OF_ANY_PEER = (1.0, "below 1")
"""The bound of `mlp` beside the fastest of the peers that have no bound of their own above."""


@dataclass(frozen=True)
class Verdict:
    """One target: the figure, the bound in words, and whether it was met (None: not measured)."""

    what: str
    figure: str
    target: str
    met: bool | None

    @property
    def word(self) -> str:
        return {True: "met", False: "MISSED", None: "not measured"}[self.met]


def find(table: Table, workload: str, name: str) -> Row | None:
    rows = table.get(workload, [])
    return next((row for row in rows if row.name == name and row.runs and not row.failure), None)


def unmeasured(what: str, target: str) -> Verdict:
    return Verdict(what, "", target, None)


def ratio(table: Table, workload: str, own: str, peer: str, most: float, words: str) -> Verdict:
    what, target = f"{workload} {own.removeprefix('penstock ')} / {peer}", f"at most {words}"
    mine, theirs = find(table, workload, own), find(table, workload, peer)
    if mine is None or theirs is None:
        return unmeasured(what, target)
    reached = mine.median() / theirs.median()
    return Verdict(what, f"{reached:.4f}", target, reached <= most)


def faster_than_the_rest(table: Table) -> Verdict:
    """`mlp` against the fastest of all peers and modes but JAX, which has a bound of its own."""
    most, words = OF_ANY_PEER
    what, target = "mlp loop / fastest other peer", words
    mine = find(table, "mlp", "penstock loop")
    rest = [
        row
        for row in table.get("mlp", [])
        if row.framework in PEERS and row.framework != "jax" and row.runs and not row.failure
    ]
    if mine is None or {row.framework for row in rest} != set(PEERS) - {"jax"}:
        return unmeasured(what, target)
    fastest = min(rest, key=Row.median)
    reached = mine.median() / fastest.median()
    return Verdict(f"{what} ({fastest.name})", f"{reached:.4f}", target, reached < most)


def import_time(table: Table) -> Verdict:
    what, target = "import penstock", f"at most {IMPORT_SECONDS} s, no JAX imported"
    row = find(table, "import", "penstock import")
    if row is None:
        return unmeasured(what, target)
    note = ", JAX imported" if row.jax_loaded else ""
    met = row.median() <= IMPORT_SECONDS and not row.jax_loaded
    return Verdict(what, f"{row.median():.3f} s{note}", target, met)


def first_step(table: Table, workload: str) -> Verdict:
    what = f"{workload} first step"
    target = f"at most {FIRST_STEP_SECONDS * 1e3:.0f} ms, no compiler loaded"
    row = find(table, workload, "penstock loop")
    if row is None:
        return unmeasured(what, target)
    note = ", compiler loaded" if row.jax_loaded else ""
    met = row.median("first") <= FIRST_STEP_SECONDS and not row.jax_loaded
    return Verdict(what, f"{row.median('first') * 1e3:.2f} ms{note}", target, met)


def verdicts(table: Table) -> Iterator[Verdict]:
    """One verdict for every target whose workload is in the table."""
    for workload, own, peer, most, words in RATIOS:
        if workload in table:
            yield ratio(table, workload, own, peer, most, words)
    if "mlp" in table:
        yield faster_than_the_rest(table)
    if "import" in table:
        yield import_time(table)
    for workload in ("two_scalars", "three_weights", "mlp"):
        if workload in table:
            yield first_step(table, workload)
