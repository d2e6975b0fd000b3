"""Findings as general rules: each in many guises, each silent where all is well; and their formats."""

import functools
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import penstock as ps
from checking import as_text, report_on
from penstock.cli import main
from penstock.errors import DTypeError
from penstock.flow import contract_clauses as clauses
from penstock.flow import inspection, sampling
from penstock.flow.codes import CODES, TABLES
from penstock.flow.course_pages import COURSE_PAGES
from penstock.flow.inspection import Inspection
from penstock.flow.number_pages import NUMBER_PAGES
from penstock.flow.pages import PAGES
from penstock.flow.recorder import Recorder
from penstock.flow.report.data import as_data
from penstock.flow.report.github import as_github
from penstock.flow.report.page import as_page
from penstock.flow.report.sarif import as_sarif

PUBLISHED = Path(__file__).parent / "oracles" / "programs"


@pytest.fixture
def check(check):
    """Check a program after `import penstock as ps`."""
    return functools.partial(check, head="import penstock as ps\n")


def codes(report):
    """Code and variables of each finding."""
    return [(one.code, one.variables) for one in report.findings]


def lines(report, code):
    """The line and the cause's line of the one finding of a code."""
    (one,) = [one for one in report.findings if one.code == code]
    return one.site and one.site.line, one.cause and one.cause.line


TAPE = "w = ps.Variable(2.0, name='w')\nwith ps.GradientTape() as tape:\n"


# -- a name given to a plain tensor ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "fix"),
    [
        ("w = w - 0.1 * 2.0", "w.assign(w - 0.1 * 2.0)"),
        ("w -= 0.2", "w.assign_sub(0.2)"),
        ("w += 0.2", "w.assign_add(0.2)"),
        ("w *= 0.5", "w.assign(w * 0.5)"),
        ("w = ps.clip(w, -1.0, 1.0)", "w.assign(ps.clip(w, -1.0, 1.0))"),
        ("w = (\n    w\n    * 2.0\n)", "w.assign(w * 2.0)"),
        ("w: object = 0.9 * w", "w.assign(0.9 * w)"),
    ],
)
def test_a_rebound_name(line, fix, check):
    report = check(f"w = ps.Variable(2.0, name='weight')\n{line}\nprint(w)\n")
    (finding,) = report.findings
    assert (finding.code, finding.severity, finding.variables) == ("PS104", "error", ("weight",))
    assert finding.fix == fix
    assert finding.site == finding.cause
    assert 3 <= finding.site.line <= 6


def test_a_rebound_attribute(check):
    report = check(
        "class Model:\n"
        "    def __init__(self):\n        self.w = ps.Variable(2.0, name='w')\n"
        "    def shrink(self):\n        self.w = self.w * 0.5\n"
        "model = Model()\nmodel.shrink()\nprint(model.w)\n"
    )
    assert codes(report) == [("PS104", ("w",))]
    assert report.findings[0].fix == "self.w.assign(self.w * 0.5)"


def test_a_global_name_rebound_in_a_function(check):
    program = (
        "w = ps.Variable(2.0)\ndef shrink(v):\n    {}\n    w = v * 0.5 + w * 0\n    return w\nshrink(w)\n"
    )
    assert codes(check(program.format("global w"))) == [("PS104", ("w",))]
    assert codes(check(program.format("w = 1.0"))) == []


def test_the_line_that_failed_is_looked_at_too(check):
    report = check("w = ps.Variable([1.0, 2.0], name='w')\nw = w - ps.zeros(3)\n", fails=True)
    assert ("PS104", ("w",)) in codes(report)
    assert lines(report, "PS104") == (3, 3)


@pytest.mark.parametrize(
    "program",
    [
        "w = ps.Variable(2.0)\nv = w * 2.0\nprint(v)\n",
        "w = ps.Variable(2.0)\nw = w.assign(w * 2.0)\nprint(w)\n",
        "w = ps.Variable(2.0)\nw = ps.Variable(w * 2.0)\nprint(w)\n",
        "w = ps.Variable(2.0)\nw = ps.asarray(3.0) * 2\nprint(w)\n",
        "w = ps.Variable(2.0)\ndef f(w):\n    w = w + 1.0\n    return w\nprint(f(w))\n",
        "class A:\n    def __init__(self):\n        self.w = ps.Variable(1.0)\n"
        "class B:\n    def __init__(self, a):\n        self.w = a.w * 2\nprint(B(A()).w)\n",
    ],
    ids=["another name", "assign", "a new variable", "something else", "a parameter", "another class"],
)
def test_names_that_are_no_matter(program, check):
    assert codes(check(program)) == []


# -- terms of a loss -------------------------------------------------------------------------------------


def terms(report):
    """Name and line of each term, and the variables it reaches and misses."""
    return [
        (t["term"], t["line"], t["reaches"], t["blocked"], t["unasked"]) for t in as_data(report)["terms"]
    ]


START = (
    "g = ps.Variable(0.5, name='maker/scale')\nh = ps.Variable(0.1, name='maker/shift')\n"
    "d = ps.Variable(0.3, name='judge')\n"
)


def test_a_sum_is_split_into_its_named_terms(check):
    report = check(
        START + "with ps.GradientTape() as tape:\n"
        "    made = g * 2.0 + h\n"
        "    fooling = -ps.log(ps.nn.sigmoid(ps.stop_gradient(d * made)))\n"
        "    keeping = made ** 2\n"
        "    loss = (fooling + 0.1 * keeping) / 3.0 - d\n"
        "tape.gradient(loss, [g, h])\n"
    )
    fooling, keeping, rest = terms(report)
    assert keeping == ("keeping", 8, ["maker/*"], [], [])
    assert (fooling[:3], sorted(fooling[3])) == (("fooling", 7, []), ["judge", "maker/*"])
    assert (rest[2], rest[4]) == ([], ["judge"])
    assert [code for code, _ in codes(report)] == ["PS302", "PS302"]


@pytest.mark.parametrize(
    ("dead", "word"),
    [
        ("ps.stop_gradient(w * b)", "stopped"),
        ("ps.round(b * 3.0)", "flat"),
        ("ps.where(b > 0.0, 1.0, 2.0)", "discrete"),
        ("ps.asarray(float(b * b))", "escaped"),
        ("before", "outside"),
        ("memory", "overwritten"),
    ],
)
def test_a_dead_term_beside_one_that_lives(dead, word, check):
    report = check(
        "w, b = ps.Variable(2.0, name='w'), ps.Variable(1.0, name='b')\n"
        "kept = ps.Variable(0.0, name='kept', trainable=False)\n"
        "before = b * 2.0\n"
        "with ps.GradientTape() as tape:\n"
        "    kept.assign(b * 3.0)\n    memory = kept * 1.0\n"
        f"    dead = {dead}\n    alive = w * w + b * b\n    loss = alive + 0.5 * dead\n"
        "tape.gradient(loss, [w, b])\n"
    )
    found = {one["term"]: one for one in as_data(report)["terms"]}
    assert found["alive"]["reaches"] == ["w", "b"]
    (finding,) = [one for one in report.findings if one.severity != "note"]
    assert finding.code == "PS302"
    assert (
        f"`{'memory' if dead == 'memory' else 'before' if dead == 'before' else 'dead'}`" in finding.message
    )
    assert word in finding.message or word == "stopped"


def test_a_term_that_lives_in_another_step_is_not_dead(check):
    report = check(
        "w, b = ps.Variable(2.0, name='w'), ps.Variable(1.0, name='b')\n"
        "for turn in range(4):\n"
        "    with ps.GradientTape() as tape:\n"
        "        part = b * 2.0 if turn % 2 else ps.stop_gradient(b) * 2.0\n"
        "        loss = w * w + part\n"
        "    tape.gradient(loss, [w, b])\n"
    )
    assert codes(report) == []


def test_a_loss_of_a_thousand_terms(check):
    report = check(
        "w = ps.Variable(1.0, name='w')\n"
        "with ps.GradientTape() as tape:\n    total = 0.0\n"
        "    for turn in range(1000):\n        total = total + w * 0.5\n"
        "tape.gradient(total, w)\n"
    )
    assert codes(report) == []
    assert len(report.terms) < 10


# -- barriers --------------------------------------------------------------------------------------------


def test_variables_that_would_change_without_each_barrier(check):
    report = check(
        "a, b, c = (ps.Variable(1.0, name=n) for n in 'abc')\n"
        "with ps.GradientTape() as tape:\n"
        "    only = ps.stop_gradient(a * 2.0)\n"
        "    beside = ps.stop_gradient(b * 2.0) * b\n"
        "    unasked = ps.stop_gradient(c * 2.0)\n"
        "    behind = ps.stop_gradient(ps.stop_gradient(b * 3.0) * 2.0)\n"
        "    idle = ps.stop_gradient(ps.asarray(3.0))\n"
        "    loss = only * beside * unasked * behind * idle\n"
        "tape.gradient(loss, [a, b])\n"
    )
    found = {
        (b["line"], *b["blocks"]): (b["changes"], b["restores"], b["verdict"])
        for b in as_data(report)["barriers"]
    }
    assert found == {
        (4, "a"): (["a"], ["a"], "blocks"),
        (5, "b"): (["b"], [], "blocks"),
        (6, "c"): ([], [], "blocks"),
        (7, "b"): ([], [], "blocks"),
        (8,): ([], [], "blocks nothing"),
    }


def test_a_barrier_before_the_result_of_an_earlier_step_is_not_idle(check):
    report = check(
        "w = ps.Variable(1.0, name='w')\nb = ps.Variable(1.0, name='b')\n"
        "target = w * 2.0\nprint(target)\n"
        "with ps.GradientTape() as tape:\n    loss = (b - ps.stop_gradient(target)) ** 2\n"
        "tape.gradient(loss, b)\n"
    )
    assert codes(report) == []


# -- optimizers and writers ------------------------------------------------------------------------------

LOOP = (
    "w = ps.Variable(2.0, name='w')\n{before}for turn in range(6):\n    {start}\n"
    "    with ps.GradientTape() as tape:\n        loss = w ** 2\n"
    "    optimizer.apply_gradients([(tape.gradient(loss, w), w)])\n{after}"
)


@pytest.mark.parametrize(
    ("made", "severity", "words"),
    [
        ("SGD(0.1)", "note", "Plain SGD keeps nothing"),
        ("SGD(0.1, momentum=0.9)", "warning", "its momentum at zero"),
        ("Adam(0.1)", "warning", "momentum and velocity at zero"),
    ],
)
def test_an_optimizer_made_in_the_loop(made, severity, words, check):
    report = check(LOOP.format(before="", start=f"optimizer = ps.optimizers.{made}", after=""))
    (finding,) = report.findings
    assert (finding.code, finding.severity, finding.site.line) == ("PS201", severity, 4)
    assert words in finding.message


@pytest.mark.parametrize(
    "program",
    [
        LOOP.format(before="optimizer = ps.optimizers.Adam(0.1)\n", start="pass", after=""),
        # One optimizer for each player, all made on one line.
        "ws = [ps.Variable(1.0) for _ in range(3)]\nopts = [ps.optimizers.Adam(0.1) for _ in range(3)]\n"
        "for turn in range(3):\n    for w, opt in zip(ws, opts):\n"
        "        with ps.GradientTape() as tape:\n            loss = w * w\n"
        "        opt.apply_gradients([(tape.gradient(loss, w), w)])\n",
        # A new model each time, with its own optimizer.
        "for fold in range(3):\n    w = ps.Variable(1.0)\n    opt = ps.optimizers.Adam(0.1)\n"
        "    for turn in range(3):\n"
        "        with ps.GradientTape() as tape:\n            loss = w * w\n"
        "        opt.apply_gradients([(tape.gradient(loss, w), w)])\n",
    ],
    ids=["kept", "one for each", "a model for each fold"],
)
def test_optimizers_that_are_kept(program, check):
    assert codes(check(program)) == []


def test_two_lines_that_write_in_one_step(check):
    before = "optimizer = ps.optimizers.SGD(0.1)\n"
    report = check(LOOP.format(before=before, start="pass", after="    w.assign(0.9 * w)\n"))
    assert codes(report) == [("PS202", ("w",))]
    assert lines(report, "PS202") == (9, 8)
    assert report.status == 0


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ("first = second = ps.optimizers.Adam(0.1)\n", "program.py:3 makes both updates"),
        ("first = ps.optimizers.SGD(0.1)\nsecond = ps.optimizers.Adam(0.1)\n", "These are two optimizers"),
        ("first, second = (ps.optimizers.Adam(0.1) for _ in range(2))\n", "These are two optimizers"),
    ],
    ids=["one", "two", "two of one line"],
)
def test_two_updates_in_one_step(made, words, check):
    program = (
        f"w = ps.Variable(1.0)\n{made}for turn in range(4):\n"
        "    with ps.GradientTape() as tape:\n        loss = w * w\n    found = tape.gradient(loss, w)\n"
        "    first.apply_gradients([(found, w)])\n    second.apply_gradients([(found, w)])\n"
    )
    (finding,) = [one for one in check(program).findings if one.code == "PS202"]
    assert words in finding.message


LOADS = {
    "penstock": (
        None,
        "import pathlib\nfile = str(pathlib.Path(__file__).with_suffix('.safetensors'))\n"
        "w = ps.Variable([1.0], name='w')\nps.save(file, w)\nsgd = ps.optimizers.SGD(0.1)\n"
        "for _ in range(3):\n    ps.load(file, w)\n"
        "    with ps.GradientTape() as tape:\n        loss = w * w\n"
        "    sgd.apply_gradients([(tape.gradient(loss, w), w)])\n",
        ["load"],
    ),
    "paddle": (
        "paddle",
        "import io, paddle\nnet = paddle.nn.Linear(2, 1)\nfile = io.BytesIO()\n"
        "w = paddle.create_parameter([2], 'float32', name='w')\n"
        "paddle.save({'net': net.state_dict(), 'w': w}, file)\n"
        "adam = paddle.optimizer.Adam(0.1, parameters=[w, *net.parameters()])\n"
        "for _ in range(3):\n    kept = paddle.load(file)\n    net.set_state_dict(kept['net'])\n"
        "    w.set_value(kept['w'])\n    loss = (net(w.reshape([1, 2])) ** 2).sum()\n    loss.backward()\n"
        "    adam.step()\n    adam.clear_grad()\n    adam.set_state_dict(adam.state_dict())\n",
        ["load", "set_state_dict"],
    ),
    "tensorflow, graphs": (
        "tensorflow",
        "import tensorflow.compat.v1 as tf\ntf.disable_eager_execution()\nw = tf.Variable([1.0], name='w')\n"
        "train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(w * w))\n"
        "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
        "    for _ in range(3):\n        w.load([1.0], sess)\n        sess.run(train)\n",
        ["load"],
    ),
}


@pytest.mark.parametrize(("dialect", "program", "names"), LOADS.values(), ids=LOADS)
def test_loading_is_no_second_writer(dialect, program, names, check):
    report = check(program, dialect)
    assert report.error is None and codes(report) == []
    writers = [one for subject in report.subjects for one in subject.writers.values() if one.kind != "apply"]
    assert sorted({one.by for one in writers}) == names
    assert {one.terms for one in writers} == {("load",)} and max(one.times for one in writers) >= 3


def test_one_loop_after_the_other_is_not_writing_together(check):
    before, after = "optimizer = ps.optimizers.SGD(0.1)\n", "for turn in range(3):\n    w.assign(0.0)\n"
    assert codes(check(LOOP.format(before=before, start="pass", after=after))) == []


def test_writing_in_every_other_turn_is_not_writing_together(check):
    report = check(
        "w = ps.Variable(2.0, name='w')\noptimizer = ps.optimizers.SGD(0.1)\n"
        "for turn in range(8):\n"
        "    with ps.GradientTape() as tape:\n        loss = w ** 2\n"
        "    if turn % 2:\n        w.assign(1.0)\n"
        "    else:\n        optimizer.apply_gradients([(tape.gradient(loss, w), w)])\n"
    )
    assert codes(report) == []


# -- variables that no path met --------------------------------------------------------------------------


@pytest.mark.parametrize("unconnected", ["none", "zero"])
def test_a_variable_that_nothing_read_is_named(unconnected, check):
    report = check(
        f"{TAPE}    loss = w * w\nidle = ps.Variable(1.0, name='idle')\n"
        f"tape.gradient(loss, [w, idle], unconnected_gradients={unconnected!r})\n"
    )
    assert codes(report) == [("PS101", ("idle",))]
    (row,) = [one for one in as_data(report)["variables"] if one["path"] == "idle"]
    assert (row["bits"], row["gradient"]) == ("1 0 0 0 0", "unused")
    assert lines(report, "PS101")[0] == 6


def test_it_is_named_on_a_path_that_is_met_again():
    w, idle = ps.Variable(2.0, name="w"), ps.Variable(1.0, name="idle")

    def turn():
        with ps.GradientTape() as tape:
            loss = w * w
        return tape.gradient(loss, [w, idle])

    for _ in range(3):
        turn()
    for _ in range(2):
        with Inspection(Recorder()) as inspection:
            turn()
            inspection.finish()
            report = inspection.report("here", None)
        assert ("PS101", ("idle",)) in codes(report)


# -- right programs --------------------------------------------------------------------------------------

TRAINS = sorted(file.stem for file in PUBLISHED.glob("train_*.py") if file.stem != "train_only_the_head")


@pytest.mark.parametrize("name", TRAINS)
def test_published_programs_that_train_have_no_finding(name, capsys):
    report = report_on(PUBLISHED / f"{name}.py", "tensorflow")
    assert [one for one in report.findings if one.severity != "note"] == []


def test_an_allowed_finding_is_not_reported(check, monkeypatch):
    monkeypatch.setattr(clauses, "allowances", {})
    program = (
        "w, b = ps.Variable(2.0, name='w'), ps.Variable(1.0, name='spare')\n"
        "with ps.contract(updates='w', allow={'PS101': 'spare'}):\n"
        "    with ps.GradientTape() as tape:\n        loss = w * w\n"
        "    slopes = tape.gradient(loss, [w, b])\n"
        "    w.assign_sub(0.1 * slopes[0])\n"
    )
    assert codes(check(program)) == []
    clauses.allowances.clear()
    assert codes(check(program.replace(", allow={'PS101': 'spare'}", ""))) == [("PS101", ("spare",))]


# -- the text, and its limits ----------------------------------------------------------------------------


def test_no_line_ends_in_blanks(check):
    shown = as_text(
        check(
            START + "with ps.GradientTape() as tape:\n    loss = ps.stop_gradient(g * h) + d\n"
            "tape.gradient(loss, [g, h, d])\n"
        )
    )
    assert shown.splitlines() == [line.rstrip() for line in shown.splitlines()]


def test_a_long_step_stays_readable(check):
    report = check(
        "letters = [a + b for a in 'abcdefghijkl' for b in 'abcdefghij']\n"
        "ws = [ps.Variable(1.0, name=f'part_{k}/w') for k in letters]\n"
        "bad = [ps.Variable(1.0, name=f'bad_{k}') for k in letters[:30]]\n"
        "with ps.GradientTape() as tape:\n    loss = 0.0\n"
        "    for k, w in enumerate(ws):\n        loss = loss + w * w * (k + 1.0)\n"
        "    for b in bad:\n        loss = loss + ps.stop_gradient(b) * b * b\n"
        "        loss = loss + ps.round(b)\n"
        "tape.gradient(loss, ws)\n"
    )
    shown = as_text(report).splitlines()
    assert len(shown) < 140
    assert any("Not shown: 110 more variables" in line for line in shown)
    assert len(as_data(report)["variables"]) == 150


@pytest.mark.parametrize("code", [*PAGES, *COURSE_PAGES, *NUMBER_PAGES])
def test_every_message_says_what_happened_and_what_to_type(code, check):
    from penstock.flow.manual import page

    report = check(page(code).wrong, head="", split=True, fails=None)
    finding = next(one for one in report.findings if one.code == code)
    assert len(finding.message) > 60
    assert finding.message.endswith(".")
    assert finding.fix
    assert "None" not in finding.message.replace("is None", "").replace("all None", "")
    assert not re.search(r"\bat\s*[.,]|\s{2,}|\{|\}", finding.message + finding.fix)
    for path in finding.variables:
        assert repr(path) in finding.message + finding.fix


# -- gradients at values that are gone -------------------------------------------------------------------

PLAYERS = (
    "c, a = ps.Variable(2.0, name='c'), ps.Variable(3.0, name='a')\nsgd = ps.optimizers.SGD(0.01)\n"
    "for turn in range(3):\n    with ps.GradientTape(persistent=True) as tape:\n        {forward}\n"
    "    sgd.apply_gradients([(tape.gradient(one, c), c)])\n"
    "    sgd.apply_gradients([(tape.gradient(two, a), a)])\n"
)


@pytest.mark.parametrize(
    "forward",
    [
        "v = c * a; one, two = (v - 1.0) ** 2, -v",
        "v = ps.reshape(ps.astype(c, 'float32'), (1,)) * a; one, two = (v - 1.0) ** 2, -v",
        "one, two = (c - 1.0) ** 2, ps.matmul(ps.ones((1, 1)) * a, ps.reshape(c, (1, 1)))",
    ],
)
def test_a_gradient_at_weights_that_were_replaced(forward, check):
    report = check(PLAYERS.format(forward=forward))
    assert codes(report) == [("PS206", ("c",))]
    assert lines(report, "PS206") == (8, 7) and report.status == 0


@pytest.mark.parametrize(
    "program",
    [
        # The advantage is stopped: it may be as old as it likes.
        PLAYERS.format(forward="one = (c * 2.0 - 1.0) ** 2; two = a * a * ps.stop_gradient(1.0 - c)"),
        # A sum has the same slope wherever its operands are.
        PLAYERS.format(forward="one, two = (c - 1.0) ** 2, a + c"),
        # Targets and old policies are kept from before the update.
        "c = ps.Variable(2.0, name='c')\nsgd = ps.optimizers.SGD(0.01)\nold = ps.stop_gradient(c * 3.0)\n"
        "for turn in range(3):\n    with ps.GradientTape() as tape:\n        loss = ps.exp(c * 3.0 - old)\n"
        "    sgd.apply_gradients([(tape.gradient(loss, c), c)])\n    old = ps.stop_gradient(c * 3.0)\n",
        # Both gradients before the first write.
        "c, a = ps.Variable(2.0, name='c'), ps.Variable(3.0, name='a')\nsgd = ps.optimizers.SGD(0.01)\n"
        "with ps.GradientTape(persistent=True) as tape:\n    one, two = c * a, c * c * a\n"
        "first, second = tape.gradient(one, c), tape.gradient(two, a)\n"
        "sgd.apply_gradients([(first, c)])\nsgd.apply_gradients([(second, a)])\n",
        # The second loss is computed at the new weights, and a counter is not a weight.
        "c, n = ps.Variable(2.0, name='c'), ps.Variable(1.0, name='n', trainable=False)\n"
        "sgd = ps.optimizers.SGD(0.01)\nfor turn in range(3):\n"
        "    with ps.GradientTape() as tape:\n        loss = c * c * n\n        n.assign_add(1.0)\n"
        "    sgd.apply_gradients([(tape.gradient(loss, c), c)])\n"
        "    with ps.GradientTape() as tape:\n        loss = c * c * n\n"
        "    sgd.apply_gradients([(tape.gradient(loss, c), c)])\n",
        # A step through an unrolled update, for the gradient of its outcome.
        "c = ps.Variable(2.0, name='c')\nwith ps.GradientTape() as outer:\n"
        "    with ps.GradientTape() as inner:\n        loss = c * c\n"
        "    moved = c - 0.1 * inner.gradient(loss, c)\n    after = moved * moved\n"
        "c.assign_sub(0.1 * outer.gradient(after, c))\n",
    ],
    ids=["stopped", "a sum", "kept", "before the write", "computed anew", "unrolled"],
)
def test_gradients_that_are_not_overtaken(program, check):
    report = check(program)
    assert report.error is None and "PS206" not in dict(codes(report))


# -- the cost of a check ----------------------------------------------------------------------------------


def test_not_every_change_of_a_large_variable_is_measured(check, monkeypatch):
    monkeypatch.setattr(sampling, "LARGE", 1)
    report = check(
        "small, large = ps.Variable(0.0, name='small'), ps.Variable([0.0, 0.0], name='large')\n"
        "for turn in range(40):\n    small.assign_add(1.0)\n    large.assign_add([3.0, 4.0])\n"
    )
    found = {one.path: next(iter(one.writers.values())) for one in report.variables}
    assert (found["small"].measured, found["small"].total) == (40, 40.0)
    assert (found["large"].times, found["large"].measured) == (40, 8 + 2)
    assert (found["large"].mean, found["large"].total) == (5.0, 200.0)


def test_where_paths_are_too_many_only_their_writes_are_counted(check, monkeypatch):
    monkeypatch.setattr(inspection, "ALWAYS", 3)
    monkeypatch.setattr(inspection, "BUDGET", 10)
    report = check(
        "w = ps.Variable(1.0, name='w')\noptimizer = ps.optimizers.SGD(0.001)\n"
        "for length in range(1, 9):\n"
        "    with ps.GradientTape() as tape:\n        loss = 0.0\n"
        "        for turn in range(length):\n            loss = loss + w * w\n"
        "    optimizer.apply_gradients([(tape.gradient(loss, w), w)])\n"
    )
    assert (report.paths, report.passed_over) == (8, 5)
    assert as_data(report)["variables"][0]["writes"][0]["times"] == 8
    assert as_data(report)["paths"] == {"distinct": 8, "passed_over": 5}
    assert "Not analysed: 5 of 8 paths" in as_text(report, 120)


# -- formats ---------------------------------------------------------------------------------------------

WRONG = START + (
    "with ps.GradientTape() as tape:\n    fooling = ps.stop_gradient(d * g)\n    loss = fooling + h\n"
    "tape.gradient(loss, [g, h])\n"
)


def test_sarif(check):
    report = check(WRONG)
    found = json.loads(as_sarif(report))
    assert found["version"] == "2.1.0"
    (run,) = found["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(CODES)
    assert run["invocations"][0]["executionSuccessful"] is True
    results = {one["ruleId"]: one for one in run["results"]}
    assert set(results) == {"PS106", "PS302"}
    for code, one in results.items():
        assert rules[one["ruleIndex"]]["id"] == code
        assert one["level"] in ("error", "warning", "note")
        place = one["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"].endswith("program.py")
        assert place["region"]["startLine"] == {"PS106": 8, "PS302": 6}[code]
    related = results["PS106"]["relatedLocations"][0]["physicalLocation"]
    assert related["region"]["startLine"] == 6


def test_sarif_tells_of_a_script_that_failed(check):
    (run,) = json.loads(as_sarif(check("raise KeyError('missing')\n", fails=True)))["runs"]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    (notification,) = invocation["toolExecutionNotifications"]
    assert "KeyError" in notification["message"]["text"]
    assert notification["locations"][0]["physicalLocation"]["region"]["startLine"] == 2


def test_github(check):
    shown = as_github(check(WRONG)).splitlines()
    assert len(shown) == 2
    pattern = r"::(error|warning|notice) file=.*program\.py,line=\d+,title=PS\d+ [\w-]+::.+"
    assert all(re.fullmatch(pattern, line) for line in shown)
    (failed,) = as_github(check("raise ValueError('50%\\nand: more')\n", fails=True)).splitlines()
    assert failed.startswith("::error file=")
    assert "50%25%0Aand: more" in failed
    assert as_github(check("")) == ""


class Strict(HTMLParser):
    """Notes the resources that a page would load, and whether each opened tag is closed."""

    LOOSE = ("meta", "tr", "th", "td", "rect", "path", "line", "br", "wbr")

    def __init__(self):
        super().__init__()
        self.open, self.loads, self.seen = [], [], []

    def handle_starttag(self, tag, attributes):
        self.loads += [value for name, value in attributes if name in ("src", "href")]
        if tag not in self.LOOSE:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        if tag not in self.LOOSE:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.seen.append(data)


def test_the_page_is_whole_and_loads_nothing(check):
    report = check(WRONG + "name = '<script>alert(1)</script>'\n")
    shown = as_page(report)
    reader = Strict()
    reader.feed(shown)
    assert (reader.open, reader.loads) == ([], [])
    assert "<script" not in shown
    assert "http" not in shown.replace("http-equiv", "")
    seen = " ".join(reader.seen)
    for words in ("PS106 stopped-gradient", "PS302 dead-term", "maker/scale", "fooling", "stopped line 6"):
        assert words in seen


def test_the_page_is_written_beside_the_report(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("import penstock as ps\n" + WRONG)
    assert main(["check", "train.py", "--html", "report.html"]) == 1
    assert "PS106" in capsys.readouterr().out
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")
    assert main(["check", "train.py", "--html=nowhere/report.html"]) == 2
    assert "nowhere/report.html could not be written" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["json", "sarif", "github"])
def test_the_command_speaks_every_format(form, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("import penstock as ps\n" + WRONG)
    assert main(["check", "--format", form, "train.py"]) == 1
    out = capsys.readouterr().out
    assert "PS106" in out
    assert json.loads(out) if form != "github" else True


@pytest.mark.parametrize("decorator", ["", "@ps.step\n"], ids=["plain", "captured"])
def test_a_step_that_an_optimizer_refuses_says_why_also_when_it_is_captured(check, decorator):
    report = check(
        "w = ps.Variable([1.0, 2.0], name='w')\noptimizer = ps.optimizers.SGD(0.1)\n"
        + decorator
        + "def train(x):\n    y = w * x\n    with ps.GradientTape() as tape:\n        loss = ps.sum(y)\n"
        "    optimizer.apply_gradients([(tape.gradient(loss, w), w)])\n"
        "train(3.0)\n",
        fails=True,
    )
    assert codes(report) == [("PS107", ("w",)), ("PS102", ("w",))]
    first = 5 if decorator else 4
    assert lines(report, "PS107") == (first + 4, first + 1)


def test_a_line_in_a_function_that_is_called_before_the_tape_may_stay_where_it_is(check):
    report = check(
        "w = ps.Variable(2.0, name='w')\ndef forward():\n    return w * 3.0\ny = forward()\n"
        "with ps.GradientTape() as tape:\n    loss = y ** 2\nslope = tape.gradient(loss, w)\n"
    )
    (found,) = report.findings
    words = ["Move", ":4, or the call that runs it, into the with block of the tape opened at", ":6."]
    assert found.code == "PS107" and all(one in found.fix for one in words), found.fix


def test_a_captured_step_that_fails_after_a_copy_can_be_reported(check):
    report = check(
        "w, level = ps.Variable(2.0, name='w'), ps.Variable(1, name='level')\n"
        "copies = [ps.Variable(one, trainable=False) for one in (w, level)]\n@ps.step\n"
        "def train():\n    for copy, one in zip(copies, (w, level)):\n"
        "        copy.assign(0.9 * copy + 0.1 * one)\ntrain()\n",
        fails=True,
    )
    assert isinstance(report.error, DTypeError) and not report.findings


def test_a_code_has_one_page():
    every = [code for table in TABLES for code in table]
    assert sorted(set(every)) == sorted(every)


def test_the_mean_change_counts_updates_that_were_not_measured(check):
    report = check(
        "w = ps.Variable([1.0, 1.0, 1.0, 1.0], name='w')\nsgd = ps.optimizers.SGD(0.5)\n"
        "for _ in range(400):\n    with ps.GradientTape() as tape:\n        loss = ps.sum(w)\n"
        "    sgd.apply_gradients([(tape.gradient(loss, w), w)])\n"
    )
    (size,) = report.sizes
    (writer,) = report.variables[0].writers.values()
    assert writer.measured < writer.times
    assert size.change == pytest.approx(1.0)
