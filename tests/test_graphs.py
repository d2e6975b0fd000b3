"""Printed graphs of a few small programs: a refactoring changes none, an intended change shows here.

`python tests/test_graphs.py` rewrites the files of tests/graphs; read the difference before keeping it.
"""

from pathlib import Path

import numpy as np
import pytest

import penstock as ps
from penstock.testing import use_engine
from penstock.tiers.program import extract
from penstock.trace.local import local

GRAPHS = Path(__file__).parent / "graphs"


def square_and_slope():
    x = ps.Variable(3.0, name="x")
    with ps.GradientTape() as tape:
        y = x * x
    return [y, tape.gradient(y, x)]


def two_scalars():
    x, y = ps.Variable(0.0, name="x"), ps.Variable(1.0, name="y")
    with ps.GradientTape() as tape:
        loss = (x - 2.0) ** 2 + (y - 3.0) ** 2
    gradients = tape.gradient(loss, [x, y])
    ps.optimizers.SGD(0.1).apply_gradients(zip(gradients, [x, y]))
    return []


def classifier():
    kernel, bias = ps.Variable(np.zeros((4, 3), np.float32)), ps.Variable(np.zeros(3, np.float32))
    with ps.GradientTape() as tape:
        logits = ps.nn.relu(ps.asarray(np.ones((2, 4), np.float32)) @ kernel + bias)
        loss = ps.mean(ps.losses.softmax_cross_entropy(logits, ps.asarray([0, 2])))
    gradients = tape.gradient(loss, [kernel, bias])
    ps.optimizers.SGD(0.1, momentum=0.9).apply_gradients(zip(gradients, [kernel, bias]))
    return [loss]


def embedding():
    table = ps.Variable(np.zeros((5, 2), np.float32), name="table")
    with ps.GradientTape() as tape:
        loss = ps.sum(ps.take(table, ps.asarray([3, 0, 3]), axis=0) ** 2)
    ps.optimizers.SGD(0.1).apply_gradients([(tape.gradient(loss, table), table)])
    return []


def adam():
    x = ps.Variable([1.0, 2.0], name="x")
    ps.optimizers.Adam(0.1).apply_gradients([(ps.asarray([0.5, -0.5]), x)])
    return []


def second_order():
    x = ps.Variable(2.0, name="x")
    with ps.GradientTape() as outer:
        with ps.GradientTape() as inner:
            y = ps.tanh(x)
        slope = inner.gradient(y, x)
    return [outer.gradient(slope, x)]


def walls_and_writes():
    x, mean = ps.Variable(1.0, name="x"), ps.Variable(0.0, name="mean", trainable=False)
    with ps.GradientTape() as tape:
        mean.assign(mean * 0.9 + ps.stop_gradient(x) * 0.1)
        y = (x - mean) ** 2 + x * ps.stop_gradient(x)
    return [tape.gradient(y, x)]


PROGRAMS = [square_and_slope, two_scalars, classifier, embedding, adam, second_order, walls_and_writes]


def graph(program):
    """Returns the recording of a program, event by event, and its remaining work."""
    with use_engine("numpy"):
        with ps.GradientTape():
            pass
        ps.wait(ps.Variable(0.0).assign(0.0))
        asked = program()
        trace = local.trace
        calls = trace.node.program()
        lines = ["recorded"]
        for node in trace.node.path():
            lines.append(f"  {node.event.kind}")
            lines += [f"    {call!r}" for call in node.calls]
        wanted = [one._slot for one in asked] + [
            trace.slot_of(variable) for variable in trace.pending.values()
        ]
        lines += ["run", *(f"  {line}" for line in repr(extract(calls, wanted)[0]).splitlines())]
        ps.wait(*asked)
        return "\n".join(lines) + "\n"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
def test_graph_is_as_printed(program):
    assert graph(program) == (GRAPHS / f"{program.__name__}.txt").read_text()


def test_every_printed_graph_is_of_a_program():
    assert {one.stem for one in GRAPHS.iterdir()} == {one.__name__ for one in PROGRAMS}


if __name__ == "__main__":
    for one in PROGRAMS:
        (GRAPHS / f"{one.__name__}.txt").write_text(graph(one))
