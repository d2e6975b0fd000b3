"""`paddle.flops`: counts by layer, checked by hand: PaddlePaddle 3.3.1 itself fails beside NumPy 2.4."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import paddle
from penstock.paddle import nn
from penstock.paddle._errors import RefusedError


def test_documented_network(capsys: pytest.CaptureFixture[str]) -> None:
    assert paddle.flops(paddle.vision.models.LeNet(), [1, 1, 28, 28], print_detail=True) == 347560
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "<class 'paddle.nn.layer.conv.Conv2D'>'s flops has been counted"
    assert printed[2].endswith("for <class 'paddle.nn.layer.pooling.MaxPool2D'>. Treat it as zero FLOPs.")
    assert printed[-1] == "Total Flops: 347560     Total Params: 61610"
    assert [line.split("|")[-2].strip() for line in printed[7:16]] == [
        "47040", "0", "0", "241600", "0", "0", "48000", "10080", "840",
    ]  # fmt: skip


def test_a_layer_called_twice_counts_twice_and_its_weights_once() -> None:
    class Twice(nn.Layer):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Linear(4, 4)
            self.unused = nn.Linear(9, 9)

        def forward(self, x: Any) -> Any:
            return self.body(self.body(x))

    assert paddle.flops(Twice(), [3, 4]) == 2 * 3 * 16


def test_custom_rules_go_first_and_nothing_stays_behind(capsys: pytest.CaptureFixture[str]) -> None:
    def gelu(layer: Any, inputs: Any, output: Any) -> None:
        layer.total_ops += int(inputs[0].size) * 3

    net = nn.Sequential(nn.BatchNorm2D(2), nn.GELU(), nn.AdaptiveAvgPool2D(1), nn.Conv2D(2, 4, 1, groups=2))
    before = list(net.state_dict())
    # 2 for each value; 3 for each; 16 additions and a division for each of two means; 1 product and a bias.
    assert paddle.flops(net, [1, 2, 4, 4], custom_ops={nn.GELU: gelu}) == 64 + 96 + 34 + 8
    assert (
        "Customize Function has been applied to <class 'paddle.nn.layer.activation.GELU'>"
        in capsys.readouterr().out
    )
    assert net.training and list(net.state_dict()) == before and not hasattr(net[0], "total_ops")


def test_what_is_no_layer() -> None:
    with pytest.warns(UserWarning, match="instance of paddle.nn.Layer"):
        assert paddle.flops("net", [1, 2]) == -1
    with pytest.raises(RefusedError, match="static programs"):
        paddle.flops(paddle.static.Program(), [1, 2])
