"""Convolutions by oneDNN: right for all shapes, called only where allowed, never loaded where missing."""

import numpy as np
import pytest

import penstock as ps
from in_a_process import printed
from penstock.ops import ffi, onednn, window

jax = pytest.importorskip("jax")
missing = onednn.lack()
needs_library = pytest.mark.skipif(missing is not None, reason=f"oneDNN: {missing}")


@pytest.fixture
def every_size(monkeypatch):
    monkeypatch.setattr(onednn, "LARGE", 0)


def lowered(x, kernel, params):
    def run(a, b):
        return window.convolution.xla(jax, a, b, **params)

    with ffi.allowed(True):
        return jax.jit(run).lower(x, kernel)


def drawn(rng):
    """Draws operands and parameters, groups, gaps and uneven padding included."""
    groups = int(rng.choice([1, 1, 1, 2]))
    lengths = rng.integers(5, 12, 2)
    kernel = rng.integers(1, 4, 2)
    x = rng.standard_normal((int(rng.integers(1, 6)), *lengths, groups, int(rng.choice([1, 3, 16]))))
    k = rng.standard_normal((*kernel, x.shape[-1], groups, int(rng.choice([2, 16, 32]))))
    pairs = rng.integers(0, 3, (2, 2))
    steps = [tuple(int(n) for n in rng.integers(1, most, 2)) for most in (3, 2, 3)]
    params = dict(zip(("strides", "spread", "dilation"), steps, strict=True))
    params["padding"] = tuple((int(a), int(b)) for a, b in pairs)
    return x.astype(np.float32), k.astype(np.float32), params


@needs_library
@pytest.mark.parametrize("seed", range(24))
def test_random_convolutions_equal_those_of_numpy(every_size, seed):
    x, kernel, params = drawn(np.random.default_rng(seed))
    made = lowered(x, kernel, params)
    found = np.asarray(made.compile()(x, kernel))
    np.testing.assert_allclose(found, window.convolution.numpy(x, kernel, **params), rtol=2e-4, atol=2e-4)
    if x.shape[-2] > 1:
        assert onednn.TARGET not in made.as_text()


@needs_library
@pytest.mark.parametrize("seed", range(12))
def test_gradients_by_kernel_equal_those_of_numpy(every_size, seed):
    """The operands as the rule of the gradient gives them: the kernel is as long as the picture."""
    rng = np.random.default_rng(seed)
    batch, channels, filters = int(rng.integers(1, 6)), int(rng.choice([3, 16])), int(rng.choice([16, 32]))
    stride, low = int(rng.integers(1, 3)), int(rng.integers(0, 2))
    places = (9 + 2 * low - 3) // stride + 1
    x = rng.standard_normal((channels, 9, 9, 1, batch)).astype(np.float32)
    ct = rng.standard_normal((places, places, batch, 1, filters)).astype(np.float32)
    high = 2 + (places - 1) * stride + 1 - 9 - low
    params = {
        "strides": (1, 1),
        "padding": ((low, high),) * 2,
        "spread": (1, 1),
        "dilation": (stride, stride),
    }
    made = lowered(x, ct, params)
    assert onednn.TARGET in made.as_text()
    run = made.compile()
    found = np.asarray(run(x, ct))
    np.testing.assert_allclose(found, window.convolution.numpy(x, ct, **params), rtol=2e-4, atol=2e-4)
    # The parts of the batch are added in one order, whichever thread computed them.
    assert all((np.asarray(run(x, ct)) == found).all() for _ in range(20))


@needs_library
def test_other_dtypes_and_small_convolutions_stay_with_xla(monkeypatch):
    x, kernel = np.ones((2, 8, 8, 1, 16), np.float32), np.ones((3, 3, 16, 1, 16), np.float32)
    params = {"strides": (1, 1), "padding": ((1, 1),) * 2, "spread": (1, 1), "dilation": (1, 1)}
    assert onednn.TARGET not in lowered(x, kernel, params).as_text()
    monkeypatch.setattr(onednn, "LARGE", 0)
    assert onednn.TARGET in lowered(x, kernel, params).as_text()
    assert onednn.TARGET not in lowered(x.astype(np.float16), kernel.astype(np.float16), params).as_text()
    monkeypatch.setenv(onednn.SETTING, "off")
    assert onednn.TARGET not in lowered(x, kernel, params).as_text()
    monkeypatch.delenv(onednn.SETTING)
    # Outside of a compilation for this machine, as for a file that is exported.
    plain = jax.jit(lambda a, b: window.convolution.xla(jax, a, b, **params)).lower(x, kernel)
    assert onednn.TARGET not in plain.as_text()


PROGRAM = """
import numpy as np, penstock as ps
from penstock.ops import onednn
onednn.LARGE = 0
x = ps.asarray(np.random.default_rng(0).standard_normal((6, 9, 9, 3)).astype(np.float32))
w = ps.Variable(np.random.default_rng(1).standard_normal((3, 3, 3, 16)).astype(np.float32))
v = ps.Variable(np.random.default_rng(2).standard_normal((3, 3, 16, 16)).astype(np.float32))
def loss(w, v):
    return ps.mean(ps.nn.conv(ps.nn.relu(ps.nn.conv(x, w, padding="same")), v, padding="same") ** 2)
for _ in range(3):
    with ps.GradientTape() as outer:
        with ps.GradientTape() as tape:
            y = loss(w, v)
        first = tape.gradient(y, [w, v])
        both = ps.sum(first[0] ** 2) + ps.sum(first[1] ** 2)
    second = outer.gradient(both, [w, v])
print(repr([float(ps.sum(ps.abs(one))) for one in [y, *first, *second]]))
"""


def numbers(folder, **settings):
    return eval(printed(PROGRAM, folder, **settings))


@needs_library
def test_a_program_has_the_same_gradients_in_each_tier_and_from_disk(tmp_path):
    expected = numbers(tmp_path / "none", PENSTOCK_ENGINE="numpy")
    first = numbers(tmp_path / "cache", PENSTOCK_ENGINE="xla")
    np.testing.assert_allclose(first, expected, rtol=1e-3)
    kept = {path: path.stat().st_size for path in (tmp_path / "cache").iterdir()}
    assert any(onednn.TARGET.encode() in path.read_bytes() for path in kept)
    assert numbers(tmp_path / "cache", PENSTOCK_ENGINE="xla") == first
    assert set((tmp_path / "cache").iterdir()) == set(kept)
    # Without the library the file is not even looked for.
    without = numbers(tmp_path / "cache", PENSTOCK_ENGINE="xla", PENSTOCK_ONEDNN="off")
    np.testing.assert_allclose(without, expected, rtol=1e-3)
    assert set((tmp_path / "cache").iterdir()) > set(kept)


def test_without_the_library_xla_computes(monkeypatch, every_size):
    monkeypatch.setattr(onednn, "library", lambda: None)
    assert onednn.described() is None
    assert "penstock[onednn]" in onednn.lack()
    x, kernel, params = drawn(np.random.default_rng(0))
    assert onednn.TARGET not in lowered(x, kernel, params).as_text()
    assert float(ps.sum(ps.asarray(x))) == pytest.approx(float(x.sum()), rel=1e-4)
