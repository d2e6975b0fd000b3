"""Objects of Keras as plain dictionaries and back: layers, models, optimizers, losses, and classes of the
user."""

from __future__ import annotations

import builtins
import codecs
import contextlib
import importlib
import inspect
import marshal
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.layers.base import Layer as NativeLayer
from penstock.tensorflow._dtype import DType
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._tensor_shape import TensorShape
from penstock.tensorflow.keras import _functional as functional
from penstock.tensorflow.keras._layer_configs import described
from penstock.tensorflow.keras._settings import is_safe
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

PLAIN = (str, int, float, bool, type(None))
_ENDS = ("start", "stop", "step")
OWN = "penstock.tensorflow.keras"
KINDS = ("layers", "models", "initializers", "regularizers", "constraints", "losses", "metrics", "optimizers",
         "optimizers.schedules", "activations", "mixed_precision", "callbacks", "utils",
         "dtype_policies")  # fmt: skip
UNKNOWN_HERE = {
    "quantization_config": None, "lora_rank": None, "lora_alpha": None, "renorm": False,
    "renorm_clipping": None, "renorm_momentum": 0.99, "unroll": False, "zero_output_for_mask": False,
    "use_cudnn": "auto", "use_gate": False, "flash_attention": None, "attention_axes": None,
    "sliding_window": None, "kernel_constraint": None, "bias_constraint": None, "input_axes": None,
    "output_axes": None, "sparse": False, "ragged": False, "optional": False, "autocast": True,
    "rms_scaling": False,
}  # fmt: skip
"""Arguments that only Keras takes, with the value at which they change nothing."""

_registered: dict[str, Any] = {}
_scopes: list[dict[str, Any]] = []


# -- classes of the user ----------------------------------------------------------------------------------


@named("tf.keras.saving.register_keras_serializable", "tf.keras.utils.register_keras_serializable")
def register_keras_serializable(package: str = "Custom", name: str | None = None) -> Any:
    """Returns a decorator of a class or function, under whose name files can speak of it.

    >>> from penstock import tensorflow as tf
    >>> @tf.keras.saving.register_keras_serializable(package="mine")
    ... def squared(x):
    ...     return x ** 2
    >>> tf.keras.saving.get_registered_name(squared)
    'mine>squared'
    """

    def decorated(thing: Any) -> Any:
        if inspect.isclass(thing) and not hasattr(thing, "get_config"):
            raise ArgumentError(
                "Cannot register a class that does not have a get_config() method.", site=here()
            )
        _registered[f"{package}>{name or thing.__name__}"] = thing
        return thing

    return decorated


@named("tf.keras.saving.get_registered_name", "tf.keras.utils.get_registered_name")
def get_registered_name(obj: Any) -> str:
    """Returns the name that a class or function is registered under, or its own."""
    return next((name for name, one in _registered.items() if one is obj), str(obj.__name__))


@named("tf.keras.saving.get_registered_object", "tf.keras.utils.get_registered_object")
def get_registered_object(name: str, custom_objects: Any = None, module_objects: Any = None) -> Any:
    """Returns the object registered under a name, or None."""
    for known in (*reversed(_scopes), _registered, custom_objects or {}, module_objects or {}):
        if name in known:
            return known[name]
    return None


@named("tf.keras.saving.get_custom_objects", "tf.keras.utils.get_custom_objects")
def get_custom_objects() -> dict[str, Any]:
    """Returns the classes and functions that are registered, by name; more may be added."""
    return _registered


@named(
    "tf.keras.saving.custom_object_scope",
    "tf.keras.utils.custom_object_scope",
    "tf.keras.saving.CustomObjectScope",
    "tf.keras.utils.CustomObjectScope",
)
class custom_object_scope:
    """Inside, names of a file refer to these classes and functions."""

    def __init__(self, custom_objects: Mapping[str, Any]) -> None:
        self.custom_objects = dict(custom_objects or {})

    def __enter__(self) -> custom_object_scope:
        _scopes.append(self.custom_objects)
        return self

    def __exit__(self, *error: object) -> None:
        _scopes.remove(self.custom_objects)


CustomObjectScope = custom_object_scope


@contextlib.contextmanager
def knowing(objects: Mapping[str, Any] | None) -> Iterator[None]:
    with custom_object_scope(objects or {}):
        yield


# -- objects as dictionaries ------------------------------------------------------------------------------


@named("tf.keras.layers.serialize")
def serialize(layer: Any) -> dict[str, Any]:
    """Returns a layer as a dictionary of plain values.

    >>> from penstock import tensorflow as tf
    >>> written = tf.keras.layers.serialize(tf.keras.layers.Flatten(name="flat"))
    >>> written["class_name"], written["config"]["data_format"]
    ('Flatten', 'channels_last')

    Raises ArgumentError for an object without `get_config`.
    """
    return serialize_keras_object(layer)  # type: ignore[no-any-return]


@named("tf.keras.saving.serialize_keras_object", "tf.keras.utils.serialize_keras_object")
def serialize_keras_object(obj: Any) -> Any:
    """Returns an object as a dictionary of plain values, as Keras writes it.

    Raises ArgumentError for a function without a name, and for an object without `get_config`.
    """
    if isinstance(obj, PLAIN):
        return obj
    if isinstance(obj, np.generic):
        return obj.item()
    if isinstance(obj, list | tuple | TensorShape):
        return [serialize_keras_object(one) for one in obj]
    if isinstance(obj, Mapping):
        return {str(key): serialize_keras_object(one) for key, one in obj.items()}
    if isinstance(obj, slice):
        ends = {word: serialize_keras_object(getattr(obj, word)) for word in _ENDS}
        return {"class_name": "__slice__", "config": ends}
    if obj is Ellipsis:
        return {"class_name": "__ellipsis__", "config": {}}
    if isinstance(obj, functional.KerasTensor):
        raise ArgumentError("A symbolic tensor is written as a part of its model only.", site=here())
    if isinstance(obj, DType):
        return obj.name
    if isinstance(obj, Tensor | Cell | np.ndarray):
        value = np.asarray(obj if isinstance(obj, np.ndarray) else obj.numpy())
        return {"class_name": "__numpy__", "config": {"value": value.tolist(), "dtype": value.dtype.name}}
    if inspect.isroutine(obj):
        return _of_function(obj)
    if isinstance(obj, type):
        return _named("class", obj, obj.__name__)
    if not hasattr(obj, "get_config"):
        raise ArgumentError(
            f"{obj!r} ({type(obj).__name__}) cannot be written to a file: it has no get_config().",
            remedy="Write one, which returns the arguments of __init__ by name.",
            site=here(),
        )
    return _of_object(obj)


UNNAMED: dict[str, str] = {}
"""Files with classes that no namespace of Keras lists, and the modules under which saved models name them.

Each of these files adds itself when it is imported, which is before a saved model reaches its classes.
"""
TENSORFLOWS_OWN = ("penstock.tensorflow._initializers", "tensorflow.python.ops.init_ops_v2")
"""Where the initializer is that TensorFlow has beside Keras' own, and where its files say that it is."""


def _of_function(function: Any) -> Any:
    name = getattr(function, "__name__", "")
    code = getattr(function, "__code__", None)
    if name == "<lambda>" and code is not None:
        text = codecs.encode(marshal.dumps(code), "base64").decode("ascii")
        cells = function.__closure__ and [one.cell_contents for one in function.__closure__]
        value = [text, *map(serialize_keras_object, (function.__defaults__, cells or None))]
        return {"class_name": "__lambda__", "config": {"value": value}}
    if name == "<lambda>" or not name:
        raise ArgumentError(
            f"{function!r} is a function without a name, which cannot be written to a file.",
            remedy="Write it with def, and register it: @tf.keras.saving.register_keras_serializable().",
            site=here(),
        )
    if str(function.__module__).startswith("penstock."):
        return name
    return _named("function", function, name)


def _named(kind: str, thing: Any, config: Any) -> dict[str, Any]:
    module = thing.__module__ if thing.__module__ != "__main__" else None
    name = "function" if kind == "function" else thing.__name__
    return {
        "module": module,
        "class_name": name,
        "config": config,
        "registered_name": get_registered_name(thing),
    }


_ELSEWHERE = {"DTypePolicy": "keras", "Layer": "keras"}
"""Classes that Keras' files name in another module than the others of their kind."""


def module_of(kind: type) -> str | None:
    """Returns the module of Keras that has this class; None for a class of the user."""
    if not kind.__module__.startswith("penstock."):
        return None
    if kind.__name__ == "Functional":
        return "keras.src.models.functional"
    if kind.__module__ in UNNAMED:
        return UNNAMED[kind.__module__] if kind.__name__ != "FeatureSpace" else "keras.utils"
    keras = importlib.import_module(OWN)
    for name in KINDS:
        space: Any = keras
        for part in name.split("."):
            space = getattr(space, part)
        if getattr(space, kind.__name__, None) is kind:
            return _ELSEWHERE.get(kind.__name__) or ("keras" if name == "models" else f"keras.{name}")
    return None


def _accepted(kind: type, config: dict[str, Any]) -> dict[str, Any]:
    """Returns a configuration without a name, dtype and flag that the class of a user does not take."""
    if not str(kind.get_config.__module__).startswith("penstock."):  # type: ignore[attr-defined]
        return config
    parameters = inspect.signature(kind).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return config
    taken = {one.name for one in parameters}
    return {key: one for key, one in config.items() if key in taken}


def _of_object(thing: Any) -> dict[str, Any]:
    kind = type(thing)
    module = module_of(kind)
    config = thing._listed_config() if hasattr(thing, "_listed_config") else None
    if config is None:
        taken = _accepted(kind, thing.get_config()) if module is None else thing.get_config()
        config = serialize_keras_object(taken)
    made: dict[str, Any]
    if kind.__module__ == TENSORFLOWS_OWN[0]:
        made = {
            "module": TENSORFLOWS_OWN[1],
            "class_name": "Constant",
            "config": config,
            "registered_name": "Constant",
        }
    elif module is not None:
        made = {"module": module, "class_name": kind.__name__, "config": config, "registered_name": None}
    else:
        made = _named("class", kind, config)
    shape = getattr(thing, "_built_shape", lambda: None)()
    if shape is not None:
        made["build_config"] = {"input_shape": shape}
    elif hasattr(thing, "_parts_built"):
        made["build_config"] = thing._parts_built()
    compiled = getattr(thing, "_compile_config", lambda: None)()
    if compiled is not None:
        made["compile_config"] = serialize_keras_object(compiled)
    return made


# -- and back ---------------------------------------------------------------------------------------------


@named("tf.keras.layers.deserialize")
def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """Returns the layer that `serialize` has written.

    Raises ArgumentError, a ValueError, for anything but a layer, and for an unknown name.
    """
    made = deserialize_keras_object(config, custom_objects)
    if not isinstance(made, NativeLayer) and not hasattr(made, "_is_input"):
        raise ArgumentError(
            "`keras.layers.deserialize` was passed a `config` object that is not a `keras.layers.Layer`. "
            f"Received: {config}",
            site=here(),
        )
    return made


@named("tf.keras.saving.deserialize_keras_object", "tf.keras.utils.deserialize_keras_object")
def deserialize_keras_object(
    config: Any, custom_objects: Any = None, safe_mode: bool = True, **options: Any
) -> Any:
    """Returns the object described by a dictionary of `serialize_keras_object`, or of Keras itself.

    Raises ArgumentError, a ValueError, for an unknown name, and for the code of a lambda, which could do
    anything when it is called; with `safe_mode=False` it becomes a function.
    """
    with knowing(custom_objects):
        return _made(config, {}, safe_mode and not options)


def _made(config: Any, shared: dict[Any, Any], safe: bool) -> Any:
    if isinstance(config, str):
        found = get_registered_object(config)
        return config if found is None else found
    if isinstance(config, PLAIN):
        return config
    if isinstance(config, list | tuple):
        return type(config)(_made(one, shared, safe) for one in config)
    if not isinstance(config, dict):
        return config
    if "class_name" not in config or "config" not in config:
        return {key: _made(one, shared, safe) for key, one in config.items()}
    name, inner = config["class_name"], config["config"]
    if name == "__numpy__" or name == "__tensor__":
        return np.array(inner["value"], dtype=inner["dtype"])
    if name == "__slice__":
        return slice(*(_made(inner[word], shared, safe) for word in _ENDS))
    if name == "__ellipsis__":
        return Ellipsis
    if name == "__lambda__":
        return _of_code(inner, shared, safe)
    if name.startswith("__"):
        raise ArgumentError(
            f"The file holds {name.strip('_')}, which is not read here.",
            remedy="Write the function with def, register it, and pass it: "
            "custom_objects={'name': function}.",
            site=here(),
        )
    known = config.get("shared_object_id")
    if known is not None and known in shared:
        return shared[known]
    kind = _class_of(config)
    if name == "function":
        return kind
    thing = _instance(kind, dict(inner or {}), shared, safe)
    build = config.get("build_config") or {}
    if getattr(thing, "built", True) is False and build.get("input_shape") is not None:
        thing._build_from(build["input_shape"])
    compiled = config.get("compile_config")
    if compiled:
        thing._compile_from(_made(compiled, shared, safe))
    if known is not None:
        shared[known] = thing
    return thing


def _of_code(config: dict[str, Any], shared: dict[Any, Any], safe: bool) -> Any:
    """Returns the function whose code a file has, if the program allows it."""
    listed = config.get("value")
    if is_safe(safe):
        what = "a Python lambda" if listed else "a `Lambda` layer whose `function` is a Python lambda"
        raise ArgumentError(
            f"Requested the deserialization of {what}. This carries a potential risk of arbitrary code "
            "execution and thus it is disallowed by default. If you trust the source of the artifact, you "
            "can override this error by passing `safe_mode=False` to the loading function, or calling "
            "`keras.config.enable_unsafe_deserialization()`.",
            site=here(),
        )
    try:
        text, defaults, cells = listed or [config.get(word) for word in ("code", "defaults", "closure")]
        code = marshal.loads(codecs.decode(str(text).encode("ascii"), "base64"))
    except (ValueError, EOFError, TypeError) as error:
        raise ArgumentError(
            f"The code of a lambda in the file cannot be read: {error}.",
            why="Such code is that of one version of Python, and another may not know it.",
            remedy="Write the function with def, register it, and save the model again.",
            site=here(),
        ) from None
    defaults, cells = _made(defaults, shared, safe), _made(cells, shared, safe)
    # As in Keras, what the lambda read from its module is not there.
    return types.FunctionType(
        code,
        {"__builtins__": builtins},
        code.co_name,
        defaults and tuple(defaults),
        tuple(map(types.CellType, cells)) if cells else None,
    )


def _class_of(config: dict[str, Any]) -> Any:
    """Returns the class or function that a dictionary names."""
    name = config["config"] if config["class_name"] == "function" else config["class_name"]
    for known in (config.get("registered_name"), name):
        found = get_registered_object(known) if known else None
        if found is not None:
            return found
    module = config.get("module") or ""
    for own, there in UNNAMED.items():
        if module == there:
            return getattr(importlib.import_module(own), name)
    if module == TENSORFLOWS_OWN[1] and name == "Constant":
        return importlib.import_module(TENSORFLOWS_OWN[0]).constant_initializer
    keras = importlib.import_module(OWN)
    # Older files name no modules.
    if not module or module.partition(".")[0] == "keras":
        if name in ("Functional", "Sequential", "Model"):
            return keras.models._class_named(name)
        parts = module.split(".")[1:]
        for path in (parts, [module.split(".")[-1]], *([one] for one in KINDS if "." not in one)):
            space: Any = keras
            for part in path:
                space = getattr(space, part, None) if part in KINDS or part == "schedules" else None
            found = getattr(space, name, None) if space is not None else None
            if found is not None:
                return found
        if name in ("DTypePolicy", "FloatDTypePolicy"):
            return getattr(keras, name)
    if module == "builtins" and name in keras.activations.__dict__:
        return getattr(keras.activations, name)
    raise ArgumentError(
        f"Could not locate {'function' if config['class_name'] == 'function' else 'class'} {name!r} "
        f"(module {module or None!r}).",
        why="A file names the classes of a model; those of a program are not in it.",
        remedy=f"Pass it: custom_objects={{{name!r}: {name}}}, or register it before, with "
        "@tf.keras.saving.register_keras_serializable().",
        site=here(),
    )


def _instance(kind: Any, config: dict[str, Any], shared: dict[Any, Any], safe: bool) -> Any:
    own = str(kind.__module__).startswith("penstock.")
    if hasattr(kind, "_of_listed"):
        made = kind._of_listed(config, lambda one: _made(one, shared, safe))
        if made is not None:
            return made
    if own and kind.__name__ == "Bidirectional":
        config = _without_zeros(config)
    if not own:
        # What a class of the user does with its config is its own: nested parts stay as they are written.
        takes = {key: _made(one, shared, safe) for key, one in config.items() if not _is_nested(one)}
        nested = {key: one for key, one in config.items() if key not in takes}
        overridden = "from_config" in {name for part in kind.__mro__ for name in vars(part)
                                       if not part.__module__.startswith("penstock.")}  # fmt: skip
        if not overridden:
            nested = {key: _made(one, shared, safe) for key, one in nested.items()}
        return kind.from_config({**takes, **nested})
    config = {key: _made(one, shared, safe) for key, one in config.items()}
    return (getattr(kind, "from_config", None) or (lambda given: kind(**given)))(_fitting(kind, config))


def _without_zeros(config: dict[str, Any]) -> dict[str, Any]:
    """Takes away what Keras sets on the layers of a Bidirectional, which here always behave this way."""
    inner = {
        part: {**config[part], "config": {**config[part]["config"], "zero_output_for_mask": False}}
        for part in ("layer", "backward_layer")
        if isinstance(config.get(part), Mapping)
    }
    return {**config, **inner}


def _is_nested(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and "class_name" in value
        and "config" in value
        and value["class_name"] not in ("DTypePolicy",)
    )


def arguments_from(kind: type, config: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a class of layers that a configuration describes."""
    found = described(kind)
    if found is None:
        policy = config.get("dtype")
        named = policy
        if isinstance(policy, dict) and policy["class_name"] != "DTypePolicyMap":
            named = policy["config"]["name"]
        return {**config, "dtype": named} if "dtype" in config else dict(config)
    known = (*found[1], "dtype", "activity_regularizer")
    if "merge_mode" in known:
        config = _without_zeros(config)
    return _fitting(kind, {key: _made(one, {}, True) if key in known else one for key, one in config.items()})


def _fitting(kind: Any, config: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments that a class takes; raises ArgumentError for others that would change
    something."""
    every = [
        one
        for part in kind.__mro__
        if part is not object and "__init__" in vars(part)
        for one in inspect.signature(vars(part)["__init__"]).parameters.values()
    ]
    taken = {one.name for one in every} | set(getattr(kind, "_options_of_its_own", ()))
    # A layer takes options to refuse unknown ones; other classes pass them on.
    takes_all = not issubclass(kind, NativeLayer) and any(one.kind is one.VAR_KEYWORD for one in every)
    policy = config.get("dtype")
    if policy is not None and not isinstance(policy, str) and not hasattr(policy, "default_policy"):
        config["dtype"] = policy.name
    kept = {}
    for key, value in config.items():
        if key in taken or takes_all:
            kept[key] = value
        elif key not in UNKNOWN_HERE or value != UNKNOWN_HERE[key]:
            raise ArgumentError(
                f"{kind.__name__}: the file says {key}={value!r}, which penstock.tensorflow does not have.",
                why="The layer would compute something else.",
                remedy="Save the model with the default, or make the layer without it and load the weights "
                "alone.",
                site=here(),
            )
    return kept
