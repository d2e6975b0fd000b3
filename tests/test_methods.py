"""Methods of native tensors and variables, NumPy's functions on them, and names of other libraries."""

import importlib
import inspect
import json
import re
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

import penstock as ps
from oracles import common_names
from penstock import foreign, lazy
from penstock.errors import ArgumentError, ImmutableError, ShapeError
from penstock.functions.methods import METHODS, Foreign

ROOT = Path(__file__).parents[1]
VALUES = np.random.default_rng(0).normal(size=(2, 3, 4)).astype(np.float32)

CALLS = [
    "sum()", "sum(0)", "sum(axis=(0, 2), keepdims=True)", "mean()", "mean(1)",
    "mean(axis=-1, keepdims=True)", "prod(2)", "max()", "max(axis=1)", "min(0)", "var()",
    "var(axis=1, keepdims=True)", "std(0)", "all()", "any(axis=1)", "argmax()", "argmax(axis=1)",
    "argmin(2)", "argsort()", "argsort(axis=0)", "cumsum()", "cumsum(axis=1)", "cumprod()", "cumprod(2)",
    "reshape(6, 4)", "reshape((4, -1))", "reshape(-1)", "transpose()", "transpose(0, 2, 1)",
    "transpose((2, 0, 1))", "swapaxes(0, -1)", "flatten()", "ravel()", "squeeze()", "repeat(2)",
    "repeat(2, axis=1)", "take([1, 0], axis=1)", "take([5, 0, 23])", "clip(-0.5, 0.5)", "clip(min=0.0)",
    "clip(max=0.0)", "round()", "conj()", "copy()", "real", "imag", "itemsize", "nbytes",
    "dot(np.ones((4, 2), np.float32))", "dot(2.0)", "nonzero()",
]  # fmt: skip


def same(found, want):
    if isinstance(want, tuple):
        assert isinstance(found, tuple) and len(found) == len(want)
        for one, other in zip(found, want):
            same(one, other)
        return
    assert np.shape(found) == np.shape(want)
    np.testing.assert_allclose(np.asarray(found), want, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", [ps.asarray, ps.Variable])
def test_methods_do_what_those_of_numpy_do(tier, kind, call):
    for values in (VALUES, VALUES > 0) if call.startswith(("all", "any")) else (VALUES,):
        same(eval(f"x.{call}", {"x": kind(values), "np": np}), eval(f"x.{call}", {"x": values, "np": np}))


def test_every_method_is_compared():
    assert {re.match(r"\w+", call)[0] for call in CALLS} == set(METHODS)


def test_gradients_pass_methods(tier):
    w = ps.Variable(VALUES)
    with ps.GradientTape() as tape:
        loss = (w.reshape(6, 4).transpose() * 2.0).clip(-1.0, 1.0).sum(axis=0).max() + w.copy().mean()
    with ps.GradientTape() as other:
        x = ps.clip(ps.reshape(w, (6, 4)).T * 2.0, -1.0, 1.0)
        want = ps.max(ps.sum(x, axis=0)) + ps.mean(w)
    same(tape.gradient(loss, w), other.gradient(want, w).numpy())


def test_a_copy_of_a_variable_stays_what_it_was(tier):
    w = ps.Variable([1.0, 2.0])
    before = w.copy()
    w.assign([5.0, 6.0])
    assert before.tolist() == [1.0, 2.0] and isinstance(before, ps.Tensor)


def test_a_method_records_what_its_function_does_on_the_users_line():
    x, records = ps.asarray(VALUES), []
    for sum_of in (lambda: x.sum(axis=1), lambda: ps.sum(x, axis=1)):
        total = sum_of()
        records.append(ps.explain(total, x).path[0])
    assert {one.site.file for one in records} == {__file__}
    assert len({str(one).split("  ")[0] for one in records}) == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("sum(dim=1)", "Write axis=1."),
        ("mean(dim=0, keepdim=True)", "Write axis=0."),
        ("max(keepdim=True)", "Write keepdims=True."),
        ("std(ddof=1)", "Write correction=1."),
        ("var(unbiased=False)", "Write correction=0."),
        ("sum(correction=1)", "It takes axis, dtype, keepdims."),
        ("argmax(where=3)", "It takes axis, keepdims."),
        ("transpose(0, 1)", r"To exchange two axes write x.swapaxes\(0, 1\)."),
        ("round(2)", r"Write ps.round\(x \* 10\*\*2\) / 10\*\*2."),
    ],
)
def test_a_slip_of_another_library_is_answered(call, words):
    with pytest.raises(ArgumentError, match=words) as caught:
        eval(f"x.{call}", {"x": ps.asarray(VALUES)})
    assert caught.value.site.file == "<string>"


FUNCTIONS = [
    ("sum(x, dim=1)", "Write axis=1."),
    ("sum(x, 0)", "Write axis=0."),
    ("mean(x, 1, True)", "Write axis=1, keepdims=True."),
    ("std(x, unbiased=False)", "Write correction=0."),
    ("max(x, keepdim=True)", "Write keepdims=True."),
    ("argmax(x, dim=-1)", "Write axis=-1."),
    ("sort(x, dim=0)", "Write axis=0."),
    ("concat([x, x], dim=1)", "Write axis=1."),
    ("concat([x, x], 1)", "Write axis=1."),
    ("stack([x, x], dim=1)", "Write axis=1."),
    ("squeeze(x, dim=0)", "Write axis=0."),
    ("cumulative_sum(x, dim=0)", "Write axis=0."),
    ("linalg.norm(x, dim=0)", "Write axis=0."),
    ("nn.softmax(x, dim=1)", "Write axis=1."),
    ("nn.logsumexp(x, dim=1, keepdim=True)", "Write axis=1."),
    ("sum(x, where=3)", "It takes axis, dtype, keepdims."),
    ("nn.softmax(x, beta=2.0)", "It takes axis"),
]


@pytest.mark.parametrize(("call", "words"), FUNCTIONS)
def test_a_slip_is_answered_by_functions_too(call, words):
    with pytest.raises(ArgumentError, match=words) as caught:
        eval(f"ps.{call}", {"ps": ps, "x": ps.asarray(VALUES)})
    assert caught.value.site.file == "<string>"


def test_the_answer_to_a_slip_shows_no_argument_for_it():
    assert str(inspect.signature(ps.argmax)).startswith(
        "(x: 'Any', /, *, axis: 'int | None' = None, keepdims"
    )


def test_shapes_that_do_not_fit():
    x = ps.asarray(VALUES)
    with pytest.raises(ShapeError, match=r"reshape: \(2, 3, 4\) has 24 elements, \(5, 5\) would have 25"):
        x.reshape(5, 5)
    with pytest.raises(ShapeError, match="axis 3 is not among the 3 axes"):
        x.swapaxes(0, 3)


# -- names of other libraries ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [ps.asarray, ps.Variable])
@pytest.mark.parametrize("name", sorted(foreign.ATTRIBUTES))
def test_an_attribute_of_another_library_is_answered(kind, name):
    x = kind(VALUES)
    if isinstance(vars(type(x)).get(name), Foreign):
        with pytest.raises(AttributeError) as caught:
            getattr(x, name)
        assert foreign.ATTRIBUTES[name] in str(caught.value)
        assert not hasattr(x, name) and name not in dir(x)
    else:
        assert hasattr(x, name)


def test_setting_an_attribute_of_another_library_is_refused():
    with pytest.raises(ImmutableError, match=r"Only a ps\.Variable is trained"):
        ps.asarray(VALUES).requires_grad = True
    with pytest.raises(ImmutableError, match=r"variable.assign\(value\)"):
        ps.Variable(VALUES).data = VALUES


def test_recommended_names_exist():
    """Each `ps.name`, and each method of `x` or `variable`, that an answer says to write."""
    x, variable = ps.asarray(VALUES), ps.Variable(VALUES)
    for table in (foreign.NAMES, foreign.ATTRIBUTES):
        for name, remedy in table.items():
            for path in re.findall(r"\bps((?:\.\w+)+)", remedy):
                found = ps
                for part in path.split(".")[1:]:
                    found = getattr(found, part)
            for owner, method in re.findall(r"\b(x|variable|tape)\.(\w+)", remedy):
                owners = {"x": x, "variable": variable, "tape": ps.GradientTape()}
                assert hasattr(owners[owner], method), (name, method)


@pytest.mark.parametrize("name", sorted(foreign.NAMES))
def test_a_name_of_another_library_is_answered(name):
    with pytest.raises(AttributeError, match=r"; (here that|it) is "):
        getattr(ps, name)


def as_letters(name):
    return name.lower().replace("_", "")


def test_every_common_name_is_there_or_answered():
    """In a module, as a method of a tensor, under a similar spelling, or with the expression to write."""
    modules = [importlib.import_module(one) for one in lazy._SPACES]
    own = {name for one in modules for name in (getattr(one, "__all__", None) or dir(one))}
    known = own | set(dir(ps.Tensor)) | foreign.NAMES.keys() | foreign.ATTRIBUTES.keys() | {"lu", "schedules"}
    near = {as_letters(name) for name in own}
    for library, listed in common_names.NAMES.items():
        assert len(listed.split()) >= 95, library
        asked = [name.rpartition(".")[2] for name in listed.split()]
        assert [one for one in asked if one not in known and as_letters(one) not in near] == [], library


def test_common_names_are_those_of_the_library():
    """Else: tools/record/common_names.py, in an environment that has it."""
    sys.path[:0] = [str(ROOT / "tools" / "record"), str(ROOT / "tools" / "book")]
    try:
        asked = importlib.import_module("common_names").asked()
    finally:
        del sys.path[:2]
    record = json.loads((ROOT / "tests/oracles/common_names.json").read_text())
    for library, listed in asked.items():
        assert record[library]["absent"] == [], library
        assert record[library]["asked"] == zlib.crc32(" ".join(sorted(listed)).encode()), library


def test_modules_answer_too():
    with pytest.raises(AttributeError, match=r"'penstock.layers' .* 'Linear'; here that is ps.layers.Dense"):
        ps.layers.Linear  # noqa: B018
    with pytest.raises(AttributeError, match=r"here that is ps\.random\.normal"):
        ps.random.randn  # noqa: B018


def test_a_room_that_has_the_name_of_a_function_answers_a_call():
    """Of all names of functions that `ps.name` finds and that are modules instead."""
    listed = {name for text in common_names.NAMES.values() for name in text.split() if "." not in name}
    rooms = [name for name in listed if inspect.ismodule(getattr(ps, name, None)) and name not in ps.__all__]
    assert rooms == ["trace"]
    with pytest.raises(TypeError, match=r"ps\.linalg\.trace\(x\)"):
        ps.trace(VALUES)


def test_dialects_have_the_attributes_of_their_framework():
    import penstock.paddle as paddle
    import penstock.tensorflow as tf

    for x in (tf.constant(VALUES), tf.Variable(VALUES)):
        for name in ("sum", "mean", "reshape", "clip", "real", "nbytes", "copy", "detach"):
            assert not hasattr(x, name) and name not in dir(x)
    x = paddle.to_tensor(VALUES)
    assert x.detach().shape == [2, 3, 4] and x.sum(axis=1, keepdim=True).shape == [2, 1, 4]
    assert not hasattr(x, "swapaxes_") and not hasattr(x, "argsort_")


# -- functions of NumPy ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        "np.sum(x)", "np.mean(x, axis=0)", "np.std(x, ddof=1)", "np.max(x)", "np.any(x)", "np.clip(x, 0, 1)",
        "np.reshape(x, -1)", "np.transpose(x)", "np.argmax(x, axis=1)", "np.round(x, 1)", "np.cumsum(x)",
        "np.stack([x, x])", "np.concatenate((x, [[[1.0] * 4] * 3]))", "np.where(x > 0, x, 0)", "np.median(x)",
        "np.take(x, [0], axis=1)", "np.repeat(x, 2)", "np.dot(x[0], x[0].T)", "np.squeeze(x)", "np.shape(x)",
        "np.size(x)", "np.ndim(x)", "np.linalg.norm(x)", "np.block([[x, x]])", "np.allclose(x, x)",
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", [ps.asarray, ps.Variable])
def test_numpy_computes_in_numpy(kind, call):
    found, want = (eval(call, {"x": one, "np": np}) for one in (kind(VALUES), VALUES))
    assert type(found) is type(want)
    np.testing.assert_array_equal(found, want)


def test_shapes_are_known_without_reading_values():
    @ps.step
    def shapes(x):
        found.append((np.shape(x), np.ndim(x), np.size(x)))
        return x * 2.0

    found = []
    shapes(ps.asarray(VALUES))
    assert found[0] == ((2, 3, 4), 3, 24)


def test_a_function_of_numpy_is_named_where_the_gradient_ends():
    w = ps.Variable([1.0, 2.0], name="w")
    with ps.GradientTape():
        loss = ps.sum(ps.asarray(np.concatenate([w * 2.0, [1.0]])))
    told = ps.explain(loss, w)
    assert told.reason == "escaped"
    assert "numpy.concatenate() at" in str(told) and f"{__file__.rpartition('/')[2]}:" in str(told)
    assert "call a function of tensors instead of NumPy's at" in told.fix
