"""Every layer with each argument and each input wrong: refused in words, on the user's line."""

import numpy as np
import pytest

import bad_layers
import penstock as ps
from penstock.errors import PenstockError
from penstock.testing import use_engine
from test_bad_calls import INTERNAL


def test_every_layer_has_a_good_call_or_is_tested_elsewhere():
    told = (
        "list each layer of ps.layers in GOOD of tests/bad_layers.py, with arguments and inputs that it takes"
    )
    assert set(bad_layers.GOOD) | bad_layers.ELSEWHERE == set(ps.layers.__all__), told
    assert not set(bad_layers.GOOD) & bad_layers.ELSEWHERE


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", bad_layers.GOOD)
def test_a_bad_layer_is_refused_in_words_on_its_line(name):
    with open(bad_layers.__file__, encoding="utf-8") as source:
        lines = source.read().split("\n")
    arguments, inputs = bad_layers.GOOD[name]
    with use_engine("numpy"), np.errstate(all="ignore"):
        bad_layers.called(bad_layers.made(name, arguments), inputs)
        refused = 0
        for word, value, call in bad_layers.bad_calls(name):
            try:
                call()
            except PenstockError as error:
                refused += 1
                text = str(error)
                what = f"{name}, {word}:\n{text}"
                assert error.site is not None and error.site.file == bad_layers.__file__, what
                assert "# here" in lines[error.site.line - 1], what
                assert not INTERNAL.search(text), what
                assert error.why or error.remedy or error.origin or "Received" in text, (
                    f"the fact alone: {what}"
                )
                if word.startswith("made") and not isinstance(value, list | tuple):
                    assert repr(value) in text or str(value) in text, f"without the value: {what}"
            except Exception as error:
                pytest.fail(f"{name}, {word}: {type(error).__name__}: {error}")
        assert refused > 3


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ps.layers.Dense(-2), "Dense: units is -2"),
        (lambda: ps.layers.Dense(2, activation="rleu"), "rleu"),
        (lambda: ps.layers.Dropout(0.5, noise_shape=(1, -1)), r"noise_shape is \(1, -1\)"),
        (lambda: ps.layers.BatchNormalization(axis=5)(np.zeros((2, 3))), "axis 5 is not among the 2 axes"),
        (
            lambda: ps.layers.Dense(2)([[1.0], [2.0, 3.0]]),
            r"\[\[1.0\], \[2.0, 3.0\]\]: its rows have different lengths",
        ),
        (lambda: ps.layers.MaxPooling2D()(None), "called with None"),
        (lambda: ps.layers.Add()([np.zeros(2), None]), "It takes a list of tensors"),
    ],
)
def test_the_wrong_argument_is_named(make, words):
    with pytest.raises(PenstockError, match=words) as caught:
        make()
    assert caught.value.site.file == __file__
