"""The table of primitives, walked: samples, derivatives, kinks and both tiers of every entry."""

import functools
import itertools
import math
import zlib
from contextlib import nullcontext
from typing import NamedTuple

import ml_dtypes
import numpy as np
import pytest

import penstock as ps
from accelerators import on_accelerator
from emitters import compiled_quickly
from penstock.errors import DTypeError, NonFiniteError
from penstock.grad.tape import GradientTape
from penstock.ops import batching, pointwise
from penstock.ops.special import wide_in_both, wide_in_xla
from penstock.ops.table import KINDS, complete, takes
from penstock.testing import assert_close, check_grads, gradients, use_engine
from penstock.tiers import xla
from samples import drawn, generator

table = complete()
PRIMITIVES = [pytest.param(p, id=p.name) for p in table.values()]
SMOOTH = [pytest.param(p, id=p.name) for p in table.values() if p.derivative == "smooth"]
OTHERS = [pytest.param(p, id=p.name) for p in table.values() if p.derivative != "smooth"]
KINKS = [
    pytest.param(p, number, id=f"{p.name}-{kink.at}")
    for p in table.values()
    for number, kink in enumerate(p.kinks)
]
ELEMENTWISE = {id(thing) for thing in vars(pointwise).values()}
RULE = batching.rules[table["cast"]].__code__
ALIKE = {p.name for p in table.values() if getattr(batching.rules.get(p), "__code__", None) is RULE}
"""Primitives that are the same code in every shape: those that a batch of examples passes as it is."""
RULES_IN_FLOAT64 = {rule.__code__ for rule in (wide_in_xla(max), wide_in_both(max)[1])}
IN_FLOAT64 = tuple(p.name for p in table.values() if getattr(p.xla, "__code__", None) in RULES_IN_FLOAT64)
"""Primitives that XLA computes in float64 whatever the dtype, and rounds: the code is that of float64."""
LONG = frozenset({
    "bessel", "bessel_j", "bessel_k", "bessel_y", "betainc", "expm", "expm_along", "gammainc", "gammaincinv",
    "philox_binomial", "philox_gamma", "philox_poisson", "philox_truncated_normal", "poisson_quantile",
    "second_cofactor", "third_cofactor", "zeta",
})  # fmt: skip
"""Primitives whose code is long: series and loops of operations that other primitives are tried for. They
took half of the compiler's time for values."""
LONG_GRADIENTS = LONG.union((
    "cofactor", "cumulative_logsumexp", "eigh", "gamma_density", "lu", "max_pool", "max_pool_gather",
    "max_pool_scatter", "pinv", "qr", "scatter_max", "scatter_min", "slogdet", "solve", "solve_triangular",
    "svd",
))  # fmt: skip
"""Primitives whose gradients are: one in seven, and four fifths of the compiler's time for gradients."""
WORDS = {"flat": "flat", "discrete": "discrete", "wall": "stopped"}
SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.5)
FLOATS = ("float64", "float32", "float16", "bfloat16")
INTEGERS = ("int64", "int32", "uint8")
DTYPES = (*FLOATS, *INTEGERS, "bool", "complex128")


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name, name))


def bound(p, params):
    """The primitive as a function of its operands alone."""

    def function(*operands):
        return p(*operands, **params)

    function.__name__ = f"{p.name}({', '.join(f'{name}={value}' for name, value in params.items())})"
    return function


def floating(operands):
    """The places of floating-point operands."""
    return [i for i, one in enumerate(operands) if one.dtype == np.float64]


def subsets(operands):
    """Every non-empty choice of floating-point operands."""
    places = floating(operands)
    for count in range(1, len(places) + 1):
        yield from itertools.combinations(places, count)


MANY, FEW = 24, 8
"""How many programs the walk of the table is compiled as: one for each primitive takes longer together.

One for all takes longer, too, where XLA's code is long: in gradients, and in the dtypes tried most.
"""


class Group(NamedTuple):
    """Primitives that XLA computes as one program, compiled as a user's is or `quickly`: see emitters.py."""

    names: tuple[str, ...]
    quickly: bool = False
    others: bool = False
    """Whether the program has the samples that are not `telling`."""


def groups(names, count, **kinds):
    """Primitives in so many groups."""
    return [Group(tuple(names)[number::count], **kinds) for number in range(count)]


SHORT = [name for name in table if name not in LONG_GRADIENTS]
FOR_GRADIENTS = [*groups(SHORT, FEW), *groups(sorted(LONG_GRADIENTS), 6, quickly=True)]
"""Long gradients are made of other primitives, and compiled quickly. (The older emitters' convolution loses a
NaN, so that its gradients are among the others.)"""


def group_of(p):
    return next(group for group in FOR_GRADIENTS if p.name in group.names)


def recorded_together(record, group):
    """What `record` returns for each primitive of a group, run by XLA as one program."""
    compiled = compiled_quickly() if group.quickly else nullcontext()
    # Under an open tape nothing is run before the end.
    with compiled, use_engine("xla"), GradientTape(watch_accessed_variables=False) as tape:
        found = {name: list(record(table[name])) for name in group.names}
        tape.reset()
        ps.wait()
    return {
        name: [one if isinstance(one, str) else one.numpy() for one in several]
        for name, several in found.items()
    }


def run_again(record, group):
    """What `record` returns for operands of the same shapes, run by the program that is there already."""
    compiled = len(xla.compilations)
    found = recorded_together(record, group)
    assert len(xla.compilations) == compiled, "not the program that is there already"
    return found


# -- required parts of an entry -----------------------------------------------------------------------------


@pytest.mark.parametrize("p", PRIMITIVES)
def test_entry_is_complete(p):
    assert p.samples is not None, f"{p.name} has no samples"
    assert p.derivative in ("smooth", "flat", "discrete", "wall")
    samples = list(drawn(p))
    assert samples
    if id(p) in ELEMENTWISE:
        shapes = {operands[0].shape for operands, _ in samples}
        assert p.guard is None
        assert () in shapes or any(len(operands) > 1 for operands, _ in samples)
    for operands, params in samples:
        result = bound(p, params)(*map(ps.asarray, operands))
        if p.derivative == "discrete":
            assert result.dtype.kind in "biu" or not list(subsets(operands)), "a discrete result is whole"
        if p.derivative == "smooth":
            unruled = [i for i, one in enumerate(operands) if one.dtype.kind == "f" and p.vjp[i] is None]
            assert not unruled, f"{p.name} has no rule for operands {unruled}"


# -- derivatives --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", SMOOTH)
def test_derivatives_against_differences(p):
    with use_engine("numpy"):
        for operands, params in drawn(p):
            check_grads(bound(p, params), *operands, order=2)


def broadcasts(one):
    """How many operands of a sample are smaller than the result."""
    shapes = [operand.shape for operand in one[0]]
    return sum(shape != np.broadcast_shapes(*shapes) for shape in shapes)


def telling(p, samples):
    """The samples whose gradients XLA computes: of an elementwise primitive, one for each set of parameters.

    Its derivatives are the same code in every shape. Broadcasting adds sums to it, so the sample that has
    most of it contains the others.
    """
    return one_of_each(samples, told) if p.name in ALIKE else samples


def one_of_each(samples, most):
    """Of the samples with the same parameters, the one of which `most` is largest."""
    alike = {}
    for one in samples:
        alike.setdefault(str(one[1]), []).append(one)
    return [max(several, key=most) for several in alike.values()]


def told(one):
    """How much a sample tells: nothing if it is empty, more if operands are broadcast or if it is larger."""
    size = math.prod(np.broadcast_shapes(*(operand.shape for operand in one[0])))
    return size > 0, broadcasts(one), size


def numbers(one):
    """How many numbers the operands of a sample have."""
    return sum(operand.size for operand in one[0])


def record_gradients(p, draw=drawn):
    if p.derivative != "smooth":
        return
    for operands, params in telling(p, list(draw(p))):
        tensors = [ps.asarray(one) for one in operands]
        result = p(*tensors, **params)
        if result.dtype.kind != "c" and (active := floating(operands)):
            # All operands at once: a program for some of them is a part of this one.
            ct = np.random.default_rng(1).standard_normal(result.shape)
            yield from gradients(bound(p, params), tensors, active, [ct])


SEEDS = range(12)


@functools.cache
def gradients_in_xla(group):
    """The gradients of a group by XLA: at their samples, and by seed at those with special values."""
    plain = recorded_together(record_gradients, group)
    draws = [functools.partial(drawn_with_special_values, seed=seed) for seed in SEEDS]
    return plain, [run_again(functools.partial(record_gradients, draw=draw), group) for draw in draws]


@pytest.mark.parametrize("p", SMOOTH)
def test_gradients_in_xla_against_differences(p):
    found = iter(gradients_in_xla(group_of(p))[0][p.name])
    step = 1e-6
    for operands, params in telling(p, list(drawn(p))):
        if np.iscomplexobj(p.numpy(*operands, **params)):
            continue
        for moving in floating(operands):
            direction = np.random.default_rng(2).standard_normal(operands[moving].shape)
            with np.errstate(all="ignore"):
                ahead, behind = (
                    p.numpy(
                        *[a + s * direction if i == moving else a for i, a in enumerate(operands)], **params
                    )
                    for s in (step, -step)
                )
            ct = np.random.default_rng(1).standard_normal(np.shape(ahead))
            want = np.vdot(ct, (ahead - behind) / (2 * step))
            got = np.vdot(next(found), direction)
            assert np.isclose(got, want, rtol=1e-6), (
                f"{p.name}{params}, operand {moving}: {got}, differences {want}"
            )
    assert next(found, None) is None


def drawn_with_special_values(p, seed):
    """The samples with NaN, infinities and zeros strewn in: of the same shapes, so that they run the same
    program."""
    rng = np.random.default_rng((seed, zlib.crc32(p.name.encode())))
    for operands, params in drawn(p):
        if p.refusal is not NonFiniteError:
            operands = [strewn(one, rng) for one in operands]
        yield operands, params


@pytest.mark.parametrize("seed", SEEDS)
def test_gradients_at_special_values_are_the_same_in_both_tiers(seed):
    draw = functools.partial(drawn_with_special_values, seed=seed)
    apart = []
    with use_engine("numpy"):
        for p in table.values():
            found = gradients_in_xla(group_of(p))[1][seed][p.name]
            for got, want in zip(found, record_gradients(p, draw), strict=True):
                try:
                    # Roundings are compared elsewhere; here NaN and infinities have to be in their places.
                    np.testing.assert_allclose(got, want.numpy(), rtol=1e-9, atol=1e-9, err_msg=p.name)
                except AssertionError as error:
                    apart.append(str(error))
    assert not apart, "\n".join(apart)


def refuses(p, operands, params):
    """Whether a primitive refuses operands of this dtype, or leaves the real numbers."""
    try:
        return p(*map(ps.asarray, operands), **params).dtype.kind == "c"
    except DTypeError:
        return True


@pytest.mark.parametrize("dtype", FLOATS[1:])
@pytest.mark.parametrize("p", SMOOTH)
def test_gradients_in_narrow_dtypes_are_the_wide_ones_rounded(p, dtype):
    with use_engine("numpy"):
        for operands, params in drawn(p):
            params = {**params, "dtype": dtype_of(dtype)} if "dtype" in params else params
            wide = {**params, "dtype": np.dtype(np.float64)} if "dtype" in params else params
            narrow = [one.astype(dtype_of(dtype)) if one.dtype == np.float64 else one for one in operands]
            widened = [one.astype(np.float64) if one.dtype.kind in "fV" else one for one in narrow]
            if refuses(p, narrow, params):
                continue
            for active in subsets(operands):
                ct = np.round(
                    np.random.default_rng(3).standard_normal(p(*map(ps.asarray, narrow), **params).shape), 1
                )
                ct = ct.astype(dtype_of(dtype))
                want = gradients(
                    bound(p, wide), [ps.asarray(one) for one in widened], active, [ct.astype(np.float64)]
                )
                got = gradients(bound(p, params), [ps.asarray(one) for one in narrow], active, [ct])
                for g, w, i in zip(got, want, active, strict=True):
                    assert_close(g.numpy(), w.numpy().astype(narrow[i].dtype), f"{p.name}, operand {i}")


def in_the_plane(p, operands):
    """The operands as complex numbers, if the primitive takes them; which of them may move."""
    takes_complex = p.dtypes == "own" or "c" in KINDS[p.dtypes]
    common = range(len(operands)) if p.common is None else p.common
    wanted = np.dtype(np.complex128)
    values = [
        converted(one, wanted) if takes_complex and (p.dtypes == "own" or i in common) else one
        for i, one in enumerate(operands)
    ]
    return values, [i for i, one in enumerate(values) if one.dtype.kind in "fc"]


def stepped(rng, one):
    step = rng.standard_normal(one.shape)
    return step + 1j * rng.standard_normal(one.shape) if one.dtype.kind == "c" else step


@pytest.mark.parametrize("p", SMOOTH)
def test_complex_gradients_against_differences(p):
    """Along a step d, Re <cotangent, y> moves by Re <gradient, d>: TensorFlow's and PyTorch's convention."""
    step = 1e-6
    with use_engine("numpy"):
        for operands, params in drawn(p):
            params = {**params, "dtype": np.dtype(np.complex128)} if "dtype" in params else params
            values, places = in_the_plane(p, operands)
            for count in range(1, len(places) + 1):
                for active in itertools.combinations(places, count):
                    rng = np.random.default_rng(4)
                    moved = [stepped(rng, one) * (i in active) for i, one in enumerate(values)]
                    ahead, behind = (
                        p.numpy(
                            *[a + s * d if i in active else a for i, (a, d) in enumerate(zip(values, moved))],
                            **params,
                        )
                        for s in (step, -step)
                    )
                    ct = stepped(rng, np.asarray(ahead))
                    tensors = [ps.asarray(one) for one in values]
                    with GradientTape(watch_accessed_variables=False) as tape:
                        tape.watch(*(tensors[i] for i in active))
                        result = p(*tensors, **params)
                    found = tape.gradient(
                        result, [tensors[i] for i in active], output_gradients=ps.asarray(ct)
                    )
                    got = sum(np.vdot(np.asarray(g), moved[i]) for g, i in zip(found, active)).real
                    want = np.vdot(ct, (ahead - behind) / (2 * step)).real
                    assert np.isclose(got, want, rtol=1e-6, atol=1e-8), f"{p.name}{params}, inputs {active}"


@pytest.mark.parametrize("p", OTHERS)
def test_no_gradient_passes(p, tier):
    for operands, params in drawn(p):
        tensors = [ps.asarray(one) for one in operands]
        for active in subsets(operands):
            with GradientTape(watch_accessed_variables=False) as tape:
                tape.watch(*(tensors[i] for i in active))
                result = p(*tensors, **params)
            sources = [tensors[i] for i in active]
            assert tape.gradient(result, sources) == [None] * len(active)
            for source in sources:
                assert ps.explain(result, source).reason == WORDS[p.derivative]


@pytest.mark.parametrize("p", [one for one in OTHERS if one.values[0].derivative == "flat"])
def test_flat_is_flat(p):
    for operands, params in drawn(p):
        moved = [one + 1e-6 if one.dtype == np.float64 else one for one in operands]
        assert np.array_equal(p.numpy(*operands, **params), p.numpy(*moved, **params))


def kink_gradients(p):
    for kink in p.kinks:
        tensors = [ps.asarray(np.asarray(one, np.float64)) for one in kink.at]
        ones = np.ones(p.shape(*(one._spec for one in tensors), **kink.params).shape)
        for i in range(len(tensors)):
            yield from gradients(bound(p, kink.params), tensors, [i], [ones])
        yield from gradients(bound(p, kink.params), tensors, range(len(tensors)), [ones])


kinks_in_xla = functools.cache(functools.partial(recorded_together, kink_gradients))


@pytest.mark.parametrize("engine", ["numpy", "xla"])
@pytest.mark.parametrize(("p", "number"), KINKS)
def test_derivatives_at_kinks_are_as_declared(p, number, engine):
    if engine == "xla":
        results = kinks_in_xla(group_of(p))[p.name]
    else:
        with use_engine("numpy"):
            results = [one.numpy() for one in kink_gradients(p)]
    before = sum(2 * len(kink.at) for kink in p.kinks[:number])
    kink = p.kinks[number]
    for got, want in zip(results[before:], (*kink.gradients, *kink.gradients)):
        assert np.array_equal(np.asarray(got), np.asarray(want)), (
            f"{p.name} at {kink.at}: {got}, declared {want}"
        )


# -- values -------------------------------------------------------------------------------------------------


def rounds(dtype):
    """Whether special values are strewn into the samples, for each run of the program of a dtype."""
    return (False, True) if dtype == "float64" else (dtype in FLOATS,)


def some(p, dtype, others=False):
    """The samples that are tried in a dtype: all in float64, elsewhere two.

    An elementwise primitive is the same code in every shape, as float64 shows: the larger will do. In float64
    a user's code computes one shape of an elementwise or a long primitive, and samples that float32 does not
    try; the others have a program of their own.
    """
    found = list(drawn(p))
    if dtype == "float64":
        if p.name in ALIKE:
            tried = one_of_each(found, told)
        elif p.name in LONG:
            tried = one_of_each(found, numbers)
        else:
            tried = [*(one for one in found[:2] if not floating(one[0])), *found[2:]]
        return [one for one in found if any(one is each for each in tried) != others]
    if p.name not in ALIKE:
        return found[:2]
    return [max(found[:2], key=numbers)]


def variants(p, dtype, special, others=False):
    """Samples in a dtype, unchanged or with some special values.

    A sample without real operands is the same in every dtype.
    """
    wanted = dtype_of(dtype)
    rng = generator(p)
    finite = p.refusal is NonFiniteError
    for operands, params in some(p, dtype, others):
        real = any(one.dtype == np.float64 for one in operands)
        if dtype == "float64" or (real and not (special and finite)):
            values = [strewn(one, rng) for one in operands] if special and not finite else operands
            yield [converted(one, wanted) for one in values], params


def strewn(one, rng):
    if one.dtype != np.float64:
        return one
    return np.where(rng.random(one.shape) < 0.5, rng.choice(SPECIAL, one.shape), one)


def converted(one, wanted):
    if one.dtype != np.float64:
        return one
    if wanted.kind == "c":
        return one + 1j * np.round(np.random.default_rng(one.size).uniform(-0.5, 0.5, one.shape), 2)
    return one.astype(wanted) if wanted.kind in "fV" else np.abs(one * 3).astype(wanted)


def record_values(dtype, special, others, p):
    for operands, params in variants(p, dtype, special, others):
        try:
            yield p(*map(ps.asarray, operands), **params)
        except DTypeError:
            yield "refused"


@functools.cache
def values_in_xla(dtype, group):
    """The values of a group by XLA, for each round: the second is run by the program of the first."""
    first, *again = (
        functools.partial(record_values, dtype, special, group.others) for special in rounds(dtype)
    )
    return [recorded_together(first, group), *(run_again(one, group) for one in again)]


def groups_in(dtype):
    """The primitives that one program computes in a dtype."""
    if dtype == "float64":
        apart = [name for name in table if some(table[name], dtype, others=True)]
        return [*groups(table, MANY), *groups(apart, 2, quickly=True, others=True)]
    if dtype not in FLOATS:
        # Users' code of these is tried in test_array_api_values.py.
        return groups(table, 4, quickly=True)
    # Where the code of float64 computes this dtype, too, it has been tried.
    quick = LONG.union(IN_FLOAT64)
    if dtype != "float32":
        # Of halves, what XLA makes of each number; which numbers it takes is as in float32.
        quick = quick.union(name for name in table if name not in ALIKE)
    rest = [name for name in table if name not in quick]
    apart = [name for name in table if name in quick]
    return [*groups(rest, MANY if dtype == "float32" else FEW), *groups(apart, 3, quickly=True)]


@pytest.mark.parametrize(
    ("dtype", "group"),
    [
        pytest.param(dtype, group, id=f"{dtype}-{number}")
        for dtype in DTYPES
        for number, group in enumerate(groups_in(dtype))
    ],
)
def test_tiers_agree(dtype, group):
    apart = []
    for special, values in zip(rounds(dtype), values_in_xla(dtype, group), strict=True):
        for p in map(table.get, group.names):
            # The vectors of LAPACK's own signs: a GPU has another library, and its users expect that one's.
            if p.name == "turns" and on_accelerator():
                continue
            found = iter(values[p.name])
            with use_engine("numpy"):
                for operands, params in variants(p, dtype, special, group.others):
                    try:
                        agree(p, dtype, operands, params, next(found))
                    except AssertionError as error:
                        apart.append(f"{p.name}: {error}")
            assert next(found, None) is None
    assert not apart, "\n".join(apart)


def agree(p, dtype, operands, params, got):
    common = range(len(operands)) if p.common is None else p.common
    given = {operands[i].dtype for i in common if operands[i].dtype == dtype_of(dtype)}
    if p.dtypes != "own" and not all(takes(p.dtypes, one) for one in given):
        assert isinstance(got, str), f"{p.name} takes {p.dtypes} operands only"
        return
    handle = p(*map(ps.asarray, operands), **params)
    want = np.asarray(handle.numpy())
    assert want.dtype == handle.dtype
    assert want.shape == handle.shape
    assert_close(got, want, f"{p.name}{params} of {operands}", scaled=id(p) not in ELEMENTWISE)
