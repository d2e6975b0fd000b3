"""A running notebook, with a real kernel: sites are cells and lines, and it displays the report as a page."""

import json
import os

import numpy as np
import pytest

import penstock as ps
from penstock.errors import PenstockError

SETUP = """
import penstock as ps
w = ps.Variable([1.0, 2.0], name="w")
optimizer = ps.optimizers.SGD(0.1)
%load_ext penstock
"""


class Kernel:
    """A kernel that answers cell by cell."""

    def __init__(self, client):
        self.client = client

    def run(self, text):
        """What a cell displays, by type of data; and its error, if it has one."""
        sent = self.client.execute(text)
        shown, error, printed = [], None, ""
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") != sent:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind in ("execute_result", "display_data"):
                shown.append(content["data"])
            elif kind == "stream":
                printed += content["text"]
            elif kind == "error":
                error = "\n".join([content["evalue"], *content["traceback"]])
            elif kind == "status" and content["execution_state"] == "idle":
                return shown, printed, error


@pytest.fixture(scope="module")
def kernel():
    pytest.importorskip("ipykernel")
    client = pytest.importorskip("jupyter_client")
    manager = client.KernelManager(kernel_name="python3")
    manager.start_kernel(env=os.environ | {"PENSTOCK_ENGINE": "numpy"})
    talker = manager.client()
    talker.start_channels()
    try:
        talker.wait_for_ready(timeout=60)
        found = Kernel(talker)
        assert found.run(SETUP) == ([], "", None)
        yield found
    finally:
        talker.stop_channels()
        manager.shutdown_kernel(now=True)


def number_of(kernel):
    """The number that the next cell has."""
    _, printed, _ = kernel.run("print(len(In))")
    return int(printed)


def test_lines_are_those_of_cells(kernel):
    next_one = number_of(kernel)
    _, _, error = kernel.run("x = 1\n\nps.reshape(w, (3,))")
    assert f"cell {next_one}, line 3" in error and "ipykernel_" not in error.split("\n")[1]
    # Above the message, the cell alone is shown.
    assert "manipulation.py" not in error
    _, printed, _ = kernel.run("y = 2\nv = ps.Variable(0.0)\nprint(v.site)")
    assert printed == f"cell {next_one + 1}, line 2\n"


def test_a_cell_is_checked_and_its_report_is_a_page(kernel):
    next_one = number_of(kernel)
    cell = (
        "%%penstock check\n"
        "for _ in range(3):\n"
        "    with ps.GradientTape() as tape:\n"
        "        loss = ps.sum(ps.round(w))\n"
        "    gradient = tape.gradient(loss, w)\n"
        "answer = 42\n"
    )
    ((shown,), printed, error) = kernel.run(cell)
    assert error is None and printed == ""
    assert "<iframe" in shown["text/html"] and "PS105" in shown["text/html"]
    assert f"cell {next_one}, line 4" in shown["text/plain"]
    _, printed, _ = kernel.run("print(answer)")
    assert printed == "42\n"


def test_the_steps_and_the_error_of_a_checked_cell(kernel):
    loop = "for _ in range(9):\n    w.assign_add([1.0, 1.0])\n    w.numpy()\n"
    ((shown,), _, error) = kernel.run("%%penstock check --steps 2\n" + loop)
    assert error is None and "2 steps" in shown["text/plain"]
    ((shown,), _, error) = kernel.run("%%penstock check\n" + loop + "1 / 0\n")
    assert "ZeroDivisionError" in error and "ZeroDivisionError" in shown["text/plain"]
    _, _, error = kernel.run("%%penstock chekc\n1\n")
    assert "%%penstock was given 'chekc'" in error
    shown, _, error = kernel.run("%%penstock check\nw.assign([1.0, 2.0])\n7 * 6\n")
    assert error is None and shown[0]["text/plain"] == "42" and len(shown) == 2


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("m = ps.layers.Sequential([ps.layers.Dense(2)]); m(ps.ones((1, 3))); m", ["kernel float32[3, 2]"]),
        ("with ps.GradientTape() as t:\n    loss = ps.sum(ps.round(w))\nps.explain(loss, w)", ["flat"]),
        ("with ps.ledger() as ledger:\n    w.assign([3.0, 4.0])\nledger", ["assign", "1 writes"]),
        ("with ps.watch(w) as report:\n    w.assign([3.0, 4.0])\nreport", ["<iframe"]),
    ],
)
def test_the_displayed_report_is_a_page(kernel, text, wanted):
    shown, _, error = kernel.run(text)
    assert error is None
    for one in wanted:
        assert one in shown[-1]["text/html"]
    assert shown[-1]["text/plain"]


def test_names_are_escaped():
    weight = ps.Variable([1.0], name="<script>")
    with ps.ledger() as ledger:
        weight.assign([2.0])
    assert "<script>" not in ledger._repr_html_() and "&lt;script&gt;" in ledger._repr_html_()
    layer = ps.layers.Dense(2, name="<b>")
    layer(np.ones((1, 2), np.float32))
    assert "<b>" not in layer._repr_html_() and json.dumps(layer._repr_html_())


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([[1.5, 2.0], [3.0, -4.0]], ["float32[2, 2]", ">1.5<", ">-4<", "From -4 to 3, mean 0.625."]),
        ([1, 2, 3], ["int64[3]", ">2<"]),
        (np.arange(200.0).reshape(20, 10), ["float64[20, 10]", "…", ">71<", "From 0 to 199"]),
        (np.ones((2, 3, 4, 5)), ["Shown is the first of 6 matrices.", "From 1 to 1"]),
        (np.array([1.0, np.nan, np.inf]), ["2 of 3 are NaN or infinite.", "From 1 to 1", ">nan<"]),
        ([True, False, True], [">True<", "2 of 3 are True."]),
        ([1 + 2j], [">1+2j<"]),
        (2.5, ["float32[]", ">2.5<"]),
        (np.zeros((0, 3)), ["float64[0, 3]"]),
        (np.zeros((2, 0, 3)), ["float64[2, 0, 3]"]),
    ],
)
def test_tensors_and_variables_are_shown_as_tables(value, words):
    for one in (ps.asarray(value), ps.Variable(value, trainable=False, name="<b>")):
        page = one._repr_html_()
        assert [word for word in words if word not in page] == []
        assert "<b>" not in page
    assert "Variable &#x27;&lt;b&gt;&#x27;" in page and "not trainable" in page
    assert ">7<" in ps.arange(30)._repr_html_()
    assert ">8<" not in ps.arange(30)._repr_html_().partition("tbody")[2]


def test_tensors_in_half_precision_are_shown():
    assert ">1.5<" in ps.asarray([1.5], dtype="bfloat16")._repr_html_()


def test_a_dialects_tensors_are_shown_as_they_are_there():
    import penstock.tensorflow as tf

    assert not hasattr(tf.constant(1.0), "_repr_html_")


def test_options_that_are_none():
    from penstock.magic import _options

    assert _options("check") == (None, None)
    assert _options("check --steps 3 --with=torch") == ("torch", 3)
    for line in ("", "run", "check --steps", "check --steps 0", "check --with numpy", "check --all"):
        with pytest.raises(PenstockError, match="%%penstock"):
            _options(line)
