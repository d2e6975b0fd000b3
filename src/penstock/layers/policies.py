"""Dtype policies: the dtype of a layer's variables, and the dtype in which it computes.

Mixed precision computes in half precision, which is fast and small, and keeps variables in float32, so that
an update far smaller than its variable is not lost (Micikevicius and others, 2018).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from penstock.errors import ArgumentError
from penstock.lazy import listed
from penstock.trace.builder import Builder, Outcome
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

MIXED = {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16"}
"""The names of mixed policies, and their dtypes of computation."""


class Policy:
    """The dtype of a layer's variables, and the dtype in which it computes.

    `name` is one dtype for both, or "mixed_float16" or "mixed_bfloat16", with variables in float32. Raises
    ArgumentError for other names.

    Args:
        name: a dtype, "mixed_float16" or "mixed_bfloat16".

    Raises:
        ArgumentError: if there is no policy of that name.

    >>> import penstock as ps
    >>> policy = ps.policies.Policy("mixed_float16")
    >>> policy.compute_dtype, policy.variable_dtype
    ('float16', 'float32')
    >>> layer = ps.layers.Dense(2, dtype=policy)
    >>> layer(ps.ones((1, 3))).dtype.name, layer.kernel.dtype.name
    ('float16', 'float32')
    """

    __slots__ = ("compute", "name", "variable")

    def __init__(self, name: Any = "float32") -> None:
        if isinstance(name, Policy):
            name = name.name
        mixed = MIXED.get(name) if isinstance(name, str) else None
        self.variable = np.dtype(np.float32) if mixed else _dtype(name)
        self.compute = _dtype(mixed) if mixed else self.variable
        self.name: str = name if mixed else self.variable.name

    @property
    def compute_dtype(self) -> str:
        """The name of the dtype to which inputs are converted, and of the results."""
        return self.compute.name

    @property
    def variable_dtype(self) -> str:
        """The name of the dtype of variables."""
        return self.variable.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


def _dtype(name: Any) -> np.dtype[Any]:
    name = getattr(name, "as_numpy_dtype", name)
    try:
        if isinstance(name, str) and name == "bfloat16":
            import ml_dtypes

            name = ml_dtypes.bfloat16
        found: np.dtype[Any] = np.dtype(name)
    except TypeError:
        raise ArgumentError(
            f"{name!r} is neither a dtype nor a dtype policy.",
            remedy=f"Give a dtype such as 'float32', or one of {', '.join(map(repr, MIXED))}.",
            site=here(),
        ) from None
    return found


class _Chosen(threading.local):
    """The policies of a thread's open `with` blocks, outermost first."""

    def __init__(self) -> None:
        self.inside: list[Policy] = []


_chosen = _Chosen()
_default = [Policy()]


def get_policy() -> Policy:
    """Returns the policy of layers that are created without a dtype.

    Returns:
        A `Policy`.

    >>> import penstock as ps
    >>> ps.policies.get_policy()
    Policy('float32')
    """
    inside = _chosen.inside
    return inside[-1] if inside else _default[0]


def set_policy(policy: Any) -> None:
    """Sets the policy of layers that are created from now on without a dtype, in every thread.

    Args:
        policy: a `Policy`, or its name.

    Returns:
        None.

    Raises:
        ArgumentError: if there is no policy of that name.

    >>> import penstock as ps
    >>> ps.policies.set_policy("mixed_bfloat16")
    >>> ps.layers.Dense(2).compute_dtype
    'bfloat16'
    >>> ps.policies.set_policy("float32")
    """
    _default[0] = policy if isinstance(policy, Policy) else Policy(policy)


@contextmanager
def using(policy: Any) -> Iterator[Policy]:
    """Sets the policy of layers that this thread creates inside a `with` block.

    A layer keeps the policy under which it was created.

    Args:
        policy: a `Policy`, or its name.

    Returns:
        A context manager.

    Raises:
        ArgumentError: if there is no policy of that name.

    >>> import penstock as ps
    >>> with ps.policies.using("mixed_float16"):
    ...     layer = ps.layers.Dense(2)
    >>> layer.compute_dtype, ps.layers.Dense(2).compute_dtype
    ('float16', 'float32')
    """
    found = policy if isinstance(policy, Policy) else Policy(policy)
    _chosen.inside.append(found)
    try:
        yield found
    finally:
        _chosen.inside.pop()


# -- variables in the dtype of computation ------------------------------------------------------------------

_views: dict[type[Tensor], type[Tensor]] = {}


def view(variable: Any, cast: Callable[[Any], Tensor]) -> Tensor:
    """Returns a variable's value in the dtype in which a mixed layer computes.

    It is a tensor that knows the variable: `assign` and other attributes that tensors lack are the
    variable's.
    """
    made = cast(variable)
    kind = _views.get(type(made)) or _view_of(type(made))
    trace = local.trace
    outcome = Outcome(made._slot, made._spec)
    found: Any = trace.handle(outcome, kind) if isinstance(trace, Builder) else trace.give(outcome, kind)
    found._variable = variable
    return found  # type: ignore[no-any-return]


def _view_of(base: type[Tensor]) -> type[Tensor]:
    def ask(self: Any, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(object.__getattribute__(self, "_variable"), name)

    def write(name: str) -> Any:
        def method(self: Any, value: Any, *more: Any, **options: Any) -> Any:
            variable = self._variable
            if isinstance(value, Tensor) and value._spec.dtype != variable._spec.dtype:
                from penstock.ops.table import cast

                value = cast(value, dtype=variable._spec.dtype)
            return getattr(variable, name)(value, *more, **options)

        method.__name__ = name
        return method

    space: dict[str, Any] = {
        "__slots__": ("_variable",),
        "__doc__": "The value of a variable in the dtype that its layer computes in.",
        "__getattr__": ask,
        **{name: write(name) for name in ("assign", "assign_add", "assign_sub")},
    }
    found = _views[base] = type(base.__name__, (base,), space)
    return found


__all__ = ["Policy", "get_policy", "set_policy", "using"]
__dir__ = listed(__name__)
