"""tf.keras.utils.Config: settings of a program, as attributes."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from typing import Any

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.trace.source_site import here

_OWN = ("_config", "_frozen")


@named("tf.keras.utils.Config")
class Config:
    """Settings by name, read and set as attributes or items, until they are frozen.

    >>> from penstock import tensorflow as tf
    >>> config = tf.keras.utils.Config(rate=0.1)
    >>> config.seed = 3
    >>> config.to_json()
    '{"rate": 0.1, "seed": 3}'
    """

    def __init__(self, **settings: Any) -> None:
        self._config = settings
        self._frozen = False

    @property
    def frozen(self) -> bool:
        """Whether settings can no longer be changed."""
        return self._frozen

    def freeze(self) -> None:
        """Refuses changes from now on."""
        self._frozen = True

    def unfreeze(self) -> None:
        """Allows changes again."""
        self._frozen = False

    def _change(self) -> dict[str, Any]:
        if self._frozen:
            raise ArgumentError("Cannot mutate attribute(s) because the config is frozen.", site=here())
        return self._config

    def as_dict(self) -> dict[str, Any]:
        """Returns a copy of the settings."""
        return dict(self._config)

    def to_json(self) -> str:
        """Returns the settings as JSON."""
        return json.dumps(self._config)

    def keys(self) -> Any:
        """Returns the names."""
        return self._config.keys()

    def values(self) -> Any:
        """Returns the values."""
        return self._config.values()

    def items(self) -> Any:
        """Returns the names and values."""
        return self._config.items()

    def pop(self, *arguments: Any) -> Any:
        """Removes a setting and returns its value."""
        return self._change().pop(*arguments)

    def update(self, *arguments: Any, **settings: Any) -> None:
        """Sets several settings."""
        self._change().update(*arguments, **settings)

    def get(self, keyname: str, value: Any = None) -> Any:
        """Returns a setting, or another value where there is none."""
        return self._config.get(keyname, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _OWN or hasattr(type(self), name):
            object.__setattr__(self, name, value)
        else:
            self._change()[name] = value

    def __getattr__(self, name: str) -> Any:
        if name not in _OWN and name in self._config:
            return self._config[name]
        known = () if name in _OWN else self._config
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
        raise AttributeError(
            f"Unknown attribute: '{name}'." + (f" Did you mean '{near[0]}'?" if near else "")
        )

    def __setitem__(self, key: str, item: Any) -> None:
        self._change()[key] = item

    def __getitem__(self, key: str) -> Any:
        return self._config[key]

    def __delitem__(self, key: str) -> None:
        del self._change()[key]

    def __contains__(self, item: object) -> bool:
        return item in self._config

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._config))

    def __len__(self) -> int:
        return len(self._config)

    def __repr__(self) -> str:
        return f"<Config {self._config}>"
