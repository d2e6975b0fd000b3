"""Derivatives of the Paddle dialect's composed functions: each against a finite difference, in both tiers."""

import numpy as np
import pytest

from penstock import paddle
from penstock.testing import use_engine
from penstock.trace.local import local

F = paddle.nn.functional
rng = np.random.default_rng(7)


def draw(*shape):
    return rng.normal(size=shape)


def spread(*shape):
    """Positions away from pixels, where an interpolation has a kink."""
    cells = rng.integers(-2, 2, size=shape)
    return (cells + rng.uniform(0.2, 0.8, size=shape)) / 2.0


def _powers_of_eig(x):
    values, vectors = paddle.linalg.eig(x)
    return paddle.concat([values.real() * 2.0, values.abs() ** 2], -1).sum() + (
        vectors.abs() ** 2 * values.abs().unsqueeze(-2)
    )


IMAGE = draw(1, 2, 4, 4)
CASES = {
    "grid_sample zeros": (lambda x, g: F.grid_sample(x, g * 0.5), draw(1, 2, 5, 5), spread(1, 2, 3, 2)),
    "grid_sample reflection": (
        lambda x, g: F.grid_sample(x, g * 0.9, padding_mode="reflection", align_corners=False),
        draw(1, 2, 4, 5), spread(1, 2, 3, 2),
    ),
    "affine_grid": (lambda t: F.affine_grid(t, [1, 1, 2, 3]), draw(1, 2, 3)),
    "unfold": (lambda x: F.unfold(x, 2, 1, 1), IMAGE),
    "fold": (lambda x: F.fold(x, [3, 3], 2), draw(1, 4, 4)),
    "local_response_norm": (lambda x: F.local_response_norm(x, 3, 0.5), IMAGE),
    "lp_pool2d": (lambda x: F.lp_pool2d(x.abs() + 0.1, 3.0, 2), IMAGE),
    "gaussian_nll_loss": (
        lambda x: F.gaussian_nll_loss(x, x * 0.5, paddle.ones_like(x) * 0.7, full=True, reduction="none"),
        draw(2, 3),
    ),
    "multi_margin_loss": (lambda x: F.multi_margin_loss(x, paddle.to_tensor([1, 0]), 2, 3.0), draw(2, 3)),
    "npair_loss": (
        lambda x, y: F.npair_loss(x, y, paddle.to_tensor([0.0, 1.0], "float64").astype("float32"), 0.1),
        draw(2, 3), draw(2, 3),
    ),
    "swiglu": (lambda x: F.swiglu(x), draw(2, 4)),
    "rfft": (lambda x: paddle.fft.rfft(x).abs(), draw(2, 5)),
    "fft2": (lambda x: paddle.fft.fft2(x).real() * paddle.fft.fft2(x).imag(), draw(3, 3)),
    "irfft2": (lambda x: paddle.fft.irfft2(paddle.fft.rfft2(x) ** 2), draw(3, 4)),
    "hfft": (lambda x: paddle.fft.hfft(x.astype("complex128")), draw(4)),
    "stft": (lambda x: paddle.signal.stft(x, 4).abs(), draw(1, 12)),
    "istft": (lambda x: paddle.signal.istft(paddle.signal.stft(x, 4) ** 2, 4), draw(1, 12)),
    "quantile": (lambda x: paddle.quantile(x, [0.3, 0.8], 1), draw(2, 5)),
    "cov": (lambda x: paddle.linalg.cov(x), draw(2, 4)),
    "corrcoef": (lambda x: paddle.linalg.corrcoef(x)[0, 1], draw(2, 4)),
    "cdist": (lambda x, y: paddle.cdist(x, y, 3.0), draw(2, 3), draw(4, 3)),
    "trapezoid": (lambda y, x: paddle.trapezoid(y, x), draw(2, 4), draw(4)),
    "diagonal_scatter": (lambda x: paddle.diagonal_scatter(x, paddle.ones([3], "float64")) ** 2, draw(3, 3)),
    "masked_scatter": (
        lambda x, y: paddle.masked_scatter(x, paddle.to_tensor([True, False, True]), y) ** 2, draw(3), draw(2)
    ),
    "index_put": (
        lambda x, y: paddle.index_put(x, (paddle.to_tensor([0, 0]),), y, True) ** 2, draw(3), draw(2)
    ),
    "vander": (lambda x: paddle.vander(x, 3), draw(3)),
    "renorm": (lambda x: paddle.renorm(x * 5.0, 2.0, 0, 1.0), draw(2, 3)),
    "multigammaln": (lambda x: paddle.multigammaln(x.abs() + 2.0, 2), draw(3)),
    "cholesky_solve": (
        lambda b, r: paddle.linalg.cholesky_solve(b, paddle.tril(r) + 3.0 * paddle.eye(2, dtype="float64")),
        draw(2, 1), draw(2, 2),
    ),
    "beta entropy": (
        lambda a, b: paddle.distribution.Beta(a.abs() + 1, b.abs() + 1).entropy(), draw(2), draw(2)
    ),
    "mvn log_prob": (
        lambda m, r: paddle.distribution.MultivariateNormal(
            m, scale_tril=paddle.tril(r) + 3.0 * paddle.eye(2, dtype="float64")
        ).log_prob(m * 0.5 + 1.0),
        draw(2), draw(2, 2),
    ),
    "stick breaking": (lambda x: paddle.distribution.StickBreakingTransform().forward(x), draw(3)),
    "roi_align": (
        lambda x: paddle.vision.ops.roi_align(
            x, paddle.to_tensor([[0.3, 0.1, 3.0, 2.7]], "float64"), paddle.to_tensor([1], "int32"), 2
        ),
        IMAGE,
    ),
    "psroi_pool": (
        lambda x: paddle.vision.ops.psroi_pool(
            x, paddle.to_tensor([[0.3, 0.1, 3.0, 2.7]], "float64"), paddle.to_tensor([1], "int32"), (1, 2)
        ),
        IMAGE,
    ),
    "eig of a batch": (_powers_of_eig, draw(2, 3, 3)),
    "lkj log_prob": (
        lambda c, r: paddle.distribution.LKJCholesky(3, c.abs() + 1.0).log_prob(
            paddle.tril(r) * 0.1 + 0.9 * paddle.eye(3, dtype="float64")
        ),
        draw(2), draw(3, 3),
    ),
    "view of a result": (lambda x: paddle.view(x * x, [3, -1]), draw(2, 3)),
    "median": (lambda x: paddle.median(x, 1), draw(2, 4)),
}  # fmt: skip


COMPILED = ("rfft", "unfold")
"""The cases for XLA: each takes it about a second, and all others are made of primitives tested elsewhere."""


@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_gradients_are_finite_differences(engine):
    complaints = []
    with use_engine(engine):
        for name in CASES if engine == "numpy" else COMPILED:
            function, *arrays = CASES[name]
            leaves = [paddle.to_tensor(one, dtype="float64", stop_gradient=False) for one in arrays]
            found = function(*leaves)
            weights = np.cos(np.arange(found.size)).reshape(found.shape)
            (found * paddle.to_tensor(weights)).sum().backward()
            steps = [np.sin(1.0 + np.arange(one.size)).reshape(one.shape) for one in arrays]
            got = sum(
                float((leaf.grad.numpy() * step).sum()) for leaf, step in zip(leaves, steps, strict=True)
            )
            ends = []
            for sign in (1e-6, -1e-6):
                moved = [paddle.to_tensor(one + sign * step) for one, step in zip(arrays, steps, strict=True)]
                ends.append(float((function(*moved).numpy() * weights).sum()))
            want = (ends[0] - ends[1]) / 2e-6
            if abs(got - want) > 2e-6 * max(1.0, abs(want)):
                complaints.append(f"{name}: {got}, and the finite difference is {want}")
    assert not complaints, "\n".join(complaints)


def test_draws_follow_their_distributions():
    """Means and deviations of many draws equal those that a distribution reports."""
    D = paddle.distribution
    paddle.seed(3)
    t = paddle.to_tensor
    for one in (
        D.Normal(t([0.5]), t([2.0])), D.Uniform(t([1.0]), t([3.0])), D.Laplace(t([0.5]), t([2.0])),
        D.Gumbel(t([0.5]), t([2.0])), D.Gamma(t([2.0]), t([3.0])), D.Exponential(t([0.5])),
        D.Beta(t([2.0]), t([3.0])), D.Chi2(t([3.0])), D.ContinuousBernoulli(t([0.2])), D.Bernoulli(t([0.3])),
        D.Geometric(t([0.4])), D.Poisson(t([3.0])), D.Binomial(t([6.0]), t([0.3])),
        D.Dirichlet(t([1.0, 2.0, 3.0])), D.Multinomial(4, t([0.2, 0.5, 0.3])),
        D.LogNormal(t([0.1]), t([0.5])),
        D.MultivariateNormal(t([0.2, 0.5]), covariance_matrix=t([[2.0, 0.5], [0.5, 1.0]])),
    ):  # fmt: skip
        drawn = one.sample([4000]).numpy().astype(np.float64)
        spread = np.sqrt(one.variance.numpy())
        name = type(one).__name__
        np.testing.assert_allclose(drawn.mean(0), one.mean.numpy(), atol=5 * spread.max() / 60, err_msg=name)
        np.testing.assert_allclose(drawn.std(0), spread, rtol=0.2, err_msg=name)


def test_gradients_reach_parameters_through_draws():
    D = paddle.distribution
    for make in (
        lambda x: D.Normal(x, x), lambda x: D.Laplace(x, x), lambda x: D.Gumbel(x, x),
        lambda x: D.Gamma(x, x),
        lambda x: D.Beta(x, x), lambda x: D.Exponential(x), lambda x: D.Cauchy(x, x),
        lambda x: D.Uniform(x, x * 2),
        lambda x: D.StudentT(x, x, x), lambda x: D.Dirichlet(x), lambda x: D.ContinuousBernoulli(x * 0.3),
        lambda x: D.LogNormal(x, x), lambda x: D.Independent(D.Normal(x, x), 1),
    ):  # fmt: skip
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        one = make(x)
        # Paddle's own draws of some pass gradients too: draws_with_gradients.py has which.
        passes = type(one).__name__ in ("Normal", "Uniform", "StudentT", "LogNormal", "Independent")
        assert one.sample((3,)).stop_gradient is not passes
        (one.rsample((3,)) * paddle.to_tensor([1.0, 2.0])).sum().backward()
        assert np.isfinite(x.grad.numpy()).all() and np.abs(x.grad.numpy()).max() > 0, type(one).__name__


def test_an_operation_without_a_rule_says_how_to_write_one():
    D = paddle.distribution
    with pytest.raises(NotImplementedError, match="register_kl"):
        D.kl_divergence(D.Normal(0.0, 1.0), D.Exponential(paddle.to_tensor(1.0)))
    with pytest.raises(NotImplementedError, match="rsample"):
        D.Poisson(1.0).rsample()
    with pytest.raises(ValueError, match="line_search_fn"):
        paddle.optimizer.LBFGS(line_search_fn="armijo", parameters=[paddle.create_parameter([1])])


def test_data_of_text_is_read_from_files(tmp_path, monkeypatch):
    import io
    import tarfile

    rows = np.arange(14 * 10, dtype=np.float64).reshape(10, 14) ** 1.5
    np.savetxt(tmp_path / "housing.data", rows)
    train = paddle.text.UCIHousing(str(tmp_path / "housing.data"))
    features, price = train[3]
    assert (len(train), features.shape, price.tolist()) == (8, (13,), [np.float32(rows[3, 13])])
    assert len(paddle.text.datasets.UCIHousing(str(tmp_path / "housing.data"), "test")) == 2
    reviews = {"train/pos/1": "Good, good film!", "train/neg/1": "bad film", "test/pos/1": "good film"}
    with tarfile.open(tmp_path / "imdb.tar.gz", "w:gz") as archive:
        for name, text in reviews.items():
            member = tarfile.TarInfo(f"aclImdb/{name}.txt")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    imdb = paddle.text.Imdb(str(tmp_path / "imdb.tar.gz"), cutoff=1)
    assert imdb.word_idx == {b"film": 0, b"good": 1, "<unk>": 2} or imdb.word_idx == {
        b"good": 1, b"film": 0, "<unk>": 2
    }  # fmt: skip
    assert [(words.tolist(), label.tolist()) for words, label in (imdb[0], imdb[1])] == [
        ([1, 1, 0], [0]), ([2, 0], [1])
    ]  # fmt: skip
    monkeypatch.setenv("PADDLE_DATA_HOME", str(tmp_path))
    with pytest.raises(Exception, match=r"UCIHousing data set \(train\) is not on this machine"):
        paddle.text.UCIHousing()
    for kind in ("Conll05st", "Movielens", "Imikolov", "WMT14", "WMT16"):
        with pytest.raises(Exception, match=f"The {kind} data set is not on this machine"):
            getattr(paddle.text, kind)(**{"window_size": 2} if kind == "Imikolov" else {})


def test_a_rule_of_ones_own_tells_two_kinds_apart():
    D = paddle.distribution

    class Kind(D.Normal):
        """Another kind of normal distribution."""

    @D.register_kl(Kind, D.Laplace)
    def apart(p, q):
        return p.loc - q.loc

    one, other = Kind(1.0, 1.0), D.Laplace(paddle.to_tensor(0.25), paddle.to_tensor(1.0))
    assert D.kl_divergence(one, other).item() == 0.75
    assert D.kl_divergence(one, D.Normal(1.0, 1.0)).item() == 0.0


def test_result_that_is_an_input_of_a_pylayer_has_the_gradient_of_backward():
    class Same(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 5.0

    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    (Same.apply(x * 3.0) * 2.0).sum().backward()
    assert x.grad.tolist() == [30.0, 30.0]


def test_view_of_other_bits_refuses_a_gradient():
    x = paddle.ones([2, 3])
    x.stop_gradient = False
    with pytest.raises(NotImplementedError, match="no derivative"):
        paddle.view(x, "int32")
    with pytest.raises(ValueError, match="3 elements of 4 bytes"):
        paddle.view(x.detach(), "float64")


def test_gradients_can_be_differentiated_wherever_a_long_loop_leaves_its_history():
    # No optimizer marks the end of a turn, and a kept tensor needs its history at every moment.
    x = paddle.to_tensor([0.5, 1.0], stop_gradient=False)
    for length in (3, 5):
        found = []
        for turn in range(90):
            y = x
            for _ in range(length):
                y = paddle.tanh(y)
            kept = [y] if turn % 3 == 0 else kept  # noqa: F821, F841
            (slope,) = paddle.grad((y * y).sum(), x, create_graph=True)
            (second,) = paddle.grad(slope.sum(), x)
            found.append(second)
        values = [one.numpy() for one in found]
        assert all((one == values[0]).all() for one in values)
        assert local.trace.node.depth < 1000
