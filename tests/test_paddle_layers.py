"""Paddle's image layers: statistics as state, frozen and locked layers, and errors."""

import warnings

import numpy as np
import pytest

import penstock as ps
from penstock import paddle
from penstock.paddle import nn
from penstock.testing import use_engine

pytestmark = pytest.mark.filterwarnings("ignore:When training")


def picture(*shape):
    return paddle.to_tensor(np.cos(np.arange(np.prod(shape))).reshape(shape).astype("float32"))


def test_statistics_are_written_as_state(tier):
    layer = nn.BatchNorm2D(2)
    optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    with ps.ledger() as ledger:
        for _ in range(3):
            layer(picture(4, 2, 3, 3)).square().mean().backward()
            optimizer.step()
            optimizer.clear_grad()
    terms = {}
    for entry in ledger:
        terms.setdefault(entry.variable, []).append(entry.terms)
    assert terms[layer._mean.name] == terms[layer._variance.name] == [("state",)] * 3
    assert terms[layer.weight.name] == [("gradient",)] * 3


def test_a_locked_layer_uses_its_statistics(tier):
    layer = nn.BatchNorm1D(2)
    x = picture(5, 2)
    ps.freeze(layer._mean, layer._variance)
    found = layer(x)
    np.testing.assert_allclose(found.numpy(), x.numpy(), rtol=1e-4)
    assert not layer._mean.numpy().any()


def test_training_warns_as_paddle_does():
    layer = nn.BatchNorm1D(2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        layer(picture(5, 2))
        layer.eval()
        layer(picture(5, 2))
    assert [str(one.message) for one in caught] == [
        "When training, we now always track global mean and variance."
    ]
    assert caught[0].filename == __file__


def trained():
    paddle.seed(3)
    # No biases before a normalization: their gradients are 0 except for rounding, which Adam would follow.
    net = nn.Sequential(
        nn.Conv2D(1, 2, 3, padding=1, bias_attr=False),
        nn.BatchNorm2D(2),
        nn.ReLU(),
        nn.AvgPool2D(2),
        nn.Conv2DTranspose(2, 1, 2, bias_attr=False),
        nn.GroupNorm(1, 1),
        nn.AdaptiveAvgPool2D(2),
        nn.Flatten(),
        nn.Linear(4, 1),
    )
    optimizer = paddle.optimizer.Adam(0.05, parameters=net.parameters())
    x = picture(4, 1, 6, 6)
    losses = []
    for _ in range(8):
        loss = (net(x) - 1.0).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return [*losses, *(one.numpy() for one in net.parameters())]


def test_training_is_the_same_in_both_tiers():
    with use_engine("numpy"):
        wanted = trained()
    with use_engine("xla"):
        found = trained()
    assert wanted[7] < wanted[0]
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: nn.Conv2D(3, 2, 3)(picture(1, 2, 5, 5)), "number of input's channels"),
        (lambda: nn.Conv2D(3, 2, 3)(picture(3, 5, 5)), "4-D Tensor"),
        (lambda: nn.Conv2D(3, 2, 3, groups=2), "divisible by groups"),
        (lambda: nn.Conv2D(2, 2, 3, padding_mode="mirror"), "padding_mode"),
        (lambda: nn.Conv2D(2, 2, 3, data_format="NCWH"), "data_format"),
        (lambda: nn.Conv2D(2, 2, 3, padding="EQUAL")(picture(1, 2, 5, 5)), "Unknown padding"),
        (lambda: nn.Conv2D(2, 2, 3, padding=[1, 2, 3])(picture(1, 2, 5, 5)), "padding is"),
        (lambda: nn.Conv2D(2, 2, 9)(picture(1, 2, 5, 5)), "does not fit"),
        (lambda: nn.Conv2DTranspose(2, 2, 3)(picture(1, 3, 5, 5)), "first dimension"),
        (lambda: nn.Conv2DTranspose(2, 2, 3)(picture(1, 2, 5, 5), output_size=[3, 3]), "output_size"),
        (lambda: nn.BatchNorm2D(3)(picture(1, 3)), "expected 4D"),
        (lambda: nn.BatchNorm2D(3, data_format="NCL")(picture(1, 3, 2, 2)), "data_format"),
        (lambda: nn.BatchNorm2D(3)(picture(1, 2, 2, 2)), "statistics"),
        (lambda: nn.GroupNorm(2, 3)(picture(1, 3, 2)), "groups"),
    ],
)
def test_refusals(make, words):
    with pytest.raises(ValueError, match=words) as caught:
        make()
    assert "test_paddle_layers.py" in str(caught.value)
