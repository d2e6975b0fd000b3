"""Scores over many batches, and tools for a custom loop: against scikit-learn, and by hand."""

import csv
import sys

import numpy as np
import pytest

import penstock as ps
from penstock.errors import ArgumentError, ShapeError

RNG = np.random.default_rng(0)


def test_scores_are_those_of_scikit_learn_however_batches_are_cut():
    judge = pytest.importorskip("sklearn.metrics")
    for seed in range(5):
        rng = np.random.default_rng(seed)
        count = int(rng.integers(2, 60))
        scores, labels = np.round(rng.random(count), 1), rng.integers(0, 2, count)
        labels[:2] = [0, 1]
        logits, classes = rng.standard_normal((count, 4)), rng.integers(0, 4, count)
        cuts = np.split(np.arange(count), np.sort(rng.integers(0, count, 3)))
        binary = {
            "AUC": ps.metrics.AUC(),
            "F1": ps.metrics.F1(),
            "P": ps.metrics.Precision(),
            "R": ps.metrics.Recall(),
        }
        several = {
            "A": ps.metrics.Accuracy(),
            "T": ps.metrics.Accuracy(2),
            "M": ps.metrics.ConfusionMatrix(4),
        }
        for cut in cuts:
            for one in binary.values():
                one.update(ps.asarray(scores[cut]), labels[cut])
            for one in several.values():
                one.update(logits[cut], ps.asarray(classes[cut]))
        said, guess = scores > 0.5, logits.argmax(1)
        expected = {
            "AUC": judge.roc_auc_score(labels, scores),
            "F1": judge.f1_score(labels, said, zero_division=np.nan),
            "P": judge.precision_score(labels, said, zero_division=np.nan),
            "R": judge.recall_score(labels, said, zero_division=np.nan),
        }
        for name, value in expected.items():
            assert np.isclose(binary[name].result(), value, equal_nan=True), (seed, name)
        assert np.isclose(several["A"].result(), judge.accuracy_score(classes, guess))
        top = judge.top_k_accuracy_score(classes, logits, k=2, labels=range(4))
        assert np.isclose(several["T"].result(), top)
        matrix = judge.confusion_matrix(classes, guess, labels=range(4))
        assert several["M"].result().tolist() == matrix.tolist()
        for one in [*binary.values(), several["A"]]:
            one.reset()
            assert np.isnan(one.result())


def test_a_mean_has_weights_and_no_gradient():
    mean = ps.metrics.Mean()
    x = ps.Variable([1.0, 3.0], name="mean_of_x")
    with ps.GradientTape() as tape:
        loss = ps.sum(x * x)
        mean.update(loss)
        mean.update([2.0, 4.0], [1.0, 3.0])
    assert mean.result() == (10.0 + 2.0 + 12.0) / 5 and repr(mean) == "Mean(4.8)"
    assert tape.gradient(loss, x).numpy().tolist() == [2.0, 6.0]


def test_scores_refuse_arguments_that_do_not_fit():
    for metric in (ps.metrics.Precision(), ps.metrics.AUC(), ps.metrics.F1()):
        with pytest.raises(ShapeError, match="in one shape"):
            metric.update([0.1, 0.2], [1])
    with pytest.raises(ShapeError, match="one label for each"):
        ps.metrics.Accuracy().update(np.ones((2, 3)), [1, 1, 1])
    with pytest.raises(ArgumentError, match="class 2 is not among the 2"):
        ps.metrics.ConfusionMatrix(2).update([2], [0])
    with pytest.raises(ArgumentError, match="top is 0"):
        ps.metrics.Accuracy(0)


@pytest.mark.parametrize(("mode", "sign"), [("min", 1.0), ("max", -1.0)])
def test_stopping_early_and_the_best_values(mode, sign):
    weight = ps.Variable([0.0], name="weight_of_stopping")
    stopping = ps.training.EarlyStopping(3, mode=mode, margin=0.1, restore=weight)
    told = []
    for turn, error in enumerate([5.0, 4.0, 3.95, float("nan"), 3.5, 3.6, 3.7, 3.45]):
        weight.assign([float(turn)])
        told.append(stopping(ps.asarray(sign * error)))
    assert told == [False] * 7 + [True]
    assert (stopping.best, stopping.best_call) == (sign * 3.5, 5)
    stopping.restore()
    assert weight.numpy().tolist() == [4.0]


def test_a_model_is_restored_that_had_no_variables_at_first():
    model = ps.layers.Dense(1)
    stopping = ps.training.EarlyStopping(restore=model)
    model(np.ones((1, 2), np.float32))
    stopping(1.0)
    before = model.kernel.numpy()
    model.kernel.assign_add(ps.ones((2, 1)))
    stopping(2.0)
    stopping.restore()
    assert np.array_equal(model.kernel.numpy(), before)


def test_a_rate_falls_on_a_plateau_down_to_the_least():
    for rate in (0.8, ps.Variable(0.8, trainable=False, name="rate_of_plateau")):
        optimizer = ps.optimizers.SGD(rate)
        plateau = ps.training.ReduceOnPlateau(optimizer, factor=0.5, patience=2, least=0.3)
        found = [plateau(error) for error in (1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.6, 0.6)]
        assert np.allclose(found, [0.8, 0.8, 0.4, 0.4, 0.3, 0.3, 0.3, 0.3])
        weight = ps.Variable([1.0], name="weight_of_plateau")
        optimizer.apply_gradients([(ps.asarray([1.0]), weight)])
        assert np.allclose(weight.numpy(), 0.7)


class Writer:
    """Takes numbers by one of the names that recorders of runs have."""

    def __init__(self, name):
        self.seen = []
        setattr(self, name, getattr(self, f"_{name}"))

    def _add_scalar(self, tag, value, global_step):
        self.seen.append((global_step, {tag: value}))

    def _log_metric(self, key, value, step=None):
        self.seen.append((step, {key: value}))

    def _log(self, values, step=None):
        self.seen.append((step, values))


def test_a_log_fills_files_and_whatever_records_runs(tmp_path):
    writers = {name: Writer(name) for name in ("add_scalar", "log_metric", "log")}
    said = []
    with ps.training.Log(tmp_path / "run.csv", *writers.values(), lambda *given: said.append(given)) as log:
        log(1, loss=ps.asarray(0.5))
        log(2, loss=np.float32(0.25), rate=1)
    assert said == [(1, {"loss": 0.5}), (2, {"loss": 0.25, "rate": 1.0})] == writers["log"].seen
    apart = [(1, {"loss": 0.5}), (2, {"loss": 0.25}), (2, {"rate": 1.0})]
    assert writers["add_scalar"].seen == writers["log_metric"].seen == apart
    with open(tmp_path / "run.csv", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [["step", "loss", "rate"], ["1", "0.5", ""], ["2", "0.25", "1.0"]]


def test_a_folder_gets_event_files_that_can_be_read(tmp_path):
    pytest.importorskip("tensorboardX")
    from tensorboardX.proto import event_pb2

    with ps.training.Log(tmp_path / "first", f"{tmp_path}/a.second/") as log:
        for step in range(3):
            log(step, loss=ps.asarray(0.5) * step, rate=0.1)
    for folder in ("first", "a.second"):
        (file,) = (tmp_path / folder).iterdir()
        data, found = file.read_bytes(), []
        while data:
            # A record: its length in 8 bytes, 4 of a check, itself, 4 of a check.
            length = int.from_bytes(data[:8], "little")
            event = event_pb2.Event.FromString(data[12 : 12 + length])
            found += [(event.step, one.tag, one.simple_value) for one in event.summary.value]
            data = data[16 + length :]
        wanted = [
            (step, *pair) for step in range(3) for pair in (("loss", 0.5 * step), ("rate", np.float32(0.1)))
        ]
        assert found == wanted


def test_a_folder_without_the_library_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    for path in (tmp_path, "runs/1", "runs/a.b/"):
        with pytest.raises(ps.errors.PenstockError, match=r'pip install "penstock\[tensorboard\]"'):
            ps.training.Log(path)


def test_errors_of_the_loop():
    training = ps.training
    schedule = ps.optimizers.SGD(ps.optimizers.schedules.CosineDecay(0.1, 10))
    for call, words in (
        (lambda: training.EarlyStopping(0), "patience is 0"),
        (lambda: training.EarlyStopping(mode="least"), "mode is 'least'"),
        (lambda: training.EarlyStopping()([1.0, 2.0]), "one number"),
        (lambda: training.EarlyStopping().restore(), "has saved no values"),
        (lambda: training.ReduceOnPlateau(schedule), "let the schedule lower"),
        (lambda: training.ReduceOnPlateau(ps.optimizers.SGD(0.1), factor=2), "factor is 2"),
        (lambda: training.Log(3), "does not accept numbers"),
        (lambda: training.Log("runs/rate.01"), r"ends in \.01"),
        (lambda: training.Log(print)(1, loss="low"), "Log: loss was given 'low'"),
    ):
        with pytest.raises(ArgumentError, match=words):
            call()
