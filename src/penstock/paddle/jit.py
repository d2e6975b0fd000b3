"""Compilation under Paddle's names: there is one mode, so a function is as fast without a decorator.

`save` writes the calls that a layer makes, and its weights; `load` gives a layer that makes them back.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from penstock.paddle._errors import InvalidTypeError, NotThereError
from penstock.paddle._names import namespace as _namespace
from penstock.paddle._static_function import ASTStaticFunction, StaticFunction, SymbolicStaticFunction
from penstock.paddle.nn._layer import Layer
from penstock.trace.source_site import here, warn


def to_static(
    function: Any = None, input_spec: Any = None, build_strategy: Any = None, backend: Any = None,
    **options: Any,
) -> Any:  # fmt: skip
    """Returns the function or layer, which is called as it is: a step that comes back is compiled anyway.

    With `full_graph=True` it can show its calls as a program: `main_program`, `inputs`, `outputs`. Shapes may
    vary; `input_spec` is kept for these and for `save`. `build_strategy`, `backend` and other `options` do
    nothing.
    """
    if function is None:
        return lambda one: to_static(one, input_spec, **options)
    kind = ASTStaticFunction if options.get("full_graph") else SymbolicStaticFunction
    if isinstance(function, Layer):
        method = function.forward
        if isinstance(method, StaticFunction):
            input_spec = method._spec if input_spec is None else input_spec
            method = method.dygraph_function
        object.__setattr__(function, "_input_spec", input_spec)
        object.__setattr__(function, "forward", kind(method, input_spec, function))
        return function
    if isinstance(function, StaticFunction):
        function = function.dygraph_function
    made = kind(function, input_spec, getattr(function, "__self__", None))
    if input_spec is not None:
        made._input_spec = input_spec
    return made


def not_to_static(func: Any = None) -> Any:
    """Returns the function as it is."""
    return (lambda one: one) if func is None else func


def ignore_module(modules: Any) -> None:
    """Does nothing: no source is rewritten, that of `modules` neither."""


def enable_to_static(enable_to_static_bool: bool) -> None:
    """Does nothing, for any `enable_to_static_bool`: there is one mode."""


def set_code_level(level: int = 100, also_to_stdout: bool = False) -> None:
    """Does nothing at any `level`: no code is rewritten that could be shown, `also_to_stdout` or not."""


def set_verbosity(level: int = 0, also_to_stdout: bool = False) -> None:
    """Does nothing at any `level`: no code is rewritten that could be spoken of, `also_to_stdout` or not."""


def save(layer: Any, path: str, input_spec: Any = None, **configs: Any) -> None:
    """Writes the calls that a layer or a function makes to `path.json`, and weights to `path.pdiparams`.

    It is called on inputs of the shapes and dtypes in `input_spec`, which `to_static` takes too; None or -1
    stands for any length. Where that cannot be done, as without an `input_spec` or where Python chooses by a
    tensor's values, only the weights are written, and a warning says why: `load` gives the layer back in this
    process, and an error in another one. `configs` do nothing. Raises TypeError for what is neither.
    """
    from penstock.paddle.static import _files as files

    if not isinstance(layer, Layer) and not callable(layer):
        raise InvalidTypeError(
            "The input of paddle.jit.save should be 'Layer' or 'Function', but received input type is "
            f"{type(layer)}.",
            site=here(),
        )
    Path(path).absolute().parent.mkdir(parents=True, exist_ok=True)
    given = input_spec if input_spec is not None else _known_spec(layer)
    reason, remedy = "", ""
    if given is None:
        reason = "no input_spec said which inputs it takes"
        remedy = "Give it them: input_spec=[paddle.static.InputSpec([None, 3])]."
    else:
        from penstock.paddle.static._tracing import traced

        try:
            found = traced(layer, given)
            files.write(path, found.program, found.feed, found.fetch, _structured(layer))
        except Exception as error:
            first = str(error).splitlines()[0] if str(error) else repr(error)
            reason = f"its calls could not be written down: {first.rstrip('.')}"
            remedy = str(getattr(error, "remedy", ""))
    _saved.pop(str(Path(path).absolute()), None)
    if reason:
        files.write_weights(path, layer.state_dict() if isinstance(layer, Layer) else {}, reason)
        _saved[str(Path(path).absolute())] = layer
        _tell_of_weights(path, reason, remedy)


def _tell_of_weights(path: str, reason: str, remedy: str) -> None:
    """Warns that a file holds no calls, and says what to type so that another process can use it."""
    weights = f"layer.set_state_dict(paddle.load({path + '.pdiparams'!r}))"
    warn(
        f"paddle.jit.save wrote only the weights, to {path}.pdiparams: {reason}. paddle.jit.load({path!r}) "
        f"gives the layer back in this process, and fails in another. {remedy} In another process, make the "
        f"layer by its class and write {weights}.".replace("  ", " ")
    )


def _known_spec(layer: Any) -> Any:
    """Returns the `input_spec` that `to_static` was given for a layer, its `forward` or a function."""
    forward = getattr(layer, "forward", None) if isinstance(layer, Layer) else None
    for one in (layer, forward):
        found = getattr(one, "__dict__", {}).get("_input_spec", getattr(one, "_input_spec", None))
        if found is not None:
            return found
    return None


def _structured(layer: Any) -> dict[str, Any]:
    """Returns the tensors of a layer by the names that they have in its state."""
    return dict(layer.state_dict()) if isinstance(layer, Layer) else {}


_saved: dict[str, Any] = {}
"""The layers that this process has saved without their calls, by path."""


class TranslatedLayer:
    """The class of layers that Paddle loads from its older files: there are none of them here."""


class PirTranslatedLayer(Layer):
    """The layer that `load` returns: it makes the calls in a file, on the file's tensors.

    It begins in evaluation mode. Its tensors can be trained. Several results come in a list, also where the
    saved layer returned a dictionary.
    """

    def __init__(self, written: Any = None) -> None:
        super().__init__()
        object.__setattr__(self, "_written", written)
        for name, leaf in written.names.items() if written is not None else ():
            self.add_parameter(name.replace(".", "_"), leaf)

    def forward(self, *inputs: Any) -> Any:
        """Makes the calls, and returns their result, or a list of several."""
        from penstock.paddle.static._tracing import inputs_of

        found = self._written.values(inputs_of(inputs), not self.training)
        return found[0] if len(found) == 1 else found

    def program(self, method_name: str = "forward") -> Any:
        """Returns the calls as a static program; there is one method, so `method_name` does nothing."""
        return self._written.program


def load(path: str, **configs: Any) -> Any:
    """Returns a layer that makes the calls that `save` wrote, with the weights of the file.

    Where `save` could only write weights, this process gets a copy of the layer, and in another one
    NotImplementedError says how to load the weights. `configs` do nothing.
    """
    from penstock.paddle.static import _files as files

    layer = _saved.get(str(Path(path).absolute()))
    if layer is None:
        written = files.read(path)
        if written is None:
            raise ValueError(f"The ``path`` ({path}) to load model not exists. There is no file {path}.json.")
        if isinstance(written, str):
            raise NotThereError(
                f"paddle.jit.load: {path}.pdiparams holds weights, and the layer's calls are not in a file.",
                why=f"When it was saved, {written}.",
                remedy=f"Make the layer, then: layer.set_state_dict(paddle.load({path + '.pdiparams'!r})).",
                site=here(),
            )
        made: Any = PirTranslatedLayer(written)
        made.eval()
        return made
    if not isinstance(layer, Layer):
        return layer
    import copy

    from penstock.paddle._saving import load as load_file

    made = copy.deepcopy(layer)
    made.set_state_dict(load_file(f"{path}.pdiparams"))
    made.eval()
    return made


__getattr__, __dir__, __all__ = _namespace("paddle.jit", globals())
