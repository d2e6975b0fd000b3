"""Watching whole programs: the five bits, reasons and lines, writers, findings, and the report's layout."""

import functools
import io
import json
import math
import re
from pathlib import Path
from textwrap import dedent

import pytest

import penstock as ps
from checking import as_text
from penstock.flow.inspection import Inspection
from penstock.flow.observed import Enough
from penstock.flow.recorder import Recorder
from penstock.flow.report.data import as_data, as_json
from penstock.flow.report.text import show
from penstock.trace.engine import engine

PROGRAMS = Path(__file__).parent / "programs"
PUBLISHED = Path(__file__).parent / "oracles" / "programs"


@pytest.fixture
def check(check):
    """Check a program after `import penstock as ps`."""
    return functools.partial(check, head="import penstock as ps\n")


def facts(report):
    """For each variable: bits, gradient, the lines of the cut, and (writer, line, times)."""
    return {
        variable["path"]: (
            variable["bits"],
            variable["gradient"],
            variable["cut"] and variable["cut"]["line"],
            [(write["by"], write["line"], write["times"]) for write in variable["writes"]],
        )
        for variable in as_data(report)["variables"]
    }


NATIVE = {
    "listed_variable_moves": (
        10,
        {
            "moving": ("1 1 1 1 1", "flows", None, [("SGD", 17, 10)]),
            "resting": ("0 1 0 0 0", "frozen", None, []),
        },
    ),
    "assignment_beside_sgd": (
        10,
        {
            "stepped": ("1 1 1 1 1", "flows", None, [("SGD", 16, 10)]),
            "written": ("0 1 0 0 1", "frozen", None, [("assign", 17, 10)]),
        },
    ),
    "nudge_after_adam": (
        10,
        {"position": ("1 1 1 1 1", "flows", None, [("Adam", 10, 10), ("assign_add", 11, 10)])},
    ),
    "integer_counter_refused": (0, {"ticks": ("1 1 0 0 0", "discrete", 3, [])}),
    "stop_gradient_on_factor": (
        0,
        {"open_factor": ("1 1 1 0 0", "flows", None, []), "held_factor": ("1 1 0 0 0", "stopped", 7, [])},
    ),
    "frozen_offset": (
        4,
        {
            "layer/offset": ("0 1 0 0 0", "frozen", None, []),
            "layer/kernel": ("1 1 1 1 1", "flows", None, [("SGD", 15, 4)]),
        },
    ),
}
STATUS = {"integer_counter_refused": 2, "stop_gradient_on_factor": 1}


@pytest.mark.parametrize("name", NATIVE)
def test_audited_programs(name, check, capsys):
    steps, expected = NATIVE[name]
    report = check(PROGRAMS / f"{name}.py", fails=STATUS.get(name) == 2)
    assert (report.steps, facts(report)) == (steps, expected)
    assert report.status == STATUS.get(name, 0)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "assignment_beside_sgd",
            {
                "stepped": ("1 1 1 1 1", "flows", None, [("SGD", 16, 10)]),
                "written": ("0 1 0 0 1", "frozen", None, [("assign", 17, 10)]),
            },
        ),
        (
            "nudge_after_adam",
            {"position": ("1 1 1 1 1", "flows", None, [("Adam", 10, 10), ("assign_add", 11, 10)])},
        ),
        ("integer_counter_refused", {"ticks": ("1 1 0 0 0", "discrete", 3, [])}),
        ("stop_gradient_on_factor", None),
    ],
)
def test_the_same_programs_in_tensorflow(name, expected, check, capsys):
    report = check(PUBLISHED / f"published_{name}.py", "tensorflow", fails=STATUS.get(name) == 2)
    found = facts(report)
    assert found == (expected or NATIVE[name][1])
    assert report.status == STATUS.get(name, 0)


# -- numbers --------------------------------------------------------------------------------------------


def test_the_change_is_that_of_the_values(check):
    report = check(
        "w = ps.Variable([3.0, 0.0], name='w')\n"
        "for turn in range(4):\n"
        "    w.assign_add([3.0, 4.0])\n"
        "    w.assign(w * 0.0)\n"
    )
    add, reset = as_data(report)["variables"][0]["writes"]
    assert (add["change"]["mean"], add["change"]["total"]) == (5.0, 20.0)
    assert reset["change"]["total"] == pytest.approx(math.hypot(6, 4) + 3 * 5)
    assert (add["terms"], reset["terms"]) == (["assign"], ["assign"])


def test_the_last_step_counts_although_the_program_never_reads_it(check):
    report = check(
        "n = ps.Variable(0.0, name='n', trainable=False)\nfor _ in range(3):\n    n.assign_add(1.0)\n"
    )
    assert report.steps == 3
    assert facts(report)["n"][3] == [("assign_add", 4, 3)]


def test_compiled_steps_are_counted_like_interpreted_ones(check):
    report = check(
        "x = ps.Variable(0.0, name='x')\noptimizer = ps.optimizers.SGD(0.1)\n"
        "for _ in range(50):\n"
        "    with ps.GradientTape() as tape:\n        loss = (x - 2) ** 2\n"
        "    optimizer.apply_gradients([(tape.gradient(loss, x), x)])\n"
    )
    assert report.steps == 50
    (write,) = as_data(report)["variables"][0]["writes"]
    assert write["times"] == 50
    # 2 (1 - 0.8^50), the way down to the bottom.
    assert write["change"]["total"] == pytest.approx(2 * (1 - 0.8**50), rel=1e-5)


def test_captured_steps_are_counted(check):
    report = check(
        "x = ps.Variable(0.0, name='x')\noptimizer = ps.optimizers.SGD(0.1)\n"
        "@ps.step\ndef train():\n"
        "    with ps.GradientTape() as tape:\n        loss = (x - 2) ** 2\n"
        "    optimizer.apply_gradients([(tape.gradient(loss, x), x)])\n"
        "for _ in range(5):\n    train()\n"
    )
    assert (report.steps, facts(report)) == (5, {"x": ("1 1 1 1 1", "flows", None, [("SGD", 8, 5)])})


# -- the five bits --------------------------------------------------------------------------------------


def test_each_row_of_the_five_bits(check):
    report = check(
        "used = ps.Variable(1.0, name='used')\n"
        "unread = ps.Variable(1.0, name='unread')\n"
        "dropped = ps.Variable(1.0, name='dropped')\n"
        "held = ps.Variable(1.0, name='held')\n"
        "frozen = ps.Variable(1.0, name='frozen', trainable=False)\n"
        "unlisted = ps.Variable(1.0, name='unlisted')\n"
        "optimizer = ps.optimizers.SGD(0.1)\n"
        "for _ in range(2):\n"
        "    with ps.GradientTape() as tape:\n"
        "        side = dropped * 2\n"
        "        loss = used * frozen * unlisted + ps.stop_gradient(held)\n"
        "    optimizer.apply_gradients([(tape.gradient(loss, used), used)])\n"
    )
    assert facts(report) == {
        "used": ("1 1 1 1 1", "flows", None, [("SGD", 13, 2)]),
        "unread": ("1 0 0 0 0", "unused", None, []),
        "dropped": ("1 1 0 0 0", "dead_end", 11, []),
        "held": ("1 1 0 0 0", "stopped", 12, []),
        "frozen": ("0 1 0 0 0", "frozen", None, []),
        "unlisted": ("1 1 0 0 0", "flows", None, []),
    }
    assert [(one.code, one.severity, one.variables) for one in report.findings] == [
        ("PS302", "warning", ("held",)),
        ("PS203", "note", ("frozen",)),
    ]


def test_a_barrier_is_not_blamed_for_a_path_that_another_line_cuts(check):
    report = check(
        "maker, judge = ps.Variable(1.0, name='maker'), ps.Variable(2.0, name='judge')\n"
        "with ps.GradientTape() as tape:\n"
        "    trust = judge * ps.stop_gradient(maker)\n"
        "loss = trust * 2.0\n"
        "tape.gradient(loss, [judge])\n"
    )
    assert [(one.code, one.variables) for one in report.findings] == [("PS107", ("judge",))]
    (term,) = report.terms
    assert ([one.path for one in term.blocked], term.word, term.cut.line) == (["judge"], "outside", 5)


def test_a_gradient_found_in_one_step_outweighs_none_in_another(check):
    report = check(
        "a, b = ps.Variable(1.0, name='a'), ps.Variable(1.0, name='b')\n"
        "for turn in range(4):\n"
        "    with ps.GradientTape() as tape:\n"
        "        loss = a * a if turn % 2 else b * b + a * 0.0\n"
        "    tape.gradient(loss, [a, b])\n"
    )
    assert [variable.gradient for variable in report.variables] == ["flows", "flows"]
    assert report.findings == []


def test_a_gradient_asked_for_when_the_step_was_over(check):
    report = check(
        "w, b = ps.Variable(2.0, name='w'), ps.Variable(1.0, name='b')\n"
        "with ps.GradientTape() as tape:\n"
        "    loss = ps.stop_gradient(w) * b\n"
        "    b.assign_add(1.0)\n"
        "with ps.GradientTape() as second:\n"
        "    other = b * 2.0\n"
        "tape.gradient(loss, [w, b])\n"
    )
    assert {path: fact[:3] for path, fact in facts(report).items()} == {
        "w": ("1 1 0 0 0", "stopped", 4),
        "b": ("1 1 1 0 1", "flows", None),
    }
    (finding,) = report.findings
    assert (finding.variables, finding.site.line, finding.cause.line) == (("w",), 8, 4)


def test_variables_created_in_each_step_are_listed(check):
    report = check("for _ in range(3):\n    scratch = ps.Variable(1.0)\n    scratch.assign_add(1.0)\n")
    assert [variable.path for variable in report.variables] == ["scratch"] * 3


def test_the_state_of_optimizers_is_folded_away(check):
    report = check(
        "x = ps.Variable(1.0, name='x')\n"
        "for _ in range(2):\n"
        "    optimizer = ps.optimizers.Adam(0.1)\n"
        "    optimizer.apply_gradients([(ps.asarray(1.0), x)])\n"
    )
    assert [variable.path for variable in report.variables] == ["x"]
    assert len(report.subjects) == 1 + 2 * 3
    assert "6 variables of Adam" in as_text(report)
    assert len(as_data(report, all_variables=True)["variables"]) == 7


# -- barriers -------------------------------------------------------------------------------------------


def test_a_barrier_that_blocks_nothing_is_distinguished_from_one_that_blocks(check):
    report = check(
        "w = ps.Variable(2.0, name='w')\n"
        "table = ps.asarray([1.0, 2.0])\n"
        "with ps.GradientTape() as tape:\n"
        "    row = ps.stop_gradient(table[0])\n"
        "    held = ps.stop_gradient(w * 2)\n"
        "    loss = w * row * held\n"
        "tape.gradient(loss, w)\n"
    )
    assert [(b["line"], b["blocks"], b["verdict"]) for b in as_data(report)["barriers"]] == [
        (5, [], "blocks nothing"),
        (6, ["w"], "blocks"),
    ]


def test_the_barriers_inside_functions_are_not_listed(check):
    report = check(
        "v = ps.Variable([1.0, 2.0], name='v')\n"
        "with ps.GradientTape() as tape:\n    loss = ps.sum(ps.nn.log_softmax(v) * ps.asarray([1.0, 0.0]))\n"
        "tape.gradient(loss, v)\n"
    )
    assert report.barriers == []


IN_A_LOOP = """\
w, u, v = [ps.Variable(1.0, name=name) for name in "wuv"]

def turn(carry, x):
    held = ps.stop_gradient(carry * w)
    noise = ps.stop_gradient(x)
    return carry + held * x * u + noise, None

for _ in range(2):
    with ps.GradientTape() as tape:
        last, _ = ps.scan(turn, ps.asarray(1.0), ps.asarray([1.0, 2.0, 3.0]))
        loss = ps.cond(last > 0.0, lambda a: a * ps.stop_gradient(v * a), lambda a: a, last)
    found = tape.gradient(loss, [w, u, v])
    u.assign_sub(0.1 * found[1])
"""


def test_the_barriers_inside_loops_and_branches_are_listed_by_their_lines(check):
    report = check(IN_A_LOOP)
    listed = {b["line"]: b for b in as_data(report)["barriers"]}
    assert sorted(listed) == [5, 6, 12]
    # The carried value was made with u a turn before.
    assert set(listed[5]["blocks"]) == {"w", "u"} and listed[5]["restores"] == ["w"]
    assert set(listed[5]["changes"]) == {"w", "u"}
    assert (listed[6]["blocks"], listed[6]["verdict"]) == ([], "blocks nothing")
    # A gradient of w would come past this one, if the one before let it.
    assert set(listed[12]["blocks"]) == {"u", "v"} and listed[12]["restores"] == ["v"]
    assert [finding.site.line for finding in report.findings if finding.code == "PS301"] == [6]


def test_a_barrier_in_a_loop_that_no_gradient_passes_changes_nothing(check):
    report = check(
        "w = ps.Variable(1.5, name='w')\n"
        "with ps.GradientTape() as tape:\n"
        "    grown = ps.while_loop(lambda a: a < 9.0, lambda a: ps.stop_gradient(a) * w, w)\n"
        "    loss = grown + w\n"
        "w.assign_sub(tape.gradient(loss, w))\n"
    )
    (barrier,) = report.barriers
    assert (barrier.blocks, barrier.changes, barrier.behind_another) == (["w"], [], True)


def test_a_barrier_in_a_loop_in_a_loop_is_listed(check):
    report = check(
        "w = ps.Variable(1.5, name='w')\n"
        "def inner(carry, x):\n"
        "    return carry + ps.stop_gradient(w) * x, None\n"
        "def outer(carry, x):\n"
        "    last, _ = ps.scan(inner, carry, ps.asarray([1.0, 2.0]))\n"
        "    return last * w, None\n"
        "with ps.GradientTape() as tape:\n"
        "    loss, _ = ps.scan(outer, ps.asarray(1.0), ps.asarray([1.0, 2.0]))\n"
        "w.assign_sub(tape.gradient(loss, w))\n"
    )
    (barrier,) = report.barriers
    assert barrier.site.line == 4
    assert (barrier.blocks, barrier.changes, barrier.restores) == (["w"], ["w"], [])


# -- findings -------------------------------------------------------------------------------------------


def test_one_finding_for_one_cause(check):
    report = check(
        "generator = [ps.Variable(0.1 * k, name=f'generator/{k}') for k in range(5)]\n"
        "for _ in range(20):\n"
        "    with ps.GradientTape() as tape:\n"
        "        fake = sum(generator)\n"
        "        loss = ps.stop_gradient(fake) * 2.0\n"
        "    tape.gradient(loss, generator)\n"
    )
    finding, term = as_data(report)["findings"]
    assert (finding["code"], term["code"]) == ("PS106", "PS302")
    assert finding["variables"] == [f"generator/{k}" for k in range(5)]
    assert (finding["line"], finding["cause_line"]) == (7, 6)
    assert "'generator/0', 'generator/1', 'generator/2' and 2 more" in finding["message"]
    assert report.status == 1


def test_a_refused_step_is_an_error_with_its_cause(check, capsys):
    report = check(PROGRAMS / "integer_counter_refused.py", fails=True)
    found = as_data(report)
    assert [(f["code"], f["severity"], f["line"], f["cause_line"]) for f in found["findings"]] == [
        ("PS103", "error", 8, 3),
        ("PS102", "error", 11, 3),
    ]
    assert found["error"]["type"] == "NoGradientsError"
    assert found["error"]["line"] == 11


def test_none_handed_to_an_optimizer_is_a_finding_though_the_path_never_met_the_variable(check):
    report = check(
        "import warnings\nwarnings.simplefilter('ignore')\n"
        "a, b = ps.Variable(1.0, name='a'), ps.Variable(1.0, name='b')\n"
        "with ps.GradientTape() as tape:\n    loss = a * a\n"
        "slopes = tape.gradient(loss, [a, b])\n"
        "ps.optimizers.SGD(0.1).apply_gradients(zip(slopes, [a, b]))\n"
    )
    (finding,) = report.findings
    assert (finding.variables, finding.severity) == (("b",), "warning")
    assert "unused" in finding.message


# -- programs that fail ---------------------------------------------------------------------------------


def test_a_program_that_raises_half_way_is_reported_up_to_there(check):
    report = check(
        "x = ps.Variable(0.0, name='x')\n"
        "for turn in range(5):\n"
        "    x.assign_add(1.0)\n"
        "    if turn == 2:\n        raise KeyError('missing')\n",
        fails=True,
    )
    assert report.status == 2
    assert facts(report)["x"][3] == [("assign_add", 4, 3)]
    shown = as_text(report)
    assert "The script failed after 3 steps." in shown
    assert "line 6, in <module>" in shown
    assert "raise KeyError('missing')" in shown
    assert as_data(report)["error"] == {
        "type": "KeyError",
        "message": "'missing'",
        "file": report.script,
        "line": 6,
    }


def test_a_step_that_fails_takes_no_effect_and_is_still_told_about(check):
    report = check(
        "table = ps.Variable([1.0, 2.0], name='table')\n"
        "with ps.GradientTape() as tape:\n    row = ps.take(table, ps.asarray([7]))\n    loss = ps.sum(row)\n"
        "slope = tape.gradient(loss, table)\n"
        "ps.optimizers.SGD(0.1).apply_gradients([(slope, table)])\n"
        "print(table.numpy())\n",
        fails=True,
    )
    assert report.status == 2
    assert facts(report)["table"] == ("1 1 1 0 0", "flows", None, [])
    assert "index 7" in as_text(report)


def test_leaving_by_exit_is_no_failure(check):
    assert check("import sys\nsys.exit(0)\n").status == 0
    assert check("import sys\nsys.exit(3)\n", fails=True).status == 2


def test_a_syntax_error_names_its_line(check):
    report = check("x = 1\ny = (\n", fails=True)
    assert report.status == 2
    assert "line 3" in as_text(report)


def test_a_program_without_variables(check):
    report = check("print('hello')\n")
    assert (report.status, report.variables) == (0, [])
    assert "no variables" in as_text(report)


# -- stopping -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("looks", [False, True])
def test_a_limit_ends_the_program_after_that_many_steps(looks, check):
    report = check(
        "x = ps.Variable(0.0, name='x', trainable=False)\n"
        "while True:\n    x.assign_add(1.0)\n" + ("    x.numpy()\n" if looks else ""),
        limit=7,
    )
    assert (report.steps, report.status, report.stopped) == (7, 0, True)
    assert facts(report)["x"][3] == [("assign_add", 4, 7)]
    assert "stopped there" in as_text(report)


def test_a_program_that_catches_everything_is_ended_too(check):
    report = check(
        "x = ps.Variable(0.0, name='x', trainable=False)\nturns = 0\n"
        "while turns < 50:\n    turns += 1\n"
        "    try:\n        x.assign_add(1.0)\n        x.numpy()\n    except Exception:\n        pass\n",
        limit=3,
    )
    assert report.steps == 3


def test_nothing_is_left_behind(check):
    check("x = ps.Variable(0.0)\nx.assign_add(1.0)\nraise ValueError\n", fails=True)
    check("x = ps.Variable(0.0)\nwhile True:\n    x.assign_add(1.0)\n", limit=2)
    assert not any(engine.observers.values())
    x = ps.Variable(1.0)
    x.assign_add(1.0)
    assert float(x) == 2.0


def test_progress_is_told_the_number_of_steps():
    seen = []
    x = ps.Variable(0.0)
    with Inspection(Recorder(), progress=seen.append) as inspection:
        for _ in range(3):
            x.assign_add(1.0)
        inspection.finish()
    assert seen == [1, 2, 3]


def test_enough_is_not_an_error_a_program_would_catch():
    assert not issubclass(Enough, Exception)


# -- the report -----------------------------------------------------------------------------------------


def test_the_json_has_the_names_that_programs_rely_on(check):
    data = json.loads(as_json(check(PROGRAMS / "stop_gradient_on_factor.py")))
    assert {"script", "steps", "variables", "terms", "barriers", "findings"} <= set(data)
    for variable in data["variables"]:
        assert {"path", "shape", "dtype", "trainable", "created", "bits", "gradient", "cut", "writes"} <= set(
            variable
        )
        assert set(variable["created"]) == {"file", "line"}
    (finding,) = data["findings"]
    assert {"code", "name", "severity", "variables", "line", "cause_line", "message", "fix"} <= set(finding)


def test_a_change_that_is_no_number_is_null_in_json(check):
    report = check("x = ps.Variable(0.0, name='x')\nx.assign(float('inf'))\nx.assign(0.0)\n")
    changes = [write["change"]["total"] for write in json.loads(as_json(report))["variables"][0]["writes"]]
    assert changes == [None, None]


def test_the_text_of_two_writers(check, capsys):
    shown = as_text(check(PROGRAMS / "assignment_beside_sgd.py"))
    lines = shown.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("variable "))
    assert lines[first : first + 6] == [
        "variable             T R G O W  gradient  written by      times  mean |Δ|",
        "stepped   float32[]  ● ● ● ● ●  flows     SGD line 16        10     0.179",
        "written   float32[]  · ● · · ●  frozen    assign line 17     10     0.179",
        "",
        "T trainable   R read in a tape   G gradient   O in an optimizer   W written",
        "",
    ]
    terms = [line.split("  ") for line in lines if line.startswith("term ")]
    assert [(name, line, said.split(", ")[0]) for name, line, said in terms] == [
        ("term (first - 2) ** 2", " line 8", "trains stepped"),
        ("term (second - 3) ** 2", "line 8", "trains nothing: written frozen"),
    ]
    assert lines[-1] == "No problems, 1 note."


def test_variables_without_names_are_called_by_their_assignment(check):
    report = check(
        dedent("""
        import types
        model = types.SimpleNamespace()
        a = ps.Variable(1.0); b = ps.Variable(2.0)
        c, (d, e) = ps.Variable(1.0), [ps.Variable(2.0), ps.Variable(3.0)]
        f = [ps.Variable(1.0), (ps.Variable(2.0), 3.0)]
        g = {"head": ps.Variable(1.0), **{"tail": ps.Variable(2.0)}}
        model.weight: ps.Variable = ps.Variable(
            1.0
        )
        every = [a, b, c, d, e, f[0], f[1][0], *g.values(), model.weight]
        with ps.GradientTape() as tape:
            loss = sum(one * one for one in every)
        tape.gradient(loss, every)
        """)
    )
    assert [one.path for one in report.variables] == [
        *"abcde",
        "f[0]",
        "f[1][0]",
        "g['head']",
        "g",
        "weight",
    ]


def test_an_earlier_move_of_a_weight_is_no_part_of_a_later_loss(check):
    report = check(
        dedent("""
        x, w = ps.Variable(1.0, name='x'), ps.Variable(2.0, name='w')
        optimizer = ps.optimizers.Adam(0.1)
        for _ in range(4):
            with ps.GradientTape(persistent=True) as tape:
                fake = 3.0 * x
                first = ps.stop_gradient(fake) * w + w * w
            optimizer.apply_gradients([(tape.gradient(first, w), w)])
            with ps.GradientTape() as tape:
                second = x * w + x * x
            tape.gradient(second, x)
        """)
    )
    blocked = {(one.name, *(subject.path for subject in one.blocked)) for one in report.terms}
    assert blocked == {("stop_gradient(fake) * w", "x"), ("w * w",), ("x * w",), ("x * x",)}


def test_terms_of_one_line_and_name_that_fare_differently_are_two(check):
    report = check(
        dedent("""
        g, d = ps.Variable(1.0, name='g'), ps.Variable(2.0, name='d')
        real = ps.Variable(3.0, name='real', trainable=False)
        def score(x): return ps.mean(ps.square(x * d))
        for _ in range(3):
            with ps.GradientTape() as tape:
                fake = g * 2.0
                loss = score(real) + score(ps.stop_gradient(fake))
            tape.gradient(loss, d)
        """)
    )
    words = [(one.word, [subject.path for subject in one.blocked]) for one in report.terms]
    assert words == [("frozen", ["real"]), ("stopped", ["g"])]


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal(width, check, capsys):
    for name in NATIVE:
        report = check(PROGRAMS / f"{name}.py", fails=STATUS.get(name) == 2)
        for line in as_text(report, width).splitlines():
            assert len(line) <= width


def test_a_finding_shows_the_path_and_what_to_type(check, capsys):
    shown = as_text(check(PROGRAMS / "stop_gradient_on_factor.py"))
    assert "PS106 stopped-gradient  line 11" in shown
    assert re.search(r"    area = … \+ \(… \* open_factor\) +line 7", shown)
    assert re.search(r"    ← stop_gradient\(held_factor\) +line 7  the path ends here", shown)
    assert "Remove the stop_gradient at line 7" in shown
    assert shown.endswith("\n1 warning.\n")


def test_many_variables_that_fared_alike_are_one_row(check):
    report = check(
        "backbone = [ps.Variable(1.0, name=f'backbone/{k}', trainable=False) for k in range(12)]\n"
        "head = ps.Variable(1.0, name='head')\n"
        "with ps.GradientTape() as tape:\n    loss = sum(backbone) * head\n"
        "tape.gradient(loss, head)\n"
    )
    rows = [line for line in as_text(report).splitlines() if line.startswith("backbone")]
    (row,) = rows
    assert row.split()[:3] == ["backbone/*", "12", "variables"]


def test_a_terminal_that_knows_no_signs_gets_plain_letters(check, capsys):
    report = check(PROGRAMS / "stop_gradient_on_factor.py")
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="strict")
    show(report, stream, width=80)
    stream.flush()
    shown = stream.buffer.getvalue().decode("ascii")
    assert "1 1 1 0 0" in shown
    assert "<- stop_gradient(held_factor)" in shown


def test_a_variable_frozen_on_the_way(check):
    report = check(
        "base, head = ps.Variable(1.0, name='base'), ps.Variable(1.0, name='head')\n"
        "optimizer = ps.optimizers.SGD(0.1)\n"
        "for turn in range(6):\n"
        "    base.trainable = turn < 2\n"
        "    variables = [v for v in (base, head) if v.trainable]\n"
        "    with ps.GradientTape() as tape:\n        loss = (base * head - 3) ** 2\n"
        "    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))\n"
    )
    assert facts(report) == {
        "base": ("0 1 1 1 1", "frozen", None, [("SGD", 9, 2)]),
        "head": ("1 1 1 1 1", "flows", None, [("SGD", 9, 6)]),
    }
    assert as_data(report)["variables"][0]["frozen_after"] == 2
    assert "Frozen after step 2: base." in as_text(report)


def test_two_loops_one_after_the_other_are_counted_apart(check):
    report = check(
        "a, b = ps.Variable(0.0, name='a'), ps.Variable(0.0, name='b')\n"
        "for turn in range(4):\n    a.assign_add(1.0)\n"
        "for turn in range(3):\n    b.assign_add(1.0)\n    a.assign_sub(0.5)\n"
        "    if turn == 1:\n        a.assign(7.0)\n"
    )
    assert report.steps == 7
