"""The examples do what they promise: run as users run them, and under `penstock check`."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FEATURES = ["features/kernel", "features/bias"]

# Runs the example and compares the frozen variables around the training of the new head.
COMPARES = """
import digits

train = digits.train

def watched(features, *others):
    before = [(variable.numpy().tobytes(), variable.version) for variable in features]
    train(features, *others)
    after = [(variable.numpy().tobytes(), variable.version) for variable in features]
    print("unchanged" if before == after else "changed")

digits.train = watched
digits.main([{arguments}])
"""


def run(*arguments, folder=ROOT):
    """Runs Python in a folder, on a terminal of 80 columns; any warning is an error."""
    command = [sys.executable, "-W", "error", *arguments]
    environment = os.environ | {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )
    return done.returncode, done.stdout, done.stderr


def told_right(output):
    """The two accuracies that the example prints: of digits 0 to 4 by the old head, of all ten by the new."""
    return [float(percent) / 100 for percent in re.findall(r": ([\d.]+)% of \d+ held back", output)]


def lines_with(words):
    """The numbers of the lines of the example that hold the words."""
    lines = (ROOT / "examples" / "digits.py").read_text(encoding="utf-8").splitlines()
    return [number for number, line in enumerate(lines, start=1) if words in line]


@pytest.fixture(scope="module")
def checked():
    """The report on the example as data, and what the example printed."""
    status, report, output = run("-m", "penstock", "check", "--format", "json", "examples/digits.py")
    assert status == 0, output
    return json.loads(report), output


def test_new_head_on_frozen_features_reaches_its_accuracy(checked):
    _, output = checked
    old, new = told_right(output)
    assert old > 0.97
    assert new > 0.95


def test_check_says_that_frozen_features_were_written_in_pretraining_alone(checked):
    report, _ = checked
    pretraining, training = lines_with("optimizer.apply_gradients(")
    variables = {variable["path"]: variable for variable in report["variables"]}
    assert list(variables) == [*FEATURES, "old_head/kernel", "old_head/bias", "head/kernel", "head/bias"]
    trainable = {path for path, variable in variables.items() if variable["trainable"]}
    assert trainable == set(variables) - set(FEATURES)
    assert report["steps"] == 30 * 22 + 60 * 43
    for path, variable in variables.items():
        (write,) = variable["writes"]
        assert write["by"] == "Adam"
        new = path.startswith("head/")
        assert (write["line"], write["times"]) == ((training, 60 * 43) if new else (pretraining, 30 * 22))
        assert write["change"]["total"] > 0
        frozen = path in FEATURES
        assert variable["gradient"] == ("frozen" if frozen else "flows")
        assert variable.get("frozen_after") == (30 * 22 if frozen else None)


def test_frozen_features_keep_every_bit():
    status, output, errors = run("-c", COMPARES.format(arguments=""), folder=ROOT / "examples")
    assert status == 0, errors
    assert "\nunchanged\n" in output


def test_features_that_are_trained_change():
    status, output, errors = run(
        "-c", COMPARES.format(arguments="'--features', 'scratch'"), folder=ROOT / "examples"
    )
    assert status == 0, errors
    assert "\nchanged\n" in output
    (new,) = told_right(output)
    assert new > 0.96


def test_features_that_are_never_trained_have_no_writer():
    command = ["-m", "penstock", "check", "--format", "json", "examples/digits.py", "--features", "random"]
    status, report, output = run(*command)
    assert status == 0, output
    features = [one for one in json.loads(report)["variables"] if one["path"] in FEATURES]
    assert [(one["trainable"], one["gradient"], one["writes"]) for one in features] == [
        (False, "frozen", []),
        (False, "frozen", []),
    ]


def without_numbers(text):
    """A text whose numbers, which differ from machine to machine in their last digits, are blanked out."""
    lines = [line.rstrip() for line in re.sub(r"\d[\d.e-]*", "#", text).splitlines()]
    return [re.sub(r" +", " ", line) for line in lines]


def test_the_readme_shows_what_the_demo_prints():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"(?ms)ends with this:\n\n```text\n(.*?)^```", readme)
    status, output, errors = run("-m", "penstock", "check", "examples/digits.py")
    assert status == 0, errors
    ending = without_numbers(shown)
    assert without_numbers(output)[-len(ending) :] == ending
