"""Paddle's names: each is declared once, beside its implementation, and is found where declared."""

import importlib
import inspect
import operator
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
        place, short = name.rpartition(".")[0], file.removeprefix("penstock.paddle.")
        for part in name.split(".")[1:]:
            assert hasattr(there, part), (
                f"{name}, declared in {file}, is not there: list {short!r} among the files from which "
                f"{place} takes its names, where the source calls namespace({place!r}, ...)"
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


def test_sums_take_a_factor_and_quotients_a_way_to_round():
    """As recorded from Paddle 3.3; no gradient passes a rounded quotient."""
    x, y = paddle.to_tensor([[1.0, 2.0, 3.5], [-4.0, 5.0, 7.0]]), paddle.to_tensor([[2.0, 3, 2], [3, -2, 4]])
    i, j = paddle.to_tensor([7, -7, 5]), paddle.to_tensor([2, 2, -3])
    forms = [
        (paddle.add, paddle.Tensor.add),
        (paddle.sub, paddle.Tensor.sub),
        (paddle.subtract, paddle.Tensor.subtract),
    ]
    for sign, functions in zip((1, -1, -1), forms, strict=True):
        for function in functions:
            for factor in (2, 0.5, paddle.to_tensor(3.0)):
                wanted = x.numpy() + sign * float(factor) * y.numpy()
                assert np.allclose(function(x, y, alpha=factor).numpy(), wanted)
            assert np.array_equal(function(i, other=j, alpha=2).numpy(), i.numpy() + sign * 2 * j.numpy())
            with pytest.raises(TypeError, match="Type promotion only support"):
                function(i, j, alpha=1.5)
    assert np.array_equal(x.clone().subtract_(y, alpha=2).numpy(), (x - 2 * y).numpy())
    written = paddle.zeros([1])
    paddle.add(x, y, alpha=2, out=written)
    assert np.array_equal(written.numpy(), (x + 2 * y).numpy())
    added = paddle.index_add(x, paddle.to_tensor([0, 1]), 0, y, alpha=2)
    assert np.array_equal(added.numpy(), written.numpy())
    assert np.array_equal(x.index_add(0, paddle.to_tensor([0, 1]), y, alpha=2).numpy(), written.numpy())
    rounded = {"trunc": ([0.0, 0, 1, -1, -2, 1], [3, -3, -1]), "floor": ([0.0, 0, 1, -2, -3, 1], [3, -4, -2])}
    for mode, (floats, whole) in rounded.items():
        for function in (paddle.div, paddle.divide, paddle.Tensor.div):
            assert function(x, y, rounding_mode=mode).flatten().tolist() == floats
            assert function(i, j, rounding_mode=mode).tolist() == whole
            assert function(i, j, rounding_mode=mode).dtype == paddle.int64
        assert x.clone().div_(y, rounding_mode=mode).flatten().tolist() == floats
        x.stop_gradient = False
        assert paddle.div(x, y, rounding_mode=mode).stop_gradient
        x.stop_gradient = True
    assert paddle.div(i, j, rounding_mode=None).dtype == paddle.float32
    with pytest.raises(ValueError, match="one of None, 'trunc', or 'floor' but found ceil"):
        paddle.div(x, y, rounding_mode="ceil")
    with pytest.raises(TypeError, match="rounding_mode"):
        paddle.true_divide(x, y, rounding_mode="floor")


def test_a_variance_takes_what_is_subtracted_from_the_count():
    x = paddle.to_tensor(np.float32([[1.0, 2, 3.5], [-4, 5, 7]]))
    for less in (0, 1, 2, 0.5):
        for axis in (None, 0, 1):
            found, wanted = paddle.var(x, axis=axis, correction=less), np.var(x.numpy(), axis)
            count = x.size if axis is None else x.shape[axis]
            with np.errstate(divide="ignore"):
                wanted = wanted * np.float32(count) / np.maximum(np.float32(count - less), 0)
            np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5)
    assert paddle.var(x, correction=7).item() == np.inf
    assert paddle.var(x, 1, False, correction=1).tolist() == paddle.var(x, 1, False).tolist()
    with pytest.raises(ValueError, match="Only one of unbiased and correction"):
        paddle.var(x, unbiased=True, correction=0)


def test_a_median_by_the_words_of_other_frameworks_is_the_lower_one_with_its_place():
    x = paddle.to_tensor([[1.0, 2.0, 3.5, 9.0], [-4.0, 5.0, 7.0, 1.0]])
    for values, places in (paddle.median(x, dim=1), paddle.median(input=x, axis=1), x.median(dim=1)):
        assert (values.tolist(), places.tolist()) == ([2.0, 1.0], [1, 3])
    assert paddle.median(x, axis=1).tolist() == paddle.median(x, dim=1, mode="avg").tolist() == [2.75, 3.0]
    assert paddle.median(input=x).item() == 2.0
    with pytest.raises(ValueError, match="both 'axis' and its alias 'dim'"):
        paddle.median(x, axis=1, dim=1)
    with pytest.raises(TypeError, match="has one result, and was given 2 tensors"):
        paddle.median(x, axis=1, out=(paddle.zeros([2]), paddle.zeros([2])))


def test_makers_take_a_place_and_whether_the_result_is_a_leaf():
    x = paddle.ones([2])
    made = {
        "fft.fftfreq": (4,), "fft.rfftfreq": (4,), "rand_like": (x,), "randn_like": (x,), "range": (0, 4, 2),
        "uniform": ([2],),
    }  # fmt: skip
    for name, arguments in made.items():
        function = operator.attrgetter(name)(paddle)
        assert function(*arguments, device="cpu").stop_gradient
        leaf = function(*arguments, requires_grad=True)
        (leaf * leaf).sum().backward()
        assert np.array_equal(leaf.grad.numpy(), 2 * leaf.numpy())


def test_lengths_are_taken_one_by_one():
    for function in (paddle.zeros, paddle.ones, paddle.empty, paddle.rand, paddle.randn):
        assert list(function(2, 1, 3).shape) == [2, 1, 3] and list(function(3).shape) == [3]
        assert function([2], "float64").dtype == paddle.float64
    x = paddle.arange(8).reshape([2, 4])
    assert x.reshape(-1, 2).tolist() == paddle.reshape(x, 4, 2).tolist() == x.reshape([4, 2]).tolist()
    assert list(paddle.ones([1, 2]).expand(2, -1).shape) == [2, 2]


def test_searches_repeats_norms_and_drops_take_the_options_of_other_frameworks():
    ordered, wanted = paddle.to_tensor([1.0, 3.0, 3.0, 5.0]), paddle.to_tensor([3.0, 4.0])
    mixed, order = paddle.to_tensor([3.0, 1.0, 5.0, 3.0]), paddle.to_tensor([1, 0, 3, 2])
    assert paddle.searchsorted(ordered, wanted, side="right").tolist() == [3, 3]
    assert paddle.searchsorted(ordered, wanted, side="left").tolist() == [1, 3]
    assert paddle.searchsorted(mixed, wanted, sorter=order).tolist() == [1, 3]
    assert paddle.repeat_interleave(wanted, 2, output_size=4).tolist() == [3.0, 3.0, 4.0, 4.0]
    with pytest.raises(ValueError, match="output_size=5, and the result has 4"):
        paddle.repeat_interleave(wanted, 2, output_size=5)
    assert paddle.norm(wanted, dtype="float64").dtype == paddle.float64
    square = paddle.to_tensor([[2.0, 0.0], [0.0, 4.0]])
    assert paddle.linalg.det(square, name="d").item() == 8.0
    assert paddle.inverse(square, name="i").tolist() == [[0.5, 0.0], [0.0, 0.25]]
    assert paddle.linalg.slogdet(square, name="s").tolist() == pytest.approx([1.0, np.log(8.0)])
    assert paddle.positive(square, name="p").tolist() == square.tolist()
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * 1
    assert nn.functional.dropout(y, 1.0, inplace=True) is y
    y.sum().backward()
    assert y.tolist() == x.grad.tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="can't use inplace strategy"):
        nn.functional.dropout(x, 0.5, inplace=True)
    assert nn.Dropout(0.5, True).inplace and nn.Dropout(0.5, True).axis is None
    with pytest.raises(ValueError, match="Write mode='downscale_in_infer'"):
        nn.functional.dropout(x, 0.5, None, True, "downscale_in_infer")


def test_the_axis_before_the_index_means_elements_along_it():
    x, index = paddle.to_tensor([[1.0, 2.0, 3.5], [-4.0, 5.0, 7.0]]), paddle.to_tensor([[0], [1]])
    for found in (paddle.gather(x, 1, index), x.gather(1, index), paddle.gather(input=x, dim=1, index=index)):
        assert found.tolist() == [[1.0], [5.0]]
    assert paddle.gather(x, paddle.to_tensor([1]), axis=1).tolist() == [[2.0], [5.0]]
    assert paddle.gather(x, 0, paddle.to_tensor([[1, 0]])).tolist() == [[-4.0, 2.0]]
    ones = paddle.ones([2, 1])
    for found in (
        x.scatter(1, index, ones), paddle.scatter(x, dim=1, index=index, src=ones), x.scatter(1, index, 1.0),
        paddle.scatter(x, 1, index, value=1.0), x.clone().scatter_(1, index, ones),
    ):  # fmt: skip
        assert found.tolist() == [[1.0, 2.0, 3.5], [-4.0, 1.0, 7.0]]
    assert x.scatter(1, index, ones, reduce="add").tolist() == [[2.0, 2.0, 3.5], [-4.0, 6.0, 7.0]]
    with pytest.raises(ValueError, match="given 2 sources"):
        paddle.scatter(x, 1, index, ones, value=1.0)
    with pytest.raises(ValueError, match="no updates"):
        paddle.scatter(x, index)
    with pytest.raises(ValueError, match="takes src with dim only"):
        paddle.scatter(x, index, ones, reduce="add")
    wanted = x.numpy().T.tolist()
    assert x.transpose(0, 1).tolist() == paddle.transpose(x, dim0=-1, dim1=0).tolist() == wanted
    assert list(paddle.ones([2, 3, 4]).transpose(0, 2).shape) == [4, 3, 2]
    assert paddle.permute(input=x, dims=(1, 0)).tolist() == x.permute(1, 0).tolist() == wanted
    for axes in ((0, 2), (0,)):
        with pytest.raises(ValueError, match="exchanges the axes 0 and"):
            x.transpose(*axes)


def test_layers_take_a_dtype_and_whether_they_have_parameters():
    """As recorded from Paddle 3.3, where these options stand beside the attributes of parameters."""
    for kind, lengths in ((nn.Conv1D, (2, 3, 1)), (nn.Conv2D, (2, 3, 1)), (nn.Conv3D, (2, 3, 1))):
        assert kind(*lengths, bias=False).bias is None and kind(*lengths, bias=True).bias is not None
        assert kind(*lengths, bias=True, bias_attr=False).bias is None
        assert {one.dtype for one in kind(*lengths, dtype="float64").parameters()} == {paddle.float64}
    plain, unshifted = (
        nn.LayerNorm(3, elementwise_affine=False, eps=0.001, device="cpu"),
        nn.LayerNorm(3, bias=False),
    )
    assert (plain.weight, plain.bias, plain._epsilon) == (None, None, 0.001)
    assert unshifted.weight is not None and unshifted.bias is None
    assert nn.LayerNorm(3, dtype="float64")(paddle.ones([2, 3], "float64")).dtype == paddle.float64
    groups = nn.GroupNorm(1, 2, affine=False, eps=0.1)
    assert (groups.weight, groups.bias, groups._epsilon) == (None, None, 0.1)
    x = paddle.to_tensor([[1.0, 2.0, 4.0], [0.0, 1.0, 5.0]])
    np.testing.assert_allclose(unshifted(x).numpy(), nn.LayerNorm(3)(x).numpy())
    np.testing.assert_allclose(plain(x).numpy(), nn.LayerNorm(3, 0.001)(x).numpy())
    assert nn.GroupNorm(1, 2, dtype="float64").weight.dtype == paddle.float64


def test_pictures_of_another_size_go_by_the_factor_or_by_the_lengths():
    """The numbers are Paddle's own, recorded."""
    x = paddle.arange(9, dtype="float32").reshape([1, 1, 3, 3])
    wanted = {
        None: [0.0, 0.38235295, 0.9705883, 1.5588236, 2.0],
        False: [0.0, 0.38235295, 0.9705883, 1.5588236, 2.0],
        True: [0.0, 0.4, 1.0, 1.6, 2.0],
    }  # fmt: skip
    for how, row in wanted.items():
        options = {"scale_factor": 1.7, "mode": "bilinear", "recompute_scale_factor": how}
        found = nn.functional.interpolate(x, antialias=False, **options), nn.Upsample(**options)(x)
        for one in found:
            np.testing.assert_allclose(one[0, 0, 0].numpy(), row, atol=1e-6)
    cubic = nn.functional.interpolate(x, None, 1.7, "bicubic", recompute_scale_factor=True)[0, 0, 0].numpy()
    np.testing.assert_allclose(cubic, [-0.384, 0.028, 0.712, 1.396, 1.808], atol=1e-5)
    assert nn.functional.interpolate(x, None, 2, "bicubic").shape == [1, 1, 6, 6]
    with pytest.raises(NotImplementedError, match="which are rounded"):
        nn.functional.interpolate(x, None, 1.7, "bicubic")
    with pytest.raises(NotImplementedError, match="antialias=True"):
        nn.functional.interpolate(x, [2, 2], mode="bilinear", antialias=True)


def test_an_embedding_takes_a_table_and_may_freeze_it():
    table = paddle.ones([2, 3])
    layer = nn.Embedding(2, 3, padding_idx=0, _weight=table)
    assert layer.weight is table and table.tolist() == [[0.0] * 3, [1.0] * 3] and not layer.parameters()
    layer(paddle.to_tensor([1])).sum().backward()
    assert table.grad.tolist() == [[0.0] * 3, [1.0] * 3]
    frozen = nn.Embedding(2, 3, _freeze=True, dtype="float64").weight
    assert frozen.stop_gradient and frozen.dtype == paddle.float64
    with pytest.raises(ValueError, match="Shape of weight does not match"):
        nn.Embedding(3, 3, _weight=table)


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
