"""Why a gradient is missing: every reason, its line and the remedy; while a step is pending and after."""

import random
import re
from pathlib import Path

import pytest

import penstock as ps
from penstock.errors import NoGradientsError, PenstockError
from penstock.flow.absence import Absence
from penstock.flow.codes import CODES
from penstock.flow.course_pages import COURSE_PAGES
from penstock.flow.explain import explain
from penstock.flow.manual import page, words
from penstock.flow.number_pages import NUMBER_PAGES
from penstock.flow.pages import PAGES
from penstock.ops import table as primitives
from penstock.ops.table import Primitive, same

START = """\
import numpy as np
import penstock as ps
w = ps.Variable(2.0, name="w")
b = ps.Variable(1.0, name="b")
v = ps.Variable([1.2, 3.4], name="v")
"""


def run(tmp_path: Path, body: str) -> tuple[dict, int | None]:
    """Run a program from a file, so that its lines are known; return its names and the line of `# cut`."""
    text = START + body
    file = tmp_path / "program.py"
    file.write_text(text)
    names: dict = {}
    exec(compile(text, str(file), "exec"), names)
    marked = [number for number, line in enumerate(text.splitlines(), 1) if "# cut" in line]
    return names, marked[0] if marked else None


# Each program computes `loss`; the question is its gradient by `w`, or by what `source` names.
PROGRAMS_AS_TEXT = """\
## flows: flows
with ps.GradientTape() as tape:
    loss = w * w + b

## flows: flows to a watched tensor
source = ps.asarray(3.0)
with ps.GradientTape() as tape:
    tape.watch(source)
    loss = source * w

## flows: flows to an intermediate
with ps.GradientTape() as tape:
    source = w * 2
    loss = source * source

## flows: flows beside a barrier
with ps.GradientTape() as tape:
    loss = w * ps.stop_gradient(w)

## flows: flows after an assignment
with ps.GradientTape() as tape:
    w.assign(b * 2)
    loss = w * w

## unused: never read
with ps.GradientTape() as tape:
    loss = b * b

## unused: read only outside
other = w * 3
with ps.GradientTape() as tape:
    loss = b * b

## dead_end: result dropped
with ps.GradientTape() as tape:
    penalty = w * 3  # cut
    loss = b * b

## dead_end: printed, not used
with ps.GradientTape() as tape:
    penalty = w * 3  # cut
    str(penalty)
    loss = b * 2.0

## dead_end: logged, then a number of its own
with ps.GradientTape() as tape:
    penalty = w * 3  # cut
    log = [float(penalty)]
    loss = b * 2.0

## stopped: barrier
with ps.GradientTape() as tape:
    h = ps.stop_gradient(w * 2)  # cut
    loss = h * b

## stopped: barrier within a function
source = v
with ps.GradientTape() as tape:
    h = ps.stop_gradient(v)  # cut
    loss = ps.sum(ps.nn.log_softmax(h))

## stopped: barrier beside a condition
source = v
with ps.GradientTape() as tape:
    h = ps.stop_gradient(v)  # cut
    keep = v > 2
    loss = ps.sum(ps.where(keep, h, 0.0))

## discrete: integer variable
source = ps.Variable(0, name="counter")  # cut
with ps.GradientTape() as tape:
    loss = source * 2

## discrete: integer variable made a float
source = ps.Variable(0, name="counter")  # cut
with ps.GradientTape() as tape:
    loss = source.astype('float32') * w

## discrete: argmax
source = v
with ps.GradientTape() as tape:
    logits = v * 2
    predicted = ps.argmax(logits)  # cut
    equal = predicted == 1
    loss = ps.mean(equal.astype('float32'))

## discrete: comparison
with ps.GradientTape() as tape:
    high = w > 1  # cut
    loss = ps.where(high, 1.0, 0.0) * b

## discrete: cast
with ps.GradientTape() as tape:
    whole = w.astype('int32')  # cut
    loss = whole.astype('float32')

## flat: round
with ps.GradientTape() as tape:
    steps = ps.round(w * 4)  # cut
    loss = steps * b

## flat: floor
with ps.GradientTape() as tape:
    steps = ps.floor(w)  # cut
    loss = steps * b

## escaped: value through NumPy
with ps.GradientTape() as tape:
    h = w * w
    z = np.square(h.numpy())  # cut
    loss = ps.asarray(z) * b

## escaped: value of the variable through NumPy
with ps.GradientTape() as tape:
    z = np.square(w.numpy())  # cut
    loss = ps.asarray(z) * b

## escaped: value through float, on one line
with ps.GradientTape() as tape:
    h = w * w
    loss = b * float(h)  # cut

## escaped: value through float, later
with ps.GradientTape() as tape:
    h = w * w
    z = float(h)  # cut
    loss = b * z

## escaped: list of numbers
with ps.GradientTape() as tape:
    h = w * w
    z = [float(h), 1.0]  # cut
    loss = ps.mean(ps.asarray(z))

## outside: before the tape
h = w * 3  # cut
with ps.GradientTape() as tape:
    loss = h * h

## outside: before the tape, looked at
h = w * 3  # cut
float(h)
with ps.GradientTape() as tape:
    loss = h * h

## outside: in a step before
h = w * 3  # cut
b.assign_add(1.0)
with ps.GradientTape() as tape:
    loss = h * h

## outside: two steps before
g = w * 3  # cut
float(g)
h = g * 2
float(h)
with ps.GradientTape() as tape:
    loss = h * h

## outside: after the tape
with ps.GradientTape() as tape:
    h = w * 3
loss = h * h  # cut

## outside: recording off
with ps.GradientTape() as tape:
    with tape.stop_recording():
        h = w * 3  # cut
    loss = h * h

## outside: no tape at all
loss = w * w  # cut

## outside: a gradient, outside
with ps.GradientTape(persistent=True) as tape:
    y = w * w * w
loss = tape.gradient(y, w)  # cut

## unwatched: tensor nobody watches
source = ps.asarray(3.0)
with ps.GradientTape() as tape:
    loss = source * w

## unwatched: variable with watching off
with ps.GradientTape(watch_accessed_variables=False) as tape:
    loss = w * w

## unwatched: tensor watched too late
source = ps.asarray(3.0)
with ps.GradientTape() as tape:
    h = source * 2  # cut
    tape.watch(source)
    loss = h * w

## flows: variable read before the tape was opened
early = w * 2
with ps.GradientTape() as tape:
    loss = w * w

## flows: frozen variable, watched
source = ps.Variable(1.0, name="f", trainable=False)
with ps.GradientTape() as tape:
    tape.watch(source)
    loss = source * w

## unwatched: made of a tensor nobody watches
x = ps.asarray(3.0)
with ps.GradientTape() as tape:
    source = x * 2
    loss = source * w

## unwatched: name bound anew
w = w - 0.1
source = w
with ps.GradientTape() as tape:
    loss = w * w

## frozen: frozen
source = ps.Variable(1.0, name="f", trainable=False)
with ps.GradientTape() as tape:
    loss = source * w

## frozen: frozen, unfrozen too late
source = ps.Variable(1.0, name="f", trainable=False)
with ps.GradientTape() as tape:
    loss = source * w
source.trainable = True

## overwritten: through an assignment
m = ps.Variable(0.0, name="m", trainable=False)
with ps.GradientTape() as tape:
    m.assign(w * 3)  # cut
    loss = m * m

## overwritten: through an optimizer
with ps.GradientTape() as outer:
    slope = w * 2
    ps.optimizers.SGD(0.1).apply_gradients([(slope, b)])  # cut
    loss = b * b
"""

PROGRAMS = {
    name: (reason, body)
    for reason, name, body in re.findall(
        r"^## (\w+): (.*)\n((?:(?!## ).*\n?)*)", PROGRAMS_AS_TEXT, re.MULTILINE
    )
}


@pytest.mark.parametrize("after", ["pending", "run"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_reason_and_line(name, after, tmp_path):
    reason, body = PROGRAMS[name]
    names, line = run(tmp_path, body)
    loss, source = names["loss"], names.get("source", names["w"])
    if after == "run":
        loss.numpy()
        ps.Variable(0.0).assign_add(1.0)
        ps.wait()
    found = explain(loss, source)
    assert found.reason == reason, str(found)
    assert (found.cut and found.cut.line) == line
    assert (found.cut is None) == (not found.cuts)
    assert bool(found.fix) == (reason != "flows")


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_word_and_the_gradient_agree(name, tmp_path):
    reason, body = PROGRAMS[name]
    names, _ = run(tmp_path, body)
    tape = names.get("tape") or names.get("outer")
    if tape is None:
        return
    source = names.get("source", names["w"])
    gradient = tape.gradient(names["loss"], source)
    assert (gradient is not None) == (reason == "flows")
    assert explain(names["loss"], source).reason == reason


def test_every_word_is_reached():
    assert {reason for reason, _ in PROGRAMS.values()} == {"flows", *(word.value for word in Absence)} - {
        "unruled"
    }


@pytest.fixture
def ruleless():
    """A primitive without a derivative rule."""
    made = Primitive("ruleless", shape=same, numpy=lambda x: x * x, xla=lambda jax, x: x * x)
    yield made
    del primitives.table["ruleless"]


def test_an_operation_without_a_rule(ruleless):
    w = ps.Variable(2.0, name="w")
    with ps.GradientTape() as tape:
        loss = ruleless(w) * 3.0
    found = explain(loss, w)
    assert found.reason == "unruled"
    assert "ruleless" in found.fix
    assert tape.gradient(loss, w) is None


# -- text -----------------------------------------------------------------------------------------------


def test_the_text_names_variable_spec_path_cut_and_repair(tmp_path):
    names, line = run(
        tmp_path,
        "logits = None\nwith ps.GradientTape() as tape:\n    logits = v * 2\n"
        "    predicted = ps.argmax(logits)  # cut\n    equal = predicted == 1\n"
        "    loss = ps.mean(equal.astype('float32'))\n",
    )
    text = str(explain(names["loss"], names["v"]))
    rows = text.splitlines()
    assert rows[0] == "loss does not reach Variable 'v' float32[2]: discrete."
    assert re.match(r"  loss = mean\(astype\(equal\)\) +\S*program.py:11", rows[1])
    assert re.match(r"  ← predicted == 1 +\S*program.py:10", rows[2])
    assert re.match(
        rf"  ← argmax\(logits\) +\S*program.py:{line} +argmax returns integers: the path ends here", rows[3]
    )
    assert re.match(r"  ← Variable 'v' +\S*program.py:5$", rows[-2])
    assert "softmax_cross_entropy" in rows[-1]


def test_operations_of_one_line_are_one_expression(tmp_path):
    names, _ = run(
        tmp_path,
        "with ps.GradientTape() as tape:\n"
        "    loss = ps.mean(ps.exp(b * 2) + ps.sin(ps.stop_gradient(w) * b))\n",
    )
    rows = str(explain(names["loss"], names["w"])).splitlines()
    assert re.match(r"  loss = mean\(… \+ sin\(… \* b\)\) +\S*program.py:7$", rows[1])
    assert re.match(r"  ← stop_gradient\(w\) +\S*program.py:7  the path ends here", rows[2])


def test_every_cut_is_named_when_several_paths_are_cut(tmp_path):
    names, _ = run(
        tmp_path,
        "with ps.GradientTape() as tape:\n    held = ps.stop_gradient(w)\n    steps = ps.round(w)\n"
        "    loss = held * b + steps\n",
    )
    found = explain(names["loss"], names["w"])
    assert {site.line for site in found.cuts} == {7, 8}
    assert {found.reason} < {"stopped", "flat"}
    assert "Another path is cut at" in str(found)


def test_both_lines_of_a_value_from_outside_are_named(tmp_path):
    names, line = run(tmp_path, "h = w * 3  # cut\nwith ps.GradientTape() as tape:\n    loss = h * h\n")
    text = str(explain(names["loss"], names["w"]))
    assert f"program.py:{line}  computed before the tape opened at" in text
    assert re.search(
        rf"Move \S*program.py:{line} into the with block of the tape opened at \S*program.py:7", text
    )


def test_a_name_bound_again_is_distinguished_from_its_variable(tmp_path):
    names, _ = run(
        tmp_path,
        "first = w\nfor turn in range(2):\n    with ps.GradientTape() as tape:\n        loss = w * w\n"
        "    slope = tape.gradient(loss, w)\n    if slope is not None:\n        w = w - 0.1 * slope\n",
    )
    found = explain(names["loss"], names["w"])
    assert found.reason == "unwatched"
    assert "the name 'w' was given to a plain tensor" in str(found)
    assert found.fix.startswith("Write the Variable")
    assert "w.assign" in found.fix


def test_an_unnamed_variable_is_called_by_the_name_it_was_assigned_to(tmp_path):
    names, _ = run(
        tmp_path, "kernel = ps.Variable(\n    1.0\n)\nwith ps.GradientTape() as tape:\n    loss = b * 1.0\n"
    )
    assert explain(names["loss"], names["kernel"]).source == "Variable 'kernel' float32[]"


def test_a_long_path_keeps_its_ends_and_its_cut():
    w = ps.Variable(2.0, name="w")
    with ps.GradientTape():
        h = ps.stop_gradient(w)
        for _ in range(200):
            h = (
                h
                + 1.0
            )  # fmt: skip
        loss = h * 2.0
    found = explain(loss, w)
    assert len(found.path) == 203
    rows = str(found).splitlines()
    assert len(rows) < 20
    assert any("the path ends here" in row for row in rows)
    assert any("more steps" in row for row in rows)


def test_a_deep_path_needs_no_deep_stack():
    w = ps.Variable(2.0, name="w")
    with ps.GradientTape():
        h = w * 1.0
        for _ in range(10_000):
            h = h + 1.0
    assert explain(h, w).reason == "flows"


# -- invalid questions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("target", "source"), [(1.0, None), (None, 2.0)])
def test_a_number_has_no_history(target, source):
    w = ps.Variable(2.0)
    with pytest.raises(PenstockError, match="has no history"):
        explain(w * 2.0 if target is None else target, w if source is None else source)


def test_one_thing_at_a_time():
    w = ps.Variable(2.0)
    with pytest.raises(PenstockError, match="Ask about one source at a time"):
        explain(w * 2.0, [w])


def test_a_target_whose_step_failed():
    table = ps.Variable([1.0, 2.0], name="table")
    row = ps.take(table, ps.asarray([7]))
    with pytest.raises(ps.errors.RangeError):
        row.numpy()
    with pytest.raises(PenstockError, match="the step it belongs to failed"):
        explain(row, table)


# -- requests -------------------------------------------------------------------------------------------


def test_the_tape_that_was_asked_decides():
    w = ps.Variable(2.0, name="w")
    with ps.GradientTape() as watching, ps.GradientTape(watch_accessed_variables=False) as blind:
        loss = w * w
    assert explain(loss, w).reason == "flows"
    assert blind.gradient(loss, w) is None
    assert explain(loss, w).reason == "unwatched"
    assert watching.gradient(loss, w) is not None
    assert explain(loss, w).reason == "flows"


def test_a_reset_tape_forgets_earlier_operations():
    w = ps.Variable(2.0, name="w")
    with ps.GradientTape(), ps.GradientTape() as tape:
        h = w * 2
        tape.reset()
        loss = h * h
    assert tape.gradient(loss, w) is None
    assert explain(loss, w).reason == "outside"


def refused(pairs, match):
    with pytest.raises(NoGradientsError, match=match) as caught:
        ps.optimizers.SGD(0.1).apply_gradients(pairs)
    return str(caught.value)


@pytest.mark.parametrize("look_between", [False, True])
def test_the_refusal_of_an_optimizer_names_reasons_and_lines(look_between, tmp_path):
    names, line = run(
        tmp_path,
        "with ps.GradientTape() as tape:\n    loss = ps.stop_gradient(w) * 2.0  # cut\n"
        "slopes = tape.gradient(loss, [w, b])\n",
    )
    if look_between:
        float(names["loss"])
    pairs = list(zip(names["slopes"], [names["w"], names["b"]], strict=True))
    text = refused(pairs, "No gradients provided for any variable")
    assert re.search(rf"'w': stopped at \S*program.py:{line} - every path meets stop_gradient", text)
    assert "'b': unused" in text


def test_the_refusal_after_the_step_was_over(tmp_path):
    names, line = run(
        tmp_path,
        "with ps.GradientTape() as tape:\n    loss = ps.round(w) * 2.0  # cut\n    b.assign_add(1.0)\n"
        "with ps.GradientTape() as second:\n    other = w * 2.0\nslopes = tape.gradient(loss, [w])\n",
    )
    text = refused(list(zip(names["slopes"], [names["w"]], strict=True)), "No gradients")
    assert re.search(rf"'w': flat at \S*program.py:{line}", text)


def test_none_passed_by_hand_is_distinguished():
    w, b = ps.Variable(2.0, name="w"), ps.Variable(1.0, name="b")
    with ps.GradientTape() as tape:
        loss = w * w
    tape.gradient(loss, w)
    text = refused([(None, w), (None, b)], "No gradients")
    assert "'w': its gradient at" in text
    assert "was not None" in text
    assert "'b': no tape was asked" in text


def test_a_warning_names_the_variables_left_out():
    w, b = ps.Variable(2.0, name="w"), ps.Variable(1.0, name="b")
    with ps.GradientTape() as tape:
        loss = w * w + ps.stop_gradient(b)
    slopes = tape.gradient(loss, [w, b])
    with pytest.warns(
        UserWarning, match=r"No gradient for 1 of 2 variables:\n'b': stopped at .*test_explain.py"
    ):
        ps.optimizers.SGD(0.1).apply_gradients(zip(slopes, [w, b], strict=True))


def test_arguments_that_are_exchanged_are_noticed():
    w = ps.Variable(2.0, name="w")
    with ps.GradientTape() as tape:
        hidden = w * 3.0
        loss = hidden * ps.stop_gradient(hidden)
    tape.gradient(loss, w)
    for target, source in ((w, loss), (hidden, loss), (w, hidden)):
        answer = ps.explain(target, source)
        assert "wrong order" in answer.notes[-1] and "comes first" in answer.fix
        assert not any("wrong order" in note for note in ps.explain(source, target).notes)
    other = ps.Variable(1.0, name="other")
    assert not any("wrong order" in note for note in ps.explain(loss, other).notes)


# -- the manual -----------------------------------------------------------------------------------------


def test_there_is_a_page_on_every_word():
    assert {word.value for word in Absence} < set(words())
    assert page("no such word") is None


REASONS = [word.value for word in Absence if page(word.value).wrong]


@pytest.mark.parametrize("word", REASONS)
def test_the_programs_of_the_manual_do_what_the_page_says(word, tmp_path, capsys):
    for number, program in enumerate((page(word).wrong, page(word).right)):
        file = tmp_path / f"{number}.py"
        file.write_text(program)
        exec(compile(program, str(file), "exec"), {})
    assert capsys.readouterr().out.split() == [word, "flows"]


@pytest.mark.parametrize("code", [*PAGES, *COURSE_PAGES, *NUMBER_PAGES])
def test_check_finds_in_the_manuals_wrong_program_what_the_page_is_about(code, check):
    wrong = check(page(code).wrong, split=True, fails=None)
    told = f"nothing reports {code} in its wrong program: is its diagnosis called in flow/findings.py?"
    assert code in {finding.code for finding in wrong.findings}, told
    assert check(page(code).right, split=True).findings == []


def test_every_code_has_a_page_with_its_name():
    assert set(CODES) < set(words())
    for code, known in CODES.items():
        assert str(page(code)).startswith(f"{code} {known.name}: ")


# -- many small programs --------------------------------------------------------------------------------


def random_program(seed: int) -> str:
    """A program that computes a dozen values of three variables, through walls, writes, pauses and looks."""
    draw = random.Random(seed)
    lines = ["with ps.GradientTape(persistent=True) as tape:"]
    names = ["w", "b", "n"]
    for number in range(12):
        one, two = draw.choice(names), draw.choice(names)
        name = f"t{number}"
        pause = "    with tape.stop_recording():\n    " if draw.random() < 0.15 else ""
        expression = draw.choice(
            [
                f"{one} * {two}",
                f"{one} + {two} * 0.5",
                f"ps.sin({one})",
                f"ps.stop_gradient({one})",
                f"ps.round({one}) + {two}",
                f"({one} > 0.3).astype('float32')",
                f"ps.where({one} > 0.0, {one}, {two})",
                f"ps.asarray(np.float32(np.cos({one}.numpy())))",
                f"{one} * float({two})",
                f"ps.maximum({one}, {two})",
            ]
        )
        lines.append(f"{pause}    {name} = {expression}")
        names.append(name)
        if draw.random() < 0.1:
            lines.append(f"    tape.watch({draw.choice(names)})")
        if draw.random() < 0.2:
            lines.append(f"    {draw.choice('wbn')}.assign({draw.choice(names[3:])})")
    lines.append(f"loss = {draw.choice(names[3:])} * 1.0" if draw.random() < 0.1 else f"loss = {names[-1]}")
    return "n = ps.Variable(0.4, name='n', trainable=False)\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(150))
def test_a_gradient_exists_where_the_explanation_says_it_flows(seed, tmp_path):
    program = random_program(seed)
    names, _ = run(tmp_path, program)
    loss = names["loss"]
    for name in ("w", "b", "n", "t0", "t3", "t7"):
        before = explain(loss, names[name])
        gradient = names["tape"].gradient(loss, names[name])
        after = explain(loss, names[name])
        assert (gradient is not None) == (before.reason == "flows"), (
            f"seed {seed}, {name}\n{program}\n{before}"
        )
        assert (before.reason, before.cut) == (after.reason, after.cut)
        assert str(before)


def test_a_cut_inside_a_gradient_names_the_rule_that_made_it():
    x = ps.Variable([[1.0, -2.0]])
    weight = ps.Variable([[1.0, 2.0], [3.0, 4.0]])
    with ps.GradientTape(), ps.GradientTape() as tape:
        y = ps.nn.relu(x @ weight)
        slope = tape.gradient(y, x)
    found = ps.explain(slope, x)
    assert found.reason == "discrete"
    assert [step.note for step in found.path if step.note] == [
        "the gradient of relu returns booleans: the path ends here"
    ]
