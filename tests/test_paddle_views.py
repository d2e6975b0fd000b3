"""Views and the memory they show: what keeps them together, and what it costs.

That they are Paddle's is shown by the recorded programs `views_*`, and by random ones.
"""

import gc
import weakref

import numpy as np
import pytest

from counting import calls_of
from penstock import paddle
from penstock.paddle import _views
from penstock.paddle._layouts import contiguous, overlap, places_of
from penstock.testing import use_engine


@pytest.fixture(params=["numpy", "xla"], autouse=True)
def engine(request):
    with use_engine(request.param):
        yield


def test_a_view_keeps_no_base_and_the_next_view_finds_it_all_the_same():
    base = paddle.arange(1000, dtype="float32") * 1.0
    first, second = base[:4], base[2:6]
    float(first.sum())
    gone = weakref.ref(base)
    del base
    gc.collect()
    assert gone() is None
    second.fill_(9.0)
    assert first.tolist() == [0.0, 1.0, 9.0, 9.0]


def test_a_view_that_a_loop_makes_in_each_turn_is_forgotten():
    layer = paddle.nn.Linear(2, 2)
    for _ in range(100):
        view = layer.weight.detach()
        float(view.sum())
    assert len(layer.weight._place.memory.members) < 20
    del view, layer
    gc.collect()
    _views.forget_unshared()
    assert not _views.shown_parameters


def test_an_optimizer_calls_nothing_for_views_that_are_gone():
    layer = paddle.nn.Linear(2, 2)
    optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    x = paddle.ones([1, 2])

    def turn():
        layer(x).sum().backward()
        optimizer.step()
        optimizer.clear_grad()

    for _ in range(10):
        turn()
    before = calls_of(turn).total()
    view = layer.weight.reshape([4])
    turn()
    assert view.tolist() == layer.weight.reshape([4]).tolist()
    del view
    for _ in range(10):
        turn()
    assert calls_of(turn).total() == before


@pytest.mark.parametrize("key", ["[::2]", "[:, ::-1]", ".T", "[1:, :2]", ".T[1:]", "[:, 1]", "[::-1, ::-2]"])
def test_layouts_are_those_of_numpy(key):
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    tensor = paddle.to_tensor(array) * 1.0
    shown, layout = eval(f"array{key}"), _views.place_of(eval(f"tensor{key}")).layout
    assert layout.shape == shown.shape and layout.strides == shown.strides
    assert (places_of(layout) // 4 == shown.reshape(-1)).all()
    whole = contiguous(tensor._spec)
    found = overlap(whole, layout)
    sources = np.arange(shown.size) if found.sources is None else found.sources
    places = np.arange(12) if found.places is None else found.places
    assert (shown.reshape(-1)[sources] == array.reshape(-1)[places]).all()


def test_a_write_to_a_saved_value_is_refused_with_both_lines():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * 2.0
    loss = paddle.exp(y.detach() * y).sum()
    y[0] = 5.0
    with pytest.raises(
        RuntimeError, match=r"modified by an inplace operation at .*test_paddle_views\.py"
    ) as caught:
        loss.backward()
    assert "multiply at " in str(caught.value) and "y = x.clone()" in str(caught.value)
