"""The layer: a tree of parameters, buffers and other layers, under Paddle's names."""

from __future__ import annotations

import re
import sys
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from penstock.paddle import _creation
from penstock.paddle._declaring import in_nn
from penstock.paddle._dtype import default_dtype, numpy_dtype, shown
from penstock.paddle._errors import InvalidTypeError
from penstock.paddle._numbering import Names
from penstock.paddle._signatures import bound
from penstock.paddle._tensor import Leaf, Parameter, Tensor
from penstock.paddle._words import also
from penstock.paddle.nn._hooks import Always, HookRemoveHelper, WithOptions, called
from penstock.state.members import note_replaced, note_replaced_layer, searches, statistics
from penstock.state.misplaced import tell_misplaced
from penstock.state.pickled import Copied
from penstock.trace.convert import refuse_masked
from penstock.trace.engine import engine
from penstock.trace.source_site import here, user_frame, warn_once

_FOREIGN = {"requires_grad": False, "stop_gradient": True, "trainable": False}
"""Flags that parameters have here or elsewhere, with the value that freezes: layers have none."""
_containers: weakref.WeakKeyDictionary[Layer, set[str]] = weakref.WeakKeyDictionary()
"""The attributes of layers that were assigned a list, a tuple or a dictionary of any content."""


def _unlisted(variable: Any) -> str:
    """Says what to type for a parameter that a layer holds in a plain list; Paddle does not look into it."""
    for layer, name in [(layer, name) for layer, names in _containers.items() for name in names]:
        held = layer.__dict__.get(name)
        ones = held.values() if isinstance(held, dict) else held if isinstance(held, list | tuple) else ()
        for one in ones:
            inside = one.parameters() if isinstance(one, Layer) else [one]
            if not any(each is variable for each in inside):
                continue
            if any(each is variable for each in layer.parameters()):
                continue
            kind = "LayerList" if isinstance(one, Layer) else "ParameterList"
            return (
                f"Write self.{name} = paddle.nn.{kind}([...]): parameters() of {type(layer).__name__} does "
                "not look into a plain list or dictionary."
            )
    return ""


searches.append(_unlisted)


class Keys(NamedTuple):
    """The paths that `load_state_dict` did not find in a state, and those that it did not know."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if self.missing_keys or self.unexpected_keys:
            return (
                f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"
            )
        return "<All keys matched successfully>"


def _snake_case(name: str) -> str:
    """Returns a class's name as Paddle writes it in names: Conv2D is conv2d, PReLU p_re_lu."""
    return re.sub("([a-z])([A-Z])", r"\1_\2", re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name)).lower()


_STATE: dict[str, Any] = {
    "destination": None, "include_sublayers": True, "structured_name_prefix": "", "use_hook": True,
    "keep_vars": True,
}  # fmt: skip
_STATE_OF_PYTORCH: dict[str, Any] = {"destination": None, "prefix": "", "keep_vars": False}


@in_nn("Module")
class Layer(Copied):
    """Base of the layers: its tensors and layers are those assigned to its attributes.

    >>> from penstock import paddle
    >>> class Net(paddle.nn.Layer):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.scale = self.create_parameter([1])
    ...     def forward(self, x):
    ...         return x * self.scale
    >>> [name for name, _ in Net().named_parameters()]
    ['scale']
    """

    def __init__(self, name_scope: str | None = None, dtype: Any = "float32") -> None:
        self.training = True
        scope = name_scope or _snake_case(type(self).__name__)
        object.__setattr__(self, "_full_name", Names.next(scope))
        object.__setattr__(self, "_dtype", dtype)
        object.__setattr__(self, "_parameters", OrderedDict())
        object.__setattr__(self, "_buffers", OrderedDict())
        object.__setattr__(self, "_transient", set())
        object.__setattr__(self, "_sub_layers", OrderedDict())
        object.__setattr__(self, "_before", OrderedDict())
        object.__setattr__(self, "_after", OrderedDict())
        object.__setattr__(self, "_state_hooks", OrderedDict())

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _sub_layers: dict[str, Any]
    _before: OrderedDict[int, Any]
    _after: OrderedDict[int, Any]
    _state_hooks: OrderedDict[int, Any]
    _transient: set[str]
    _save_dtype: Any = None
    _full_name: str
    _dtype: Any

    @property
    def _modules(self) -> dict[str, Any]:
        """The layers directly inside this one, by the name that programs from PyTorch use for them."""
        return self._sub_layers

    @_modules.setter
    def _modules(self, layers: dict[str, Any]) -> None:
        if not isinstance(layers, dict):
            raise TypeError(f"_modules must be dict-like, got {type(layers)}")
        found = dict(layers)
        self._sub_layers.clear()
        self._sub_layers.update(found)

    # -- calling -------------------------------------------------------------------------------------------

    def forward(self, *inputs: Any, **options: Any) -> Any:
        """Computes the layer's result. Subclasses say how."""
        raise NotImplementedError

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Calls `forward`, between the hooks."""
        if not self._before and not self._after:
            return self.forward(*inputs, **options)
        return called(self, inputs, options)

    def backward(self, *inputs: Any) -> Any:
        """Raises ValueError, for any `inputs`: gradients follow from `forward`."""
        raise ValueError("Layer shouldn't implement backward")

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> HookRemoveHelper:
        """Calls `hook(layer, inputs)` before `forward`; a result other than None replaces the inputs.

        `prepend` puts it before the other hooks. With `with_kwargs` it is `hook(layer, inputs, options)`, and
        a result is the pair of both.
        """
        kept = WithOptions(hook) if with_kwargs else hook
        return HookRemoveHelper(self._before, kept, first=prepend)

    def register_forward_post_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False,
        always_call: bool = False,
    ) -> HookRemoveHelper:  # fmt: skip
        """Calls `hook(layer, inputs, output)` after `forward`; a result replaces the output.

        `prepend` puts it before the other hooks. With `with_kwargs` it is `hook(layer, inputs, options,
        output)`. With `always_call` it is called with the output None where the layer raises an error.
        """
        kept: Any = WithOptions(hook) if with_kwargs else hook
        return HookRemoveHelper(self._after, Always(kept) if always_call else kept, first=prepend)

    register_forward_hook = register_forward_post_hook

    # -- attributes ----------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Parameter | Layer):
            if "_parameters" not in own:
                raise RuntimeError("super().__init__() should be called first")
            before = own["_parameters"].get(name)
            if before is not None and before is not value:
                note_replaced(before, here())
            layer = own["_sub_layers"].get(name)
            kind = "_parameters" if isinstance(value, Parameter) else "_sub_layers"
            for place in ("_parameters", "_sub_layers", "_buffers"):
                if place != kind:
                    own[place].pop(name, None)
            own.pop(name, None)
            own[kind][name] = value
            self._note_replaced(layer, value)
            if isinstance(value, Parameter) and engine.placements.functions:
                engine.placements.tell(self, name, value)
            return
        if "_parameters" in own:
            if name in own["_parameters"]:
                if value is not None:
                    raise InvalidTypeError(
                        f"assignment to parameter '{name}' should be of type Parameter or None, but got "
                        f"'{type(value).__name__}'",
                        why="The layer's parameter would become a plain tensor, which no optimizer updates.",
                        remedy=f"Write its value: layer.{name}.set_value(...).",
                        site=here(),
                    )
                own["_parameters"][name] = None
                return
            if name in own["_sub_layers"] and value is None:
                own["_sub_layers"][name] = None
                return
            if isinstance(value, Leaf | Tensor):
                # A tensor is part of the layer's state, though nothing trains it.
                own.pop(name, None)
                if name not in own["_buffers"]:
                    own["_transient"].add(name)
                own["_buffers"][name] = value
                return
            if name in own["_buffers"]:
                if value is not None:
                    raise InvalidTypeError(
                        f"assignment to buffers '{name}' should be of type core.DenseTensor or None, but got "
                        f"'{type(value).__name__}'",
                        why="The layer's state would lose this tensor.",
                        remedy=f"Assign a tensor: layer.{name} = paddle.to_tensor(...).",
                        site=here(),
                    )
                own["_buffers"][name] = None
                return
        if name in _FOREIGN:
            tell_misplaced(self, name, value, _FOREIGN, self.parameters)
        if isinstance(value, list | tuple | dict):
            _containers.setdefault(self, set()).add(name)
        object.__setattr__(self, name, value)

    def _note_replaced(self, before: Any, value: Any) -> None:
        """Notes that a layer inside this one has given its place to another."""
        if isinstance(before, Layer) and before is not value:
            note_replaced_layer(before.parameters(), self.parameters(), here())

    def _put(self, key: str, layer: Any) -> None:
        """Puts a layer in a place of this one, which may have had another."""
        before = self._sub_layers.get(key)
        self._sub_layers[key] = layer
        self._note_replaced(before, layer)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for place in ("_parameters", "_sub_layers", "_buffers"):
            if place in own and name in own[place]:
                return own[place][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        for place in (self._parameters, self._sub_layers, self._buffers):
            if name in place:
                del place[name]
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._parameters, *self._sub_layers, *self._buffers]

    def add_parameter(self, name: str, parameter: Any) -> Any:
        """Makes a parameter part of this layer.

        Raises KeyError for a name that is empty, has a dot or is taken by something else.
        """
        self._check_name(name, "parameter", self._parameters)
        if parameter is not None and not isinstance(parameter, Parameter):
            raise InvalidTypeError(
                f"The parameter to be added should be a Parameter, but received {type(parameter).__name__}.",
                site=here(),
            )
        self._parameters[name] = parameter
        return parameter

    def _check_name(self, name: Any, what: str, known: dict[str, Any]) -> None:
        """Raises an error for a name under which a layer cannot be asked for a parameter or a buffer."""
        if not isinstance(name, str):
            raise InvalidTypeError(
                f"The name of {what} should be a string, but received {type(name).__name__}.", site=here()
            )
        if "." in name:
            raise KeyError(
                f"The name of {what} can not contain `.`, because when you access the newly added {what} in "
                "the form of `self.**.**`, it will cause AttributeError."
            )
        if not name:
            raise KeyError(f"The name of {what} can not be empty.")
        if name not in known and hasattr(self, name):
            taken = f"The parameter '{name}'" if what == "parameter" else f"attribute '{name}'"
            raise KeyError(f"{taken} already exists.")

    def add_sublayer(self, name: str, sublayer: Any) -> Any:
        """Makes a layer part of this layer."""
        self._put(str(name), sublayer)
        return sublayer

    def register_parameter(self, name: str, param: Any) -> None:
        """Makes a parameter part of this layer, as `add_parameter` does."""
        self.add_parameter(name, param)

    def add_module(self, name: str, module: Any) -> None:
        """Makes a layer part of this layer, as `add_sublayer` does."""
        self.add_sublayer(name, module)

    register_module = add_module

    @also(persistent="persistable")
    def register_buffer(self, name: str, tensor: Any, persistable: bool = True) -> None:
        """Makes a tensor part of this layer's state, though nothing trains it.

        Raises KeyError for a name that is empty, has a dot or is taken by something else.
        """
        self._check_name(name, "buffer", self._buffers)
        self._buffers[name] = tensor
        if persistable:
            self._transient.discard(name)
        else:
            self._transient.add(name)

    def create_parameter(
        self,
        shape: Any,
        attr: Any = None,
        dtype: Any = None,
        is_bias: bool = False,
        default_initializer: Any = None,
        device: Any = None,
    ) -> Any:
        """Returns a parameter named after this layer; it is part of the layer once assigned to it.

        Without `dtype` it has the default dtype, whatever that of the layer is. `device` does nothing: there
        is one place.
        """
        wanted = _creation.attributes(attr)
        if wanted is None:
            return None
        name = wanted.name or Names.next(f"{self._full_name}.{'b' if is_bias else 'w'}")
        kind = default_dtype() if dtype is None else dtype
        return _creation.create_parameter(shape, kind, name, wanted, is_bias, default_initializer)

    def create_tensor(self, name: str | None = None, persistable: Any = None, dtype: Any = None) -> Any:
        """Returns an empty tensor named after this layer, for `paddle.assign` to write to."""
        made = _creation.zeros([0], dtype)
        made.name = f"{self._full_name}.{name}" if name else Names.next(f"{self._full_name}._generated_var")
        made.persistable = bool(persistable)
        return made

    create_variable = create_tensor

    # -- walking -------------------------------------------------------------------------------------------

    def get_sublayer(self, target: str) -> Any:
        """Returns the layer at a path such as "blocks.0.fc"; raises AttributeError if there is none.

        >>> from penstock import paddle
        >>> paddle.nn.Sequential(paddle.nn.ReLU()).get_sublayer("0")
        ReLU()
        """
        found: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(found, name):
                raise AttributeError(f"{type(found).__name__} has no attribute `{name}`")
            found = getattr(found, name)
            if not isinstance(found, Layer):
                raise AttributeError(f"`{name}` is not an nn.Layer")
        return found

    get_submodule = get_sublayer

    @also(module="layer")
    def set_sublayer(self, target: str, layer: Any, strict: bool = False) -> None:
        """Puts a layer at a path; with `strict`, raises AttributeError if there is none yet."""
        if not target:
            raise ValueError("Cannot set the sublayer without a target name!")
        path, _, name = target.rpartition(".")
        parent = self.get_sublayer(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{type(parent).__name__} has no attribute `{name}`")
        if not isinstance(layer, Layer):
            raise ValueError(f"`layer` is not an nn.Layer, found {type(layer)}")
        setattr(parent, name, layer)

    set_submodule = set_sublayer

    def get_parameter(self, target: str) -> Any:
        """Returns the parameter at a path such as "fc.weight"; raises AttributeError if there is none."""
        return self._at(target, "_parameters", "nn.Parameter")

    def get_buffer(self, target: str) -> Any:
        """Returns the buffer at a path; raises AttributeError if there is none."""
        return self._at(target, "_buffers", "buffer")

    def _at(self, target: str, place: str, what: str) -> Any:
        path, _, name = target.rpartition(".")
        layer = self.get_sublayer(path)
        if not hasattr(layer, name):
            raise AttributeError(f"{type(layer).__name__} has no attribute `{name}`")
        if name not in layer.__dict__[place]:
            raise AttributeError(f"`{name}` is not {'an' if what[0] == 'n' else 'a'} {what}")
        return layer.__dict__[place][name]

    def modules(self) -> Iterator[Any]:
        """Yields this layer and all inside it, each once."""
        for _, layer in self.named_modules():
            yield layer

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """Yields this layer and all inside it, each with its path; those in `memo` are left out."""
        yield from self.named_sublayers(prefix, True, memo, remove_duplicate)

    def children(self) -> Iterator[Any]:
        """Yields the layers directly inside this one."""
        for _, layer in self.named_children():
            yield layer

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """Yields the layers directly inside this one, each with its name."""
        seen: set[int] = set()
        for name, layer in self._sub_layers.items():
            if layer is not None and id(layer) not in seen:
                seen.add(id(layer))
                yield name, layer

    def named_sublayers(
        self, prefix: str = "", include_self: bool = False, layers_set: set[Any] | None = None,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:  # fmt: skip
        """Yields all layers inside this one, each with its path: one that is there twice once by default."""
        seen = set() if layers_set is None else layers_set
        if include_self and self not in seen:
            if remove_duplicate:
                seen.add(self)
            yield prefix, self
        for name, layer in self._sub_layers.items():
            if layer is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from layer.named_sublayers(path, True, seen, remove_duplicate)

    def sublayers(self, include_self: bool = False) -> list[Any]:
        """Returns all layers inside this one."""
        return [layer for _, layer in self.named_sublayers(include_self=include_self)]

    def _named(
        self, place: str, prefix: str, deep: bool, once: bool = True
    ) -> Iterator[tuple[str, Any, Any]]:
        seen: set[int] = set()
        layers = self.named_sublayers(prefix, True, None, once) if deep else iter([(prefix, self)])
        for path, layer in layers:
            for name, one in layer.__dict__[place].items():
                if one is not None and id(one) not in seen:
                    if once:
                        seen.add(id(one))
                    yield (f"{path}.{name}" if path else name), one, layer

    @also(recurse="include_sublayers")
    def named_parameters(
        self, prefix: str = "", include_sublayers: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """Yields all parameters, each with its path: one that is there twice once by default."""
        for name, one, _ in self._named("_parameters", prefix, include_sublayers, remove_duplicate):
            yield name, one

    @also(recurse="include_sublayers")
    def parameters(self, include_sublayers: bool = True) -> list[Any]:
        """Returns all parameters."""
        return [one for _, one in self.named_parameters("", include_sublayers)]

    @also(recurse="include_sublayers")
    def named_buffers(
        self, prefix: str = "", include_sublayers: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """Yields all buffers, each with its path: one that is there twice once by default."""
        for name, one, _ in self._named("_buffers", prefix, include_sublayers, remove_duplicate):
            yield name, one

    @also(recurse="include_sublayers")
    def buffers(self, include_sublayers: bool = True) -> list[Any]:
        """Returns all buffers."""
        return [one for _, one in self.named_buffers("", include_sublayers)]

    def apply(self, fn: Callable[[Any], Any]) -> Any:
        """Calls a function with every layer inside this one, and with this one last."""
        for layer in self.children():
            layer.apply(fn)
        fn(self)
        return self

    # -- modes and state -----------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Any:
        """Puts this layer, and those inside, into training mode, or into the other one."""
        return self._switch(mode)

    def _switch(self, training: bool) -> Any:
        layers = self.sublayers(True)
        for layer in layers:
            layer.training = training
        if engine.switches.functions:
            told = [(layer._has_modes(), layer.parameters(include_sublayers=False)) for layer in layers]
            engine.switches.tell(told, training, user_frame(1))
        return self

    def _has_modes(self) -> bool:
        """Returns whether this layer itself works differently while it is trained."""
        return bool(getattr(self, "p", 0.0)) or any(one._uid in statistics for one in self.parameters(False))

    def eval(self) -> Any:
        """Puts this layer, and those inside, into evaluation mode: no dropout, and fixed statistics."""
        return self._switch(False)

    def state_dict(self, *args: Any, **kwargs: Any) -> OrderedDict[str, Any]:
        """Returns the parameters and lasting buffers by their paths.

        The arguments are `destination=None, include_sublayers=True, structured_name_prefix="", use_hook=True,
        keep_vars=True`: a dictionary to fill, whether layers inside count, what paths begin with, whether the
        hooks of `register_state_dict_hook` are called, and whether tensors are given as they are or detached.
        With a `prefix`, or a string in the second place, they are `destination=None, prefix="",
        keep_vars=False`, as in PyTorch.
        """
        if "prefix" in kwargs or (len(args) > 1 and isinstance(args[1], str)):
            given = bound("state_dict", _STATE_OF_PYTORCH, args, kwargs)
            return self._listed(given["destination"], True, given["prefix"], True, True, given["keep_vars"])
        given = bound("state_dict", _STATE, args, kwargs)
        return self._listed(
            given["destination"], given["include_sublayers"], given["structured_name_prefix"],
            given["use_hook"], True, given["keep_vars"],
        )  # fmt: skip

    def to_static_state_dict(
        self, destination: Any = None, include_sublayers: bool = True, structured_name_prefix: str = "",
        use_hook: bool = True, keep_vars: bool = True,
    ) -> OrderedDict[str, Any]:  # fmt: skip
        """Returns the parameters and all buffers by their paths, also those that `state_dict` leaves out."""
        return self._listed(
            destination, include_sublayers, structured_name_prefix, use_hook, False, keep_vars
        )

    def register_state_dict_hook(self, hook: Callable[[Any], Any]) -> HookRemoveHelper:
        """Calls `hook(state)` when `state_dict` has listed this layer; a result replaces the state."""
        return HookRemoveHelper(self._state_hooks, hook)

    def get_extra_state(self) -> Any:
        """Raises RuntimeError: a layer has no state besides its tensors, unless a subclass says which."""
        raise RuntimeError("Reached a code path in Module.get_extra_state() that should never be called. ")

    def _listed(
        self, destination: Any, deep: bool, prefix: str, use_hook: bool, lasting: bool, keep_vars: bool
    ) -> OrderedDict[str, Any]:
        found: OrderedDict[str, Any] = OrderedDict() if destination is None else destination
        for place in ("_parameters", "_buffers"):
            for name, one in self.__dict__[place].items():
                transient = place == "_buffers" and name in self._transient
                if one is not None and not (lasting and transient):
                    saved = self._saved(one) if use_hook else one
                    found[prefix + name] = saved if keep_vars else saved.detach()
        if deep:
            for name, layer in self._sub_layers.items():
                if layer is not None:
                    layer._listed(found, True, f"{prefix}{name}.", use_hook, lasting, keep_vars)
        if use_hook:
            for hook in list(self._state_hooks.values()):
                changed = hook(found)
                found = found if changed is None else changed
        return found

    def _saved(self, one: Any) -> Any:
        """Returns a tensor for saving: in the dtype given to `paddle.amp.decorate`."""
        if self._save_dtype is None or one._spec.dtype.kind not in "fV":
            return one
        return Leaf(np.asarray(one).astype(self._save_dtype), name=one.name)

    def set_state_dict(self, state_dict: dict[str, Any], use_structured_name: bool = True) -> Any:
        """Loads values by path, keeping the dtypes of this layer.

        Returns the missing and the unknown paths. A value of another shape is skipped with a warning, and its
        path is in both lists, as in Paddle. Nothing is written until everything is checked.
        """
        missing, unknown, taken = self._taken(state_dict, use_structured_name)
        for one, value in taken.values():
            one._replace(value, "set_state_dict", sys._getframe(1))
        return missing, unknown

    def _taken(
        self, state_dict: Any, use_structured_name: bool
    ) -> tuple[list[str], list[str], dict[str, Any]]:
        """Returns the missing and the unknown paths, and by name each tensor with the value that fits it."""
        missing, taken = [], {}
        for path, one in self._listed(None, True, "", False, True, True).items():
            name = path if use_structured_name else one.name
            value = state_dict.get(name)
            if value is None:
                why = f"{name} is not found in the provided dict."
            else:
                refuse_masked(value)
                array = np.asarray(value)
                if array.shape == one._spec.shape:
                    fitting = one.detach() if value is one else one._fitting(array.astype(one._spec.dtype))
                    taken[name] = one, fitting
                    continue
                own = [*one._spec.shape]
                why = f"{name} receives a shape {[*array.shape]}, but the expected shape is {own}."
            missing.append(name)
            warn_once(f"Skip loading for {path}. {why}")
        return missing, [name for name in state_dict if name not in taken], taken

    set_dict = load_dict = set_state_dict

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        """Loads values by path; returns the pair `missing_keys`, `unexpected_keys`.

        With `strict`, raises RuntimeError, and loads nothing, if a path is missing, unknown or of another
        shape. Values are always copied: `assign` does nothing.

        >>> from penstock import paddle
        >>> layer = paddle.nn.Linear(2, 1)
        >>> layer.load_state_dict(layer.state_dict())
        <All keys matched successfully>
        """
        missing, unexpected, taken = self._taken(state_dict, True)
        if strict and (missing or unexpected):
            lines = []
            for word, paths in (("Missing", missing), ("Unexpected", unexpected)):
                if paths:
                    shown_paths = ", ".join(f'"{path}"' for path in paths)
                    lines.append(f"{word} key(s) in state_dict: {shown_paths}. ")
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(lines)
            )
        for one, value in taken.values():
            one._replace(value, "load_state_dict", sys._getframe(1))
        return Keys(missing, unexpected)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Sets the gradients of all parameters to None, or to zeros."""
        self.clear_gradients(not set_to_none)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Lets all parameters be trained, or none; returns this layer."""
        for one in self.parameters():
            one.stop_gradient = not requires_grad
        return self

    def clear_gradients(self, set_to_zero: bool = True) -> None:
        """Sets the gradients of all parameters to zeros, or to None."""
        for one in self.parameters():
            one.clear_gradient(set_to_zero)

    def to(
        self, device: Any = None, dtype: Any = None, blocking: Any = None, non_blocking: Any = None
    ) -> Any:
        """Returns this layer; with a dtype, casts its floating-point parameters and buffers in place.

        There is one place, and nothing to wait for: `device`, `blocking` and `non_blocking` do nothing.
        """
        if dtype is not None:
            for layer in self.sublayers(True):
                layer._cast(numpy_dtype(dtype), sys._getframe(1))
                layer._dtype = dtype
        return self

    def _cast(self, dtype: Any, frame: Any) -> None:
        """Casts the floating-point tensors that this layer itself holds."""
        for name, one in (*self._parameters.items(), *self._buffers.items()):
            if one is None or one._spec.dtype.kind not in "fV" or one._spec.dtype == dtype:
                continue
            if isinstance(one, Leaf):
                one._recast(dtype, frame)
            else:
                self._buffers[name] = one.astype(dtype.name)

    def cpu(self) -> Any:
        """Returns this layer, which is in the only place."""
        return self

    def cuda(self, device: Any = None) -> Any:
        """Returns this layer, for any `device`: it is in the only place."""
        return self

    xpu = cuda

    def type(self, dst_type: Any) -> Any:
        """Returns this layer with its parameters in another dtype."""
        return self.to(dtype=dst_type)

    def half(self) -> Any:
        """Returns this layer with its parameters in float16."""
        return self.to(dtype="float16")

    def double(self) -> Any:
        """Returns this layer with its parameters in float64."""
        return self.to(dtype="float64")

    def astype(self, dtype: Any = None) -> Any:
        """Returns this layer with its parameters in another dtype."""
        return self.to(dtype=dtype)

    def float(self, excluded_layers: Any = None) -> Any:
        """Returns this layer with its parameters in float32, except those of layers of some classes."""
        return self._but(excluded_layers, "float32", sys._getframe(1))

    def float16(self, excluded_layers: Any = None) -> Any:
        """Returns this layer with its parameters in float16, except those of layers of some classes."""
        return self._but(excluded_layers, "float16", sys._getframe(1))

    def bfloat16(self, excluded_layers: Any = None) -> Any:
        """Returns this layer with its parameters in bfloat16, except those of layers of some classes."""
        return self._but(excluded_layers, "bfloat16", sys._getframe(1))

    def _but(self, excluded: Any, dtype: str, frame: Any) -> Any:
        kinds = (
            () if excluded is None else tuple(excluded) if isinstance(excluded, list | tuple) else (excluded,)
        )
        for layer in self.sublayers(True):
            if not isinstance(layer, kinds):
                layer._cast(numpy_dtype(dtype), frame)
                if dtype != "float16":  # which Paddle does not print on processors
                    layer._dtype = shown(numpy_dtype(dtype))
        return self

    def full_name(self) -> str:
        """Returns the name that Paddle makes up for a layer, such as linear_0."""
        return self._full_name

    # -- printing ------------------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """Returns the text between the brackets when the layer is printed."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = []
        for name, layer in self._sub_layers.items():
            text = repr(layer).split("\n")
            lines.append(f"({name}): " + "\n".join([text[0], *("  " + line for line in text[1:])]))
        name = type(self).__name__
        if not lines:
            return f"{name}({extra})"
        body = "\n  ".join(lines)
        return f"{name}({extra}\n  {body}\n)"


class Standard(Layer):
    """Base of the layers that come with the dialect: their parameters are of the default dtype."""

    def __init__(self, name_scope: str | None = None, dtype: Any = None) -> None:
        super().__init__(name_scope, default_dtype().name if dtype is None else dtype)
