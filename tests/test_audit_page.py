"""The page "Ten claims, run" proves itself: every command on it prints what stands under it."""

import os
import re
from pathlib import Path

import pytest

import processes
from checking import report_on
from penstock.flow.report.picture import as_svg

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "ten-claims.md"
BLOCK = r"(?ms)^```sh\n(?P<command>penstock [^\n]*)\n```\n\n```text\n(?P<output>.*?)^```"
BLOCKS = list(re.finditer(BLOCK, PAGE.read_text(encoding="utf-8")))
GAP = "[...]"


def without_digits(text: str) -> list[str]:
    """The lines of a text with fractions blanked out: their last digits differ from machine to machine."""
    return [re.sub(r" +", " ", re.sub(r"\d+\.\d+", "#", line)) for line in text.splitlines()]


def run(command: str) -> str:
    """What a command of the page prints, on a terminal of 80 columns."""
    _, *arguments = command.split()
    environment = os.environ | {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
    return processes.run(["-W", "ignore", "-m", "penstock", *arguments], ROOT, environment).stdout


def test_there_are_ten_claims():
    text = PAGE.read_text(encoding="utf-8")
    assert re.findall(r"(?m)^## (\d+)\. \"", text) == [str(number) for number in range(1, 11)]
    assert len(BLOCKS) >= 10


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: Path(block["command"].split()[-1]).stem)
def test_the_command_prints_what_the_page_shows(block):
    printed = without_digits(run(block["command"]))
    place = 0
    pieces = block["output"].split(f"{GAP}\n")
    for piece in pieces:
        wanted = without_digits(piece)
        starts = range(place, len(printed) - len(wanted) + 1)
        found = next((start for start in starts if printed[start : start + len(wanted)] == wanted), None)
        assert found is not None, "\n".join([*wanted, "-- is not in --", *printed[place:]])
        place = found + len(wanted)


def test_the_links_of_the_page_lead_somewhere():
    for link in re.findall(r"\]\(([^)#]+)\)", PAGE.read_text(encoding="utf-8")):
        assert (PAGE.parent / link).exists(), link


def test_the_picture_is_the_one_that_is_drawn(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    file = "tests/programs/audit/tensorflow/gan_barrier.py"
    report = report_on(file, "tensorflow", fails=None)
    kept = (ROOT / "docs" / "pictures" / "gan_barrier.svg").read_text(encoding="utf-8")
    assert as_svg(report) == kept


def test_the_figure_is_drawn_as_the_page_says(monkeypatch, capsys, tmp_path):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(ROOT)
    (program,) = re.findall(r"(?ms)^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"))
    drawn = "docs/pictures/three_weights.png"
    assert (ROOT / drawn).read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    known: dict = {}
    exec(program.replace(drawn, str(tmp_path / "three_weights.png")), known)
    assert (tmp_path / "three_weights.png").stat().st_size > 10_000
    tracks = known["ledger"].trajectories()
    assert {name: one.moved for name, one in tracks.items()} == {
        "student": True,
        "teacher": False,
        "helper": False,
    }
    product = known["teacher"] * known["helper"]
    assert tracks["student"].values[-1] == pytest.approx(product, abs=1e-4)
