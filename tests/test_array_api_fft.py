"""Fourier transforms compared with NumPy: values in both tiers, lengths, norms, derivatives."""

import functools
import inspect

import numpy as np
import pytest

import penstock as ps
import specification
from one_program import value_of, values_of
from penstock.errors import ArgumentError, DTypeError, ShapeError
from penstock.testing import assert_close, check_grads

RNG = np.random.default_rng(3)
REAL = np.round(RNG.standard_normal((2, 3, 4)), 2)
COMPLEX = REAL + 1j * np.round(RNG.standard_normal((2, 3, 4)), 2)
NORMS = ("backward", "ortho", "forward")


@pytest.mark.parametrize("name", specification.signatures(specification.EXTENSIONS["fft"]))
def test_signature_is_the_standards(name):
    from test_array_api import agrees

    wanted = specification.signatures(specification.EXTENSIONS["fft"])[name]
    assert agrees(inspect.signature(getattr(ps.fft, name)), wanted)
    assert name in ps.fft.__all__


def calls():
    for name in ("fft", "ifft", "irfft", "hfft", "rfft", "ihfft"):
        x = REAL if name in ("rfft", "ihfft") else COMPLEX
        for number, norm in enumerate(NORMS):
            yield name, x, {"norm": norm, "axis": (-1, 0, 1)[number]}
        for n in (1, 2, 5, 6):
            yield name, x, {"n": n}
    for name in ("fftn", "ifftn", "irfftn", "rfftn"):
        x = REAL if name == "rfftn" else COMPLEX
        for norm in NORMS:
            yield name, x, {"norm": norm}
        yield name, x, {"axes": (0, 2)}
        yield name, x, {"s": (3, 5), "axes": (2, 0)}
        yield name, x.astype(np.complex64 if x is COMPLEX else np.float32), {}


CALLS = list(calls())


@functools.cache
def values_in(tier):
    """What all calls come to in a tier."""
    return values_of(
        tier,
        {
            number: functools.partial(getattr(ps.fft, name), x, **options)
            for number, (name, x, options) in enumerate(CALLS)
        },
    )


@pytest.mark.parametrize("number", range(len(CALLS)), ids=[f"{name}{options}" for name, _, options in CALLS])
def test_value_is_numpys(number, tier):
    name, x, options = CALLS[number]
    assert_close(value_of(values_in(tier)[number]), getattr(np.fft, name)(x, **options), name)


def test_transforms_and_their_inverses(tier):
    assert np.allclose(ps.fft.ifftn(ps.fft.fftn(COMPLEX)), COMPLEX)
    assert np.allclose(ps.fft.irfftn(ps.fft.rfftn(REAL)), REAL)
    assert np.allclose(ps.fft.hfft(ps.fft.ihfft(REAL)), REAL)


def test_frequencies_and_shifts():
    for n in (1, 4, 5):
        for name in ("fftfreq", "rfftfreq"):
            want = getattr(np.fft, name)(n, 0.5)
            assert_close(getattr(ps.fft, name)(n, d=0.5).numpy(), want.astype(np.float32), name)
            assert_close(getattr(ps.fft, name)(n, d=0.5, dtype=ps.float64).numpy(), want, name)
    for axes in (None, 0, (0, 2)):
        for name in ("fftshift", "ifftshift"):
            assert_close(
                getattr(ps.fft, name)(REAL, axes=axes).numpy(), getattr(np.fft, name)(REAL, axes), name
            )


def test_dtypes():
    assert ps.fft.fft(ps.ones((2,))).dtype == ps.complex64
    assert ps.fft.rfft(ps.ones((2,), dtype=ps.float64)).dtype == ps.complex128
    assert ps.fft.irfft(ps.ones((2,), dtype=ps.complex64)).dtype == ps.float32
    assert ps.fft.fft([1, 2]).dtype == ps.complex64
    assert ps.fft.rfft(ps.ones((4,), dtype=ps.bfloat16)).dtype == ps.complex64


@pytest.mark.parametrize(
    "function",
    [
        lambda x: ps.abs(ps.fft.fftn(x, s=(2, 5), axes=(0, 2))) ** 2,
        lambda x: ps.real(ps.fft.ifft(x, axis=1, norm="ortho") * (1 + 2j)),
        lambda x: ps.real(ps.fft.rfftn(x, norm="forward")) * ps.imag(ps.fft.rfftn(x)),
        lambda x: ps.fft.irfft(x * (1 - 1j), n=5) ** 2,
        lambda x: ps.fft.irfftn(x * (1 - 1j)),
        lambda x: ps.fft.hfft(x * (2 + 1j), n=3) + ps.real(ps.fft.ihfft(x, n=4)),
        lambda x: ps.fft.fftshift(x) * x,
    ],
)
def test_derivatives(function):
    check_grads(function, REAL, order=2)


def test_a_convolution_has_the_gradient_of_a_convolution(tier):
    x, kernel = REAL[0, 0], np.asarray([0.5, -1.0, 0.25, 2.0])

    def loss(x):
        return ps.sum(ps.fft.irfft(ps.fft.rfft(x) * ps.fft.rfft(kernel), n=4) * np.arange(4.0))

    want = [sum(np.roll(kernel, j)[i] * i for i in range(4)) for j in range(4)]
    assert np.allclose(ps.grad(loss)(x), want)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ps.fft.fft(REAL, norm="unit"), ArgumentError, "norm is 'unit'"),
        (lambda: ps.fft.fft(REAL, n=0), ShapeError, "length is 0"),
        (lambda: ps.fft.rfft(COMPLEX), DTypeError, "rfft takes real operands"),
        (lambda: ps.fft.fftn(REAL, s=(2,), axes=(0, 1)), ArgumentError, "do not fit together"),
        (lambda: ps.fft.fftn(REAL, axes=(0, 0)), ArgumentError, "Name each axis once"),
        (lambda: ps.fft.fft(1.0), ShapeError, "A scalar has no axes"),
        (lambda: ps.fft.rfftn(1.0), ShapeError, "needs an axis to transform"),
        (lambda: ps.fft.fftfreq(3, dtype=ps.int64), DTypeError, "Frequencies are fractions"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)


def test_a_transform_beside_a_factorisation(tier):
    """XLA lays matrices out by columns for LAPACK, and its transforms on a CPU take rows only."""
    x = ps.asarray(np.random.default_rng(3).standard_normal((3, 3)))
    plain = np.fft.irfft(np.fft.rfft(x.numpy()) * (0.8 + 0.1j), n=3)
    smooth = ps.fft.irfft(ps.fft.rfft(x) * (0.8 + 0.1j), n=3)
    np.testing.assert_allclose(ps.linalg.svdvals(smooth).numpy(), np.linalg.svd(plain)[1], rtol=1e-12)
    inverse = ps.fft.fft(ps.linalg.inv(x + 3.0 * ps.eye(3, dtype="float64")), axis=0)
    want = np.fft.fft(np.linalg.inv(x.numpy() + 3.0 * np.eye(3)), axis=0)
    np.testing.assert_allclose(inverse.numpy(), want, rtol=1e-10)
    both = ps.linalg.svdvals(ps.fft.fftn(ps.linalg.solve(x + 3.0 * ps.eye(3, dtype="float64"), x)))
    want = np.linalg.svd(np.fft.fftn(np.linalg.solve(x.numpy() + 3.0 * np.eye(3), x.numpy())))[1]
    np.testing.assert_allclose(both.numpy(), want, rtol=1e-9)
