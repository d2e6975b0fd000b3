"""Measures how recording, compiling and memory grow with a program; writes results/growth.md and growth.json.

`python benchmarks/growth.py [--blocks 64] [--operations 10000]`. Each row is the first pass of a new
program in this process: recorded, compiled and run, and then passes that find it recorded. About two minutes.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ["PENSTOCK_CACHE_DIR"] = ""  # What is measured is compiling, not reading what is kept.
os.environ["PENSTOCK_QUIET"] = "1"

import numpy as np
from environments import HERE
from noise import Noise
from report import circumstances, lined_up

import penstock as ps
from penstock.testing import use_engine

WIDTH, TOKENS, BATCH, HEADS = 64, 32, 4, 4
layers = ps.layers


class Block(layers.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = layers.LayerNormalization(), layers.LayerNormalization()
        self.attention = layers.MultiHeadAttention(HEADS, WIDTH // HEADS)
        self.up, self.down = layers.Dense(4 * WIDTH), layers.Dense(WIDTH)

    def call(self, x: Any) -> Any:
        h = self.norm1(x)
        x = x + self.attention(h, h, use_causal_mask=True)
        return x + self.down(ps.nn.gelu(self.up(self.norm2(x)), approximate=False))


def transformer(count: int) -> Callable[[], Any]:
    """Returns a training step of so many blocks, Adam included."""
    blocks = [Block() for _ in range(count)]
    x = ps.asarray(np.random.default_rng(0).standard_normal((BATCH, TOKENS, WIDTH)).astype(np.float32))
    optimizer = ps.optimizers.Adam(1e-3)
    for block in blocks:
        block(x)
    ps.wait()
    weights = [one for block in blocks for one in block.trainable_variables]

    def step() -> None:
        with ps.GradientTape() as tape:
            h = x
            for block in blocks:
                h = block(h)
            loss = ps.mean(ps.square(h))
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))

    return step


def chain(count: int) -> Callable[[], Any]:
    """Returns a step that records so many operations on a small vector, and a gradient through them."""
    x = ps.Variable(np.linspace(0.1, 0.9, 16, dtype=np.float32))

    def step() -> None:
        with ps.GradientTape() as tape:
            y = x * 1.0
            for _ in range(count // 2):
                y = y * x + x
            loss = ps.sum(y)
        x.assign(x - 1e-6 * tape.gradient(loss, x))

    return step


def passes(step: Callable[[], Any]) -> dict[str, float]:
    """Returns the seconds of a first pass (recorded), of its compilation, and of a later pass of Python."""
    from penstock.tiers.program import compilations

    def compiled() -> float:
        return sum(program.compiled[donated].seconds for program, donated in compilations[before:])

    before = len(compilations)
    start = time.perf_counter()
    with use_engine("xla"):
        step()
        # A long step is run on the way: what it compiles there is no recording.
        recorded = time.perf_counter() - start - compiled()
        ps.wait()
    first = compiled()
    operations = sum(program.operations for program, _ in compilations[before:])
    again = []
    with use_engine("xla"):
        for _ in range(5):
            start = time.perf_counter()
            step()
            again.append(time.perf_counter() - start)
            ps.wait()
    return {"operations": operations, "record": recorded, "compile": first, "again": min(again)}


def resident() -> float:
    """Returns the resident memory of this process, in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def shapes(thousands: int) -> Iterator[dict[str, float]]:
    """Yields, after each thousand shapes that never come back, the memory taken and what is counted of it."""
    w = ps.Variable(np.ones((8, 8), np.float32))
    for thousand in range(1, thousands + 1):
        for number in range(1000):
            x = ps.asarray(np.ones((thousand * 1000 + number, 8), np.float32))
            with ps.GradientTape() as tape:
                loss = ps.mean(ps.square(x @ w))
            w.assign(w - 1e-3 * tape.gradient(loss, w))
            ps.wait(w)
        gc.collect()
        told = ps.trace_statistics()
        counted = (told.recorded_bytes + told.compiled_bytes) / (1 << 20)
        yield {"shapes": thousand * 1000, "resident_mib": resident(), "counted_mib": counted,
               "limit_mib": told.limit_bytes / (1 << 20)}  # fmt: skip


def doubling(largest: int, first: int, factor: int) -> list[int]:
    sizes = [first]
    while sizes[-1] * factor <= largest:
        sizes.append(sizes[-1] * factor)
    return sizes


def section(name: str, rows: dict[int, dict[str, float]]) -> list[str]:
    body = []
    for size, row in rows.items():
        each = row["compile"] / max(1, row["operations"]) * 1e3
        body.append([
            f"{size:,}", f"{row['operations']:,.0f}", f"{row['record'] * 1e3:,.1f}",
            f"{row['again'] * 1e3:,.2f}", f"{row['compile']:.2f}", f"{each:.2f}",
        ])  # fmt: skip
    header = [name, "operations", "recorded ms", "recorded again ms", "compiled s", "ms an operation"]
    return ["", f"## {name}", "", *lined_up(header, body, 1)]


def write(
    about: dict[str, Any], found: dict[str, dict[int, dict[str, float]]], grown: list[dict[str, float]]
) -> None:
    """Writes the page and the data of what has been measured so far."""
    lines = ["# How recording, compiling and memory grow", ""]
    lines += [f"- {name}: {value}" for name, value in about.items()]
    for name, rows in found.items():
        lines += section(name, rows)
    if grown:
        body = [
            [f"{one['shapes']:,.0f}", f"{one['resident_mib']:,.0f}", f"{one['counted_mib']:,.1f}"]
            for one in grown
        ]
        lines += ["", "## shapes that never come back", "", f"Bound: {grown[-1]['limit_mib']:,.0f} MiB.", ""]
        lines += lined_up(["shapes", "resident MiB", "counted MiB"], body, 1)
    results = HERE / "results"
    (results / "growth.md").write_text("\n".join(lines) + "\n")
    (results / "growth.json").write_text(
        json.dumps({"about": about, **found, "shapes": grown}, indent=1) + "\n"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=64)
    parser.add_argument("--operations", type=int, default=10_000)
    parser.add_argument("--shapes", type=int, default=5, help="thousands of shapes")
    options = parser.parse_args()
    noise = Noise()
    with use_engine("xla"):
        ps.wait(ps.Variable(1.0).assign_add(1.0))  # JAX is imported before anything is timed.
    found: dict[str, dict[int, dict[str, float]]] = {"blocks": {}, "operations of a chain": {}}
    grown: list[dict[str, float]] = []

    def note(what: str, row: dict[str, float]) -> None:
        # After each row: the last ones take long, and a run may be given up.
        print(what, json.dumps(row), flush=True)
        write(circumstances(["penstock"], 1, noise.cores()), found, grown)

    # First: the executables of large programs would count as well.
    for one in shapes(options.shapes):
        grown.append(one)
        note("shapes", one)
    for size in doubling(options.blocks, 1, 2):
        found["blocks"][size] = passes(transformer(size))
        note(f"blocks {size}", found["blocks"][size])
    for size in doubling(options.operations, 10, 10):
        found["operations of a chain"][size] = passes(chain(size))
        note(f"operations {size}", found["operations of a chain"][size])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
