"""Paddle's names: each is declared once, beside its implementation, and is found where declared."""

import importlib
import inspect
import pickle
import pkgutil
import pydoc
from pathlib import Path

import numpy as np
import pytest

from penstock import declared, paddle
from penstock.paddle import _words, nn, optimizer
from penstock.paddle._signatures import REQUIRED, bound


def declarations():
    """The declarations of all files of the dialect: by full name, the file and the object."""
    for one in pkgutil.walk_packages(paddle.__path__, "penstock.paddle."):
        importlib.import_module(one.name)
    return {
        name: pair for name, pair in declared.every_name().items() if pair[0].startswith("penstock.paddle")
    }


def test_every_declared_name_is_where_it_says():
    found = declarations()
    assert len(found) > 900
    for name, (file, one) in found.items():
        there = paddle
        for part in name.split(".")[1:]:
            assert hasattr(there, part), (
                f"{name}, declared in {file}: its module does not draw from that file"
            )
            there = getattr(there, part)
        assert there is one or there.__wrapped__ is one, f"{name} is not what {file} declares"


@pytest.mark.parametrize("space", ["", ".nn", ".nn.functional", ".linalg", ".optimizer"])
def test_a_namespace_shows_what_it_has_and_explains_it(space):
    module = importlib.import_module(f"penstock.paddle{space}")
    listed = {}
    exec(f"from penstock.paddle{space} import *", listed)
    assert set(module.__all__) <= set(listed) and set(module.__all__) <= set(dir(module))
    text = pydoc.plain(pydoc.render_doc(module))
    assert all(name in text for name in module.__all__)


def test_layers_that_are_functions_take_what_the_functions_take():
    layers = [one for _, one in declarations().values() if hasattr(one, "_defaults")]
    assert len(layers) > 50
    for layer in layers:
        own = inspect.signature(layer._function).parameters
        given = inspect.signature(layer).parameters
        for name, default in layer._defaults.items():
            assert own[name].default == given[name].default == default or default is REQUIRED
        required = [1 for default in layer._defaults.values() if default is REQUIRED]
        made = pickle.loads(pickle.dumps(layer(*required)))
        assert type(made) is layer and str(made) == str(layer(*required))
        with pytest.raises(TypeError, match=f"{layer.__name__}.* unexpected keyword argument 'nonsense'"):
            layer(*required, nonsense=1)


def test_optimizers_take_their_fields_in_order():
    weight = paddle.create_parameter([2], "float32")
    for name in optimizer.__all__:
        kind = getattr(optimizer, name)
        if name in ("Optimizer", "LBFGS", "lr"):
            continue
        names = list(inspect.signature(kind).parameters)
        defaults = [0.5 if name == "learning_rate" else one.default for name, one in
                    inspect.signature(kind).parameters.items()]  # fmt: skip
        defaults[names.index("parameters")] = [weight]
        assert kind(*defaults).get_lr() == 0.5
        with pytest.raises(TypeError, match=f"{name}.__init__.* got multiple values for argument"):
            kind(0.5, learning_rate=0.5)


def test_wrong_arguments_are_refused_as_by_a_function():
    def written(x, y=2):
        """What a table of these arguments stands for."""

    def refused(call, *arguments, **options):
        with pytest.raises(TypeError) as caught:
            call(*arguments, **options)
        return str(caught.value).rpartition("written() ")[2]

    def made(*arguments, **options):
        return bound("written", {"x": REQUIRED, "y": 2}, arguments, options)

    for arguments, options in [((), {}), ((1,), {"z": 1}), ((1,), {"x": 1})]:
        assert refused(made, *arguments, **options) == refused(written, *arguments, **options)
    assert made(1, y=3) == {"x": 1, "y": 3} and refused(made, 1, 2, 3) == "takes 2 arguments but 3 were given"


def test_a_rarer_method_is_there_when_it_is_asked_for():
    x = paddle.to_tensor([1.0, 4.0])
    assert np.array_equal(paddle.diff(x).numpy(), x.diff().numpy())
    assert callable(paddle.Tensor.diff) and paddle.Tensor.cumsum_.__name__ == "cumsum_"
    with pytest.raises(AttributeError, match="has no attribute 'no_such_method'"):
        x.no_such_method  # noqa: B018
    assert not hasattr(nn.functional, "diff")


@pytest.mark.parametrize(
    "name",
    [
        *("nn.quant.weight_quantize", "nn.quant.weight_dequantize", "nn.quant.weight_only_linear"),
        *("nn.quant.llm_int8_linear", "static.amp.decorate", "static.amp.cast_model_to_fp16"),
    ],
)
def test_names_for_devices_alone_are_refused_by_name(name):
    place, _, own = name.rpartition(".")
    function = getattr(importlib.import_module(f"penstock.paddle.{place}"), own)
    with pytest.raises(NotImplementedError, match=rf"paddle\.{place}\.{own} is not there") as caught:
        function(paddle.ones([2]), algo="weight_only_int8")
    assert Path(caught.value.site.file).name == "test_paddle_names.py"


def test_modes_are_asked_for_by_their_newer_names():
    core = importlib.import_module("penstock.paddle.base.framework")
    assert (core.in_pir_mode(), core.in_dynamic_or_pir_mode(), paddle.framework.use_pir_api()) == (
        False,
        True,
        True,
    )
    paddle.enable_static()
    try:
        assert core.in_pir_mode()
    finally:
        paddle.disable_static()
    with paddle.static.amp.fp16_guard():
        stub = paddle.nn.quant.Stub()
        x = paddle.ones([2])
        assert stub(x) is x


SPACES = (paddle, paddle.Tensor, nn.functional, paddle.linalg, paddle.fft)


def functions_called(name):
    return [getattr(space, name) for space in SPACES if hasattr(space, name)]


def test_every_other_word_for_an_argument_reaches_its_function():
    # The recorded program `words_of_other_frameworks` covers the results of most of them.
    for name, words in _words._words.items():
        found = functions_called(name)
        assert found, name
        for word in words:
            refusals = []
            for function in found:
                try:
                    function(**{word: object()})
                except Exception as error:
                    refusals.append(f"unexpected keyword argument '{word}'" in str(error))
            assert not refusals or not all(refusals), (name, word)


def test_every_function_that_writes_into_out_says_what_it_was_given():
    # The recorded program `written_into_tensors` shows values and gradients.
    for name in _words._writing:
        refusals = []
        for function in functions_called(name):
            with pytest.raises(TypeError) as caught:
                function(paddle.ones([2, 2]), out=np.zeros(2)) if name != "range" else function(
                    2, out=np.zeros(2)
                )
            refusals.append("was given a ndarray as out" in str(caught.value))
        assert any(refusals), name


def test_a_word_beside_the_argument_it_names_is_refused():
    x = paddle.ones([2])
    with pytest.raises(ValueError, match="Cannot specify both 'x' and its alias 'input'"):
        paddle.add(x=x, input=x, y=x)
    with pytest.raises(TypeError, match="multiple values for argument 'x'"):
        paddle.exp(x, input=x)
    with pytest.raises(TypeError, match=r"exp\(\) got an unexpected keyword argument 'dim'"):
        paddle.exp(x, dim=0)


def test_functions_of_several_results_want_as_many_tensors():
    x, one = paddle.ones([3]), paddle.zeros([1])
    for out in (one, (one,), (one, one, one)):
        with pytest.raises(TypeError, match=r"topk\(\) has 2 results"):
            paddle.topk(x, 2, out=out)


def test_functions_with_other_words_are_themselves_to_tools():
    assert pickle.loads(pickle.dumps(paddle.add)) is paddle.add
    assert list(inspect.signature(paddle.add).parameters)[:2] == ["x", "y"]
    assert paddle.add.__doc__ and paddle.add.__name__ == "add"


def test_out_in_a_static_program_takes_the_result():
    paddle.enable_static()
    try:
        static = paddle.static
        with static.program_guard(static.Program(), static.Program()):
            x = static.data("x", [2], "float32")
            out = paddle.zeros([2])
            paddle.exp(input=x, out=out)
            (found,) = static.Executor().run(feed={"x": np.zeros(2, "float32")}, fetch_list=[out + 1])
        assert found.tolist() == [2, 2]
        with pytest.raises(Exception, match="out"):
            paddle.exp(x, out=3)
    finally:
        paddle.disable_static()
    assert "x" in inspect.signature(paddle.exp).parameters
