"""paddle.amp: scaled losses compared with Paddle's, and operations that choose their dtype."""

import json
from pathlib import Path

import numpy as np
import pytest

import penstock as ps
from penstock import paddle

pytestmark = pytest.mark.usefixtures("asked_of_a_gpu")


RECORD = json.loads((Path(__file__).parent / "oracles" / "paddle_scaler.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(RECORD["cases"]))
def test_twenty_steps_are_those_of_paddle(name, tier):
    case = RECORD["cases"][name]
    slopes = {int(step): float(slope) for step, slope in RECORD["slopes"].items()}
    x = paddle.to_tensor([1.0, -2.0], stop_gradient=False)
    y = paddle.to_tensor(0.5, stop_gradient=False)
    optimizer = getattr(paddle.optimizer, case["class"])(
        learning_rate=0.05, parameters=[x, y], **case["options"]
    )
    scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0, **case["scaling"])
    for step, wanted in enumerate(case["steps"]):
        before = [one.numpy().tobytes() for one in (x, y)]
        loss = (x * x).sum() * y * y * slopes.get(step, 1.0)
        scaler.scale(loss).backward()
        if step % 2:
            scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
        state = scaler.state_dict()
        assert [float(state["scale"][0]), state["incr_count"], state["decr_count"]] == wanted[:3], step
        # Paddle keeps the powers of Adam's betas in float32: 1 - 0.999 ** step is right to 2e-5 at first, and
        # its root to 1e-5, so that twenty moves of 0.05 are right to 1e-5.
        close = {"rtol": 0.0, "atol": 1e-5} if name == "adam" else {"rtol": 2e-6}
        assert np.allclose([*x.tolist(), float(y)], wanted[3:], **close), step
        if step in slopes:
            assert [one.numpy().tobytes() for one in (x, y)] == before


def test_minimize_steps_and_updates(tier):
    x = paddle.to_tensor(1.0, stop_gradient=False)
    optimizer = paddle.optimizer.SGD(0.1, parameters=[x])
    scaler = paddle.amp.GradScaler(init_loss_scaling=8.0, incr_every_n_steps=1)
    scaled = scaler.scale(x * x)
    scaled.backward()
    scaler.minimize(optimizer, scaled)
    assert float(x) == pytest.approx(0.8) and float(scaler.state_dict()["scale"][0]) == 16.0


def test_a_gradient_of_one_group_holds_back_the_others(tier):
    x, y = (paddle.to_tensor(1.0, stop_gradient=False) for _ in range(2))
    groups = [{"params": [x]}, {"params": [y], "learning_rate": 0.5}]
    optimizer = paddle.optimizer.SGD(0.1, parameters=groups)
    scaler = paddle.amp.GradScaler(init_loss_scaling=8.0)
    for slope in (float("inf"), 1.0):
        scaler.scale(x * slope + y).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
        if slope != 1.0:
            assert (float(x), float(y)) == (1.0, 1.0)
    assert (float(x), float(y)) == pytest.approx((0.9, 0.95))


def test_calls_out_of_order_are_refused():
    x = paddle.to_tensor(1.0, stop_gradient=False)
    optimizer = paddle.optimizer.SGD(0.1, parameters=[x])
    scaler = paddle.amp.GradScaler()
    scaler.scale(x).backward()
    scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="unscale_\\(\\) has already been called"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="step\\(\\) has already been called"):
        scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="after step"):
        scaler.unscale_(optimizer)
    scaler.update()
    with pytest.raises(AssertionError, match="incr_ratio must be > 1"):
        paddle.amp.GradScaler(incr_ratio=1.0)
    with pytest.raises(ValueError, match="init_loss_scaling is 0"):
        paddle.amp.GradScaler(init_loss_scaling=0.0)


def test_a_scaler_that_is_not_enabled_does_nothing():
    x = paddle.to_tensor(1.0, stop_gradient=False)
    optimizer = paddle.optimizer.SGD(0.1, parameters=[x])
    scaler = paddle.amp.GradScaler(enable=False)
    assert scaler.scale(x) is x and scaler.state_dict() == {}
    (x * x).backward()
    scaler.step(optimizer)
    scaler.update()
    assert float(x) == pytest.approx(0.8)


def test_state_is_taken_over():
    one = paddle.amp.GradScaler(init_loss_scaling=64.0, incr_every_n_steps=5)
    one._good.set_value(np.asarray(3))
    other = paddle.amp.GradScaler()
    other.load_state_dict(one.state_dict())
    assert other.state_dict() == one.state_dict()


def test_the_ledger_tells_the_step_that_was_left_out():
    x = paddle.to_tensor(1.0, stop_gradient=False)
    optimizer = paddle.optimizer.SGD(0.1, parameters=[x])
    scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0)
    with ps.ledger() as ledger:
        for number in range(4):
            wide = x * (1e30 if number == 2 else 1.0)
            scaler.scale(wide * wide).backward()
            scaler.step(optimizer)
            scaler.update()
            optimizer.clear_grad()
    (skip,) = ledger.skipped
    assert skip.by == "SGD" and "wide * wide" in skip.cause and skip.origin.file == __file__


# -- auto_cast -----------------------------------------------------------------------------------------------


def kinds(*tensors):
    return [one.dtype.name.lower() for one in tensors]


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_operations_choose_by_their_names(half, tier):
    x = paddle.to_tensor(np.eye(3, dtype="float32"))
    with paddle.amp.auto_cast(dtype=half):
        y = paddle.matmul(x, x)
        found = kinds(y, y + y, y + x, paddle.exp(y), paddle.sum(y), paddle.nn.functional.softmax(y))
        assert y.numpy().tolist() == np.eye(3).tolist()
    assert found == [half, half, "float32", "float32", "float32", "float32"]
    assert kinds(paddle.matmul(x, x)) == ["float32"]


def test_the_same_line_is_another_path_inside(tier):
    x = paddle.to_tensor(np.eye(3, dtype="float32"))
    found = []
    for number in range(24):
        with paddle.amp.auto_cast(enable=number % 3 == 0):
            y = paddle.matmul(x, x)
            float(y[0, 0])
            found.append(kinds(y, paddle.matmul(x, x)))
    assert found == [["float16"] * 2 if number % 3 == 0 else ["float32"] * 2 for number in range(24)]


def test_lists_of_ones_own_and_levels():
    x = paddle.ones([2, 2])
    with paddle.amp.auto_cast(custom_white_list={"elementwise_add"}, custom_black_list={"matmul"}):
        assert kinds(x + x, paddle.matmul(x, x)) == ["float16", "float32"]
        with paddle.amp.auto_cast(enable=False):
            assert kinds(x + x) == ["float32"]
        assert kinds(x + x) == ["float16"]
    with paddle.amp.auto_cast(level="OD"):
        y = paddle.matmul(x, x)
        assert kinds(y, y + y) == ["float16", "float32"]
    for options in ({"level": "O3"}, {"dtype": "float32"}):
        with pytest.raises(ValueError, match="should be"):
            paddle.amp.auto_cast(**options)
    assert kinds(x + x) == ["float32"]


def test_a_block_is_asked_for_its_dtype():
    def asked():
        return paddle.is_autocast_enabled(), paddle.amp.get_autocast_dtype("gpu")

    with paddle.amp.auto_cast(dtype="bfloat16"):
        assert asked() == (True, "bfloat16")
        with paddle.amp.auto_cast(enable=False, dtype="bfloat16"):
            assert asked() == (False, "float16")
        with paddle.amp.auto_cast(level="O2"):
            assert asked() == (True, "float16")
        assert asked() == (True, "bfloat16")
    assert asked() == (False, "float16")


def test_a_block_that_fails_is_left():
    x = paddle.ones([2, 2])
    with pytest.raises(ZeroDivisionError), paddle.amp.auto_cast():
        raise ZeroDivisionError
    assert kinds(paddle.matmul(x, x)) == ["float32"]


def test_a_model_trains_in_half_precision(tier):
    paddle.seed(1)
    rng = np.random.default_rng(0)
    x = paddle.to_tensor(rng.standard_normal((64, 4)).astype("float32"))
    labels = paddle.to_tensor((x.numpy()[:, 0] > x.numpy()[:, 1]).astype("int64"))
    model = paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.Tanh(), paddle.nn.Linear(8, 2))
    optimizer = paddle.optimizer.Adam(0.05, parameters=model.parameters())
    scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0)
    losses = []
    for _ in range(40):
        with paddle.amp.auto_cast():
            logits = model(x)
            loss = paddle.nn.functional.cross_entropy(logits, labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert kinds(*model.parameters()) == ["float32"] * 4 and loss.dtype == paddle.float32
    assert losses[-1] < 0.25 * losses[0]


def test_a_scale_stays_finite_and_above_nothing(tier):
    weight = paddle.to_tensor(1.0, stop_gradient=False)
    optimizer = paddle.optimizer.SGD(0.1, parameters=[weight])
    scaler = paddle.amp.GradScaler(incr_every_n_steps=1, decr_ratio=0.1)
    for slope, count, wanted in ((np.inf, 30, 1.0), (0.0, 130, 2.0**127)):
        for _ in range(count):
            scaler.scale(weight * slope).backward()
            scaler.step(optimizer)
            scaler.update()
            optimizer.clear_grad()
        assert scaler.state_dict()["scale"].item() == wanted
    assert weight.item() == 1.0


@pytest.mark.parametrize("value", [0.0, -1.0, float("inf"), float("nan"), 1e39])
def test_a_scaler_refuses_an_invalid_scale(value):
    with pytest.raises(ValueError, match="init_loss_scaling is"):
        paddle.amp.GradScaler(init_loss_scaling=value)
    scaler = paddle.amp.GradScaler(init_loss_scaling=8.0)
    with pytest.raises(ValueError, match="new_init_loss_scaling is"):
        scaler.set_init_loss_scaling(value)
    with pytest.raises(ValueError, match="state_dict"):
        scaler.load_state_dict({**scaler.state_dict(), "scale": np.asarray([value]), "incr_ratio": 3.0})
    assert scaler.state_dict()["scale"].item() == 8.0 and scaler.get_incr_ratio() == 2.0


def test_a_scaler_that_leaves_out_every_step_says_so(tier):
    weight = paddle.to_tensor(1.0, stop_gradient=False)
    optimizer = paddle.optimizer.SGD(0.1, parameters=[weight])
    scaler = paddle.amp.GradScaler()
    with pytest.warns(UserWarning, match="SGD skipped every step from 1 to 50.*'weight'") as caught:
        for _ in range(120):
            scaler.scale(weight * float("inf")).backward()
            scaler.step(optimizer)
            scaler.update()
            optimizer.clear_grad()
    assert len(caught) == 1
