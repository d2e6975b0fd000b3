"""The common part of the published image models: their arguments, their inputs, their weights in files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras import _local, config
from penstock.tensorflow.keras import layers as _layers
from penstock.tensorflow.keras._functional import KerasTensor, sources
from penstock.tensorflow.keras.models import Model
from penstock.trace.source_site import here, warn

ORIGIN = "https://storage.googleapis.com/tensorflow/keras-applications/"
"""Where the weights of most families are published."""


class Asked(NamedTuple):
    """The arguments of a model that all families have."""

    include_top: bool = True
    weights: Any = "imagenet"
    input_tensor: Any = None
    input_shape: Any = None
    pooling: str | None = None
    classes: int = 1000
    classifier_activation: Any = "softmax"
    name: str | None = None


class Files(NamedTuple):
    """Where published weights come from: a folder, and the names with the classifier and without it."""

    origin: str
    whole: str
    headless: str

    @classmethod
    def usual(cls, folder: str, stem: str) -> Files:
        """Returns the file names that most families use."""
        ending = "_weights_tf_dim_ordering_tf_kernels"
        return cls(f"{ORIGIN}{folder}/", f"{stem}{ending}.h5", f"{stem}{ending}_notop.h5")


def after(x: Any, kind: str, *arguments: Any, **options: Any) -> Any:
    """Returns the output of a new layer of this kind for x."""
    return getattr(_layers, kind)(*arguments, **options)(x)


def checked(asked: Asked) -> None:
    """Refuses weights that are neither a file nor a word, and classes that published weights do not have."""
    weights = asked.weights
    if weights not in ("imagenet", None) and not os.path.exists(weights):
        raise ArgumentError(
            "The `weights` argument should be either `None` (random initialization), 'imagenet' "
            "(pre-training on ImageNet), or the path to the weights file to be loaded. Received: "
            f"weights={weights}",
            site=here(),
        )
    if weights == "imagenet" and asked.include_top and asked.classes != 1000:
        raise ArgumentError(
            "If using `weights='imagenet'` with `include_top=True`, `classes` should be 1000. Received "
            f"classes={asked.classes}",
            site=here(),
        )
    if weights is not None and asked.include_top:
        word = asked.classifier_activation
        if getattr(word, "__name__", word) not in (None, "linear", "softmax"):
            raise ArgumentError(
                "Only `None` and `softmax` activations are allowed for the `classifier_activation` "
                f"argument when using pretrained weights, with `include_top=True`; Received: "
                f"classifier_activation={word}",
                site=here(),
            )
    if config.image_data_format() != "channels_last":
        raise ArgumentError(
            "The models of tf.keras.applications are made for images whose channels come last.",
            remedy="tf.keras.config.set_image_data_format('channels_last')",
            site=here(),
        )


def shape_of(asked: Asked, size: int, smallest: int, fixed: bool | None = None) -> tuple[int | None, ...]:
    """Returns the shape of one input, which is `size` by `size` unless the program says otherwise."""
    given, whole = asked.input_shape, asked.include_top if fixed is None else fixed
    published = asked.weights == "imagenet"
    if given is None:
        return (size, size, 3) if whole else (None, None, 3)
    shape = tuple(given)
    if len(shape) != 3:
        raise ArgumentError("`input_shape` must be a tuple of three integers.", site=here())
    if published and whole and shape != (size, size, 3):
        raise ArgumentError(
            "When setting `include_top=True` and loading `imagenet` weights, `input_shape` should be "
            f"{(size, size, 3)}.  Received: input_shape={given}",
            site=here(),
        )
    if published and shape[-1] != 3:
        raise ArgumentError(f"The input must have 3 channels; Received `input_shape={given}`", site=here())
    if shape[-1] not in (1, 3):
        warn(
            "This model usually expects 1 or 3 input channels. However, it was passed an input_shape "
            f"with {shape[-1]} input channels."
        )
    if any(length is not None and length < smallest for length in shape[:2]):
        raise ArgumentError(
            f"Input size must be at least {smallest}x{smallest}; Received: input_shape={given}", site=here()
        )
    if whole and None in shape:
        raise ArgumentError(
            "If `include_top` is True, you should specify a static `input_shape`. Received: "
            f"input_shape={given}",
            site=here(),
        )
    return shape


def entry(asked: Asked, shape: Any) -> Any:
    """Returns the symbolic tensor that a model begins with: the program's own, or a new input."""
    given = asked.input_tensor
    if given is None:
        return _layers.Input(shape=shape)
    if not isinstance(given, KerasTensor):
        raise ArgumentError(
            f"input_tensor is not a Keras tensor; Received `input_tensor={given}`",
            remedy="Pass tf.keras.Input(shape), or what layers make of one.",
            site=here(),
        )
    return given


def pooled(x: Any, pooling: str | None, named_so: bool) -> Any:
    """Returns the last pictures as they are, or one row for each: their mean or maximum."""
    names: dict[str, Any] = {"name": f"{pooling}_pool"} if named_so else {}
    if pooling == "avg":
        return after(x, "GlobalAveragePooling2D", **names)
    return after(x, "GlobalMaxPooling2D", **names) if pooling == "max" else x


def classified(x: Any, asked: Asked, pool_name: str | None = "avg_pool", **options: Any) -> Any:
    """Returns the probabilities of the classes: the mean of each channel, and one dense layer."""
    x = after(x, "GlobalAveragePooling2D", **({"name": pool_name} if pool_name else {}))
    return after(
        x, "Dense", asked.classes, activation=asked.classifier_activation, name="predictions", **options
    )


def finished(asked: Asked, x: Any, first: Any, files: Files | None) -> Any:
    """Returns the model from its input to x, with the requested weights."""
    # Missing published weights raise an error before the model is built, which takes minutes.
    path = asked.weights if asked.weights != "imagenet" else _published(asked, files)
    inputs = first if asked.input_tensor is None else sources(asked.input_tensor)
    model = Model(inputs[0] if isinstance(inputs, list) and len(inputs) == 1 else inputs, x, name=asked.name)
    if path is not None:
        model.load_weights(path)
    return model


def _published(asked: Asked, files: Files | None) -> str:
    assert files is not None
    name = files.whole if asked.include_top else files.headless
    return _local.find(
        (name,),
        files.origin + name,
        "models",
        instead="Or give weights=None, which makes the model with random weights.",
    )


def made(
    asked: Asked,
    body: Callable[[Any], Any],
    files: Files | None,
    size: int = 224,
    smallest: int = 32,
    top: Callable[[Any], Any] | None = None,
    named_pooling: bool = False,
    pools: bool = True,
) -> Any:
    """Returns a model: an input, a body, and the classifier or a pooling, unless the body ends so itself."""
    checked(asked)
    if asked.weights == "imagenet":
        _published(asked, files)
    first = entry(asked, shape_of(asked, size, smallest))
    x = body(first)
    if not asked.include_top:
        x = pooled(x, asked.pooling, named_pooling) if pools else x
    else:
        x = classified(x, asked) if top is None else top(x)
    return finished(asked, x, first, files)


def application(names: str, name: str, make: Callable[..., Any], text: str, more: str = "") -> Any:
    """Returns, declared under its names, the function that makes a model of a family by the usual arguments.

    `more` is one further argument that the family has, which is true unless a program says otherwise; `make`
    is given it by name.
    """
    own = names.split()[0].rpartition(".")[2]
    extra = f", {more}: bool = True" if more else ""
    handed = f", {more}={more}" if more else ""
    body = (
        f"def {own}(include_top: bool = True, weights: Any = 'imagenet', input_tensor: Any = None, "
        "input_shape: Any = None, pooling: str | None = None, classes: int = 1000, "
        f"classifier_activation: Any = 'softmax'{extra}, name: str | None = {name!r}) -> Any:\n"
        "    return make(Asked(include_top, weights, input_tensor, input_shape, pooling, classes, "
        f"classifier_activation, name){handed})\n"
    )
    space = {"make": make, "Asked": Asked, "Any": Any}
    # Under the name of this file, so that errors point to the calling line.
    exec(compile(f"from __future__ import annotations\n{body}", __file__, "exec"), space)
    function: Any = space[own]
    function.__module__ = make.__module__
    function.__doc__ = f"""Returns {text}, as a model of Keras.

    Nothing is downloaded: `weights="imagenet"` reads the published file below ~/.keras/models (KERAS_HOME
    names another folder), a path reads a file of Keras' weights, and None draws random ones. With
    `include_top=False` there is no classifier, any `input_shape` that is large enough will do, and `pooling`
    ("avg" or "max") gives one row for each picture.

    Raises DataNotFoundError, a FileNotFoundError that says where to put which file; ArgumentError for shapes
    and classes that the model, or its weights, cannot have.
    """
    return named(*names.split())(function)


# -- pictures and classes ----------------------------------------------------------------------------------

_MEANS = {"caffe": (103.939, 116.779, 123.68), "torch": (0.485, 0.456, 0.406)}
_DEVIATIONS = (0.229, 0.224, 0.225)
"""The channels of ImageNet: their means and standard deviations."""


def prepared(x: Any, mode: str, data_format: str | None = None) -> Any:
    """Returns pictures as a family wants them; arrays of floating-point numbers are changed in place."""
    import numpy as np

    first = (data_format or config.image_data_format()) == "channels_first"
    if data_format not in (None, "channels_first", "channels_last"):
        raise ArgumentError(
            "Expected data_format to be one of `channels_first` or `channels_last`. Received: "
            f"data_format={data_format}",
            site=here(),
        )
    if isinstance(x, np.ndarray) and not np.issubdtype(x.dtype, np.floating):
        x = x.astype(config.floatx())
    if mode == "tf":
        x /= 127.5
        x -= 1.0
        return x
    axis = len(x.shape) - 3 if first else len(x.shape) - 1
    if mode == "torch":
        x /= 255.0
    else:
        x = x[(slice(None),) * axis + (slice(None, None, -1),)]
    row = [1] * (len(x.shape) - axis)
    row[0] = 3
    dtype = x.dtype if isinstance(x, np.ndarray) else "float32"
    x -= np.reshape(np.asarray(_MEANS[mode], dtype), row)
    if mode == "torch":
        x /= np.reshape(np.asarray(_DEVIATIONS, dtype), row)
    return x


def preprocessing(names: str, mode: str | None) -> Any:
    """Returns, declared under its names, the function that brings pictures into the form of a family."""

    def preprocess_input(x: Any, data_format: str | None = None) -> Any:
        return x if mode is None else prepared(x, mode, data_format)

    what = {
        None: "the pictures as they are: the model itself brings them into its form",
        "tf": "pictures of 0 .. 255 as -1 .. 1",
        "torch": "pictures of 0 .. 255 as 0 .. 1, less the mean of ImageNet and divided by its deviation",
        "caffe": "pictures of 0 .. 255 with blue first, less the mean of ImageNet",
    }[mode]
    preprocess_input.__doc__ = f"""Returns {what}.

    An array of floating-point numbers is changed in place, as Keras does; tensors and arrays of integers are
    not. Raises ArgumentError for another `data_format` than channels_first and channels_last.
    """
    preprocess_input.__qualname__ = "preprocess_input"
    preprocess_input.__module__ = f"{__package__}.{names.split()[0]}"
    return named(*(f"tf.keras.applications.{one}.preprocess_input" for one in names.split()))(
        preprocess_input
    )


_CLASSES: list[Any] = []
_FAMILIES = (
    "convnext", "densenet", "efficientnet", "efficientnet_v2", "imagenet_utils", "inception_resnet_v2",
    "inception_v3", "mobilenet", "mobilenet_v2", "mobilenet_v3", "nasnet", "resnet", "resnet50", "resnet_v2",
    "vgg16", "vgg19", "xception",
)  # fmt: skip


@named(*(f"tf.keras.applications.{one}.decode_predictions" for one in _FAMILIES))
def decode_predictions(preds: Any, top: int = 5) -> list[list[tuple[str, str, Any]]]:
    """Returns the best classes of each row: the number of the word in WordNet, the word, the probability.

    The words are read from imagenet_class_index.json below ~/.keras/models. Raises ArgumentError for another
    shape than (rows, 1000), and DataNotFoundError where the file is not there.
    """
    import json

    import numpy as np

    if len(preds.shape) != 2 or preds.shape[1] != 1000:
        raise ArgumentError(
            "`decode_predictions` expects a batch of predictions (i.e. a 2D array of shape (samples, 1000)). "
            f"Received array with shape: {tuple(preds.shape)}",
            site=here(),
        )
    if not _CLASSES:
        origin = "https://storage.googleapis.com/download.tensorflow.org/data/imagenet_class_index.json"
        found = _local.find(("imagenet_class_index.json",), origin, "models")

        def read() -> Any:
            with open(found, encoding="utf-8") as file:
                return json.load(file)

        _CLASSES.append(_local.reading(found, read))
    rows = []
    for row in np.asarray(preds):
        best = row.argsort()[-top:][::-1]
        one = [(*_CLASSES[0][str(number)], row[number]) for number in best]
        rows.append(sorted(one, key=lambda each: each[2], reverse=True))
    return rows
