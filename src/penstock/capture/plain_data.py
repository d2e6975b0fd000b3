"""The arguments of calls as plain data for a file, and back: the values of Python and NumPy.

Numbers, strings and lists are themselves; anything else is a dictionary whose first key, its tag, says what
it is. A dialect adds the tags of its own tensors, layers and functions, and says which names a file may use:
docs/decisions/0057.
"""

from __future__ import annotations

import base64
import enum
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, ClassVar

import numpy as np

from penstock.capture.calls import Input
from penstock.trace.lengths import Length
from penstock.trace.polynomials import Name, Part
from penstock.trace.source_site import Site

_PLAIN = (bool, int, float, str)
_TYPES = {one.__name__: one for one in (bool, int, float, str, bytes, complex)}
_LARGE = 64
"""The number of elements from which a repeated one is written once, as the zeros that slots start with."""


class UnwritableError(Exception):
    """A value that no file holds; `what` says in words what it is."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


def words_for(one: Any) -> str:
    """Returns words for an object of a program that no file holds."""
    inner = getattr(one, "__func__", one)
    code = getattr(inner, "__code__", None)
    if code is not None:
        name = "a lambda" if inner.__name__ == "<lambda>" else f"the function {inner.__qualname__!r}"
        return f"{name} ({code.co_filename}:{code.co_firstlineno})"
    if isinstance(one, type):
        return f"the class {one.__qualname__!r}"
    return f"an object of class {type(one).__qualname__!r}"


# -- writing ------------------------------------------------------------------------------------------------


class Writer:
    """Makes plain data of values, and collects arrays, objects that occur again, and unknown lengths.

    A subclass adds to `forms`, which has a function for each exact type, to `other`, which decides about
    everything else, and says how functions and classes are named.
    """

    forms: ClassVar[dict[type, Callable[[Any, Any], Any]]] = {
        list: lambda writer, one: writer.values(one),
        tuple: lambda writer, one: {"tuple": writer.values(one)},
        set: lambda writer, one: {"set": writer.values(one)},
        frozenset: lambda writer, one: {"frozenset": writer.values(one)},
        dict: lambda writer, one: {"dict": writer.pairs(one)},
        OrderedDict: lambda writer, one: {"ordered": writer.pairs(one)},
        slice: lambda writer, one: {"slice": writer.values([one.start, one.stop, one.step])},
        type(Ellipsis): lambda writer, one: {"ellipsis": True},
        bytes: lambda writer, one: {"bytes": base64_of(one)},
        complex: lambda writer, one: {"complex": [one.real, one.imag]},
        np.ndarray: lambda writer, one: writer.array(one),
        Input: lambda writer, one: {"input": one.number},
        Length: lambda writer, one: {"length": writer.length(one)},
        Site: lambda writer, one: {"site": [one.file, one.line, one.function]},
        FunctionType: lambda writer, one: {"function": writer.function_name(one)},
    }

    def __init__(self) -> None:
        self.arrays: list[np.ndarray[Any, Any]] = []
        self.names: list[Any] = []
        self.objects: list[Any] = []
        self._numbers: dict[Any, int] = {}
        self._failed: dict[int, str] = {}
        self._held: list[Any] = []

    def function_name(self, one: Any) -> str:
        """Returns the name under which a file may call a function; raises UnwritableError if it has none."""
        raise UnwritableError(words_for(one))

    def class_name(self, one: type) -> str:
        """Returns the name under which a file may have a class; raises UnwritableError if it has none."""
        raise UnwritableError(words_for(one))

    def fields(self, one: Any) -> Mapping[str, Any]:
        """Returns the fields of an object that a file holds."""
        found: Mapping[str, Any] = vars(one)
        return found

    def value(self, one: Any) -> Any:
        """Returns a value as plain data; raises UnwritableError for one that has no such form."""
        kind = type(one)
        if one is None or kind in _PLAIN:
            return one
        write = self.forms.get(kind)
        return self.other(one) if write is None else write(self, one)

    def values(self, several: Any) -> list[Any]:
        """Returns several values as plain data."""
        return [self.value(one) for one in several]

    def pairs(self, one: Mapping[Any, Any]) -> list[Any]:
        """Returns the items of a dictionary as plain data."""
        return [[self.value(a), self.value(b)] for a, b in one.items()]

    def other(self, one: Any) -> Any:
        """Returns a value of a type that is not among `forms`."""
        if isinstance(one, enum.Enum):
            return {"member": one.name, "of": self.class_name(type(one))}
        if isinstance(one, np.generic):
            return {"number": self.array(np.asarray(one))}
        if isinstance(one, int | float | str):
            return next(kind for kind in (int, float, str) if isinstance(one, kind))(one)
        if isinstance(one, tuple) and hasattr(one, "_fields"):
            return {"named": self.class_name(type(one)), "items": self.values(one)}
        if isinstance(one, np.dtype):
            # Only NumPy's letters tell the lengths of strings and the units of dates.
            return {"dtype": one.name if one.kind in "biufc" or one.isbuiltin == 2 else one.str}
        if isinstance(one, np.ndarray):
            return self.array(one)
        if isinstance(one, type):
            return self._type(one)
        raise UnwritableError(words_for(one))

    def _type(self, one: type) -> Any:
        if one in _TYPES.values():
            return {"type": one.__name__}
        if issubclass(one, np.generic):
            name = one.__name__
            if getattr(np, name, None) is one or dtype_named(name).type is one:
                return {"type": f"numpy.{name}"}
        return {"class": self.class_name(one)}

    def object(self, one: Any) -> Any:
        """Returns an object by its number; its class and fields are written where it occurs first."""

        def put(number: int) -> None:
            name = self.class_name(type(one))
            fields = {key: self.value(value) for key, value in self.fields(one).items()}
            items = {"items": self.values(one)} if isinstance(one, list | tuple) else {}
            self.objects[number] = {"class": name, "fields": fields, **items}

        return {"object": self.number(one, put)}

    def number(self, one: Any, put: Callable[[int], None]) -> int:
        """Returns the number of an object that may be met again; `put` writes a new one."""
        number = self._numbers.get(id(one))
        if number is None:
            self._held.append(one)
            number = self._numbers[id(one)] = len(self.objects)
            self.objects.append(None)
            try:
                put(number)
            except UnwritableError as error:
                self._failed[id(one)] = error.what
                raise
        elif id(one) in self._failed:
            raise UnwritableError(self._failed[id(one)])
        return number

    def array(self, one: np.ndarray[Any, Any]) -> Any:
        """Returns an array by its number, or with its strings."""
        if one.dtype.kind == "O":
            elements = one.ravel().tolist()
            if any(type(each) is Length for each in elements):
                return {"lengths": self.values(elements), "shape": list(one.shape)}
            return {"strings": [_text(each) for each in elements], "shape": list(one.shape)}
        if one.dtype.kind in "USMmV" and one.dtype.isbuiltin != 2:
            raise UnwritableError(f"an array of {one.dtype}")
        kept = _one_of(one) if _is_one(one) else one
        self.arrays.append(kept)
        form = {"array": len(self.arrays) - 1, "dtype": one.dtype.name, "shape": list(one.shape)}
        return form if kept is one else {**form, "repeated": True}

    def length(self, one: Any) -> Any:
        """Returns a length that is not known: its terms, with the names in it by number."""
        if type(one) is not Length:
            return int(one)
        return [[factor, [[self._part(part), n] for part, n in own]] for own, factor in one.terms.items()]

    def _part(self, part: Any) -> Any:
        if isinstance(part, Part):
            return [part.kind, self.length(part.a), self.length(part.b)]
        number = self._numbers.get(part)
        if number is None:
            number = self._numbers[part] = len(self.names)
            self.names.append([part.label, part.least])
        return number


def base64_of(content: bytes) -> str:
    """Returns bytes as text."""
    return base64.b64encode(content).decode("ascii")


def bytes_of(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns an array as bytes: what a file keeps of a dtype that its format does not know."""
    return np.asarray(array, order="C").reshape(-1).view(np.uint8)


def _is_one(array: np.ndarray[Any, Any]) -> bool:
    """Returns whether a larger array has one number everywhere, to the last bit."""
    if array.size < _LARGE or array.dtype.itemsize not in (1, 2, 4, 8):
        return False
    bits = np.ascontiguousarray(array).reshape(-1).view(f"u{array.dtype.itemsize}")
    return bool((bits == bits[0]).all())


def _one_of(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.array(array.reshape(-1)[:1]).reshape(())


def _text(one: Any) -> str:
    if not isinstance(one, bytes | str):
        raise UnwritableError(f"an array of objects of class {type(one).__name__!r}")
    return base64_of(one if isinstance(one, bytes) else one.encode())


# -- reading ------------------------------------------------------------------------------------------------


class Reader:
    """Makes values of plain data.

    A subclass adds to `tags`, which has a function for each tag, and finds functions and classes by name.
    """

    tags: ClassVar[dict[str, Callable[[Any, Any, Any], Any]]] = {
        "tuple": lambda reader, items, _: tuple(reader.value(items)),
        "set": lambda reader, items, _: set(reader.value(items)),
        "frozenset": lambda reader, items, _: frozenset(reader.value(items)),
        "dict": lambda reader, pairs, _: {reader.value(a): reader.value(b) for a, b in pairs},
        "ordered": lambda reader, pairs, _: OrderedDict((reader.value(a), reader.value(b)) for a, b in pairs),
        "slice": lambda reader, ends, _: slice(*reader.value(ends)),
        "ellipsis": lambda reader, *_: Ellipsis,
        "bytes": lambda reader, text, _: base64.b64decode(text),
        "complex": lambda reader, parts, _: complex(*parts),
        "array": lambda reader, number, form: reader.array(number, form),
        "lengths": lambda reader, items, form: _objects(form["shape"], reader.value(items)),
        "strings": lambda reader, items, form: _objects(form["shape"], list(map(base64.b64decode, items))),
        "number": lambda reader, form, _: reader.value(form)[()],
        "dtype": lambda reader, name, _: dtype_named(name),
        "type": lambda reader, name, _: _type_named(name),
        "input": lambda reader, number, _: Input(number),
        "length": lambda reader, terms, _: reader.length(terms),
        "site": lambda reader, parts, _: Site(*parts),
        "function": lambda reader, name, _: reader.function_named(name),
        "class": lambda reader, name, _: reader.class_named(name),
        "member": lambda reader, name, form: reader.subclass(form["of"], enum.Enum)[name],
        "named": lambda reader, name, form: tuple.__new__(
            reader.subclass(name, tuple), reader.value(form["items"])
        ),
        "object": lambda reader, number, _: reader.made(number),
    }

    def __init__(self, content: Mapping[str, Any], arrays: Sequence[np.ndarray[Any, Any]]) -> None:
        self.arrays = arrays
        self.names = [Name(str(label), least) for label, least in content["names"]]
        self._objects: list[Any] = list(content["objects"])
        self._made: dict[int, Any] = {}

    def function_named(self, name: str) -> Any:
        """Returns the function of a name; raises LookupError for one that a file may not call."""
        raise LookupError(name)

    def class_named(self, name: str) -> Any:
        """Returns the class of a name; raises LookupError for one that a file may not have."""
        raise LookupError(name)

    def subclass(self, name: str, base: Any) -> Any:
        """Returns the class of a name, which must have this base."""
        found = self.class_named(name)
        if not (isinstance(found, type) and issubclass(found, base)):
            raise LookupError(name)
        return found

    def value(self, one: Any) -> Any:
        """Returns the value of plain data; raises LookupError for a tag or a name that is not known."""
        kind = type(one)
        if kind is list:
            return [self.value(each) for each in one]
        if kind is not dict:
            return one
        tag = next(iter(one), "")
        read = self.tags.get(tag)
        if read is None:
            raise LookupError(f"{tag!r} is no form of a value")
        return read(self, one[tag], one)

    def made(self, number: int) -> Any:
        """Returns an object that several calls may share, made once, without a call of its class."""
        if number not in self._made:
            form = self._objects[number]
            kind = self.class_of_objects(form["class"])
            items = form.get("items")
            own = () if items is None else (self.value(items),)
            self._made[number] = one = kind(*own) if own else kind.__new__(kind)
            vars(one).update({name: self.value(value) for name, value in form["fields"].items()})
        return self._made[number]

    def class_of_objects(self, name: str) -> Any:
        """Returns a class whose objects a file may hold, field by field."""
        return self.class_named(name)

    def array(self, number: int, form: Mapping[str, Any]) -> np.ndarray[Any, Any]:
        """Returns an array by its number."""
        found = self.arrays[number].view(dtype_named(form["dtype"]))
        if form.get("repeated"):
            return np.full(form["shape"], found.reshape(())[()], found.dtype)
        return found.reshape(form["shape"])

    def length(self, terms: Any) -> Any:
        """Returns a length by its terms."""
        if type(terms) is not list:
            return int(terms)
        return Length({frozenset((self._part(part), n) for part, n in own): factor for factor, own in terms})

    def _part(self, part: Any) -> Any:
        if type(part) is list:
            kind, a, b = part
            return Part(str(kind), self.length(a), self.length(b))
        return self.names[part]


def dtype_named(name: str) -> np.dtype[Any]:
    """Returns a dtype by its name, also one that NumPy itself does not have, such as bfloat16.

    >>> dtype_named("bfloat16").itemsize
    2
    """
    try:
        return np.dtype(name)
    except TypeError:
        import ml_dtypes

        found = getattr(ml_dtypes, name, None)
        if not isinstance(found, type):
            raise LookupError(name) from None
        return np.dtype(found)


def _type_named(name: str) -> Any:
    if not name.startswith("numpy."):
        return _TYPES[name]
    own = name.removeprefix("numpy.")
    found = getattr(np, own, None) or dtype_named(own).type
    if not (isinstance(found, type) and issubclass(found, np.generic)):
        raise LookupError(name)
    return found


def _objects(shape: Sequence[int], values: Sequence[Any]) -> np.ndarray[Any, Any]:
    flat = np.empty(len(values), object)
    flat[:] = values
    return flat.reshape(shape)


__all__ = ["Reader", "UnwritableError", "Writer", "base64_of", "bytes_of", "dtype_named", "words_for"]
