"""Exported functions: files that JAX alone runs, for lengths that are not known yet."""

import os
import subprocess
import sys

import numpy as np
import pytest

import bad_layers
import penstock as ps
from penstock.errors import ArgumentError, CaptureError
from penstock.trace.lengths import LengthError

pytest.importorskip("flatbuffers")
jax = pytest.importorskip("jax")
pytestmark = [pytest.mark.xla]

X = bad_layers.SEQUENCE


def outputs(result):
    return [
        np.asarray(one) for one in jax.tree.leaves(result, is_leaf=lambda one: isinstance(one, ps.Tensor))
    ]


def assert_same(exported, function, *inputs):
    with jax.enable_x64(True):
        found = outputs(exported.call(*inputs))
    wanted = outputs(function(*inputs))
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype and np.allclose(one, other, rtol=1e-5, atol=1e-5)


def beside(value):
    """The same data twice, as a longer batch."""
    return np.concatenate([value, value])


KINDS = sorted(bad_layers.GOOD)


@pytest.mark.parametrize("part", range(6))
def test_every_layer_for_a_batch_of_any_length(tmp_path, part):
    for name in KINDS[part::6]:
        arguments, inputs = bad_layers.GOOD[name]
        layer = getattr(ps.layers, name)(**arguments)
        function = layer
        if isinstance(inputs[0], list):
            inputs = tuple(inputs[0])
            function = lambda *given, layer=layer: layer(list(given))  # noqa: E731
        specs = [((None, *one.shape[1:]), one.dtype) for one in inputs]
        exported = ps.export(function, tmp_path / "file", *specs)
        assert_same(exported, function, *map(beside, inputs))


W = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
FUNCTIONS = {
    "a gradient": (ps.grad(lambda x: ps.sum(ps.tanh(x) ** 2)), (None, None, 3)),
    "a mean over the batch": (lambda x: ps.mean(x, axis=0), (None, 4, 3)),
    "a length as a number": (lambda x: x / x.shape[0], (None, 4, 3)),
    "a reshape": (lambda x: ps.reshape(x, (x.shape[0], -1)), (None, 4, 3)),
    "lengths of a name": (lambda x: ps.einsum("bij,bkj->bik", x, x), (None, "time", 3)),
    "positions": (lambda x: ps.arange(x.shape[1]) + x[:, :, 0], (None, "time", 3)),
    "twice as long": (lambda x: ps.concat([x, x @ W @ W.T], axis=0), (None, 4, 3)),
    "a condition": (lambda x: ps.cond(ps.sum(x) > 0, lambda: x, lambda: -x), (None, 4, 3)),
    "nested": (lambda x: {"a": x + 1, "b": (x * 2, [ps.sum(x)])}, (None, 4, 3)),
    "data alone": (lambda x: np.arange(3.0), (None, 4, 3)),
    "double precision": (lambda x: x * 2.0, ((None, 4, 3), "float64")),
    "an example": (lambda x: x * 2.0, X),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(tmp_path, name):
    function, spec = FUNCTIONS[name]
    exported = ps.export(function, tmp_path / "file", spec)
    x = X.astype(exported.in_avals[0].dtype)
    assert_same(exported, function, x)
    read = jax.export.deserialize(bytearray((tmp_path / "file").read_bytes()))
    assert_same(read, function, x)


def test_lengths_that_occur_again(tmp_path):
    exported = ps.export(lambda x, y: x + y, tmp_path / "file", (None, 3), (None, 3))
    assert str(exported.in_avals) == str((*exported.out_avals, *exported.out_avals))
    with pytest.raises(ValueError, match="batch"):
        exported.call(np.ones((2, 3), np.float32), np.ones((4, 3), np.float32))


def test_a_file_runs_where_penstock_is_not(tmp_path):
    model = ps.layers.Sequential(
        [ps.layers.Conv2D(3, 2, activation="relu"), ps.layers.BatchNormalization(), ps.layers.Flatten()]
    )
    x = bad_layers.IMAGE
    ps.export(model, tmp_path / "model.jax", (None, *x.shape[1:]), platforms=("cpu",))
    np.save(tmp_path / "x.npy", x)
    program = (
        "import sys, numpy as np, jax.export\n"
        "model = jax.export.deserialize(bytearray(open('model.jax', 'rb').read()))\n"
        "np.save('y.npy', model.call(np.load('x.npy')))\n"
        "assert not [name for name in sys.modules if name.startswith('penstock')]\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program],
        cwd=tmp_path,
        env=os.environ | {"JAX_PLATFORMS": "cpu"},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert np.allclose(np.load(tmp_path / "y.npy"), model(x).numpy(), rtol=1e-5, atol=1e-5)


COUNT = ps.Variable(0.0, name="count_of_exports")


def counted(x):
    COUNT.assign_add(1.0)
    return x


REFUSED = {
    "a write": (counted, (None, 3), CaptureError, "writes Variable 'count_of_exports'"),
    "a draw": (lambda x: x + ps.random.normal((3,)), (None, 3), CaptureError, "draws random numbers"),
    "a value": (lambda x: float(ps.sum(x)), (None, 3), CaptureError, "only shapes are known"),
    "a length that decides": (
        lambda x: x * 2 if x.shape[0] > 1 else x, (None, 3), LengthError, "where batch is short",
    ),
    "as many steps": (ps.layers.LSTM(2), (2, "time", 3), LengthError, "steps(.|\n)*instead of time"),
    "no shape": (lambda x: x, 3, ArgumentError, "argument 0 is described as 3(.|\n)*That is not a shape"),
    "no name": (lambda x: x, ("my batch", 3), ArgumentError, "is not a valid name"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_exports_leave_no_file(tmp_path, name):
    function, spec, kind, words = REFUSED[name]
    with pytest.raises(kind, match=words) as caught:
        ps.export(function, tmp_path / "file", spec)
    assert "test_export.py:" in str(caught.value)
    assert not os.listdir(tmp_path) and float(COUNT.numpy()) == 0.0


def test_values_are_those_of_the_moment(tmp_path):
    weight = ps.Variable([2.0, 3.0], name="weight_of_exports")
    first = ps.export(lambda x: x * weight, tmp_path / "file", (None, 2))
    weight.assign_add([1.0, 1.0])
    second = ps.export(lambda x: x * weight, tmp_path / "file", (None, 2))
    x = np.ones((1, 2), np.float32)
    assert first.call(x).tolist() == [[2.0, 3.0]] and second.call(x).tolist() == [[3.0, 4.0]]
