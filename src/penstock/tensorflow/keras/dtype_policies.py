"""tf.keras.dtype_policies: the dtypes of layers, by name, as dictionaries, and by the paths of layers."""

from __future__ import annotations

import re as _re
from collections.abc import Iterator as _Iterator
from collections.abc import MutableMapping as _MutableMapping
from typing import Any

from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._itself import on_tensorflow as _on_tensorflow
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras import mixed_precision as _mixed_precision
from penstock.tensorflow.keras._serial import deserialize_keras_object as _deserialize
from penstock.tensorflow.keras._serial import serialize_keras_object as _serialize
from penstock.tensorflow.keras._symbols_and_dtypes import standardize_dtype as _standardize_dtype
from penstock.tensorflow.keras.mixed_precision import DTypePolicy as DTypePolicy
from penstock.trace.source_site import here as _here

FloatDTypePolicy = DTypePolicy
_QUANTIZED = ("int8", "float8", "int4", "gptq", "awq")
_NO_QUANTIZATION = "There is no quantization here: layers compute in the dtypes of floats."
_WORDS = "AWQDTypePolicy GPTQDTypePolicy Int4DTypePolicy QuantizedDTypePolicy QuantizedFloat8DTypePolicy"
_INSTEAD = dict.fromkeys(_WORDS.split(), _NO_QUANTIZATION)


def serialize(dtype_policy: Any) -> Any:
    """Returns a policy as a dictionary of plain values."""
    return _serialize(dtype_policy)


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """Returns the policy of a dictionary that `serialize` has made."""
    return _deserialize(config, custom_objects)


def get(identifier: Any) -> Any:
    """Returns the policy that a name, a dtype or a dictionary stands for; of None the global one.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.dtype_policies.get("mixed_bfloat16").compute_dtype
    'bfloat16'

    Raises ArgumentError, a ValueError, for the name of a quantized policy, and for anything else.
    """
    if identifier is None:
        return _mixed_precision.dtype_policy()
    if isinstance(identifier, DTypePolicy | DTypePolicyMap):
        return identifier
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        if identifier.partition("_from_")[1] and identifier.startswith(_QUANTIZED):
            raise _ArgumentError(
                f"The policy {identifier!r} is quantized.",
                why=_NO_QUANTIZATION,
                remedy=f"Use 'float32' or 'mixed_bfloat16'. {_on_tensorflow()}",
                site=_here(),
            )
        return DTypePolicy(identifier)
    try:
        return DTypePolicy(_standardize_dtype(identifier))
    except (ValueError, TypeError):
        raise _ArgumentError(
            "Cannot interpret `dtype` argument. Expected a string or an instance of DTypePolicy. Received: "
            f"dtype={identifier}",
            site=_here(),
        ) from None


class DTypePolicyMap(_MutableMapping[str, Any]):
    """Policies by the paths of layers, or by patterns of paths; other paths have the default policy.

    >>> from penstock import tensorflow as tf
    >>> policies = tf.keras.dtype_policies.DTypePolicyMap("float32")
    >>> policies["encoder/.*"] = "mixed_bfloat16"
    >>> policies["encoder/dense"].name, policies["head"].name
    ('mixed_bfloat16', 'float32')
    """

    def __init__(self, default_policy: Any = None, policy_map: dict[str, Any] | None = None) -> None:
        if isinstance(default_policy, DTypePolicyMap):
            raise _ArgumentError("`default_policy` cannot be a `DTypePolicyMap`.", site=_here())
        if policy_map is not None and not isinstance(policy_map, dict):
            raise TypeError(
                f"If specified, `policy_map` must be a dict. Received: policy_map={policy_map} of type "
                f"{type(policy_map)}"
            )
        self._given = default_policy
        self._default = get(default_policy)
        self._policies = policy_map or {}

    @property
    def name(self) -> str:
        """The name of the default policy, after "map_"."""
        return f"map_{self._default.name}"

    @property
    def default_policy(self) -> Any:
        """The policy of paths that no key names."""
        return self._default

    @property
    def variable(self) -> Any:
        """The dtype of variables under the default policy, as NumPy has it."""
        return self._default.variable

    @property
    def compute(self) -> Any:
        """The dtype of computations under the default policy, as NumPy has it."""
        return self._default.compute

    @property
    def variable_dtype(self) -> str:
        """The dtype of variables under the default policy."""
        return str(self._default.variable_dtype)

    @property
    def compute_dtype(self) -> str:
        """The dtype of computations under the default policy."""
        return str(self._default.compute_dtype)

    @property
    def quantization_mode(self) -> None:
        """None: there is no quantization."""
        return None

    def __getitem__(self, key: str) -> Any:
        if key in self._policies:
            return self._policies[key]
        found = [one for one in self._policies if _re.fullmatch(one, key)]
        if len(found) > 1:
            raise _ArgumentError(
                f"Path '{key}' matches multiple dtype policy specification keys: {found}. Please make sure "
                "each path only matches at most one dtype policy specification key in the DTypePolicyMap.",
                site=_here(),
            )
        return self._policies[found[0]] if found else self._default

    def __setitem__(self, key: str, policy: Any) -> None:
        if key in self._policies:
            raise _ArgumentError(
                f"{key} already exist in the DTypePolicyMap with value {self._policies[key]}. Please make "
                "sure to not use duplicated keys.",
                site=_here(),
            )
        try:
            made = get(policy)
        except (ValueError, TypeError) as problem:
            raise _ArgumentError(
                "Cannot interpret the assigned value by `keras.dtype_policies.get`. Received: "
                f"{policy} of type {type(policy)}",
                site=_here(),
            ) from problem
        self._policies[key] = made

    def __delitem__(self, key: str) -> None:
        del self._policies[key]

    def __contains__(self, key: object) -> bool:
        return key in self._policies

    def __iter__(self) -> _Iterator[str]:
        return iter(self._policies)

    def __len__(self) -> int:
        return len(self._policies)

    def __repr__(self) -> str:
        mapping = [(key, one.name) for key, one in self._policies.items()]
        return f"<DTypePolicyMap at {hex(id(self))} default_policy={self._default.name}, mapping={mapping}>"

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        return {"default_policy": self._given, "policy_map": _serialize(self._policies)}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> DTypePolicyMap:
        """Returns the map with these arguments."""
        return cls(config["default_policy"], _deserialize(config["policy_map"], custom_objects))


__getattr__, __dir__, __all__ = _namespace("tf.keras.dtype_policies", globals(), instead=_INSTEAD)
