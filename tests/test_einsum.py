"""einsum: values by NumPy, derivatives by differences, its primitives, and its errors."""

import random

import numpy as np
import pytest

import penstock as ps
from penstock.errors import ArgumentError, DTypeError, ShapeError
from penstock.testing import check_grads, use_engine

LENGTHS = {"i": 2, "j": 3, "k": 4, "l": 2, "b": 5}
WRITTEN = [
    ("b...i,b...j", (2, 5, 3), (2, 4)),
    ("...ii->...i", (2, 4, 3, 3)),
    ("...,...", (3, 4), (4,)),
    ("...ij,...jk->i...k", (7, 1, 2, 3), (5, 3, 4)),
    (" i j , jk -> i k", (2, 3), (3, 4)),
    ("ijij->ji", (2, 3, 2, 3)),
    ("iii", (3, 3, 3)),
    ("i->i...", (2,)),
    ("ba", (2, 3)),
    ("aB", (2, 3)),
    (",->", (), ()),
    ("", ()),
    ("ij,jk", (2, 0), (0, 3)),
    ("ii->i", (0, 0)),
    ("ij->j", (0, 3)),
    ("ij,jk->ik", (2, 1), (3, 4)),
    ("bij,bjk->bik", (1, 2, 3), (5, 3, 4)),
    ("bqhd,bkhd->bhqk", (2, 3, 4, 5), (2, 6, 4, 5)),
    ("bhqk,bkhd->bqhd", (2, 4, 3, 6), (2, 6, 4, 5)),
    ("abc,cde,eb->ad", (2, 3, 4), (4, 5, 6), (6, 3)),
    ("i,j,k,ijk", (2,), (3,), (4,), (2, 3, 4)),
]


def drawn(rng, *shapes):
    return [np.round(rng.standard_normal(shape), 2) for shape in shapes]


def by_chance(source):
    """Subscripts and shapes that NumPy takes: repeated letters, lone ones, and axes of length 1."""
    terms = [source.choices("ijklb", k=source.randint(0, 3)) for _ in range(source.choice([1, 2, 2, 3, 4]))]
    letters = sorted({one for term in terms for one in term})
    output = "".join(source.sample(letters, source.randint(0, len(letters))))
    shapes = [tuple(LENGTHS[one] for one in term) for term in terms]
    place = source.randrange(len(terms))
    if len(set(terms[place])) == len(terms[place]) and len(terms) > 1:
        shapes[place] = tuple(1 if source.random() < 0.3 else n for n in shapes[place])
    inputs = ",".join("".join(term) for term in terms)
    return source.choice([f"{inputs}->{output}", inputs]), *shapes


def test_values_are_numpys():
    rng, source = np.random.default_rng(0), random.Random(0)
    with use_engine("numpy"):
        for subscripts, *shapes in [*WRITTEN, *(by_chance(source) for _ in range(300))]:
            operands = drawn(rng, *shapes)
            want = np.einsum(subscripts, *operands)
            got = ps.einsum(subscripts, *operands)
            assert got.shape == want.shape, subscripts
            assert np.allclose(got.numpy(), want, rtol=1e-10, atol=1e-12), (subscripts, shapes)


def test_xla_gives_the_same():
    rng = np.random.default_rng(1)
    cases = [(one, drawn(rng, *shapes)) for one, *shapes in WRITTEN]
    with use_engine("xla"):
        found = [ps.einsum(one, *operands) for one, operands in cases]
        for (one, operands), got in zip(cases, found, strict=True):
            assert np.allclose(got.numpy(), np.einsum(one, *operands), rtol=1e-10, atol=1e-12), one


@pytest.mark.parametrize(("subscripts", "shapes"), [(one, shapes) for one, *shapes in WRITTEN[:19]])
def test_derivatives_of_both_orders(subscripts, shapes):
    with use_engine("numpy"):
        operands = drawn(np.random.default_rng(2), *shapes)
        check_grads(lambda *xs: ps.einsum(subscripts, *xs), *operands, order=2)


def recorded(subscripts, *shapes, **options):
    """The calls that an einsum of ones records, on a new trace."""
    operands = [ps.asarray(np.ones(shape)) for shape in shapes]
    with use_engine("numpy"):
        ps.zeros(()).numpy()
        y = ps.einsum(subscripts, *operands, **options)
        calls = [one for one in y._trace.node.program() if one.primitive.name != "argument"]
        y.numpy()
    return calls


@pytest.mark.parametrize(
    ("subscripts", "shapes", "names"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)], "matmul"),
        ("bij,bjk->bik", [(5, 2, 3), (5, 3, 4)], "matmul"),
        ("ij,bjk->bik", [(2, 3), (5, 3, 4)], "matmul"),
        ("abij,abjk->abik", [(2, 5, 2, 3), (2, 5, 3, 4)], "matmul"),
        ("ij,kj->ik", [(2, 3), (4, 3)], "transpose matmul"),
        ("bij,jk->bik", [(5, 2, 3), (3, 4)], "reshape matmul reshape"),
        ("ij,j->i", [(2, 3), (3,)], "reshape matmul reshape"),
        ("bqhd,bkhd->bhqk", [(2, 3, 4, 5), (2, 6, 4, 5)], "transpose transpose matmul"),
        ("bi,bi->b", [(2, 3), (2, 3)], "multiply sum"),
        ("ij,j->ij", [(2, 3), (3,)], "multiply"),
        ("ij->ji", [(2, 3)], "transpose"),
        ("ij->i", [(2, 3)], "sum"),
        ("ij->ij", [(2, 3)], "identity"),
    ],
)
def test_it_is_made_of_few_primitives(subscripts, shapes, names):
    assert [one.primitive.name for one in recorded(subscripts, *shapes)] == names.split()


def test_several_operands_are_multiplied_in_a_good_order():
    shapes = (40, 2), (2, 40), (40, 1)

    def sizes(optimize):
        calls = recorded("ij,jk,kl->il", *shapes, optimize=optimize)
        return [one.spec.size for one in calls if one.primitive.name == "matmul"]

    # From the right: two numbers, then 40; from the left there are 1600 in between.
    assert sizes("greedy") == sizes(True) == sizes("optimal") == [2, 40]
    assert sizes(False) == [1600, 40]


def test_lists_of_numbers_name_axes_too():
    a, b = drawn(np.random.default_rng(3), (2, 3), (3, 4))
    with use_engine("numpy"):
        assert np.allclose(ps.einsum(a, [0, 1], b, [1, 2], [2, 0]).numpy(), (a @ b).T)
        assert np.allclose(ps.einsum(a, [0, 1], b, [1, 2]).numpy(), a @ b)
        assert np.allclose(ps.einsum(a, [..., 7], [7, ...]).numpy(), a.T)


def test_dtypes():
    with use_engine("numpy"):
        assert ps.einsum("ij->i", np.full((2, 3), 100, np.int8)).numpy().tolist() == [44, 44]
        assert ps.einsum("i,i->", np.ones(3, np.int8), np.ones(3, np.float16)).dtype == ps.float16
        # Operands get one dtype before they are multiplied: 100 * 100 does not fit in int8.
        wide = ps.einsum("i,i,->", np.full(2, 100, np.int8), np.full(2, 100, np.int8), np.float64(1))
        assert float(wide) == 20000 and wide.dtype == ps.float64
        assert ps.einsum("i,->i", ps.ones((3,)), 2.5).dtype == ps.float32
        z = np.asarray([1 + 2j, 3j])
        assert complex(ps.einsum("i,i", z, z)) == np.einsum("i,i", z, z)
        with pytest.raises(DTypeError, match="matmul takes numeric"):
            ps.einsum("ij,jk", np.ones((2, 2), bool), np.ones((2, 2), bool))


def test_batches():
    a, b = drawn(np.random.default_rng(4), (6, 2, 3), (4, 3))
    with use_engine("numpy"):
        found = ps.vmap(lambda x: ps.einsum("ij,kj->ki", x, b))(ps.asarray(a))
        assert np.allclose(found.numpy(), np.einsum("nij,kj->nki", a, b))
        found = ps.vmap(lambda x: ps.einsum("ij,ij,k->k", x, x, x[0]))(ps.asarray(a))
        assert np.allclose(found.numpy(), np.einsum("nij,nij,nk->nk", a, a, a[:, 0]))


def test_other_data_on_the_same_line_give_other_values(tier):
    for k in (1.0, 2.0, 3.0):
        x = np.full((2, 2), k)
        assert ps.einsum("ij,jk->ik", x, x).numpy().tolist() == [[2 * k * k] * 2] * 2


@pytest.mark.parametrize(
    ("kind", "words", "arguments"),
    [
        (ShapeError, "'j' is 3 long in operand 1 and 4 in operand 2", ("ij,jk", (2, 3), (4, 4))),
        (ShapeError, "operand 2 has shape (4, 4): axis 0", ("ij,jk", (2, 3), (4, 4))),
        (ShapeError, "'i' is 2 long in operand 1 and 3 in operand 1", ("ii", (2, 3))),
        (ShapeError, "an axis of '...' is 2 long", ("...i,...i", (2, 3), (4, 3))),
        (ShapeError, "operand 1 has shape (2,), and 'ij' names 2 of its 1 axes", ("ij", (2,))),
        (ShapeError, "'' names 0 of its 1 axes", ("", (2,))),
        (ArgumentError, "'k' is in the result but not in any operand", ("ij->ik", (2, 3))),
        (ArgumentError, "'i' is twice in the result", ("ij->ii", (2, 3))),
        (ArgumentError, "the result has no '...'", ("...i->i", (2, 3))),
        (ArgumentError, "outside an ellipsis", ("i.j", (2, 3))),
        (ArgumentError, "there is '-'", ("ij->i->j", (2, 3))),
        (ArgumentError, "subscripts for 2 operands, but 1 operands were given", ("ij,jk", (2, 3))),
        (ArgumentError, "there are no operands", ("ij",)),
    ],
)
def test_wrong_arguments_are_refused(kind, words, arguments):
    subscripts, *shapes = arguments
    with pytest.raises(kind) as caught:
        ps.einsum(subscripts, *(np.ones(shape) for shape in shapes))
    assert words in str(caught.value) and repr(subscripts) in caught.value.fact
    assert caught.value.site.file == __file__


def test_a_wrong_subscript_is_refused():
    for given in ([np.ones(3)], [np.ones(3), ["a"]], [np.ones(3), [60]], [np.ones(3), 0]):
        with pytest.raises(ArgumentError, match="einsum was given an array of shape"):
            ps.einsum(*given)
    with pytest.raises(ArgumentError, match="optimize is 'fast'"):
        ps.einsum("i", np.ones(3), optimize="fast")
