"""paddle.amp.decorate: the casts, against Paddle; master weights, against their definition."""

import json
from pathlib import Path

import numpy as np
import pytest

from penstock import paddle

pytestmark = pytest.mark.usefixtures("asked_of_a_gpu")


RECORD = json.loads((Path(__file__).parent / "oracles" / "paddle_decorate.json").read_text("utf-8"))


@pytest.mark.parametrize("name", RECORD["cases"])
def test_the_casts_equal_paddles(name):
    case = RECORD["cases"][name]
    inner = paddle.nn.Sequential(paddle.nn.Linear(3, 3), paddle.nn.GroupNorm(1, 3))
    layers = (
        paddle.nn.Linear(2, 3),
        paddle.nn.BatchNorm1D(3),
        paddle.nn.LayerNorm(3),
        paddle.nn.Embedding(4, 3),
    )
    model = paddle.nn.Sequential(*layers, inner)
    model.register_buffer("table", paddle.ones([2]))
    model.register_buffer("count", paddle.ones([2], "int64"))
    left_out = {"layer": inner, "class": [paddle.nn.Linear]}
    held = dict(model.state_dict())
    options = {"level": "O2", **{key: left_out.get(one, one) for key, one in case["options"].items()}}
    assert paddle.amp.decorate(model, **options) is model
    now = model.state_dict(use_hook=False)
    assert all(now[name] is one for name, one in held.items() if name != "table")
    assert {key: one.dtype.name.lower() for key, one in now.items()} == case["held"]
    assert {key: one.dtype.name.lower() for key, one in model.state_dict().items()} == case["saved"]


def moves(kind, masters, gradient, rate):
    """The step of an optimizer as its paper has it, in double precision."""
    first, second, count = np.zeros(3), np.zeros(3), 0
    while True:
        g = gradient(masters)
        count += 1
        if kind == "SGD":
            masters = masters - rate * g
        elif kind == "Momentum":
            first = 0.9 * first + g
            masters = masters - rate * first
        else:
            if kind == "AdamW":
                masters = masters * (1 - rate * 0.01)
            first, second = 0.9 * first + 0.1 * g, 0.999 * second + 0.001 * g * g
            masters = masters - rate * (first / (1 - 0.9**count)) / (
                np.sqrt(second / (1 - 0.999**count)) + 1e-8
            )
        yield masters


@pytest.mark.parametrize("half", ["bfloat16", "float16"])
@pytest.mark.parametrize("kind", ["SGD", "Momentum", "Adam", "AdamW"])
def test_master_weights_move_where_halves_would_stand_still(kind, half):
    layer = paddle.nn.Linear(1, 3, bias_attr=False)
    layer.set_state_dict({"weight": np.asarray([[1.0, -2.0, 0.3]], np.float32)})
    weight, rate = layer.weight, 2e-5
    optimizer = getattr(paddle.optimizer, kind)(rate, parameters=layer.parameters())
    layer, optimizer = paddle.amp.decorate(layer, optimizer, level="O2", dtype=half)
    assert layer.weight is weight and weight.dtype == getattr(paddle, half)
    start = weight.numpy().astype(np.float64)
    dtype = weight.numpy().dtype
    # The gradient of sum(w * w) is 2 w, for the weight rounded to halves.
    wanted = moves(kind, start[0], lambda masters: 2 * masters.astype(dtype).astype(np.float64), rate)
    for _ in range(12):
        (weight * weight).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
        expected = next(wanted)
    masters = optimizer.state_dict()["master_weights"][weight.name].numpy()
    np.testing.assert_allclose(masters[0] - start[0], expected - start[0], rtol=2e-3)
    np.testing.assert_array_equal(weight.numpy(), masters.astype(dtype))
    assert np.all(np.abs(expected - start[0]) > 1e-5)
    alone = paddle.amp.decorate(paddle.nn.Linear(1, 3), level="O2", dtype=half).weight
    alone.set_value(start.astype(dtype))
    plain = paddle.optimizer.SGD(rate, parameters=[alone])
    (alone * alone).sum().backward()
    plain.step()
    assert "master_weights" not in plain.state_dict()


def test_a_weight_that_is_written_gives_its_master_a_new_start():
    layer = paddle.nn.Linear(1, 2, bias_attr=False)
    optimizer = paddle.optimizer.SGD(0.5, parameters=layer.parameters())
    paddle.amp.decorate(layer, optimizer, level="O2", dtype="bfloat16")
    for value in (1.0, 4.0):
        layer.set_state_dict({"weight": np.full((1, 2), value, np.float32)})
        (layer.weight * 2.0).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
        assert layer.weight.astype("float32").tolist() == [[value - 1.0] * 2]


def test_training_goes_on_where_it_was_saved():
    def made():
        paddle.seed(3)
        layer = paddle.nn.Linear(2, 2)
        optimizer = paddle.optimizer.Adam(1e-4, parameters=layer.parameters())
        return paddle.amp.decorate(layer, optimizer, level="O2", dtype="bfloat16")

    def train(layer, optimizer):
        for _ in range(4):
            (layer(paddle.ones([3, 2], "bfloat16")) ** 2).sum().backward()
            optimizer.step()
            optimizer.clear_grad()

    layer, optimizer = made()
    train(layer, optimizer)
    weights, state = {k: v.numpy() for k, v in layer.state_dict().items()}, optimizer.state_dict()
    train(layer, optimizer)
    other, again = made()
    for one, name in zip(other.parameters(), layer.parameters()):
        one.name = name.name
    other.set_state_dict(weights)
    again.set_state_dict(state)
    train(other, again)
    ends = [one.state_dict()["master_weights"] for one in (optimizer, again)]
    for name in ends[0]:
        np.testing.assert_array_equal(ends[0][name].numpy(), ends[1][name].numpy())


def test_a_model_in_half_precision_trains_in_a_block_of_level_two():
    paddle.seed(1)
    layers = paddle.nn.Linear(4, 16), paddle.nn.LayerNorm(16), paddle.nn.ReLU(), paddle.nn.Linear(16, 1)
    model = paddle.nn.Sequential(*layers)
    optimizer = paddle.optimizer.Adam(
        0.05, parameters=model.parameters(), grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0)
    )
    model, optimizer = paddle.amp.decorate(model, optimizer, level="O2", master_grad=True)
    scaler = paddle.amp.GradScaler(init_loss_scaling=256.0)
    x = paddle.randn([32, 4])
    y = x.sum(axis=1, keepdim=True)
    losses = []
    for _ in range(40):
        with paddle.amp.auto_cast(level="O2"):
            out = model(x)
            loss = ((out.astype("float32") - y) ** 2).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
        losses.append(loss.item())
    assert out.dtype == paddle.float16
    assert losses[-1] < 0.1 * losses[0]


def test_dtypes_of_level_two():
    half, single = paddle.ones([2, 2], "bfloat16"), paddle.ones([2, 2])
    table = paddle.nn.Embedding(3, 2).bfloat16()
    with paddle.amp.auto_cast(level="O2", dtype="bfloat16"):
        # White: in halves; of one float32 the others: in float32; of halves alone: in halves; black: wide.
        found = [paddle.matmul(single, half), half + single, paddle.exp(half), table(paddle.to_tensor([1]))]
    assert [one.dtype.name for one in found] == ["BFLOAT16", "FLOAT32", "BFLOAT16", "FLOAT32"]
    with paddle.amp.auto_cast(level="O2", dtype="bfloat16", use_promote=False):
        assert (half + single).dtype == paddle.bfloat16
    norm = paddle.nn.LayerNorm(2)
    assert norm(half).dtype == paddle.bfloat16
    with paddle.amp.auto_cast(dtype="bfloat16"):
        assert norm(half).dtype == paddle.float32


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"level": "O3"}, ValueError, "level should be O1 or O2"),
        ({"dtype": "float32"}, ValueError, "dtype only support float16 or bfloat16"),
        ({"save_dtype": "int8"}, ValueError, "save_dtype can only be"),
        ({"models": 3}, TypeError, "models must be either a single model"),
        ({"optimizers": 3}, TypeError, "optimizers must be either a single optimizer"),
        ({"excluded_layers": 3}, TypeError, "excluded_layers must be either"),
    ],
)
def test_a_refused_call_changes_nothing(options, error, words):
    layer = paddle.nn.Linear(1, 1)
    with pytest.raises(error, match=words):
        paddle.amp.decorate(**{"models": layer, "level": "O2", **options})
    assert layer.weight.dtype == paddle.float32


def test_a_layer_keeps_its_parameters_when_it_is_cast():
    layer = paddle.nn.Linear(1, 1)
    weight = layer.weight
    optimizer = paddle.optimizer.SGD(0.5, parameters=layer.parameters())
    assert layer.to(dtype="float64").weight is weight
    layer(paddle.ones([1, 1], "float64")).sum().backward()
    before = weight.item()
    optimizer.step()
    assert weight.item() == before - 0.5
