"""The result of the assign family: the variable, under the name that TensorFlow gives it there."""

from __future__ import annotations

from typing import Any


class UnreadVariable:
    """The result of `variable.assign(...)`: it forwards every attribute to the variable.

    It exists because TensorFlow's `assign` does not return the variable itself, and prints differently.
    """

    __slots__ = ("__weakref__", "_variable")
    name = "UnreadVariable"

    def __init__(self, variable: Any) -> None:
        self._variable = variable

    def __getattr__(self, name: str) -> Any:
        return getattr(self._variable, name)

    def __repr__(self) -> str:
        return str(self._variable._described("UnreadVariable"))


def _delegated(name: str) -> Any:
    def method(self: UnreadVariable, *operands: Any) -> Any:
        return getattr(self._variable, name)(*operands)

    method.__name__ = method.__qualname__ = name
    return method


for _name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
    "radd", "rsub", "rmul", "rtruediv", "rfloordiv", "rmod", "rpow", "rmatmul", "rand", "ror", "rxor",
    "iadd", "isub", "imul", "itruediv", "ifloordiv", "ipow",
    "neg", "abs", "invert", "eq", "ne", "lt", "le", "gt", "ge", "getitem", "setitem", "iter", "len", "hash",
    "array", "float", "int", "bool", "complex", "index",
):  # fmt: skip
    setattr(UnreadVariable, f"__{_name}__", _delegated(f"__{_name}__"))
