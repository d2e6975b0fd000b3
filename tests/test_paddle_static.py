"""Static programs of the Paddle dialect: their recording, their runs, and the sites in reports."""

import inspect
import json
import sys
import textwrap

import numpy as np
import pytest

from penstock import paddle
from penstock.cli import main
from penstock.paddle.static import _building
from penstock.testing import use_engine
from test_paddle_derivatives import CASES

static = paddle.static


@pytest.fixture
def written():
    """A new program to write into, in static mode."""
    paddle.enable_static()
    try:
        with static.scope_guard(static.Scope()):
            program, startup = static.Program(), static.Program()
            with static.program_guard(program, startup):
                yield program, startup
    finally:
        paddle.disable_static()


def run(program, feed, *wanted):
    return static.Executor().run(program, feed, list(wanted))


def test_every_function_is_as_before_when_the_mode_is_over():
    before = {name: getattr(paddle, name) for name in paddle.__all__ if callable(getattr(paddle, name))}
    codes = {name: one.__code__ for name, one in before.items() if hasattr(one, "__code__")}
    wrapped = {name: getattr(one, "__wrapped__", None) for name, one in before.items()}
    signature = inspect.signature(paddle.matmul)
    call = paddle.nn.Layer.__call__
    paddle.enable_static()
    try:
        assert paddle.matmul.__code__ is not codes["matmul"]
        assert inspect.signature(paddle.matmul) == signature
        assert not paddle.in_dynamic_mode()
    finally:
        paddle.disable_static()
    assert all(getattr(paddle, name) is one for name, one in before.items())
    assert all(before[name].__code__ is one for name, one in codes.items())
    assert all(getattr(one, "__wrapped__", None) is wrapped[name] for name, one in before.items())
    assert paddle.nn.Layer.__call__ is call
    assert paddle.in_dynamic_mode()


def test_every_module_of_functions_is_written_down():
    """A program can hold every function that computes with tensors, from any module."""
    known = {f"penstock.paddle.{one}" for one in _building._LIFTED}
    kinds = (paddle, paddle.nn.functional, paddle.linalg)
    apart = {"penstock.paddle", "penstock.paddle._grad_mode", "penstock.paddle._dtype"}
    for module in kinds:
        for name in module.__all__:
            one = getattr(module, name)
            if type(one).__name__ != "function" or name in _building._PLAIN:
                continue
            home = one.__module__
            computes = "x" in one.__code__.co_varnames[: one.__code__.co_argcount]
            assert home in known or home in apart or not computes, f"{name} of {home}"


@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_a_run_is_the_dynamic_program(written, engine):
    """The same network trained both ways ends at the same values, bit for bit."""
    program, startup = written
    rng = np.random.default_rng(0)
    batches = [rng.normal(size=(4, 3)).astype("float32") for _ in range(4)]
    start = paddle.nn.initializer.Constant(0.25)
    with use_engine(engine):
        x = static.data("x", [None, 3])
        loss = static.nn.fc(x, 2, activation="tanh", weight_attr=start).square().mean()
        paddle.optimizer.Adam(0.1).minimize(loss)
        run(startup, {})
        losses = [run(program, {"x": one}, loss)[0] for one in batches]
        paddle.disable_static()
        layer = paddle.nn.Linear(3, 2, weight_attr=start)
        adam = paddle.optimizer.Adam(0.1, parameters=layer.parameters())
        for batch, wanted in zip(batches, losses, strict=True):
            found = paddle.tanh(layer(paddle.to_tensor(batch))).square().mean()
            found.backward()
            adam.step()
            adam.clear_grad()
            np.testing.assert_allclose(found.numpy(), wanted, rtol=2e-6)


def test_a_program_for_tests_leaves_dropout_and_training_out(written):
    program, startup = written
    x = static.data("x", [None, 64])
    dropped = paddle.nn.functional.dropout(x, 0.5)
    layered = paddle.nn.Dropout(0.5)(x)
    weight = static.create_parameter([64, 1], "float32")
    loss = paddle.matmul(dropped, weight).mean()
    paddle.optimizer.SGD(0.1).minimize(loss)
    test = program.clone(for_test=True)
    run(startup, {})
    ones = {"x": np.ones((2, 64), "float32")}
    assert not all(np.all(one == 1.0) for one in run(program, ones, dropped, layered))
    before = static.global_scope().find_var(weight.name).get_tensor()
    value = np.array(before)
    first, second = run(test, ones, dropped, layered)
    assert np.all(first == 1.0) and np.all(second == 1.0)
    np.testing.assert_array_equal(np.array(before), value)


def test_parameters_of_one_name_are_one(written):
    program, _startup = written
    x = static.data("x", [None, 2])
    static.nn.fc(x, 3, weight_attr=paddle.ParamAttr(name="shared"))
    other = static.Program()
    with static.program_guard(other):
        y = static.data("y", [None, 2])
        static.nn.fc(y, 3, weight_attr=paddle.ParamAttr(name="shared"))
        with pytest.raises(TypeError, match=r"shared has shape \[2, 3\] already"):
            static.nn.fc(y, 4, weight_attr=paddle.ParamAttr(name="shared"))
    assert program.leaves["shared"] is other.leaves["shared"]


def test_a_return_to_static_mode_replaces_earlier_objects(written, monkeypatch):
    code = paddle.concat.__code__
    monkeypatch.setattr(_building, "_pair", None)
    for _ in range(2):
        paddle.disable_static()
        assert paddle.concat.__code__ is not code
        paddle.enable_static()
        assert paddle.concat.__code__ is code


def test_a_variable_without_a_value_says_what_to_type(written):
    x = static.data("x", [None, 2])
    with pytest.raises(TypeError, match=r"paddle\.static\.nn\.cond"):
        bool(x.sum() > 0)
    for look in (float, int, np.asarray, lambda one: one.numpy(), lambda one: one.item()):
        with pytest.raises(TypeError, match="fetch_list"):
            look(x)
    with pytest.raises(TypeError, match="disable_static"):
        paddle.optimizer.SGD(0.1, parameters=[]).minimize(3.0)


def test_a_value_from_outside_the_program_is_refused(written):
    program, _ = written
    x = static.data("x", [None, 2])
    with static.program_guard(static.Program()):
        other = static.data("z", [2]) * 2.0
    feed = {"x": np.ones((1, 2), "float32")}
    with pytest.raises(ValueError, match="not of the program"):
        run(program, feed, other)
    with pytest.raises(ValueError, match="'nothing'"):
        run(program, feed, "nothing")
    with pytest.raises(TypeError, match="Feed an array"):
        run(program, {"x": x}, x)


def test_parts_are_assigned_and_functions_in_place_give_another_tensor(written):
    program, _ = written
    x = static.data("x", [3])
    y = x * 2.0
    before = y + 0.0
    with pytest.warns(UserWarning, match=r"add_\(\) is the same as add\(\)"):
        more = y.add_(paddle.ones([3]))
    y[0] = 7.0
    z = y * 1.0
    found = run(program, {"x": np.array([1.0, 2.0, 3.0], "float32")}, before, more, z)
    np.testing.assert_array_equal(found, [[2.0, 4.0, 6.0], [3.0, 5.0, 7.0], [7.0, 4.0, 6.0]])
    with pytest.raises(AttributeError, match="fill_"):
        y.fill_(1.0)


def test_any_function_of_the_dialect_takes_tensors_of_a_program(written):
    """Each case of the derivatives' test, functions that look at values among them, written down and run."""
    program, _ = written
    feed, wanted, asked = {}, [], []
    for number, (function, *arrays) in enumerate(CASES.values()):
        paddle.disable_static()
        wanted.append(function(*map(paddle.to_tensor, arrays)).numpy())
        paddle.enable_static()
        names = [f"x{number}.{place}" for place in range(len(arrays))]
        feed |= dict(zip(names, arrays, strict=True))
        given = [static.data(name, one.shape, "float64") for name, one in zip(names, arrays, strict=True)]
        asked.append(function(*given))
        assert all(n in (-1, m) for n, m in zip(asked[-1].shape, wanted[-1].shape, strict=True))
    with use_engine("numpy"):
        for name, one, found in zip(CASES, wanted, run(program, feed, *asked), strict=True):
            np.testing.assert_allclose(found, one, rtol=1e-9, atol=1e-12, err_msg=name)


def test_an_object_of_a_program_is_made_in_each_run(written):
    program, _ = written
    kinds = paddle.distribution

    class Doubled(kinds.Transform):
        def __init__(self, scale):
            self.scale = scale

        def _forward(self, x):
            return x * self.scale

    x = static.data("x", [2])
    chain = kinds.ExpTransform()(kinds.AffineTransform(x, paddle.full([1], 2.0)))
    assert isinstance(chain, kinds.ChainTransform)
    uniform = kinds.Uniform(x, x + 1.0)
    drawn, doubled = uniform.sample([200]), Doubled(paddle.exp(x)).forward(x)
    with pytest.raises(TypeError, match="unexpected keyword argument 'width'"):
        kinds.Normal(x, width=1.0)
    with pytest.raises(AttributeError, match="middle"):
        _ = uniform.middle
    joined = chain.forward(x)
    draws = []
    for values in ([0.0, 1.0], [5.0, -1.0], [5.0, -1.0]):
        array = np.array(values, "float32")
        found, double, both = run(program, {"x": array}, drawn, doubled, joined)
        assert np.all((found >= array) & (found <= array + 1.0))
        np.testing.assert_allclose(double, np.exp(array) * array, rtol=1e-6)
        np.testing.assert_allclose(both, array + 2.0 * np.exp(array), rtol=1e-6)
        draws.append(found)
    assert not np.any(draws[1] == draws[2])
    paddle.disable_static()
    with pytest.raises(TypeError, match="needs a value"):
        uniform.sample([2])


def test_tensors_that_have_values_are_computed_with_at_once(written):
    """Results of a run, and values of the dynamic mode, are not part of the program."""
    program, _ = written
    x = static.data("x", [2])
    (found,) = static.Executor().run(
        program, {"x": np.array([3.0, 4.0], "float32")}, [x * 1.0], return_numpy=False
    )
    before = len(program.operations)
    assert float(found.norm().numpy()) == 5.0
    assert paddle.max(found).numpy() == 4.0
    assert len(program.operations) == before


PROGRAM = """
import numpy as np
import paddle
paddle.enable_static()
x = paddle.static.data("x", [None, 2], "float32")
kept = paddle.static.create_parameter([2, 1], "float32", name="kept")
cut = paddle.static.create_parameter([2, 1], "float32", name="cut")
there = paddle.matmul(x, kept)
lost = paddle.matmul(x, cut).detach()
loss = (there + lost).mean()
paddle.optimizer.SGD(0.1, parameters=[kept, cut]).minimize(loss)
run = paddle.static.Executor()
run.run(paddle.static.default_startup_program())
for _ in range(4):
    run.run(feed={"x": np.ones((3, 2), "float32")}, fetch_list=[loss])
"""


def test_a_report_names_the_lines_of_the_program(tmp_path, capsys, monkeypatch):
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    held = {name: one for name, one in sys.modules.items() if name.split(".")[0] == "paddle"}
    try:
        with static.scope_guard(static.Scope()), static.program_guard(static.Program(), static.Program()):
            main(["check", "train.py", "--as", "paddle", "--steps", "3", "--format", "json"])
    finally:
        paddle.disable_static()
        sys.modules.update(held)
    report = json.loads(capsys.readouterr().out)
    rows = {one["path"]: one for one in report["variables"]}
    assert rows["kept"]["bits"] == "1 1 1 1 1"
    assert rows["kept"]["writes"][0]["line"] == 11
    assert rows["cut"]["gradient"] == "stopped"
    assert rows["cut"]["cut"]["line"] == 9
    found = [one for one in report["findings"] if "cut" in one["variables"]]
    assert found
    assert all(9 in (one["cause_line"], one["line"]) for one in found)
