"""Layers and static programs saved with their calls: what another process makes of the files."""

import json
import subprocess
import sys

import numpy as np
import pytest

from penstock import paddle
from penstock.paddle.static import InputSpec
from penstock.trace.structure import flat

SHOWN = """
import sys, numpy as np
from penstock import paddle
path, rows = sys.argv[1], np.load(sys.argv[2])
loaded = paddle.jit.load(path)
found = loaded(*map(paddle.to_tensor, rows))
for one in found if isinstance(found, list) else [found]:
    print(one.numpy().tobytes().hex())
predictor = paddle.inference.create_predictor(paddle.inference.Config(path + ".json", path + ".pdiparams"))
for name, one in zip(predictor.get_input_names(), rows):
    predictor.get_input_handle(name).copy_from_cpu(one)
predictor.run()
for name in predictor.get_output_names():
    print(predictor.get_output_handle(name).copy_to_cpu().tobytes().hex())
"""


def in_another_process(program, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


class Shaped(paddle.nn.Layer):
    """A layer that computes with its parameters itself: operators, methods, indices, a constant."""

    def __init__(self):
        super().__init__()
        self.weight = self.create_parameter([6, 4])
        self.register_buffer("shift", paddle.arange(4).astype("float32"))

    def forward(self, x):
        made = x @ self.weight - self.shift[None] ** 2
        made[:, 0] = 1.0
        turned = made.T.reshape([2, -1])[:, ::2]
        return paddle.concat([turned, paddle.where(turned > 0, turned, -turned)], axis=-1).cumsum(axis=-1)


def images():
    nn = paddle.nn
    return nn.Sequential(
        nn.Conv2D(3, 4, 3, padding=1), nn.BatchNorm2D(4), nn.PReLU(4), nn.MaxPool2D(2), nn.Dropout(0.5),
        nn.GroupNorm(2, 4), nn.Flatten(), nn.Linear(4 * 4 * 4, 5), nn.LogSoftmax(),
    )  # fmt: skip


CASES = {
    "parameters": (Shaped, (3, 6)),
    "images": (images, (2, 3, 8, 8)),
    "a recurrent layer": (lambda: paddle.nn.LSTM(3, 4, 2, direction="bidirect"), (2, 5, 3)),
    "attention": (lambda: paddle.nn.TransformerEncoderLayer(8, 2, 16), (2, 5, 8)),
    "a published model": (
        lambda: paddle.vision.models.mobilenet_v2(scale=0.25, num_classes=3),
        (1, 3, 32, 32),
    ),
    "normalized weights": (lambda: paddle.nn.utils.weight_norm(paddle.nn.Linear(3, 2)), (4, 3)),
}


@pytest.mark.parametrize("case", CASES)
def test_another_process_computes_what_the_layer_does(case, tmp_path):
    make, shape = CASES[case]
    paddle.seed(3)
    layer = make()
    layer.eval()
    rows = np.random.default_rng(1).standard_normal((1, *shape)).astype("float32")
    np.save(tmp_path / "rows.npy", rows)
    path = str(tmp_path / "model")
    paddle.jit.save(layer, path, input_spec=[InputSpec([None, *shape[1:]], "float32")])
    assert "without" not in json.loads((tmp_path / "model.json").read_text())
    wanted = flat(layer(paddle.to_tensor(rows[0])))
    found = in_another_process(SHOWN, path, tmp_path / "rows.npy")
    assert len(found) == 2 * len(wanted)
    for text, one in zip(found, [*wanted, *wanted], strict=True):
        array = np.frombuffer(bytes.fromhex(text), "float32").reshape(one.shape)
        np.testing.assert_allclose(array, one.numpy(), rtol=2e-6, atol=1e-6)


@pytest.mark.filterwarnings("ignore:When training, we now always track")
def test_a_layer_that_was_loaded_is_trained_like_the_one_that_was_saved(tmp_path):
    paddle.seed(1)
    layer = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.BatchNorm1D(4), paddle.nn.Linear(4, 1))
    path = str(tmp_path / "model")
    paddle.jit.save(layer, path, input_spec=[InputSpec([None, 3])])
    losses = []
    for one in (layer, paddle.jit.load(path)):
        one.train()
        optimizer = paddle.optimizer.Adam(0.1, parameters=one.parameters())
        rows = paddle.to_tensor(np.random.default_rng(2).standard_normal((6, 3)).astype("float32"))
        for _ in range(4):
            loss = (one(rows) ** 2).mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
        losses.append([*map(float, (loss, *(each.sum() for each in one.state_dict().values())))])
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-6)


class Choosing(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(2, 2)

    def forward(self, x):
        return self.linear(x) if x.sum() > 0 else x


def test_a_layer_whose_calls_cannot_be_written_says_why_in_another_process(tmp_path):
    layer = Choosing()
    for name, spec, why in (
        ("choosing", [InputSpec([None, 2])], "bool[(][)] needs a value"),
        ("bare", None, "no input_spec said .* input_spec=\\[paddle.static.InputSpec"),
    ):
        path = str(tmp_path / name)
        with pytest.warns(UserWarning, match=f"wrote only the weights.*{why}.*set_state_dict") as told:
            paddle.jit.save(layer, path, input_spec=spec)
        assert [one.filename for one in told] == [__file__]
        again = paddle.jit.load(path)
        assert again(paddle.ones([1, 2])).tolist() == layer(paddle.ones([1, 2])).tolist()
    program = """
import sys
from penstock import paddle
for path in sys.argv[1:]:
    try:
        paddle.jit.load(path)
    except NotImplementedError as error:
        print(" ".join(str(error).split()))
    try:
        paddle.inference.create_predictor(paddle.inference.Config(path))
    except NotImplementedError as error:
        print(" ".join(str(error).split()))
"""
    found = in_another_process(program, tmp_path / "choosing", tmp_path / "bare")
    assert len(found) == 4
    assert "bool() needs a value" in found[0] and "set_state_dict(paddle.load(" in found[0]
    assert "bool() needs a value" in found[1]
    assert "no input_spec said which inputs it takes" in found[2]
    state = paddle.load(str(tmp_path / "bare.pdiparams"))
    assert sorted(state) == ["linear.bias", "linear.weight"]


def test_a_file_makes_nothing_run_but_the_functions_of_programs(tmp_path):
    path = str(tmp_path / "model")
    paddle.jit.save(lambda x: paddle.tanh(x), path, input_spec=[InputSpec([2])])
    file = tmp_path / "model.json"
    text = file.read_text()
    for name in ("os:system", "penstock.paddle._saving:save", "penstock.paddle._math:np"):
        made = json.loads(text)
        made["operations"][-1]["call"] = {"function": name}
        file.write_text(json.dumps(made))
        with pytest.raises(NotImplementedError, match="not among the functions that a program may call"):
            paddle.jit.load(path)
    made["objects"] = [{"class": "os:_wrap_close", "state": {}, "items": None}]
    made["operations"][-1]["arguments"] = [{"object": 0}]
    made["operations"][-1]["call"] = json.loads(text)["operations"][-1]["call"]
    file.write_text(json.dumps(made))
    with pytest.raises(NotImplementedError, match="is no class"):
        paddle.jit.load(path)
    file.write_text(json.dumps({"base_code": {}, "program": {}}))
    with pytest.raises(NotImplementedError, match="PaddlePaddle's own"):
        paddle.jit.load(path)
    file.write_text(json.dumps({**json.loads(text), "penstock": 99}))
    with pytest.raises(NotImplementedError, match="version 99"):
        paddle.jit.load(path)


def test_a_predictor_says_what_is_missing(tmp_path):
    inference = paddle.inference
    with pytest.raises(ValueError, match="names no program"):
        inference.create_predictor(inference.Config())
    with pytest.raises(ValueError, match=r"There is no file .*nowhere\.json"):
        inference.create_predictor(inference.Config(str(tmp_path / "nowhere.pdmodel")))
    path = str(tmp_path / "model")
    paddle.jit.save(
        lambda x, y: x + y, path, input_spec=[InputSpec([None, 2]), InputSpec([2], "float32", "more")]
    )
    predictor = inference.create_predictor(inference.Config(str(tmp_path)))
    assert predictor.get_input_names() == ["x", "more"]
    assert predictor.get_input_tensor_shape() == {"x": [-1, 2], "more": [2]}
    with pytest.raises(ValueError, match="no value yet"):
        predictor.run()
    predictor.get_input_handle("x").copy_from_cpu(np.ones((3, 2), "float64"))
    predictor.get_input_handle("more").copy_from_cpu(np.ones(2, "float32"))
    with pytest.raises(ValueError, match="float32"):
        predictor.run()
    (found,) = predictor.run([np.ones((3, 2), "float32"), np.full(2, 2.0, "float32")])
    assert found.tolist() == [[3.0, 3.0]] * 3


def test_a_static_program_is_run_in_another_process(tmp_path):
    path = str(tmp_path / "model")
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
            x = paddle.static.data("x", [None, 3])
            hidden = paddle.static.nn.batch_norm(paddle.static.nn.fc(x, 4, activation="relu"))
            count = paddle.full([1], 0, "int64")
            _, doubled = paddle.static.nn.while_loop(
                lambda i, y: i < 3, lambda i, y: [i + 1, y * 2.0], [count, hidden]
            )
            executor = paddle.static.Executor()
            executor.run(paddle.static.default_startup_program())
            paddle.static.save_inference_model(path, [x], [doubled, hidden[:, 1]], executor)
            rows = np.random.default_rng(3).standard_normal((1, 5, 3)).astype("float32")
            np.save(tmp_path / "rows.npy", rows)
            program = paddle.static.default_main_program().clone(for_test=True)
            wanted = executor.run(program, {"x": rows[0]}, [doubled])
    finally:
        paddle.disable_static()
    found = in_another_process(SHOWN, path, tmp_path / "rows.npy")
    assert len(found) == 4
    array = np.frombuffer(bytes.fromhex(found[2]), "float32").reshape(wanted[0].shape)
    np.testing.assert_allclose(array, wanted[0], rtol=1e-6)
