"""A block under watch: its report, and the clean-up after it."""

import json

import pytest

import penstock as ps
from penstock.errors import PenstockError
from penstock.trace.engine import engine


def training(turns=1, cut=False):
    """A layer, its optimizer, and a function that makes steps with them."""
    layer = ps.layers.Dense(1)
    inputs = ps.ones((4, 2))
    layer(inputs)
    optimizer = ps.optimizers.SGD(0.1)

    def step(times=1):
        for _ in range(times):
            with ps.GradientTape() as tape:
                out = layer(inputs)
                loss = ps.mean((ps.stop_gradient(out) if cut else out) ** 2)
            gradients = tape.gradient(loss, layer.trainable_variables)
            if not cut:
                optimizer.apply_gradients(zip(gradients, layer.trainable_variables, strict=True))

    step(turns)
    return layer, optimizer, step


def bits(report):
    return {one.path.rpartition("/")[2]: one.bits for one in report.variables}


def test_a_block_is_reported_without_the_program_before_and_after():
    layer, optimizer, step = training(turns=3)
    with ps.watch(layer, optimizer) as report:
        step(2)
    step(4)
    assert (report.steps, report.status, report.findings) == (2, 0, [])
    assert bits(report) == {"kernel": "1 1 1 1 1", "bias": "1 1 1 1 1"}
    assert [one.times for one in report.variables[0].writers.values()] == [2]


def test_the_same_path_is_told_to_each_watch():
    layer, _, step = training(turns=2)
    seen = []
    for _ in range(3):
        with ps.watch() as report:
            step(2)
        seen.append((report.steps, bits(report), report.report.paths))
    assert seen[0] == seen[1] == seen[2]
    assert seen[0][1]["kernel"] == "1 1 1 1 1"
    assert layer.built


def test_variables_made_before_are_listed_even_if_unused():
    spare = ps.Variable(1.0)
    pair = [ps.Variable(1.0), ps.Variable(2.0)]
    with ps.watch(temperature=spare, weights=pair) as report:
        pass
    assert [one.path for one in report.variables] == ["temperature", "weights[0]", "weights[1]"]


def test_arguments_have_the_names_that_are_written():
    class Trainer:
        def __init__(self):
            self.scale, self.rates = ps.Variable(1.0), [ps.Variable(2.0)]

        def watched(self):
            with ps.watch(self.scale, self.rates[0], *[]) as starred:
                pass
            with ps.watch(
                self.scale,
                self.rates[0],
                [ps.Variable(3.0)],
            ) as report:
                pass
            return [[one.path for one in watch.variables] for watch in (starred, report)]

    starred, plain = Trainer().watched()
    assert plain == ["scale", "rates[0]", "argument 3[0]"]
    assert starred == ["argument 1", "argument 2"]


def test_layers_and_optimizers_of_paddle_are_watched():
    import penstock.paddle as paddle

    layer = paddle.nn.Linear(3, 1)
    optimizer = paddle.optimizer.Adam(parameters=layer.parameters())
    for _ in range(2):
        with ps.watch(layer, optimizer) as report:
            (layer(paddle.ones([4, 3])) ** 2).mean().backward()
            optimizer.step()
            optimizer.clear_grad()
    assert (report.steps, report.status) == (1, 0)
    assert [one.bits for one in report.variables] == ["1 1 1 1 1", "1 1 1 1 1"]


def test_a_finding_is_in_the_text_the_data_and_the_page():
    layer, _, step = training(cut=True)
    with ps.watch(layer) as report:
        step()
    (finding,) = [one for one in report.findings if one.code == "PS106"]
    assert report.status == 1
    assert "PS106 stopped-gradient" in str(report) and "penstock watch " in str(report)
    assert repr(report) == str(report)
    assert json.loads(report.json()) == report.data()
    assert finding.message.split("'")[0] in report.page()
    assert report._repr_html_().startswith("<iframe srcdoc=") and "PS106" in report._repr_html_()


def test_nested_watches_count_each_for_itself():
    _, _, step = training(turns=2)
    with ps.watch() as outer:
        step()
        with ps.watch() as inner:
            step(2)
        step()
    assert (outer.steps, inner.steps) == (4, 2)
    assert bits(outer) == bits(inner)


def test_an_exception_passes_through_and_leaves_nothing_behind():
    layer, _, step = training()
    with pytest.raises(ZeroDivisionError), ps.watch(layer) as report:
        step(2)
        raise ZeroDivisionError("on purpose")
    assert (report.status, report.steps, str(report.error)) == (2, 2, "on purpose")
    assert "The block failed after 2 steps." in str(report)
    assert not any(engine.observers.values())
    with ps.watch(layer) as report:
        step()
    assert (report.status, report.steps) == (0, 1)


def test_one_object_watches_one_block_after_another():
    _, _, step = training()
    report = ps.watch()
    for times in (1, 3):
        with report:
            step(times)
        assert report.steps == times
    with report, pytest.raises(PenstockError, match="already open"):
        report.__enter__()


def test_after_enough_steps_the_block_runs_on_unwatched():
    count = ps.Variable(0.0, name="count")
    with ps.watch(count, steps=2) as report:
        for _ in range(5):
            count.assign_add(1.0)
    assert (report.steps, report.report.stopped, report.status) == (2, True, 0)
    assert [one.times for one in report.variables[0].writers.values()] == [2]
    assert float(count) == 5.0


def test_operations_pending_before_the_block_do_not_count():
    count = ps.Variable(0.0, name="count")
    count.assign_add(1.0)
    with ps.watch(count) as report:
        count.assign_add(1.0)
    assert [one.times for one in report.variables[0].writers.values()] == [1]
    assert float(count) == 2.0


def test_inside_an_open_tape_the_history_stays():
    w = ps.Variable(3.0, name="w")
    with ps.GradientTape() as tape:
        square = w * w
        with ps.watch(w) as report:
            loss = square * 2.0
    assert float(tape.gradient(loss, w)) == 12.0
    assert report.status == 0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ps.watch(3), "watch was given 'argument 1', 3 (int), which has no variables."),
        (lambda: ps.watch(head="w"), "watch was given 'head', 'w' (str), which has no variables."),
        (lambda: ps.watch(framework="jax"), "watch was given framework='jax'."),
        (lambda: ps.watch(steps=0), "watch was given steps=0."),
        (lambda: ps.watch(steps=True), "watch was given steps=True."),
        (lambda: ps.watch(ps.layers.Dense(1), framework="torch"), "which is not an object of 'torch'."),
        (lambda: ps.watch().findings, "Nothing was watched."),
    ],
)
def test_bad_input_is_refused_by_name(call, said):
    with pytest.raises(PenstockError) as caught:
        call()
    assert said in caught.value.fact
    assert caught.value.remedy


def test_a_report_is_not_read_before_the_block_is_over():
    with ps.watch() as report, pytest.raises(PenstockError, match="before the block ended"):
        str(report)
    assert "watching" not in repr(report)


def test_a_comment_keeps_a_finding_of_its_line_untold():
    w = ps.Variable(2.0, name="w")
    with ps.watch(w) as report:
        with ps.GradientTape() as tape:
            rounded = ps.round(w)  # penstock: ignore[PS105]
        tape.gradient(rounded, w)
    assert report.findings == [] and report.status == 0
    (remark,) = report.report.remarks
    assert remark.startswith("Left out: PS105 by the comment at ")
    assert "Left out: PS105" in str(report) and "Left out: PS105" in report.page()


def test_code_typed_at_a_prompt_finds_the_table_in_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.penstock]\nignore = ['PS105']\n")
    scope = {"ps": ps, "w": ps.Variable(2.0, name="w")}
    cell = (
        "with ps.watch(w) as report:\n"
        "    with ps.GradientTape() as tape:\n        y = ps.round(w)\n    tape.gradient(y, w)\n"
    )
    exec(compile(cell, "<ipython-input-1-0>", "exec"), scope)
    assert scope["report"].findings == []
    assert "PS105 by pyproject.toml" in str(scope["report"])


def test_in_a_captured_step_a_watch_is_refused():
    @ps.step
    def step():
        with ps.watch():
            return ps.ones(2)

    with pytest.raises(PenstockError, match="captured step"):
        step()
