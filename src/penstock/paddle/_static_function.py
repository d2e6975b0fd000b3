"""Functions as `paddle.jit.to_static` returns them: they are called as they are, and can show their calls."""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

from penstock.trace.structure import flat

_AGAIN = (
    "Please specific `input_spec` in `@paddle.jit.to_static` or feed input tensor to call the decorated "
    "function at once."
)


class ConcreteProgram:
    """The calls of a function as a static program: its inputs, its outputs and the parameters it reads."""

    def __init__(self, function: Any, made: Any, startup_program: Any) -> None:
        self.function, self.main_program, self.startup_program = function, made.program, startup_program
        self.inputs, self.outputs = list(made.feed), list(made.fetch)
        self.kwargs: dict[str, Any] = {}

    @property
    def parameters(self) -> tuple[list[Any], list[Any]]:
        """The parameters, and the same as tensors of the program."""
        held = self.main_program.all_parameters()
        return held, list(held)


class StaticFunction:
    """A function or method that was given to `to_static`: a call is a call of the function itself."""

    is_property = False
    __name__: str
    _qualname: str
    _input_spec: Any = None

    def __init__(self, function: Callable[..., Any], input_spec: Any = None, instance: Any = None) -> None:
        functools.update_wrapper(self, function)
        self._qualname = getattr(function, "__qualname__", self.__name__)
        self._function, self._spec, self.class_instance = function, input_spec, instance
        self._bound: WeakKeyDictionary[Any, StaticFunction] = WeakKeyDictionary()

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        try:
            found = self._bound.get(instance)
        except TypeError:  # an instance that is not hashable
            return type(self)(self._function.__get__(instance, owner), self._spec, instance)
        if found is None:
            method = self._function.__get__(instance, owner)
            found = self._bound[instance] = type(self)(method, self._spec, instance)
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function."""
        return self._function(*args, **kwargs)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        from copy import deepcopy

        function, instance = deepcopy((self._function, self.class_instance), memo)
        return type(self)(function, self._spec, instance)

    def __reduce__(self) -> Any:
        if self.class_instance is None:
            return self._qualname
        return _again, (type(self), self.class_instance, self.__name__, self._spec)

    @property
    def dygraph_function(self) -> Any:
        """The function itself."""
        return self._function

    def rollback(self) -> Any:
        """Returns the function itself, and puts it in its place in the layer whose method it is."""
        if self.class_instance is not None:
            own = self.class_instance.__dict__
            if isinstance(getattr(type(self.class_instance), self.__name__, None), StaticFunction):
                own[self.__name__] = self._function
            else:
                own.pop(self.__name__, None)
        return self._function

    def train(self) -> None:
        """Does nothing: a layer's own mode says how it is called."""

    def eval(self) -> None:
        """Does nothing: a layer's own mode says how it is called."""


def _again(kind: Any, instance: Any, name: str, spec: Any) -> StaticFunction:
    """Makes the method of a layer that was pickled."""
    method = getattr(type(instance), name)
    method = method._function if isinstance(method, StaticFunction) else method
    return kind(method.__get__(instance), spec, instance)  # type: ignore[no-any-return]


class SymbolicStaticFunction(StaticFunction):
    """The kind that `to_static` returns by default: as in Paddle, it does not show its calls."""

    def _refuse(self, name: str) -> NoReturn:
        raise RuntimeError(
            f"Can't call {name} when full_graph=False. Use paddle.jit.to_static(full_graph=True) instead."
        )

    def get_concrete_program(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises RuntimeError, for any `args` and `kwargs`: this needs `full_graph=True`."""
        self._refuse("get_concrete_program")

    def get_traced_count(self) -> NoReturn:
        """Raises RuntimeError: this needs `full_graph=True`."""
        self._refuse("get_traced_count")

    def concrete_program_specify_input_spec(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises RuntimeError, for any `args` and `kwargs`: this needs `full_graph=True`."""
        self._refuse("concrete_program_specify_input_spec")

    code = property(lambda self: self._refuse("code"))
    concrete_program = property(lambda self: self._refuse("concrete_program"))
    inputs = property(lambda self: self._refuse("inputs"))
    outputs = property(lambda self: self._refuse("outputs"))
    main_program = property(lambda self: self._refuse("main_program"))
    program_cache = property(lambda self: self._refuse("program_cache"))
    function_spec = property(lambda self: self._refuse("function_spec"))


class ASTStaticFunction(StaticFunction):
    """The kind that `to_static(full_graph=True)` returns, which shows its source and its calls."""

    def __init__(self, function: Callable[..., Any], input_spec: Any = None, instance: Any = None) -> None:
        super().__init__(function, input_spec, instance)
        self._programs: dict[Any, ConcreteProgram] = {}
        self._seen: Any = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function, and notes the shapes of the first call."""
        if self._seen is None:
            from penstock.paddle._mode import mode

            if not mode.builds():
                self._seen = _specs_of(args)
        return self._function(*args, **kwargs)

    @property
    def code(self) -> str:
        """The source of the function, which is called as it is written."""
        text = textwrap.dedent(inspect.getsource(self._function))
        found: Any = ast.parse(text).body[0]
        return "".join(text.splitlines(keepends=True)[found.lineno - 1 :])

    def _of(self, given: Any) -> ConcreteProgram:
        key = repr(given)
        if key not in self._programs:
            from penstock.paddle.static._program import Program
            from penstock.paddle.static._tracing import traced

            layer = self.class_instance
            called = layer if self.__name__ == "forward" and hasattr(layer, "parameters") else self._function
            self._programs[key] = ConcreteProgram(self._function, traced(called, given), Program())
        return self._programs[key]

    @property
    def concrete_program(self) -> ConcreteProgram:
        """The calls, on the `input_spec` or on inputs of the shapes of the first call."""
        return self.concrete_program_specify_input_spec()

    def concrete_program_specify_input_spec(
        self, input_spec: Any = None, with_hook: bool = False, is_prim_infer: bool = False
    ) -> ConcreteProgram:
        """Returns the calls on inputs of an `input_spec`; `with_hook` and `is_prim_infer` do nothing.

        Raises ValueError if neither an `input_spec` nor a call says the shapes.
        """
        given = next((one for one in (input_spec, self._spec, self._seen) if one is not None), None)
        if given is None:
            raise ValueError(
                f"No valid transformed program for function: {self.__name__}{inspect.signature(self)}, "
                f"input_spec: None.\n\t    {_AGAIN}\n"
            )
        return self._of(list(given))

    def get_concrete_program(self, *args: Any, **kwargs: Any) -> tuple[ConcreteProgram, Any]:
        """Returns the calls on such inputs, and the function that makes them; `kwargs` have no shapes."""
        return self._of(_specs_of(args)), self._function

    def get_traced_count(self) -> int:
        """Returns for how many kinds of inputs the calls are known."""
        return len(self._programs)

    @property
    def main_program(self) -> Any:
        """The calls as a program."""
        return self.concrete_program.main_program

    @property
    def inputs(self) -> list[Any]:
        """The inputs of the program."""
        return self.concrete_program.inputs

    @property
    def outputs(self) -> list[Any]:
        """The outputs of the program."""
        return self.concrete_program.outputs


def _specs_of(arguments: Any) -> list[Any]:
    """Returns what describes the arguments of a call: tensors by their shape and dtype."""
    from penstock.paddle.static import InputSpec

    tensors = any(hasattr(one, "shape") for one in flat(list(arguments)))
    return [
        InputSpec(list(one.shape), one.dtype) if tensors and hasattr(one, "shape") else one
        for one in arguments
    ]


__all__ = ["ASTStaticFunction", "ConcreteProgram", "StaticFunction", "SymbolicStaticFunction"]
