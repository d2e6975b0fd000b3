"""tf.flags: values of a program that the command line may change."""

from __future__ import annotations

import sys as _sys
from collections.abc import Callable as _Callable
from collections.abc import Iterator as _Iterator
from collections.abc import Sequence as _Sequence
from typing import Any

from penstock.tensorflow._names import namespace as _namespace

_TRUE, _FALSE = ("true", "t", "1"), ("false", "f", "0")


class Error(Exception):
    """The base of what is raised about flags."""


class DuplicateFlagError(Error):
    """A flag was defined twice."""


class IllegalFlagValueError(Error):
    """A flag was given what it cannot be."""


class UnrecognizedFlagError(Error):
    """The command line names a flag that was not defined."""


class Flag:
    """One flag: its name, the value it starts with, what it has come to, and how text is read."""

    def __init__(self, name: str, default: Any, help: str | None, read: _Callable[[Any], Any]) -> None:
        self.name, self.help, self._read = name, help, read
        self.present = 0
        self.default = self.value = None if default is None else self.parsed(default)

    def parsed(self, value: Any) -> Any:
        """Returns a value as the flag has it."""
        try:
            return self._read(value)
        except (ValueError, TypeError) as error:
            raise IllegalFlagValueError(f"flag --{self.name}={value}: {error}") from None


class FlagValues:
    """All flags of a program: attributes, read from the command line when the first is asked for.

    >>> from penstock.tensorflow.compat.v1 import flags
    >>> values = flags.FlagValues()
    >>> flags.DEFINE_integer("steps", 10, "how many steps", flag_values=values)
    >>> print(values(["program.py", "--steps=3", "data"]), values.steps)
    ['program.py', 'data'] 3
    """

    def __init__(self) -> None:
        self.__dict__["_flags"] = {}
        self.__dict__["_parsed"] = False

    def _define(self, flag: Flag) -> None:
        if flag.name in self._flags:
            raise DuplicateFlagError(f"The flag '{flag.name}' is defined twice.")
        self._flags[flag.name] = flag

    def __call__(self, argv: _Sequence[str], known_only: bool = False) -> list[str]:
        """Reads a command line; returns what is no flag, beginning with the program's name."""
        self.mark_as_parsed()
        rest, words = list(argv[:1]), list(argv[1:])
        while words:
            word = words.pop(0)
            if word == "--":
                return rest + words
            if not word.startswith("-") or word == "-":
                rest.append(word)
                continue
            name, given, value = word.lstrip("-").partition("=")
            flag, value = self._meant(name, value if given else None)
            if flag is None:
                if not known_only:
                    raise UnrecognizedFlagError(f"Unknown command line flag '{name}'")
                rest.append(word)
                continue
            if value is None:
                if not words:
                    raise Error(f"Missing value for flag {word}")
                value = words.pop(0)
            flag.value, flag.present = flag.parsed(value), flag.present + 1
        return rest

    def _meant(self, name: str, value: Any) -> tuple[Flag | None, Any]:
        flag = self._flags.get(name)
        if flag is None and name.startswith("no") and value is None:
            flag = self._flags.get(name[2:])
            return (flag, "false") if flag is not None and flag._read is _boolean else (None, None)
        if flag is not None and value is None and flag._read is _boolean:
            value = "true"
        return flag, value

    def mark_as_parsed(self) -> None:
        """Takes the values as they are, without a command line."""
        self.__dict__["_parsed"] = True

    def is_parsed(self) -> bool:
        """Returns whether a command line has been read."""
        return bool(self._parsed)

    def flag_values_dict(self) -> dict[str, Any]:
        """Returns the values by name."""
        return {name: flag.value for name, flag in self._flags.items()}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self._flags:
            raise AttributeError(name)
        if not self._parsed:
            self(_sys.argv)
        return self._flags[name].value

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._flags:
            raise AttributeError(name)
        self._flags[name].value = None if value is None else self._flags[name].parsed(value)

    def __getitem__(self, name: str) -> Flag:
        return self._flags[name]  # type: ignore[no-any-return]

    def __contains__(self, name: str) -> bool:
        return name in self._flags

    def __iter__(self) -> _Iterator[str]:
        return iter(sorted(self._flags))

    def __len__(self) -> int:
        return len(self._flags)

    def __dir__(self) -> list[str]:
        return sorted(self._flags)


FLAGS = FlagValues()


def _boolean(value: Any) -> bool:
    if isinstance(value, str):
        if value.lower() in _TRUE:
            return True
        if value.lower() in _FALSE:
            return False
        raise ValueError("Non-boolean argument to boolean flag", value)
    if value in (0, 1):
        return bool(value)
    raise TypeError("Non-boolean argument to boolean flag", value)


def _listed(value: Any) -> list[str]:
    if isinstance(value, str):
        return [one.strip() for one in value.split(",")] if value else []
    return list(value)


def DEFINE_string(name: str, default: Any, help: Any, flag_values: FlagValues = FLAGS) -> None:
    """Defines a flag that is text."""
    flag_values._define(Flag(name, default, help, str))


def DEFINE_integer(name: str, default: Any, help: Any, flag_values: FlagValues = FLAGS) -> None:
    """Defines a flag that is a whole number."""
    flag_values._define(Flag(name, default, help, int))


def DEFINE_float(name: str, default: Any, help: Any, flag_values: FlagValues = FLAGS) -> None:
    """Defines a flag that is a number."""
    flag_values._define(Flag(name, default, help, float))


def DEFINE_boolean(name: str, default: Any, help: Any, flag_values: FlagValues = FLAGS) -> None:
    """Defines a flag that is True after `--name`, and False after `--noname`."""
    flag_values._define(Flag(name, default, help, _boolean))


DEFINE_bool = DEFINE_boolean


def DEFINE_list(name: str, default: Any, help: Any, flag_values: FlagValues = FLAGS) -> None:
    """Defines a flag that is a list of texts, with commas between them on the command line."""
    flag_values._define(Flag(name, default, help, _listed))


def DEFINE_enum(
    name: str, default: Any, enum_values: _Sequence[str], help: Any, flag_values: FlagValues = FLAGS
) -> None:
    """Defines a flag that is one of some texts."""

    def one_of(value: Any) -> str:
        if value not in enum_values:
            raise ValueError(f"value should be one of <{'|'.join(enum_values)}>")
        return str(value)

    flag_values._define(Flag(name, default, help, one_of))


def mark_flag_as_required(flag_name: str, flag_values: FlagValues = FLAGS) -> None:
    """Does nothing: a flag that was not given is None.

    `flag_name` and `flag_values` do nothing.
    """


__getattr__, __dir__, __all__ = _namespace("tf.compat.v1.flags", globals())
