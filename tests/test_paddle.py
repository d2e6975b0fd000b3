"""The Paddle dialect beyond what recorded programs show: reasons, provenance, histories, neighbours."""

import pickle
import subprocess
import sys
import threading
import types
from pathlib import Path

import numpy as np
import pytest

import penstock as ps
from penstock import paddle
from penstock.errors import CheckpointError, PenstockError
from penstock.paddle.nn import functional as F
from penstock.running import run_script
from penstock.testing import use_engine
from penstock.trace.local import local


@pytest.fixture(autouse=True, params=["numpy", "xla"])
def tier(request):
    with use_engine(request.param):
        yield request.param
    local.trace.standing = None


def leaf(*values):
    return paddle.to_tensor(list(values), stop_gradient=False)


# -- reasons ---------------------------------------------------------------------------------------------


def test_a_gradient_by_a_frozen_tensor_names_it_and_says_why():
    y = paddle.to_tensor(1.0)
    with pytest.raises(ValueError) as caught:
        paddle.grad(leaf(2.0) * y, y)
    text = str(caught.value)
    line = y.site.line
    assert "the input is y; no gradient: frozen" in text
    assert (
        f"y.stop_gradient is True by default, since paddle.to_tensor at tests/test_paddle.py:{line}" in text
    )
    assert f"y created at tests/test_paddle.py:{line}" in text
    assert "y.stop_gradient = False" in text
    assert isinstance(caught.value, PenstockError)


def test_a_flag_that_was_set_is_distinguished_from_the_default():
    x = paddle.to_tensor(1.0, stop_gradient=False)
    x.stop_gradient = True
    with pytest.raises(ValueError, match=r"x\.stop_gradient was set to True at tests/test_paddle\.py"):
        paddle.grad(leaf(2.0) * x, x)
    z = paddle.to_tensor(1.0, stop_gradient=True)
    with pytest.raises(ValueError) as caught:
        paddle.grad(leaf(2.0) * z, z)
    assert "by default" not in str(caught.value)


def test_every_setting_of_the_flag_is_kept_with_its_line():
    x = paddle.to_tensor([1.0])
    x.stop_gradient = False
    x.stop_gradient = True
    assert [(one.value, one.by) for one in x.flags] == [
        (False, "to_tensor"),
        (True, "assignment"),
        (False, "assignment"),
    ]
    assert x.flags[2].site.line == x.flags[1].site.line + 1


def test_a_gradient_behind_detach_says_stopped():
    x = leaf(2.0)
    with pytest.raises(ValueError, match="no gradient: stopped"):
        paddle.grad(x.detach() * 3 + leaf(1.0), x)


def test_a_gradient_from_inside_no_grad_says_outside():
    x = leaf(2.0)
    with paddle.no_grad():
        y = x * 3
    with pytest.raises(ValueError, match="no gradient: outside"):
        paddle.grad(y * leaf(1.0), x)


def test_explain_names_paddles_tensors():
    x, y = leaf(2.0), paddle.to_tensor([1.0])
    loss = (x * y).sum()
    assert ps.explain(loss, x).reason == "flows"
    assert ps.explain(loss, y).reason == "frozen"
    assert ps.explain((x.detach() * 2).sum(), x).reason == "stopped"


def test_a_second_backward_names_both_lines():
    x = leaf(3.0)
    y = x * x
    y.backward()
    with pytest.raises(SystemError, match=r"the first backward was at tests/test_paddle\.py:\d+"):
        y.backward()
    assert x.grad.tolist() == [6.0]


def test_none_as_an_operand_is_explained():
    with pytest.raises(TypeError, match="a gradient that does not exist"):
        paddle.to_tensor([1.0]) + None


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("paddle", "fluid"),
        ("paddle.nn", "Linaer"),
        ("paddle.optimizer", "Adamm"),
        ("paddle.nn.functional", "reluu"),
    ],
)
def test_a_missing_name_says_that_it_is_missing_here(module, name):
    found = paddle
    for part in module.split(".")[1:]:
        found = getattr(found, part)
    with pytest.raises(AttributeError, match=rf"penstock\.{module} does not have this name \(yet\)"):
        getattr(found, name)


def test_every_public_name_is_there():
    for module in (paddle, paddle.nn, paddle.nn.functional, paddle.optimizer, paddle.io, paddle.distribution):
        assert isinstance(module, types.ModuleType)
        for name in module.__all__:
            assert getattr(module, name) is not None or name == "newaxis", name


# -- histories -------------------------------------------------------------------------------------------


def test_a_history_over_two_steps_is_differentiated_through_both():
    x, w = leaf(2.0), leaf(1.0)
    kept = x * x * 3
    optimizer = paddle.optimizer.SGD(0.0, parameters=[w])
    for _ in range(4):
        # These end steps, so that `kept` belongs to one that is over.
        (w * w).backward()
        optimizer.step()
        optimizer.clear_grad()
    total = kept * w
    total.backward()
    assert x.grad.tolist() == [12.0]
    assert w.grad.tolist() == [12.0]
    with pytest.raises(SystemError):
        kept.backward()


def test_grad_of_a_step_that_is_over():
    x, w = leaf(2.0), leaf(1.0)
    kept = x * x * 3
    optimizer = paddle.optimizer.SGD(0.0, parameters=[w])
    for _ in range(4):
        (w * w).backward()
        optimizer.step()
        optimizer.clear_grad()
    assert paddle.grad(kept, x)[0].tolist() == [12.0]


def test_a_leaf_written_before_backward_keeps_the_old_slope():
    x = leaf(2.0)
    y = x * x
    x.set_value(np.array([50.0], np.float32))
    y.backward()
    assert x.grad.tolist() == [4.0]


def test_a_failed_step_leaves_everything_as_it_was():
    x = leaf(1.0)
    table = paddle.to_tensor([1.0, 2.0])
    x.set_value(x + 1)
    picked = paddle.gather(table, paddle.to_tensor([5]))
    with pytest.raises(IndexError):
        picked.numpy()
    assert x.tolist() == [1.0]


def test_histories_are_dropped():
    x = leaf(1.0)
    for i in range(700):
        y = x * 2.0
        if i % 100 == 0:
            assert float(y) == 2.0
    assert len(local.trace.handles) < 600
    y.backward()
    assert x.grad.tolist() == [2.0]


def test_hooks_on_two_results_in_a_row():
    x = leaf(1.0)
    a = x * 2
    a.register_hook(lambda g: g + 1)
    b = a * 3
    b.register_hook(lambda g: g * 10)
    (b + a).sum().backward()
    # b gets 1, made 10; a gets 10 * 3 + 1, made 32; x gets 64.
    assert x.grad.tolist() == [64.0]


def test_a_thread_reads_a_value_that_another_thread_has_written_with_its_history():
    """No assignment is on the path: the tensor has taken the place of a result."""
    weight = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    total = paddle.to_tensor([0.0, 0.0])
    total[0] = weight[1] * 3.0
    seen = []
    thread = threading.Thread(target=lambda: seen.append(total.numpy()))
    thread.start()
    thread.join()
    total.sum().backward()
    assert [one.tolist() for one in (*seen, total.numpy(), weight.grad)] == [
        [6.0, 0.0],
        [6.0, 0.0],
        [0.0, 3.0],
    ]


def test_threads_have_separate_gradients():
    results = {}

    def work(number):
        x = leaf(float(number))
        for _ in range(20):
            (x * x).backward()
            slope = x.grad.item()
            x.clear_grad(False)
        results[number] = slope

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert results == {1: 2.0, 2: 4.0, 3: 6.0}


# -- against finite differences --------------------------------------------------------------------------

SMOOTH = [
    lambda x: F.softmax(x) * paddle.arange(3, dtype="float64"),
    lambda x: F.log_softmax(x, axis=0) * 2.0,
    lambda x: F.layer_norm(x, [3]) * paddle.arange(3, dtype="float64"),
    lambda x: paddle.cumsum(x * x, axis=1),
    lambda x: paddle.std(x, axis=0),
    lambda x: paddle.norm(x, p=3, axis=1),
    lambda x: paddle.logsumexp(x, axis=1),
    lambda x: F.gelu(x) + F.mish(x) + F.selu(x) + F.softplus(x, beta=2.0),
    lambda x: paddle.topk(x, 2, axis=1)[0] * paddle.to_tensor([1.0, 3.0], dtype="float64"),
    lambda x: paddle.take_along_axis(x, paddle.to_tensor([[0], [2]]), 1) ** 2,
    lambda x: paddle.tile(x, [2, 1]).reshape([3, 4]) ** 3,
    lambda x: F.cross_entropy(x, paddle.to_tensor([2, 0]), label_smoothing=0.2),
    lambda x: F.cross_entropy(x, paddle.to_tensor([2, -100])),
    lambda x: F.binary_cross_entropy_with_logits(x, paddle.ones([2, 3], "float64") * 0.3),
    lambda x: F.smooth_l1_loss(x * 3, paddle.zeros([2, 3], "float64"), delta=0.7),
    lambda x: F.kl_div(F.log_softmax(x), paddle.full([2, 3], 1 / 3, "float64"), "batchmean"),
    lambda x: F.cosine_similarity(x, x * x + 1.0),
    lambda x: F.normalize(x) ** 3,
    lambda x: paddle.distribution.Normal(x, paddle.exp(x)).log_prob(paddle.full([2, 3], 0.4, "float64")),
    lambda x: paddle.distribution.Categorical(x).entropy(),
    lambda x: paddle.roll(x, 1, axis=1) * x + paddle.flip(x, [0]) * paddle.tril(x),
]


@pytest.mark.parametrize("number", range(len(SMOOTH)))
def test_slopes_agree_with_finite_differences(number):
    function = SMOOTH[number]
    at = np.array([[0.3, -0.7, 1.1], [-1.3, 0.5, 0.9]])
    x = paddle.to_tensor(at, stop_gradient=False)
    function(x).sum().backward()
    found = x.grad.numpy()
    for place in np.ndindex(at.shape):
        step = np.zeros_like(at)
        step[place] = 1e-6
        up, down = (float(function(paddle.to_tensor(at + s)).sum()) for s in (step, -step))
        assert found[place] == pytest.approx((up - down) / 2e-6, rel=1e-5, abs=1e-7)


# -- scripts ---------------------------------------------------------------------------------------------


def script(tmp_path, text):
    path = tmp_path / "program.py"
    path.write_text(text)
    return str(path)


IMPORTS = """
import paddle
import paddle.nn as nn
import paddle.nn.functional as F
import paddle.optimizer.lr
from paddle import nn as again, ParamAttr
from paddle.io import DataLoader, Dataset
from paddle.nn import Linear
from paddle.nn.initializer import Constant
from paddle.optimizer import Adam
from paddle.distribution import Normal
assert nn is again and Linear is nn.Linear and F is nn.functional
print(Linear(1, 1, weight_attr=Constant(2.0))(paddle.ones([1, 1])).item())
"""


def test_imports_of_every_form_resolve(tmp_path, capsys):
    assert run_script(script(tmp_path, IMPORTS), "paddle", []) is None
    assert capsys.readouterr().out == "2.0\n"
    assert "paddle" not in sys.modules


def test_a_module_that_is_not_there_says_so(tmp_path):
    error = run_script(script(tmp_path, "import paddle.onnx\n"), "paddle", [])
    assert isinstance(error, ModuleNotFoundError) and "does not have it (yet)" in str(error)


CHECKED = """
import paddle
x = paddle.to_tensor([0.0], stop_gradient=False)
y = paddle.to_tensor([1.0])
optimizer = paddle.optimizer.SGD(0.1, parameters=[x, y])
for _ in range(5):
    loss = (x - 2) ** 2 + (y - 3) ** 2
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
"""


def test_check_sees_writers_and_frozen_tensors(check):
    report = check(CHECKED, "paddle")
    assert report.steps == 5
    by_line = {one.created.line: one for one in report.variables}
    x, y = by_line[3], by_line[4]
    assert [(writer.by, writer.times) for writer in x.writers.values()] == [("SGD", 5)]
    assert x.gradient == "flows"
    assert y.gradient == "frozen"
    assert not y.writers


# -- state -----------------------------------------------------------------------------------------------


def test_a_file_that_would_run_code_is_refused(tmp_path):
    path = tmp_path / "state.pdparams"
    path.write_bytes(pickle.dumps({"weight": Path("x")}))
    with pytest.raises(PenstockError, match="neither a number nor an array"):
        paddle.load(str(path))


def test_halves_are_saved_and_loaded(tmp_path):
    layer = paddle.nn.Linear(2, 2)
    layer.bfloat16()
    paddle.save(layer.state_dict(), str(tmp_path / "new" / "layer"))
    found = paddle.load(str(tmp_path / "new" / "layer"))
    assert {name: one.dtype for name, one in found.items()} == dict.fromkeys(found, paddle.bfloat16)
    assert found["weight"].numpy().tobytes() == layer.weight.numpy().tobytes()


def test_files_that_are_damaged_and_places_where_none_can_be(tmp_path):
    path = tmp_path / "state"
    paddle.save({"weight": paddle.ones([3])}, str(path))
    content = path.read_bytes()
    for damaged in (content[:-5], b"", b"text", content[:40] + b"xxxx" + content[40:], content[10:]):
        path.write_bytes(damaged)
        with pytest.raises(PenstockError, match="state"):
            paddle.load(str(path))
    for place in (tmp_path, tmp_path / "none", path / "below"):
        with pytest.raises(CheckpointError, match="could not be read"):
            paddle.load(str(place))
    for place in (tmp_path, path / "below"):
        with pytest.raises(CheckpointError, match="save: "):
            paddle.save({}, str(place))
    assert [one.name for one in tmp_path.iterdir()] == ["state"]


@pytest.mark.parametrize("make", [paddle.optimizer.Adam, paddle.optimizer.Momentum])
def test_an_optimizer_goes_on_where_it_was_saved(make, tmp_path):
    def steps(layer, optimizer, count):
        for i in range(count):
            loss = F.mse_loss(layer(paddle.to_tensor([[1.0, 2.0]])), paddle.to_tensor([[float(i)]]))
            loss.backward()
            optimizer.step()
            optimizer.clear_grad(False)

    first = paddle.nn.Linear(2, 1)
    optimizer = make(0.1, parameters=first.parameters())
    steps(first, optimizer, 3)
    paddle.save(first.state_dict(), str(tmp_path / "layer"))
    paddle.save(optimizer.state_dict(), str(tmp_path / "optimizer"))
    second = paddle.nn.Linear(2, 1)
    second.set_state_dict(paddle.load(str(tmp_path / "layer")))
    for own, other in zip(second.parameters(), first.parameters()):
        own.name = other.name
    again = make(0.1, parameters=second.parameters())
    again.set_state_dict(paddle.load(str(tmp_path / "optimizer")))
    steps(first, optimizer, 3)
    steps(second, again, 3)
    np.testing.assert_allclose(first.weight.numpy(), second.weight.numpy(), rtol=1e-6)


@pytest.mark.parametrize(
    ("module", "name", "words"),
    [
        (paddle, "audios", "audio"),
        (paddle.nn.utils, "clip_grad_norm", "clip_grad_norm_"),
    ],
)
def test_a_missing_name_suggests_existing_ones(module, name, words):
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'") as caught:
        getattr(module, name)
    assert words in str(caught.value)


def test_a_state_of_other_shapes_is_passed_over():
    # What Paddle 3.3.1 warns of and returns.
    layer = paddle.nn.Linear(2, 3)
    weight = np.full((2, 3), 5.0, np.float32)
    with pytest.warns(UserWarning, match=r"for bias. bias receives a shape \[4\], but the expected .* \[3\]"):
        lists = layer.set_state_dict({"weight": weight, "bias": np.ones(4, np.float32), "x": np.ones(1)})
    assert lists == (["bias"], ["bias", "x"])
    np.testing.assert_array_equal(layer.weight.numpy(), weight)


def test_importing_the_dialect_does_not_import_jax():
    code = "import sys; from penstock import paddle; sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_native_code_after_paddle_is_left_alone():
    (leaf(1.0) * 2).backward()
    ps.wait()
    for _ in range(3):
        float(ps.asarray(1.0) + 1.0)
    assert local.trace.standing is None


def test_a_state_saved_after_very_many_steps_is_loaded():
    # In single precision 0.9 to the power of 2000 is zero, and 0.99 to it is not.
    x = paddle.create_parameter([1], "float32")
    optimizer = paddle.optimizer.Adam(0.1, beta2=0.99, parameters=[x])
    (x * x).sum().backward()
    optimizer.step()
    state = optimizer.state_dict()
    state[f"{x.name}_beta1_pow_acc_0"] = paddle.to_tensor([0.0])
    state[f"{x.name}_beta2_pow_acc_0"] = paddle.to_tensor([0.99**2001])
    optimizer.set_state_dict(state)
    power = optimizer.state_dict()[f"{x.name}_beta2_pow_acc_0"]
    assert power.item() == pytest.approx(0.99**2001, rel=1e-6)


def forged(look):
    """Trains two adversaries; returns the forger's weights."""
    paddle.seed(0)
    forger, judge = paddle.nn.Linear(2, 3), paddle.nn.Linear(3, 1)
    forging = paddle.optimizer.Adam(0.01, parameters=forger.parameters())
    judging = paddle.optimizer.Adam(0.01, parameters=judge.parameters())
    for turn in range(5):
        real = paddle.full([4, 3], float(turn))
        fake = forger(paddle.ones([4, 2]))
        loss = (judge(real) ** 2).mean() - (judge(fake.detach()) ** 2).mean()
        judging.clear_grad()
        loss.backward()
        judging.step()
        fooling = (judge(fake) - 1.0).abs().mean()
        look(fooling)
        forging.clear_grad()
        fooling.backward()
        forging.step()
    return [one.numpy() for one in forger.parameters()]


def test_a_gradient_goes_through_two_steps_that_are_over():
    """The forger's gradient passes a path that ended before the backward pass, and one that ended earlier."""
    for found, want in zip(forged(lambda value: None), forged(float), strict=True):
        np.testing.assert_allclose(found, want, rtol=1e-5)


WRITES = {
    "set_value": lambda w, v: w.set_value(v),
    "copy_": lambda w, v: w.copy_(v),
    "data": lambda w, v: setattr(w, "data", v),
}


@pytest.mark.parametrize("told", [False, True])
def test_a_leaf_whose_value_was_saved_and_written_in_place_has_no_gradient(told):
    w = paddle.to_tensor([1.0, -2.0]) * 1 if told else paddle.to_tensor([1.0, -2.0])
    w.stop_gradient = False
    loss = (w**3).sum()
    with paddle.no_grad():
        w.subtract_(paddle.to_tensor([10.0, 20.0]))
    with pytest.raises(
        RuntimeError, match=r"integer_power at .*test_paddle.py.* modified by an inplace"
    ) as caught:
        loss.backward()
    assert "y = x.clone()" in str(caught.value)


@pytest.mark.parametrize("how", WRITES)
@pytest.mark.parametrize("step_over", [False, True])
def test_a_result_told_to_be_a_leaf_has_the_gradient_of_the_value_before_a_write(how, step_over):
    """As leaves that were made from data have it, whichever way they are written, and however often."""
    start, later = np.float32([1.0, -2.0]), np.float32([10.0, 20.0])

    def gradients(told):
        w = paddle.to_tensor(start) * 1 if told else paddle.to_tensor(start)
        w.stop_gradient = False
        found = []
        first = (w**3).sum()
        WRITES[how](w, paddle.to_tensor(later))
        second = (w * w).sum()
        WRITES[how](w, paddle.to_tensor(later + 1))
        third = paddle.exp(w / 10).sum()
        if step_over:
            other = paddle.to_tensor([1.0], stop_gradient=False)
            turn = paddle.optimizer.SGD(0.1, parameters=[other])
            float(other)
            turn.clear_grad()
        if not step_over:
            found.append(paddle.grad(first, [w])[0].numpy())
        (first + third).backward()
        found.append(w.grad.numpy())
        second.backward()
        found += [w.grad.numpy(), w.numpy()]
        w.clear_grad()
        (w * w).sum().backward()
        return [*found, w.grad.numpy()]

    for found, wanted in zip(gradients(told=True), gradients(told=False), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_a_leaf_that_is_written_every_turn_keeps_none_of_its_values():
    w = paddle.normal(shape=[3])
    w.stop_gradient = False
    for _ in range(8):
        loss = (w * w).sum()
        kept = loss * 2
        loss.backward()
        w.set_value(w - 0.1 * w.grad)
        w.clear_grad()
    del kept
    assert len(w._noted("earlier", ())) <= 1


def test_a_gradient_that_a_pylayer_computed_prints_as_data():
    class Doubled(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2

    class Same(Doubled):
        @staticmethod
        def backward(ctx, gradient):
            return gradient

    def stopped(*functions):
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        for one in functions:
            one(x).sum().backward()
        assert f"stop_gradient={x.grad.stop_gradient}," in repr(x.grad)
        return x.grad.stop_gradient

    def plain(x):
        return x * 3

    # As Paddle prints them: the first gradient of a leaf is the tensor that the later ones are added to.
    assert stopped(Doubled.apply) and stopped(Doubled.apply, plain) and stopped(Doubled.apply, Doubled.apply)
    assert not (stopped(plain) or stopped(plain, Doubled.apply) or stopped(Same.apply))
    assert not stopped(lambda x: Doubled.apply(x * 3))
    seen = []
    x = paddle.to_tensor([1.0], stop_gradient=False)
    x.register_hook(lambda gradient: seen.append(gradient.stop_gradient))
    Doubled.apply(x).backward()
    x.clear_gradient()
    assert seen == [True] and x.grad.stop_gradient
    x.clear_gradient(set_to_zero=False)
    plain(x).backward()
    assert not x.grad.stop_gradient


def test_a_rate_that_is_set_by_its_attribute_is_warned_of():
    w = paddle.create_parameter([2], "float32")
    optimizer = paddle.optimizer.SGD(0.5, parameters=[w])
    optimizer.step()
    optimizer._learning_rate = 0.25
    with pytest.warns(
        UserWarning, match=r"set to 0\.25 .* go on with 0\.5.*optimizer\.set_lr\(0\.25\)"
    ) as told:
        optimizer.step()
    assert told[0].filename == __file__
