"""The seam: a report on an engine other than Penstock's, and the imports allowed to the rooms behind it."""

import ast
import io
import sys
from pathlib import Path

import pytest

from penstock.errors import PenstockError
from penstock.flow import noted
from penstock.flow.check import inspect
from penstock.flow.observed import Enough, Variable
from penstock.flow.report.data import as_data
from penstock.flow.report.text import show
from penstock.flow.words import NATIVE, PADDLE, Words
from penstock.trace.source_site import Site
from toy_source import Toy, Weight

FLOW = Path(sys.modules[inspect.__module__].__file__).parent


def report_on(steps, held, limit=None):
    """What is said of a toy program whose `body` weight is held back or not."""
    toy = Toy()
    body, head = Weight("body", 2.0), Weight("head", 3.0)

    def run():
        try:
            for _ in range(steps):
                inner = toy.times(toy.data(1.5), toy.read(body))
                loss = toy.times(toy.hold(inner) if held else inner, toy.read(head))
                toy.sgd(loss, [body, head], 0.1)
        except (Enough, PenstockError) as error:
            return error
        return None

    return inspect(__file__, run, limit, source=toy), body, head


def test_a_program_of_another_engine_is_counted_and_found_right():
    report, body, head = report_on(5, held=False)
    assert (report.steps, report.paths, report.findings, report.status) == (5, 1, [], 0)
    rows = {one.path: (one.bits, one.gradient) for one in report.variables}
    assert rows == {"body": ("1 1 1 1 1", "flows"), "head": ("1 1 1 1 1", "flows")}
    (writer,) = report.variables[0].writers.values()
    assert (writer.by, writer.times, writer.terms) == ("sgd", 5, ("gradient",))
    assert writer.sum == pytest.approx(2.0 - body.value)
    assert head.value < 3.0


def test_a_cut_in_another_engine_is_found_with_its_line_and_its_word():
    class Said(Words):
        barrier = "hold()"
        variable = "weight"

    before, Weight.words, Toy.words = Weight.words, Said(), Said()
    try:
        report, body, _ = report_on(3, held=True)
        (finding,) = [one for one in report.findings if one.severity != "note"]
        page = as_data(report)
    finally:
        Weight.words = Toy.words = before
    assert (finding.code, finding.variables, body.value) == ("PS106", ("body",), 2.0)
    assert finding.cause.line == next(
        number
        for number, line in enumerate(Path(__file__).read_text().splitlines(), 1)
        if "toy.hold(" in line
    )
    assert "meets the hold() at" in finding.message
    assert "Remove the hold() at" in finding.fix
    assert "weight 'body'" in str(finding.explanation)
    assert [one["bits"] for one in page["variables"]] == ["1 1 0 0 0", "1 1 1 1 1"]
    assert page["barriers"][0]["blocks"] == ["body"]


def test_a_limit_ends_a_program_of_another_engine_too():
    report, _, _ = report_on(9, held=False, limit=4)
    assert (report.steps, report.stopped) == (4, True)


def test_the_report_on_another_engine_prints():
    report, _, _ = report_on(2, held=True)
    stream = io.StringIO()
    show(report, stream, width=100)
    assert "body" in stream.getvalue() and "PS106" in stream.getvalue()


FACTS = {
    "PS412": noted.Unkept(Site("train.py", 3, ""), Site("train.py", 7, "")),
    "PS413": noted.Measured(Site("train.py", 3, ""), Site("train.py", 4, ""), Site("train.py", 2, ""), False),
    "PS415": noted.Unfollowed("copy", Site("train.py", 3, ""), "net"),
    "PS417": noted.Shared(("online", "target"), ("target/body",), Site("train.py", 3, "")),
    "PS405": noted.Strayed(
        "sgd", Site("train.py", 9, ""), Site("train.py", 3, ""), Site("train.py", 8, ""), None, False
    ),
    "PS419": noted.Unequal(Site("train.py", 3, ""), (6, 1)),
}


@pytest.mark.parametrize("code", FACTS)
def test_a_fact_of_another_engine_is_judged_by_the_same_rule(code):
    """Any engine may note the facts that a rule needs: the rule is written once."""

    class Noting(Toy):
        def finish(self):
            for _ in range(2):
                self.sink.noted(FACTS[code], [Weight("body", 2.0)])
            return super().finish()

    report = inspect(__file__, lambda: None, source=Noting())
    (finding,) = report.findings
    assert (finding.code, finding.severity) == (code, "warning")
    assert "body" in str(finding.variables) and "train.py:3" in finding.message and finding.fix
    assert inspect(__file__, lambda: None, source=Toy()).findings == []


def test_variables_are_one_if_their_numbers_are():
    class Same(Variable):
        uid = 7

    class Other(Variable):
        uid = 8

    assert Same() == Same() and hash(Same()) == hash(Same())
    assert Same() != Other() and Same() != 7


def test_each_vocabulary_speaks_its_own_words():
    assert "trainable = True" in NATIVE.unfreeze("'w'")
    assert PADDLE.unfreeze("'w'") == "Write w.stop_gradient = False before computing with it."
    assert (NATIVE.rebound("w", "w - g"), PADDLE.rebound("w", "w - g")) == (
        "w.assign(w - g)",
        "w.set_value(w - g)",
    )


BEHIND = {
    f"penstock.flow.{name}"
    for name in (
        "causes", "conservation", "recorded", "recorder", "recording", "replays", "programs",
        "contract_clauses", "gradient_shares", "skipped_updates", "writes",
    )
}  # fmt: skip
JUDGING = (
    "absence", "barriers", "bindings", "clips", "codes", "explanation", "findings", "graph", "inspection",
    "loss_terms", "measuring", "naming", "observed", "origins", "paths", "reach", "reasoning", "remedies",
    "report_model", "sizes", "source", "stale_gradients", "steps", "wording", "words", "zeros",
)  # fmt: skip
PRINTING = ("data", "github", "groups", "moved", "sarif", "sizes", "text")


@pytest.mark.parametrize(
    "file",
    [FLOW / f"{name}.py" for name in JUDGING]
    + sorted((FLOW / "diagnoses").glob("*.py"))
    + [FLOW / "report" / f"{name}.py" for name in PRINTING],
    ids=lambda file: str(file.relative_to(FLOW)),
)
def test_what_judges_and_reports_knows_no_engine(file):
    allowed = (
        "penstock.flow", "penstock.errors", "penstock.streams", "penstock.trace.html",
        "penstock.trace.source_site",
    )  # fmt: skip
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("penstock"):
            assert node.module.startswith(allowed), f"{file}:{node.lineno} imports {node.module}"
            assert node.module not in BEHIND, f"{file}:{node.lineno} imports {node.module}"
