"""Every function of tensors with each argument wrong in each way: refused in words, on the user's line."""

import re

import numpy as np
import pytest

import bad_calls
import penstock as ps
from penstock.errors import PenstockError, RangeError
from penstock.testing import use_engine

FUNCTIONS = bad_calls.public_functions()
INTERNAL = re.compile(r"site-packages|penstock/(trace|ops|tiers|grad|functions)/|0x[0-9a-f]{6}|<lambda>")


def test_every_function_has_a_good_call_or_is_tested_elsewhere():
    assert set(FUNCTIONS) - set(bad_calls.CALLS) <= bad_calls.ELSEWHERE
    assert set(bad_calls.CALLS) <= set(FUNCTIONS)


@pytest.mark.parametrize("name", bad_calls.CALLS)
def test_good_calls_are_good(name):
    with use_engine("numpy"):
        bad_calls.call(FUNCTIONS[name], bad_calls.CALLS[name])


def told(value):
    """Patterns for the message about a refused value, one of which must match."""
    if isinstance(value, np.ndarray):
        if value.shape == (7, 5, 11):
            return r"7, 5, 11", r"\b(3|2) axes"
        if value.size and value.dtype.kind in "iu" and abs(int(value.flat[0])) == 99:
            return (str(value.flat[0]),)
        return (
            re.escape(str(list(value.shape))),
            re.escape(str(value.shape)),
            value.dtype.name,
            "ax[ei]s|one number|0 elements",
        )
    if isinstance(value, bad_calls.Thing):
        return ("a thing",)
    if isinstance(value, list | tuple):
        return (".",)
    return (re.escape(repr(value)), re.escape(str(value)), type(value).__name__)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", bad_calls.CALLS)
def test_a_bad_call_is_refused_in_words_on_its_line(name):
    with open(bad_calls.__file__) as source:
        lines = source.read().split("\n")
    with use_engine("numpy"), np.errstate(all="ignore"):
        for word, arguments in bad_calls.bad_calls(name):
            try:
                bad_calls.call(FUNCTIONS[name], arguments)
            except PenstockError as error:
                text = str(error)
                what = f"{name} with {word}:\n{text}"
                assert error.site is not None and error.site.file == bad_calls.__file__, what
                assert "# here" in lines[error.site.line - 1], what
                assert not INTERNAL.search(text), what
                others = [line for line in text.splitlines() if "bad_calls.py" not in line]
                assert len(others) > 1 or "operand 1" in text, f"the fact alone: {what}"
                (wrong,) = (
                    arguments[own]
                    for own, good in bad_calls.CALLS[name].items()
                    if arguments[own] is not good
                )
                assert any(re.search(one, text) for one in told(wrong)), f"without the value: {what}"
            except Exception as error:
                pytest.fail(f"{name} with {word}: {type(error).__name__}: {error}")


# -- errors that depend on the values ------------------------------------------------------------------------

SINGULAR = np.asarray([[1.0, 2.0], [2.0, 4.0]], np.float32)


@pytest.mark.parametrize(
    "name", ["inv", "solve", "solve_triangular", "cholesky", "slogdet", "det", "eigh", "svd", "qr", "pinv"]
)
@pytest.mark.parametrize("matrix", [SINGULAR, SINGULAR * 0, SINGULAR * np.nan, SINGULAR[:, :0][:0]])
def test_a_singular_matrix_gives_no_bare_error_in_either_tier(tier, name, matrix):
    """It has no inverse: NaN, in both tiers, and never NumPy's LinAlgError."""
    function = getattr(ps.linalg, name)
    operands = (matrix, matrix) if name.startswith("solve") else (matrix,)
    bad_calls.looked_at(function(*operands))
    if name in ("inv", "solve") and matrix.size:
        assert np.isnan(function(*operands).numpy()).all()


@pytest.mark.parametrize("ids", [[2, 0], [-3, 0]])
def test_an_index_outside_is_refused_alike_in_both_tiers(tier, ids):
    table = np.ones((2, 3), np.float32)
    for name, call in {
        "take": lambda: ps.take(table, ps.asarray(ids), axis=0),
        "take_along_axis": lambda: ps.take_along_axis(table, ps.asarray([ids]).T, axis=0),
        "embedding": lambda: ps.nn.embedding(table, ps.asarray(ids)),
        "scatter_add": lambda: ps.segments.scatter_add(table, ps.asarray(ids), table),
        "segment_sum": lambda: ps.segments.segment_sum(table, ps.asarray(ids), 2),
        "labels": lambda: ps.losses.softmax_cross_entropy(table, ps.asarray([ids[0] + (ids[0] > 0), 0])),
    }.items():
        with pytest.raises(RangeError) as caught:
            call().numpy()
        assert re.search(r"index (2|3|-3)\b", str(caught.value)), name
        assert caught.value.site.file == __file__, name


@pytest.mark.parametrize("dtype", ["int64", "bool", "uint8"])
def test_a_dtype_without_a_derivative_is_named(dtype):
    x = ps.asarray(np.asarray([1, 0]), dtype=dtype)
    for ask in (
        lambda: ps.grad(lambda v: ps.sum(v))(x),
        lambda: ps.value_and_grad(lambda v: ps.sum(v))(x),
        lambda: ps.jacobian(lambda v: v)(x),
        lambda: ps.batch_jacobian(lambda v: v)(ps.stack([x, x])),
        lambda: ps.hessian(lambda v: ps.sum(v))(x),
        lambda: ps.hvp(lambda v: ps.sum(v), x, x),
        lambda: ps.jvp(lambda v: v, x, x),
        lambda: ps.vjp(lambda v: v, x)[1](x),
    ):
        with pytest.raises(PenstockError, match=dtype) as caught:
            ask()
        assert caught.value.site.file == __file__
