"""tf.keras.export: models in folders with several endpoints, and such a folder as a layer."""

from __future__ import annotations

import os as _os
from collections.abc import Iterator as _Iterator
from typing import Any

from penstock.declared import named as _named
from penstock.state.variable import Variable as _Variable
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._function import Function as _Function
from penstock.tensorflow._function import Method as _Method
from penstock.tensorflow._function import function as _function
from penstock.tensorflow._graphs.traced_functions import signatures_of as _signatures_of
from penstock.tensorflow._module import Module as _Module
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._type_spec import TensorSpec as _TensorSpec
from penstock.tensorflow.keras import tree as _tree
from penstock.tensorflow.keras._layer import Layer as _Layer
from penstock.tensorflow.keras._settings import is_safe as _is_safe
from penstock.trace.source_site import here as _here


def _refuse(text: str) -> None:
    raise _ArgumentError(text, site=_here())


class ExportArchive:
    """Functions of models, each under the name of an endpoint, which `write_out` writes into a folder.

    `tf.saved_model.load` gives an object with these functions and their variables. TensorFlow does not read
    the folder.

    >>> import tempfile, warnings
    >>> from penstock import tensorflow as tf
    >>> layer = tf.keras.layers.Dense(2, kernel_initializer="ones")
    >>> archive, folder = tf.keras.export.ExportArchive(), tempfile.mkdtemp()
    >>> layer.build((None, 3))
    >>> serve = archive.track_and_add_endpoint("serve", layer, [tf.TensorSpec([None, 3])])
    >>> with warnings.catch_warnings(action="ignore"):
    ...     archive.write_out(folder, verbose=False)
    >>> tf.saved_model.load(folder).serve(tf.ones([1, 3])).numpy()
    array([[3., 3.]], dtype=float32)
    """

    def __init__(self, format: str = "saved_model") -> None:
        if format != "saved_model":
            _refuse(f"Unsupported format: {format}")
        self._kept = _Module("export_archive")
        self._endpoints: list[str] = []
        self._tracked: list[Any] = []
        self.variables: list[Any] = []
        self.trainable_variables: list[Any] = []
        self.non_trainable_variables: list[Any] = []

    def track(self, resource: Any) -> None:
        """Adds a layer or model, or another object of TensorFlow with variables or tables."""
        if isinstance(resource, _Layer):
            if not resource.built:
                _refuse("The layer provided has not yet been built. It must be built before export.")
            self.variables += resource.variables
            self.trainable_variables += resource.trainable_variables
            self.non_trainable_variables += resource.non_trainable_variables
        elif isinstance(resource, str | int | float | list | dict | tuple | None):
            _refuse(
                "Invalid resource type. Expected a Keras `Layer` or `Model` or a TensorFlow `Trackable` "
                f"object. Received object {resource} of type '{type(resource)}'. "
            )
        self._tracked.append(resource)

    def add_endpoint(self, name: str, fn: Any, input_signature: Any = None, **kwargs: Any) -> Any:
        """Adds a function of tensors, and returns it as a tf.function.

        `input_signature` says what it takes, and is left away for a tf.function that was called before. There
        are no further options: those of Keras are for JAX.
        """
        if name in self._endpoints:
            _refuse(f"Endpoint name '{name}' is already taken.")
        if kwargs:
            _refuse(
                "'jax2tf_kwargs' and 'is_static' are only supported with the jax backend. Received: "
                f"{', '.join(kwargs)}"
            )
        made = fn
        if input_signature is not None:
            made = _function(fn, input_signature=_tree.map_structure(_spec, input_signature))
        elif not isinstance(fn, _Function | _Method):
            _refuse(
                "If the `fn` argument provided is not a `tf.function`, you must provide an `input_signature` "
                "argument to specify the shape and dtype of the function arguments: "
                "input_signature=[keras.InputSpec(shape=(None, 3), dtype='float32')]."
            )
        elif not list(_signatures_of(fn)):
            _refuse(
                f"The provided tf.function '{fn}' has never been called. To specify the expected shape and "
                "dtype of the function's arguments, you must either provide a function that has been called "
                "at least once, or alternatively pass an `input_signature` argument in `add_endpoint()`."
            )
        setattr(self._kept, name, made)
        self._endpoints.append(name)
        return made

    def track_and_add_endpoint(self, name: str, resource: Any, input_signature: Any, **kwargs: Any) -> Any:
        """Adds a layer or model, and the endpoint that calls it."""
        self.track(resource)
        one = input_signature is not None and len(input_signature) == 1
        call = _of_one(resource) if one else resource.__call__
        return self.add_endpoint(name, call, input_signature, **kwargs)

    def add_variable_collection(self, name: str, variables: Any) -> None:
        """Adds variables as a list, which the loaded object has under this name."""
        if not isinstance(variables, list | tuple | set):
            _refuse(
                "Expected `variables` to be a list/tuple/set. Received instead object of type "
                f"'{type(variables)}'."
            )
        if not all(isinstance(one, _Variable) for one in variables):
            kinds = list({type(one) for one in variables})
            _refuse(
                "Expected all elements in `variables` to be `tf.Variable` instances. Found instead the "
                f"following types: {kinds}"
            )
        setattr(self._kept, name, list(variables))

    def write_out(self, filepath: Any, options: Any = None, verbose: bool = True) -> None:
        """Writes the folder, and prints the endpoints if `verbose`; `options` of files change nothing.

        The first endpoint is the signature "serving_default" too, if none is called so.
        """
        from penstock.tensorflow import saved_model

        if not self._endpoints:
            _refuse("No endpoints have been set yet. Call add_endpoint().")
        self._kept._tracked_resources = list(self._tracked)
        signatures = {name: next(_signatures_of(getattr(self._kept, name))) for name in self._endpoints}
        signatures.setdefault("serving_default", signatures[self._endpoints[0]])
        saved_model.save(self._kept, filepath, signatures, options)
        if verbose:
            listed = "\n\n".join(f"* Endpoint '{name}'" for name in self._endpoints)
            print(f"Saved artifact at '{filepath}'. The following endpoints are available:\n\n{listed}")


def _of_one(layer: Any) -> Any:
    """Returns the call of a layer, which takes more options, as a function of its inputs."""

    def call(inputs: Any) -> Any:
        return layer(inputs)

    return call


def _spec(one: Any) -> Any:
    """Returns the specification of a tensor, from one of Keras or a tensor."""
    if isinstance(one, _TensorSpec):
        return one
    return _TensorSpec(one.shape, one.dtype or "float32", name=getattr(one, "name", None))


@_named("tf.keras.layers.TFSMLayer")
class TFSMLayer(_Layer):
    """A folder that `model.export`, `ExportArchive` or `tf.saved_model.save` has written, as a layer.

    `call_endpoint` is the function that it calls, or a signature; `call_training_endpoint` the one that it
    calls with `training=True`. The layer has the variables of the folder, and they can be trained on.
    """

    def __init__(
        self,
        filepath: Any,
        call_endpoint: str = "serve",
        call_training_endpoint: str | None = None,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        from penstock.tensorflow import saved_model

        super().__init__(trainable=trainable, name=name, dtype=dtype)
        loaded = saved_model.load(filepath)
        # The layer has its variables, and does not list its parts.
        object.__setattr__(self, "_reloaded_obj", loaded)
        self.filepath = _os.fspath(filepath)
        self.call_endpoint, self.call_training_endpoint = call_endpoint, call_training_endpoint
        object.__setattr__(self, "_functions", [_endpoint(loaded, call_endpoint, "call_endpoint")])
        if call_training_endpoint:
            self._functions.append(_endpoint(loaded, call_training_endpoint, "call_training_endpoint"))
        # Not those that count the draws of a generator.
        loaded_variables = {id(one): one for one in loaded.variables if isinstance(one, _Variable)}
        object.__setattr__(self, "_loaded_variables", list(loaded_variables.values()))
        self.built = True

    def _parts(self, seen: list[Any]) -> _Iterator[tuple[str, Any]]:
        for number, one in enumerate(vars(self).get("_loaded_variables", ())):
            yield f"variable_{number}", one

    def call(self, inputs: Any, training: Any = False, **kwargs: Any) -> Any:
        """Calls the endpoint."""
        return self._functions[-1 if training else 0](inputs, **kwargs)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make the layer again, where the folder is."""
        own = {
            "filepath": self.filepath,
            "call_endpoint": self.call_endpoint,
            "call_training_endpoint": self.call_training_endpoint,
        }
        return {**super().get_config(), **own}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns the layer, if the program lets files bring code with them."""
        if _is_safe(True):
            _refuse(
                "Requested the deserialization of a `TFSMLayer`, which loads an external SavedModel. This "
                "carries a potential risk of arbitrary code execution and thus it is disallowed by default. "
                "If you trust the source of the artifact, you can override this error by calling "
                "`keras.config.enable_unsafe_deserialization()`."
            )
        return cls(**config)


def _endpoint(loaded: Any, name: str, argument: str) -> Any:
    """Returns a function of a loaded object, or one of its signatures."""
    if hasattr(loaded, name):
        return getattr(loaded, name)
    if name in loaded.signatures:
        return loaded.signatures[name]
    raise _ArgumentError(
        f"The endpoint '{name}' is neither an attribute of the reloaded SavedModel, nor an entry in the "
        "`signatures` field of the reloaded SavedModel. Select another endpoint via the "
        f"`{argument}` argument. Available endpoints for this SavedModel: {list(loaded.signatures)}",
        site=_here(),
    )


__getattr__, __dir__, __all__ = _namespace("tf.keras.export", globals())
