"""The examples do what they promise: run as users run them, and under `penstock check`."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import processes

ROOT = Path(__file__).parents[1]
FEATURES = ["features/kernel", "features/bias"]

# Runs the example and compares the frozen variables around the training of the new head.
COMPARES = """
import digits

digits.PRETRAINING_EPOCHS = min(digits.PRETRAINING_EPOCHS, {epochs})
digits.EPOCHS = min(digits.EPOCHS, {epochs})
train = digits.train

def watched(features, *others):
    before = [(variable.numpy().tobytes(), variable.version) for variable in features]
    train(features, *others)
    after = [(variable.numpy().tobytes(), variable.version) for variable in features]
    print("unchanged" if before == after else "changed")

digits.train = watched
digits.main([{arguments}])
"""

# Names each gradient that is absent where an optimizer is to apply it; unwatched, each is a warning.
WATCHES = """
import sys
from penstock.trace.recorder import engine

def tell(variables):
    print("absent:", *(variable.path for variable in variables), file=sys.stderr)

engine.absences.add(tell)
"""
CHECKS = (
    WATCHES
    + """
from penstock.cli import main

main(sys.argv[1:])
"""
)

# The command `penstock check`, which also writes its report to a file as data.
KEEPS = """
from penstock.cli import main
from penstock.flow import check

inspect = check.inspect

def kept(*arguments):
    report = inspect(*arguments)
    from penstock.flow.report.data import as_json
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(as_json(report, False))
    return report

check.inspect = kept
main(["check", *sys.argv[2:]])
"""


ENVIRONMENT = {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}
SKLEARN = ("sklearn.datasets", "sklearn.linear_model", "sklearn.model_selection")
"""What most examples import."""


def run(*arguments, folder=ROOT):
    """Runs Python in a folder, on a terminal of 80 columns; any warning is an error."""
    command = ["-W", "error", *arguments]
    # Minutes for a diffusion in NumPy alone, where JAX is not installed.
    done = processes.run(command, folder, os.environ | ENVIRONMENT, SKLEARN, timeout=1200.0)
    return done.returncode, done.stdout, done.stderr


def told_right(output):
    """The two accuracies that the example prints: of digits 0 to 4 by the old head, of all ten by the new."""
    return [float(percent) / 100 for percent in re.findall(r": ([\d.]+)% of \d+ held-out", output)]


def lines_with(words):
    """The numbers of the lines of the example that hold the words."""
    lines = (ROOT / "examples" / "digits.py").read_text(encoding="utf-8").splitlines()
    return [number for number, line in enumerate(lines, start=1) if words in line]


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The report on the demo as data, and what it prints, in a process that has imported nothing before."""
    file = tmp_path_factory.mktemp("demo") / "report.json"
    # Warnings of imports are errors, too.
    command = [sys.executable, "-W", "error", "-c", WATCHES + KEEPS, str(file), "examples/digits.py"]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | ENVIRONMENT, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(file.read_text(encoding="utf-8")), done.stdout, done.stderr


@pytest.fixture(scope="module")
def checked(demo):
    """The report on the demo as data, and what it prints."""
    report, output, _ = demo
    return report, output


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
    status, output, errors = run("-c", COMPARES.format(arguments="", epochs=2), folder=ROOT / "examples")
    assert status == 0, errors
    assert "unchanged" in output.splitlines()


def test_features_that_are_trained_change():
    status, output, errors = run(
        "-c", COMPARES.format(arguments="'--features', 'scratch'", epochs=100), folder=ROOT / "examples"
    )
    assert status == 0, errors
    assert "changed" in output.splitlines()
    (new,) = told_right(output)
    assert new > 0.96


def test_features_that_are_never_trained_have_no_writer():
    # The run above shows that frozen variables stay frozen throughout the training; here they never trained.
    command = ["check", "--format", "json", "--steps", "100", "examples/digits.py", "--features", "random"]
    status, report, output = run("-m", "penstock", *command)
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


def test_the_readme_shows_what_the_demo_prints(demo):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"(?ms)ends with this:\n\n```text\n(.*?)^```", readme)
    _, output, _ = demo
    ending = without_numbers(shown)
    assert without_numbers(output)[-len(ending) :] == ending


# -- the other examples -----------------------------------------------------------------------------------


def figures(output):
    """The numbers that an example prints, in order; Penstock's message about a long wait does not count."""
    output = "\n".join(line for line in output.splitlines() if not line.startswith("penstock: "))
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?|nan", output)]


@pytest.fixture(scope="module")
def example(request):
    """Check an example, once; return the report as data and what the example printed."""
    known = {}

    def look(name):
        if name == "digits":
            report, output, errors = request.getfixturevalue("demo")
            return report, output + errors
        if name not in known:
            spoken = ["--as", AS[name]] if name in AS else []
            command = ["check", *spoken, "--format", "json", f"examples/{name}.py"]
            status, report, output = run("-c", CHECKS, *command)
            known[name] = json.loads(report), output
            assert status == 0, output
        return known[name]

    return look


EXAMPLES = (
    "gan", "vae", "actor_critic", "recommend", "clipping", "every_other", "counters", "digits",
    "three_weights", "who_moved_it", "vq_vae", "dqn", "simsiam", "lora", "maml", "heat", "diffusion",
    "distillation", "million",
)  # fmt: skip
AS = {"three_weights": "tensorflow"}
"""Examples in the words of a framework."""


def test_every_example_is_tested():
    found = {file.stem for file in (ROOT / "examples").glob("*.py")}
    # Those for several devices have their own tests: see test_distribution.py.
    assert {name for name in found if not name.startswith("devices_")} == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_check_has_nothing_to_say_of_an_example(name, example):
    report, output = example(name)
    assert report["findings"] == []
    assert "absent:" not in output
    assert len((ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8").splitlines()) < 140


def test_the_search_for_absences_finds_one(tmp_path):
    (tmp_path / "wrong.py").write_text(
        "import penstock as ps\n"
        "used, unused = ps.Variable(1.0, name='used'), ps.Variable(2.0, name='unused')\n"
        "with ps.GradientTape() as tape:\n    loss = used * used\n"
        "slopes = tape.gradient(loss, [used, unused])\n"
        "ps.optimizers.SGD(0.1).apply_gradients(zip(slopes, [used, unused]))\n"
    )
    _, _, output = run("-c", CHECKS, "check", "wrong.py", folder=tmp_path)
    assert "absent: unused" in output


def rows(report):
    """The variables of a report by their paths."""
    return {one["path"]: one for one in report["variables"]}


def trained(report):
    """What each term of the losses trains, by its name."""
    return {one["term"]: (one["reaches"], one["blocked"]) for one in report["terms"]}


def test_forger_comes_close_to_the_genuine_numbers(example):
    report, output = example("gan")
    before, after, mean, spread = figures(output)
    assert before > 2.5
    assert after < 0.15
    assert (abs(mean - 3.0), abs(spread - 0.5)) < (0.15, 0.15)
    assert trained(report) == {
        "trust": (["judge/*"], []),
        "doubt": (["judge/*"], ["forger/*"]),
        "fooling": (["forger/*"], []),
    }
    (barrier,) = report["barriers"]
    assert (barrier["verdict"], barrier["changes"]) == ("blocks", [])


def test_autoencoder_tells_digits_from_their_codes(example):
    report, output = example("vae")
    _, divergence, error, plain = figures(output)
    assert error < 0.6 * plain
    assert divergence > 1.0
    assert trained(report) == {
        "reconstruction": (["encoder/*", "decoder/*"], []),
        "divergence": (["encoder/*"], []),
    }


def test_actor_learns_the_way_out_and_critic_what_it_is_worth(example):
    report, output = example("actor_critic")
    first, last, least, right, *expected = figures(output)
    assert least == 4
    assert first > 12
    assert last < 5
    assert right > 0.7
    # One step from the door the gain is 1, and each step further away takes a twentieth off.
    assert expected[3:] == pytest.approx([0.95**3, 0.95**2, 0.95, 1.0], abs=0.05)
    assert expected == sorted(expected)
    assert trained(report) == {
        "actor_loss": (["actor/preferences"], ["critic/values"]),
        "critic_loss": (["critic/values"], []),
    }


def test_recommendations_leave_the_table_alone(example):
    report, output = example("recommend")
    read, readers, error, plain = figures(output)
    assert (read, readers) == (256, 5000)
    assert error < 0.4 * plain
    assert "the table has changed: False" in output
    table, moved = rows(report)["films/table"], rows(report)["readers/rows"]
    assert (table["bits"], table["gradient"], table["writes"]) == ("0 1 0 0 0", "frozen", [])
    assert [one["times"] for one in moved["writes"]] == [2500]


def test_clipping_keeps_the_training_on_its_way(example):
    _, output = example("clipping")
    first, without, _, again, clipped, norm = figures(output)
    assert first == again > 1e4
    assert not without < 1e4
    assert clipped < 0.05
    assert norm > 1e5


def test_slow_part_is_written_in_every_other_step(example):
    report, output = example("every_other")
    slope, fast, height, slow, loss = figures(output)
    assert (slope, height) == (pytest.approx(2.0, abs=0.05), pytest.approx(-1.0, abs=0.05))
    assert loss < 0.004
    counts = {path: [one["times"] for one in row["writes"]] for path, row in rows(report).items()}
    assert (fast, slow) == (400, 200)
    assert counts == {"fast/slope": [400], "slow/height": [200]}


def test_zeros_in_place_of_gradients_hold_nothing_and_a_freeze_does(example):
    report, output = example("who_moved_it")
    *lines, last = output.strip().splitlines()
    moved = {line.partition(":")[0]: figures(line) for line in lines}
    assert set(moved) == {
        f"{way}, {part}" for way in ("training", "zeros", "frozen") for part in ("body", "head")
    }
    gradient, momentum, clip, decay, state = moved["training, body"]
    assert min(gradient, momentum, clip, decay, state) > 1e-3
    gradient, momentum, clip, decay, state = moved["zeros, body"]
    assert gradient == clip == state == 0 and momentum > 5e-3 and decay > 3e-3
    assert moved["frozen, body"] == [0, 0, 0, 0, 0] and moved["frozen, head"][0] > 0
    assert last.startswith("every write adds up: True")
    first, then = figures(last)
    assert then < first
    assert {one["times"] for one in rows(report)["body/0/kernel"]["writes"]} == {30}
    assert {one["times"] for one in rows(report)["body/1/moving_mean"]["writes"]} == {15}


def test_state_in_variables_is_written_only_by_hand(example):
    report, output = example("counters")
    steps, best, rate, changes = figures(output)
    assert (steps, best < 0.02) == (300, True)
    assert rate == pytest.approx(0.4 / 2**changes, abs=1e-3)
    written = {path: [(w["by"], w["times"]) for w in row["writes"]] for path, row in rows(report).items()}
    assert written == {
        "weights": [("SGD", 300)],
        "counters/steps": [("assign_add", 300)],
        "settings/rate": [("assign", changes)],
        "counters/best": [("assign", 300)],
    }
    assert rows(report)["counters/steps"]["dtype"] == "int64"


def test_student_learns_the_product_of_two_weights_that_a_barrier_holds(example):
    report, output = example("three_weights")
    assert float(re.search(r"within ([\d.]+) of teacher", output)[1]) < 1e-5
    assert [line for line in output.splitlines() if "stayed as it was" in line] == [
        "teacher stayed as it was",
        "helper stayed as it was",
    ]
    assert trained(report) == {"loss": (["student"], ["teacher", "helper"])}
    assert {path: (row["gradient"], len(row["writes"])) for path, row in rows(report).items()} == {
        "student": ("flows", 1),
        "teacher": ("stopped", 0),
        "helper": ("stopped", 0),
    }


def test_digits_are_told_from_four_codes_each(example):
    report, output = example("vq_vae")
    _, codes, bits, used, error, plain = figures(output)
    assert (codes, bits) == (32, 20) and used > 8
    assert error < 0.4 * plain
    # Each barrier keeps a term from the variables behind it, and the term trains the others.
    assert trained(report) == {
        "reconstruction": (["encoder/*", "decoder/*"], ["book/codes"]),
        "moving_codes": (["book/codes"], ["encoder/*"]),
        "commitment": (["encoder/*"], ["book/codes"]),
    }


def test_the_target_follows_and_the_values_are_the_true_ones(example):
    report, output = example("dqn")
    right, places, off, largest, behind = figures(output)
    assert right == places == 12 and largest == 1.0
    assert off < 0.05 and behind < 0.05
    for path, row in rows(report).items():
        assert {one["by"] for one in row["writes"]} == (
            {"assign"} if path.startswith("target/") else {"Adam"}
        )
        assert row["trainable"] == (not path.startswith("target/"))


def test_views_agree_without_all_features_becoming_one(example):
    report, output = example("simsiam")
    full, spread, right, collapsed, _ = figures(output)
    assert spread > 0.6 * full > 20 * collapsed
    assert right > 90
    (barrier,) = report["barriers"]
    assert barrier["verdict"] == "blocks"


def test_thin_matrices_adapt_a_frozen_network(example):
    report, output = example("lora")
    turned, adapted, new, frozen, changed, count, again = figures(output)
    assert turned == again > 98 and adapted > 80
    assert changed == 0 and new < 0.25 * frozen
    thin = {path for path in rows(report) if "/down/" in path or "/up/" in path}
    assert len(rows(report)) - len(thin) == count
    times = {path: {one["times"] for one in row["writes"]} for path, row in rows(report).items()}
    assert {path for path, found in times.items() if found == {500}} >= {
        one for one in thin if "/up/" not in one
    }
    assert all(found == {300} for path, found in times.items() if path not in thin)


def test_the_gradient_through_a_step_is_of_second_order(example):
    report, output = example("maml")
    before, after, exact, without = figures(output)
    assert after < 0.6 * before
    # Central differences of float64 are right to about this many digits.
    assert exact < 1e-6 < 1e-2 < without
    assert {row["gradient"] for row in rows(report).values()} == {"flows"}


def test_the_network_follows_the_law_of_heat(example):
    _, output = example("heat")
    off, end = figures(output)
    assert off < 0.04 < 0.3 < end


def test_digits_come_out_of_noise(example):
    _, output = example("diffusion")
    made, kinds, genuine, _, noise, _ = figures(output)
    # As far from the nearest genuine digit as these are from each other: neither noise, nor copies.
    assert 0.7 * genuine < made < 1.5 * genuine < 0.5 * noise
    assert kinds >= 8


def test_a_small_network_learns_from_the_outputs_of_a_large_one(example):
    report, output = example("distillation")
    teacher, _, size, twin, _, small, student, _, same = figures(output)
    assert small == same < size / 10
    assert teacher > student > twin + 5
    taught = rows(report)["teacher/0/kernel"]
    assert not taught["trainable"] and [one["times"] for one in taught["writes"]] == [250]


def test_a_step_takes_the_rows_that_it_reads_of_a_million(example):
    _, output = example("million")
    error, _, plain, read, count, read_small, count_small, written, _ = figures(output)
    assert error < 0.1 * plain
    assert read == read_small == 512 and (count, count_small) == (1_000_000, 200)
    assert written <= 200 and output.splitlines()[-1].endswith("True")


@pytest.mark.parametrize("name", ["vq_vae", "heat", "diffusion"])
def test_the_pictures_are_there(name):
    pytest.importorskip("matplotlib")
    text = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    assert f"](pictures/{name}.png)" in text
    assert (ROOT / "docs" / "pictures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert "savefig(" in (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
