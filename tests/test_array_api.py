"""The Python Array API standard 2024.12: names, signatures, dtypes, and the array object."""

import copy
import functools
import inspect
import math
import operator
import pickle

import ml_dtypes
import numpy as np
import pytest

import penstock as ps
import specification
from one_program import value_of, values_of
from penstock.errors import ArgumentError, DTypeError, ImmutableError, NumberRangeError, ShapeError
from penstock.testing import assert_close, check_grads, gradients

MATRIX = np.arange(6.0).reshape(2, 3)


def parameters(signature):
    return [(p.name, p.kind.name, p.default) for p in signature.parameters.values()]


def agrees(ours, theirs):
    """Whether each parameter of the standard is there, of the same kind and with the same default."""
    found = parameters(ours)
    for name, kind, default in parameters(theirs):
        match = [one for one in found if one[0] == name]
        if not match and kind == "POSITIONAL_ONLY":
            return False
        if not match or match[0][1] != kind:
            return False
        # squeeze(x, axis) has no default in the standard; ours has one.
        if default is not inspect.Parameter.empty and match[0][2] != default:
            return False
    positional = [one for one in found if one[1] in ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD")]
    wanted = [one for one in parameters(theirs) if one[1] in ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD")]
    return [one[0] for one in positional] == [one[0] for one in wanted]


@pytest.mark.parametrize("name", specification.FUNCTIONS)
def test_function_has_the_signature_of_the_standard(name):
    function = getattr(ps, name)
    assert agrees(inspect.signature(function), specification.FUNCTIONS[name])
    assert function.__name__ == name
    assert name in ps.__all__


@pytest.mark.parametrize("name", specification.signatures(specification.METHODS))
@pytest.mark.parametrize("kind", [ps.Tensor, ps.Variable])
def test_method_has_the_signature_of_the_standard(kind, name):
    wanted = specification.signatures(specification.METHODS)[name]
    x = ps.ones((2,)) if kind is ps.Tensor else ps.Variable([1.0, 1.0])
    bound = inspect.signature(getattr(x, name))
    without_self = wanted.replace(parameters=list(wanted.parameters.values())[1:])
    assert agrees(bound, without_self)


def test_attributes_and_constants():
    x = ps.asarray(MATRIX)
    assert all(hasattr(x, name) for name in specification.ATTRIBUTES)
    assert (x.ndim, x.size, x.shape, x.dtype, x.device) == (2, 6, (2, 3), ps.float64, "cpu")
    assert x.T.shape == x.mT.shape == (3, 2)
    assert ps.ones((2, 3, 4)).mT.shape == (2, 4, 3)
    assert x.to_device("cpu") is x
    assert (ps.e, ps.pi, ps.inf, ps.newaxis) == (math.e, math.pi, math.inf, None)
    assert math.isnan(ps.nan)
    assert ps.__array_api_version__ == "2024.12"
    assert x.__array_namespace__() is x.__array_namespace__(api_version="2023.12") is ps
    with pytest.raises(ValueError, match=r"2019.12.*\n.*\n?Ask for 2024.12"):
        x.__array_namespace__(api_version="2019.12")
    with pytest.raises(ValueError, match="no device 'tpu'"):
        ps.zeros((2,), device="tpu")
    with pytest.raises(ShapeError, match="mT needs two axes"):
        ps.ones((2,)).mT  # noqa: B018


def test_the_namespace_tells_what_it_can():
    info = ps.__array_namespace_info__()
    assert info.capabilities() == {
        "boolean indexing": True,
        "data-dependent shapes": True,
        "max dimensions": 64,
    }
    assert info.devices() == [info.default_device()] == ["cpu"]
    defaults = info.default_dtypes()
    assert defaults == {
        "real floating": ps.asarray(1.0).dtype,
        "complex floating": ps.asarray(1j).dtype,
        "integral": ps.asarray(1).dtype,
        "indexing": ps.argmax(ps.asarray([1])).dtype,
    }
    assert set(info.dtypes()) == set(specification.DTYPES)
    assert info.dtypes(kind="bool") == {"bool": ps.bool}
    assert set(info.dtypes(kind=("unsigned integer", "real floating"), device="cpu")) == {
        *(f"uint{bits}" for bits in (8, 16, 32, 64)),
        "float32",
        "float64",
    }


# -- dtypes -------------------------------------------------------------------------------------------------


def test_dtypes_and_their_limits():
    for name in specification.DTYPES:
        assert getattr(ps, name) == np.dtype(name)
        assert ps.asarray(1, dtype=getattr(ps, name)).dtype == getattr(ps, name)
    assert ps.bfloat16 == np.dtype(ml_dtypes.bfloat16)
    for name in ("float16", "float32", "float64"):
        ours, theirs = ps.finfo(getattr(ps, name)), np.finfo(name)
        for attribute in ("bits", "eps", "max", "min", "smallest_normal"):
            assert getattr(ours, attribute) == getattr(theirs, attribute)
            assert type(getattr(ours, attribute)) in (int, float)
        assert ours.dtype == getattr(ps, name)
    assert ps.finfo(ps.complex128).dtype == ps.float64
    assert ps.finfo(ps.bfloat16).eps == 2**-7
    for name in ("int8", "uint64"):
        ours, theirs = ps.iinfo(ps.zeros((), dtype=getattr(ps, name))), np.iinfo(name)
        assert (ours.bits, ours.max, ours.min) == (theirs.bits, theirs.max, theirs.min)
    with pytest.raises(DTypeError, match="Use iinfo"):
        ps.finfo(ps.int8)
    with pytest.raises(DTypeError, match="Use finfo"):
        ps.iinfo(ps.float32)
    with pytest.raises(TypeError, match="'quaternion' is not a dtype"):
        ps.zeros((), dtype="quaternion")


@pytest.mark.parametrize("kind", ["bool", "numeric", "integral", "signed integer", "unsigned integer",
                                  "real floating", "complex floating"])  # fmt: skip
def test_kinds_of_dtype_are_numpys(kind):
    for name in specification.DTYPES:
        assert ps.isdtype(getattr(ps, name), kind) == np.isdtype(np.dtype(name), kind)
    assert ps.isdtype(ps.bfloat16, ("bool", "real floating"))
    assert not ps.isdtype(ps.float32, ps.float64)
    with pytest.raises(ArgumentError, match="not a kind of dtype"):
        ps.isdtype(ps.float32, "floaty")


def test_promotion_within_a_kind_is_numpys():
    for one in specification.DTYPES:
        for other in specification.DTYPES:
            a, b = getattr(ps, one), getattr(ps, other)
            assert ps.can_cast(a, b) == np.can_cast(np.dtype(one), np.dtype(other))
            same_kind = np.isdtype(a, "integral") == np.isdtype(b, "integral")
            same_kind = same_kind and np.isdtype(a, "bool") == np.isdtype(b, "bool")
            if same_kind and {one, other} & {"uint64"} and {one, other} & {"int8", "int16", "int32", "int64"}:
                continue
            if same_kind and not {"float64", "complex64"} <= {one, other}:
                assert ps.result_type(a, b) == np.result_type(a, b)
                assert (ps.ones((2,), dtype=a) == ps.ones((2,), dtype=b)).dtype == ps.bool
    assert ps.result_type(ps.float64, ps.complex64) == ps.complex128
    assert ps.result_type(ps.int8, 3, ps.zeros((), dtype=ps.int16)) == ps.int16
    assert ps.result_type(ps.float32, 3.0) == ps.float32
    assert ps.result_type(ps.float64, 1j) == ps.complex128
    with pytest.raises(DTypeError, match="neither a tensor nor a dtype"):
        ps.result_type(1, 2.0)


def test_python_numbers_take_the_dtype_of_the_other_operand():
    for name in specification.DTYPES[1:]:
        x = ps.ones((2,), dtype=getattr(ps, name))
        assert (x + 1).dtype == (1 * x).dtype == ps.maximum(x, 1).dtype if x.dtype.kind != "c" else True
        assert (x + 1).dtype == x.dtype
    assert (ps.ones((2,)) * 2.5).dtype == ps.float32
    assert (ps.ones((2,)) * 2j).dtype == ps.complex64
    assert (ps.ones((2,), dtype=ps.float64) * 2j).dtype == ps.complex128
    with pytest.raises(OverflowError, match="300 does not fit uint8"):
        ps.ones((2,), dtype=ps.uint8) + 300
    with pytest.raises(NumberRangeError, match="-1 does not fit uint16"):
        ps.maximum(ps.ones((2,), dtype=ps.uint16), -1)


@pytest.mark.parametrize(("number", "dtype"), [(2, "int64"), (2.5, "float32"), (2j, "complex64")])
@pytest.mark.parametrize("operation", [operator.add, operator.mul, operator.eq, lambda x, n: n - x])
def test_truth_values_count_as_ones_beside_a_number(tier, operation, number, dtype):
    got = operation(ps.asarray([True, False]), number)
    assert got.dtype == (ps.bool if operation is operator.eq else dtype)
    assert got.numpy().tolist() == operation(np.asarray([1, 0]), number).tolist()


# -- the array object ---------------------------------------------------------------------------------------


def test_bits_are_combined_by_operators():
    a, b = ps.asarray([12, 10]), ps.asarray([10, 3])
    assert (a & b).numpy().tolist() == [8, 2]
    assert (a | 1).numpy().tolist() == [13, 11]
    assert (1 ^ a).numpy().tolist() == [13, 11]
    assert (a << 2).numpy().tolist() == [48, 40]
    assert (1 << b).numpy().tolist() == [1024, 8]
    assert (-a >> 1).numpy().tolist() == [-6, -5]
    assert (~a).numpy().tolist() == [-13, -11]
    assert (~(a > 11)).numpy().tolist() == [False, True]
    assert ((a > 11) & True).dtype == ps.bool
    assert (+a).numpy().tolist() == [12, 10]
    with pytest.raises(TypeError, match="bitwise_and takes integer or boolean operands"):
        ps.ones((2,)) & 1
    with pytest.raises(TypeError, match="numeric operands"):
        +ps.asarray([True])


def test_augmented_assignment_rebinds_the_name():
    x = before = ps.asarray([1.0, 2.0])
    x += 1
    x *= x
    x **= 2
    assert x.numpy().tolist() == [16.0, 81.0]
    assert before.numpy().tolist() == [1.0, 2.0]
    i = ps.asarray([5])
    i //= 2
    i <<= 3
    i |= 1
    assert (i.dtype, i.tolist()) == (ps.int64, [17])


def test_item_assignment_names_its_replacement():
    x = ps.asarray([1.0, 2.0])
    with pytest.raises(TypeError, match=r"x = x.at\[0\].set\(value\)"):
        x[0] = 5.0
    v = ps.Variable([1.0, 2.0])
    with pytest.raises(ImmutableError, match=r"variable.assign\(variable.at\[key\].set\(value\)\)"):
        v[...] = 5.0
    v.assign(v.at[1].set(5.0))
    assert v.numpy().tolist() == [1.0, 5.0]


def test_values_become_python_numbers():
    assert bool(ps.asarray(2.0)) is True
    assert (int(ps.asarray(-2.7)), float(ps.asarray(2)), complex(ps.asarray(2.5))) == (-2, 2.0, 2.5 + 0j)
    assert complex(ps.asarray(1 + 2j)) == 1 + 2j
    assert [10, 20, 30][ps.asarray(1)] == 20
    assert operator.index(ps.asarray(3, dtype=ps.uint8)) == 3
    assert type(ps.asarray(True).__bool__()) is bool
    for convert in (operator.index, int, float):
        with pytest.raises(TypeError):
            convert(ps.asarray(1j))
    with pytest.raises(TypeError):
        operator.index(ps.asarray(1.0))
    with pytest.raises(OverflowError):
        int(ps.asarray(np.inf))
    with pytest.raises(ValueError, match="needs one element"):
        bool(ps.ones((2,)))


def test_tensors_are_hashed_iterated_pickled_and_copied():
    x = ps.asarray(MATRIX)
    assert len({x, x, ps.asarray(MATRIX)}) == 2
    assert [row.numpy().tolist() for row in x] == MATRIX.tolist()
    assert len(x) == 2
    assert copy.copy(x) is copy.deepcopy(x) is x
    again = pickle.loads(pickle.dumps(x * 2.0))
    assert type(again) is ps.Tensor
    assert again.numpy().tolist() == (MATRIX * 2).tolist()
    assert pickle.loads(pickle.dumps(ps.astype(x, ps.bfloat16))).dtype == ps.bfloat16
    for one in (ps.asarray(1.0), ps.asarray(3)):
        with pytest.raises(TypeError, match="without axes"):
            iter(one)


# -- functional updates -------------------------------------------------------------------------------------

KEYS = [
    0,
    -1,
    np.s_[1:, ::2],
    np.s_[..., 2],
    np.s_[[1, 0], [2, 2]],
    np.s_[:, [0, 2]],
    MATRIX > 2,
    np.s_[None, 1],
    np.s_[[True, False]],
    np.s_[[]],
    np.s_[:, ::-1],
]


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("tensors", [False, True])
def test_functional_updates_are_numpys_assignments(key, tensors, tier):
    x = ps.asarray(MATRIX)
    ours = key
    if tensors and isinstance(key, np.ndarray | list):
        ours = ps.asarray(key, dtype=None if key else ps.int64) if isinstance(key, list) else ps.asarray(key)
    value = np.arange(np.size(MATRIX[key]), dtype=float).reshape(MATRIX[key].shape) + 10
    found = []  # looked at in the end, so that all of them are one program
    for method, expected in (
        ("set", lambda old, new: new),
        ("add", lambda old, new: old + new),
        ("subtract", lambda old, new: old - new),
        ("multiply", lambda old, new: old * new),
        ("divide", lambda old, new: old / new),
        ("power", lambda old, new: old**new),
        ("min", np.minimum),
        ("max", np.maximum),
    ):
        for given in (value, 0.5, np.float32(0.25)):
            want = MATRIX.copy()
            want[key] = expected(MATRIX[key], given)
            found.append((method, getattr(x.at[ours], method)(given), want))
    for method, got, want in found:
        assert np.allclose(got, want, rtol=1e-12), method
    assert np.array_equal(x.at[ours].get(), MATRIX[key])
    assert x.numpy().tolist() == MATRIX.tolist()


def slopes(function, operands):
    """Gradients of a function, and gradients of the slope along a direction."""
    rng = np.random.default_rng(0)
    weights = [ps.asarray(rng.standard_normal(np.shape(one))) for one in operands]
    tensors, places = [ps.asarray(np.float64(one)) for one in operands], range(len(operands))

    def first(*tensors):
        result = function(*tensors)
        return gradients(
            function, tensors, places, [np.linspace(0.5, 1.5, result.size).reshape(result.shape)]
        )

    def slope(*tensors):
        return sum(ps.sum(one * weight) for one, weight in zip(first(*tensors), weights, strict=True))

    return [*first(*tensors), *gradients(slope, tensors, places, [np.ones(())])]


def check_derivatives(tier, *cases):
    """In NumPy against differences; XLA's, of the first and second order, against those of NumPy.

    A case is a function and its operands, and of which order it is compared with differences.
    """
    if tier == "numpy":
        for function, operands, order in cases:
            check_grads(function, *operands, order=order)
        return
    calls = {number: functools.partial(slopes, *case[:2]) for number, case in enumerate(cases)}
    wanted, found = values_of("numpy", calls), values_of("xla", calls)
    for number in calls:
        for one, other in zip(value_of(found[number]), value_of(wanted[number]), strict=True):
            assert (one is None) == (other is None), number
            if one is not None:
                assert_close(one, other, f"case {number}")


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("method", ["multiply", "divide", "power", "min", "max"])
def test_every_update_of_a_repeated_element_counts(method, known, tier):
    x, values = np.asarray([1.1, 2.2, 3.0, 0.5]), np.asarray([2.0, 3.1, 4.0])
    where_to = np.asarray([1, 1, 0])
    one = {
        "multiply": np.multiply,
        "divide": np.divide,
        "power": np.power,
        "min": np.minimum,
        "max": np.maximum,
    }
    want = x.copy()
    for place, value in zip(where_to, values, strict=True):
        want[place] = one[method](want[place], value)

    def places():
        return where_to if known else ps.asarray(where_to) + ps.zeros((3,), dtype="int64")

    def updated(x, v):
        return getattr(x.at[places()], method)(v)

    assert np.allclose(updated(ps.asarray(x), values).numpy(), want, rtol=1e-14)
    check_derivatives(tier, (updated, (x, values), 2))
    whole = getattr(ps.asarray([1, 2, 3]).at[[0, 0]], method)
    if method in ("multiply", "min", "max"):
        assert (
            whole([2, 3]).numpy().tolist()
            == {"multiply": [6, 2, 3], "min": [1, 2, 3], "max": [3, 2, 3]}[method]
        )


def test_functional_updates_of_repeated_elements():
    x = ps.asarray([1.0, 2.0, 3.0])
    assert x.at[[0, 0, 2]].add([1.0, 2.0, 3.0]).numpy().tolist() == [4.0, 2.0, 6.0]
    assert x.at[[0, 0]].set([7.0, 8.0]).numpy().tolist() == [8.0, 2.0, 3.0]
    assert x.at[[0, 0]].multiply(2.0).numpy().tolist() == [4.0, 2.0, 3.0]
    with pytest.raises(IndexError, match="out of bounds"):
        x.at[3].set(1.0)
    with pytest.raises(IndexError, match="index 5"):
        x.at[ps.asarray([0, 5])].set(1.0).numpy()
    with pytest.raises(TypeError, match=r"at: the value is 1\.5, the tensor is int64"):
        ps.asarray([1, 2]).at[0].set(1.5)
    with pytest.raises(ValueError, match=r"\(2, 2\) does not fit the selected elements, of shape \(2,\)"):
        x.at[:2].set([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(OverflowError):
        ps.zeros((2,), dtype=ps.uint8).at[0].set(256)
    assert ps.asarray(1.0).at[()].set(2.0).numpy() == 2.0


def test_gradients_pass_functional_updates(tier):
    cases = [(lambda x, v: x.at[[0, 0], [1, 1]].set(v) * x, (MATRIX, np.asarray([1.5, 2.5])), 2)]
    for key in KEYS[:-2]:
        cases.append((lambda x, v, key=key: x.at[key].set(v * v), (MATRIX, 1.5), 1))
        cases.append((lambda x, v, key=key: x.at[key].add(v * v), (MATRIX, 1.5), 1))
    check_derivatives(tier, *cases)


def test_an_update_in_a_loop_is_compiled_once():
    from penstock.testing import check_tiers

    check_tiers(lambda x, row: x.at[row].add(x[0]), lambda rng: (rng.random((2, 3)), int(rng.integers(2))))


# -- data of others -----------------------------------------------------------------------------------------


def test_dlpack_goes_both_ways_without_copying():
    x = ps.asarray(MATRIX)
    assert x.__dlpack_device__() == (1, 0)
    there = np.from_dlpack(x)
    assert np.shares_memory(there, np.asarray(x))
    assert not there.flags.writeable
    back = ps.from_dlpack(MATRIX)
    assert np.shares_memory(np.asarray(back), MATRIX)
    assert not np.shares_memory(np.asarray(ps.from_dlpack(MATRIX, copy=True)), MATRIX)
    assert ps.from_dlpack(x) is x
    assert ps.from_dlpack(ps.Variable(MATRIX)).numpy().tolist() == MATRIX.tolist()
    for dtype in specification.DTYPES:
        one = ps.ones((2, 1), dtype=dtype)
        assert ps.from_dlpack(np.from_dlpack(one)).dtype == one.dtype


@pytest.mark.usefixtures("processor")
def test_dlpack_before_version_1_cannot_mark_memory_read_only(tier):
    x = ps.asarray(MATRIX) * 1.0

    class Capsule:
        def __init__(self, **options):
            self.options = options

        def __dlpack__(self, **options):
            return x.__dlpack__(**self.options)

        def __dlpack_device__(self):
            return x.__dlpack_device__()

    own = np.asarray(x)
    for version in (None, (0, 0), (0, 8), (1, 0), (2, 0)):
        assert np.from_dlpack(Capsule(max_version=version)).tolist() == own.tolist()
        assert not np.shares_memory(np.from_dlpack(Capsule(max_version=version, copy=True)), own)
        # The test requests it by name: the reader must leave it alone.
        assert np.shares_memory(np.from_dlpack(Capsule(max_version=version, copy=False)), own)
        x.__dlpack__(max_version=version, dl_device=(1, 0), stream=None)
    assert not np.from_dlpack(x).flags.writeable
    if tier == "numpy":
        assert not np.shares_memory(np.from_dlpack(Capsule()), own)


@pytest.mark.xla
def test_dlpack_with_jax(tier):
    import jax

    x = ps.asarray(MATRIX) * 2.0
    with jax.enable_x64(True):
        assert np.asarray(jax.dlpack.from_dlpack(x)).tolist() == (MATRIX * 2).tolist()
        theirs = jax.numpy.ones((2,), ml_dtypes.bfloat16)
    assert ps.from_dlpack(theirs).dtype == ps.bfloat16


def test_asarray_copies_only_where_it_may():
    data = MATRIX.copy()
    x = ps.asarray(data)
    data[0, 0] = 99
    assert x.numpy()[0, 0] == 0
    assert ps.asarray(x, copy=False) is x
    for given, dtype in ((MATRIX, None), ([1.0], None), (x, ps.float32)):
        with pytest.raises(ValueError, match="must be copied"):
            ps.asarray(given, dtype=dtype, copy=False)

    class Foreign:
        def __dlpack__(self, **options):
            return MATRIX.__dlpack__(**options)

        def __dlpack_device__(self):
            return MATRIX.__dlpack_device__()

    assert ps.asarray(Foreign(), dtype=ps.float32).dtype == ps.float32
    nested = ps.asarray([[ps.asarray(1.0), 2.0], [3.0, ps.asarray(4.0)]])
    assert nested.numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
