"""`paddle.Model` trains as a written loop does: the same numbers, one launch a step, lines named."""

import json

import numpy as np
import pytest

from counting import launches
from penstock import cli, errors, paddle
from penstock.testing import use_engine


def rows(seed, count=24):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((count, 3)).astype("float32")
    return x, (x @ rng.standard_normal((3, 1))).astype("float32")


def data_set(x, y):
    return paddle.io.TensorDataset([paddle.to_tensor(x), paddle.to_tensor(y)])


def network(seed):
    paddle.seed(seed)
    return paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.Tanh(), paddle.nn.Linear(4, 1))


def prepared(seed=0, kind=paddle.optimizer.SGD, rate=0.1, **options):
    model = paddle.Model(network(seed))
    model.prepare(kind(rate, parameters=model.parameters()), paddle.nn.MSELoss(), **options)
    return model


@pytest.mark.parametrize("seed", range(4))
def test_fit_trains_as_a_written_loop_does(seed):
    rng = np.random.default_rng(seed)
    kind = [paddle.optimizer.SGD, paddle.optimizer.Adam, paddle.optimizer.Momentum][rng.integers(3)]
    x, y = rows(seed, int(rng.integers(5, 30)))
    size, epochs = int(rng.integers(1, 9)), int(rng.integers(1, 4))
    with use_engine("numpy"):
        model = prepared(seed, kind, 0.05)
        model.fit(data_set(x, y), batch_size=size, epochs=epochs, shuffle=False, verbose=0)
        net = network(seed)
        optimizer = kind(0.05, parameters=net.parameters())
        for _ in range(epochs):
            for start in range(0, len(x), size):
                a, b = (paddle.to_tensor(one[start : start + size]) for one in (x, y))
                paddle.nn.functional.mse_loss(net(a), b).backward()
                optimizer.step()
                optimizer.clear_grad()
        for one, other in zip(model.parameters(), net.parameters(), strict=True):
            np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=2e-5, atol=2e-6)


def test_a_quiet_fit_launches_once_a_step():
    x, y = rows(0, 40)
    model = prepared()
    with use_engine("numpy"):
        model.fit(data_set(x, y), batch_size=4, verbose=0)
        before = launches()
        model.fit(data_set(x, y), batch_size=4, epochs=3, verbose=0)
        assert launches() - before <= 3 * (10 + 2)


PROGRAM = """import numpy as np
import paddle

x, y = np.ones((8, 2), "float32"), np.ones((8, 1), "float32")
data = paddle.io.TensorDataset([paddle.to_tensor(x), paddle.to_tensor(y)])
model = paddle.Model(paddle.nn.Linear(2, 1))
model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), paddle.nn.MSELoss())
model.fit(data, batch_size=4, epochs=2, verbose=0)
"""


def test_a_report_names_the_line_of_fit(tmp_path, capsys):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    assert cli.main(["check", str(path), "--as", "paddle", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["findings"] == []
    lines = {write["line"] for one in report["variables"] if one["trainable"] for write in one["writes"]}
    assert lines == {len(PROGRAM.splitlines())}


X, Y = rows(0)

BAD = {
    "not prepared": (lambda: paddle.Model(network(0)).fit(data_set(X, Y), verbose=0), "an optimizer"),
    "no data": (lambda: prepared().fit(), "train_data must be given"),
    "empty": (lambda: prepared().fit(data_set(X[:0], Y[:0]), verbose=0), "no batches"),
    "batch size": (lambda: prepared().fit(data_set(X, Y), batch_size=0, verbose=0), "whole number"),
    "sizes": (lambda: prepared().fit(data_set(X, Y), batch_size=[1, 2, 3]), "eval_batch_size"),
    "loss": (lambda: prepared().prepare(None, "mse"), "callable"),
    "metric": (lambda: prepared(metrics=["acc"]), "paddle.metric.Accuracy"),
    "level": (lambda: prepared(amp_configs="O7"), "'O0', 'O1' or 'O2'"),
    "option": (lambda: prepared(amp_configs={"level": "O1", "lists": []}), "lists"),
    "file": (lambda: prepared().load("nowhere/model"), "nowhere/model.pdparams"),
    "size of summary": (lambda: prepared().summary(), "input_size"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_on_the_users_line(name):
    run, words = BAD[name]
    with pytest.raises((ValueError, TypeError), match=rf"(?s){words}") as error:
        run()
    assert isinstance(error.value, errors.PenstockError)
    assert error.value.site.file == __file__


def test_parameters_that_do_not_fit_a_file_are_named(tmp_path):
    path = str(tmp_path / "model")
    prepared().save(path)
    other = paddle.Model(
        paddle.nn.Sequential(paddle.nn.Linear(3, 5), paddle.nn.Tanh(), paddle.nn.Linear(5, 1))
    )
    with pytest.raises(ValueError, match=r"0\.weight receives a shape \[3, 4\](.|\n)*skip_mismatch"):
        other.load(path)
    before = other.parameters()[0].numpy().copy()
    with pytest.warns(UserWarning, match="Skip loading for"):
        other.load(path, skip_mismatch=True)
    assert (other.parameters()[0].numpy() == before).all()
