"""What the shared parts of the sources ask of a framework: its tensors, modules and optimizers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from penstock.flow.words import Words


class Tensors(Protocol):
    """The facts about one framework's objects; none of these calls is recorded as the program's.

    `Tensor`, `Parameter` and `Module` are its classes, `flag` says in its words why a tensor is frozen, and
    `containers` are its registering list, dictionary and list of parameters, as its users type them.
    """

    words: Words
    flag: str
    Tensor: type
    Parameter: type
    Module: type
    containers: tuple[str, str, str, str]

    def is_trained(self, tensor: Any) -> bool:
        """Returns whether autograd records for a tensor."""

    def is_leaf(self, tensor: Any) -> bool:
        """Returns whether a tensor was not computed."""

    def is_recording(self) -> bool:
        """Returns whether autograd is switched on."""

    def gradient(self, tensor: Any) -> Any:
        """Returns the stored gradient of a tensor, or None."""

    def with_gradient(self, tensors: Sequence[Any]) -> list[Any]:
        """Returns those of many tensors that have a stored gradient."""

    def frozen(self, tensors: Sequence[Any]) -> list[Any]:
        """Returns those of many tensors for which autograd does not record."""

    def is_zero(self, tensor: Any) -> bool:
        """Returns whether a tensor is zero everywhere."""

    def dtype(self, tensor: Any) -> str:
        """Returns the name of a dtype: "float32"."""

    def shape(self, tensor: Any) -> tuple[int, ...] | None:
        """Returns the shape of a tensor; None if it has none yet."""

    def is_differentiable(self, tensor: Any) -> bool:
        """Returns whether values of a tensor's dtype can carry a derivative."""

    def bytes_of(self, tensor: Any, most: int) -> bytes | None:
        """Returns some elements of a tensor, about `most` if it has more; None if they cannot be read."""

    def named_tensors(self, module: Any) -> Iterable[tuple[str, Any]]:
        """Returns the parameters and buffers of a module with their paths; shared ones under each path."""

    def named_modules(self, module: Any) -> Iterable[tuple[str, Any]]:
        """Returns a module and those inside it, with their paths."""

    def own_parameters(self, module: Any) -> Mapping[str, Any]:
        """Returns the parameters that a module itself has registered."""

    def own_buffers(self, module: Any) -> Mapping[str, Any]:
        """Returns the buffers that a module itself has registered."""

    def own_modules(self, module: Any) -> Mapping[str, Any]:
        """Returns the modules that a module itself has registered."""

    def parameters(self, module: Any) -> Iterator[Any]:
        """Yields the parameters of a module and those inside it."""

    def groups_of(self, optimizer: Any) -> Sequence[Sequence[Any]]:
        """Returns the parameters of an optimizer, group by group."""

    def parameters_of(self, optimizer: Any) -> list[Any]:
        """Returns all parameters of an optimizer."""

    def rate_of(self, optimizer: Any) -> float | None:
        """Returns the initial learning rate of an optimizer, if it is a number."""

    def is_idle(self, optimizer: Any) -> bool:
        """Returns whether the learning rate of an optimizer is zero."""

    def state_of(self, optimizer: Any) -> tuple[str, ...]:
        """Returns the names of what an optimizer keeps from one update to the next."""

    def kept(self, tensors: Sequence[Any], measured: Callable[[Any], bool]) -> list[tuple[Any, Any]]:
        """Returns tensors, with copies of those to measure and None for the others."""

    def number(self, tensor: Any) -> float | None:
        """Returns the number in a tensor of one, if reading it costs almost nothing."""

    def has_norm(self, gradient: Any) -> bool:
        """Returns whether a gradient is dense and of a floating-point dtype."""

    def norms(self, tensors: Sequence[Any]) -> list[float]:
        """Returns the Euclidean norms of tensors."""

    def first_bad(self, tensor: Any) -> float | None:
        """Returns the first number of a tensor that is not finite, if there is one."""

    def distances(self, pairs: Sequence[tuple[Any, Any]]) -> list[float]:
        """Returns the Euclidean norms of changes of tensors, each given with its copy from before."""


__all__ = ["Tensors"]
