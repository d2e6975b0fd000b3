"""Parameters shared by modules, and whether a module still has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow import ties

if TYPE_CHECKING:
    from penstock.frameworks.eager.parameter import Parameter  # noqa: F401
    from penstock.frameworks.eager.tensors import Tensors


class Ties(ties.Ties["Parameter"]):
    """The slots of each parameter."""

    def __init__(self, tensors: Tensors) -> None:
        super().__init__()
        self._tensors = tensors

    def is_held(self, tensor: Any, module: Any, name: str) -> bool:
        """Returns whether another slot than this one has a parameter."""
        tie = self._ties.get(id(tensor))
        return (
            tie is not None
            and tie.tensor() is tensor
            and any(
                (owner := reference()) is not None
                and self._tensors.own_parameters(owner).get(own) is tensor
                and (owner is not module or own != name)
                for reference, own in tie.slots
            )
        )


__all__ = ["Ties"]
