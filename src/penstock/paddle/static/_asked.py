"""What programs ask of the tensors of static programs: what makes them, what reads them, their kinds."""

from __future__ import annotations

from typing import Any, NoReturn

from penstock.paddle._errors import RefusedError
from penstock.paddle._tensor import Parameter
from penstock.paddle.static._program import Operation, Source, programs
from penstock.trace.source_site import here


class Asked:
    """The common part of results, data and parameters of static programs."""

    __slots__ = ()

    def _written_in(self) -> Any:
        """Returns the program in which this tensor is."""
        return getattr(self, "program", None) or programs.main

    @property
    def is_parameter(self) -> bool:
        """Whether training updates this tensor."""
        return isinstance(self, Parameter)

    @property
    def id(self) -> str:
        """A text that no other tensor has."""
        return hex(id(self))

    def hash(self) -> int:
        """Returns a number that no other tensor has."""
        return id(self)

    def is_same(self, other: Any) -> bool:
        """Returns whether this is the same tensor as another name for one."""
        return self is other

    def get_defining_op(self) -> Operation:
        """Returns the operation that makes this tensor."""
        for one in self._written_in().operations:
            if any(output is self for output in one.outputs):
                return one  # type: ignore[no-any-return]
        return Source(self)

    def all_used_ops(self) -> list[Operation]:
        """Returns the operations that read this tensor, the last first."""
        return [one for one in reversed(self._written_in().operations) if one.reads(self)]

    def use_empty(self) -> bool:
        """Returns whether no operation reads this tensor."""
        return not self.all_used_ops()

    def has_one_use(self) -> bool:
        """Returns whether one operation reads this tensor."""
        return len(self.all_used_ops()) == 1

    def index(self) -> int:
        """Returns which of the results of its operation this is."""
        outputs = self.get_defining_op().outputs
        return next((i for i, one in enumerate(outputs) if one is self), 0)

    def initialized(self) -> bool:
        """Returns True."""
        return True

    def is_dense_tensor_type(self) -> bool:
        """Returns True."""
        return True

    def is_combine(self) -> bool:
        """Returns False: it is one tensor, and dense."""
        return False

    is_dense_tensor_array_type = is_dist_dense_tensor_type = is_selected_row_type = is_combine
    is_sparse_coo_tensor_type = is_sparse_csr_tensor_type = is_combine


def _in_dynamic_mode(name: str) -> Any:
    """Returns a method that draws in place, for which Paddle wants the dynamic mode."""

    def method(self: Any, *arguments: Any, **options: Any) -> NoReturn:
        raise RefusedError(
            f"We only support '{name}()' in dynamic graph mode, please call 'paddle.disable_static()' to "
            "enter dynamic graph mode.",
            remedy="Or draw a new tensor in the program: paddle.normal, paddle.uniform, paddle.bernoulli.",
            site=here(),
        )

    method.__name__ = method.__qualname__ = name
    method.__doc__ = "Raises AssertionError: a static program draws new tensors, none in place."
    return method


REFUSED = {
    name: _in_dynamic_mode(name)
    for name in ("normal_", "uniform_", "bernoulli_", "cauchy_", "geometric_", "log_normal_")
}

__all__ = ["REFUSED", "Asked"]
