"""Training on several devices under Paddle's names, always as one process: rank 0 of 1.

What goes between processes is there already: sums over all are the values themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.paddle._errors import NotThereError
from penstock.paddle._names import namespace as _namespace
from penstock.trace.source_site import here


class ReduceOp:
    """How values of several processes become one."""

    SUM, MAX, MIN, PROD, AVG = 0, 1, 2, 3, 4


class Task:
    """The result of a communication, which completes at once."""

    def wait(self) -> bool:
        """Returns True."""
        return True

    def is_completed(self) -> bool:
        """Returns True."""
        return True


class Group:
    """The processes that communicate: one."""

    rank, ranks, nranks, world_size, id, process_ids = 0, (0,), 1, 1, 0, (0,)

    def get_group_rank(self, rank: int) -> int:
        """Returns the place of a process in the group, -1 if it is not in it."""
        return 0 if rank == 0 else -1


class ParallelEnv:
    """A process's knowledge of the others."""

    rank = local_rank = device_id = dev_id = 0
    world_size = nranks = 1
    current_endpoint, trainer_endpoints = "", ("",)


_group = Group()


def init_parallel_env() -> ParallelEnv:
    """Returns what there is to know of the one process."""
    return ParallelEnv()


def get_rank(group: Any = None) -> int:
    """Returns 0, in whichever `group`."""
    return 0


def get_world_size(group: Any = None) -> int:
    """Returns 1, for any `group`."""
    return 1


def is_initialized() -> bool:
    """Returns True."""
    return True


def is_available() -> bool:
    """Returns True."""
    return True


def new_group(ranks: Any = None, backend: Any = None, timeout: Any = None, nccl_config: Any = None) -> Group:
    """Returns the group of one; `backend`, `timeout` and `nccl_config` do nothing.

    Raises NotImplementedError for `ranks` that are not there.
    """
    if ranks is not None and list(ranks) != [0]:
        raise NotThereError(
            f"new_group: ranks are {list(ranks)}, and there is one process, 0.",
            remedy="Train on one device; XLA uses the cores that it has.",
            site=here(),
        )
    return _group


def get_group(id: int = 0) -> Group:
    """Returns the group of one, for any `id`."""
    return _group


def destroy_process_group(group: Any = None) -> None:
    """Does nothing, for any `group`."""


def _left(name: str) -> Callable[..., Any]:
    def function(tensor: Any, *options: Any, **others: Any) -> Task:
        return Task()

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Does not change the tensor, since there is one process; `options` do nothing."
    return function


all_reduce, broadcast, reduce = _left("all_reduce"), _left("broadcast"), _left("reduce")


def all_gather(tensor_list: list[Any], tensor: Any, group: Any = None, sync_op: bool = True) -> Task:
    """Puts the tensors of all processes into a list; `group` and `sync_op` do nothing."""
    tensor_list.append(tensor)
    return Task()


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """Puts the objects of all processes into a list; `group` does nothing."""
    object_list.append(obj)


def barrier(group: Any = None) -> None:
    """Does nothing, for any `group`: the one process need not wait for another."""


def wait(tensor: Any, group: Any = None, use_calc_stream: bool = True) -> None:
    """Does nothing: a `tensor` is always ready, for any `group`, with or without `use_calc_stream`."""


def spawn(
    func: Callable[..., Any], args: Any = (), nprocs: int = -1, join: bool = True, daemon: bool = False,
    **options: Any,
) -> Any:  # fmt: skip
    """Calls a function with arguments, in this process: `join`, `daemon` and `options` do nothing.

    Raises NotImplementedError if several processes are requested.
    """
    if nprocs > 1:
        raise NotThereError(
            f"spawn: {nprocs} processes were asked for, and there is one.", remedy="Omit nprocs.", site=here()
        )
    return func(*args)


def refuse_several(what: str) -> None:
    """Raises NotImplementedError for a program that asks for several processes, and says what did."""
    raise NotThereError(
        f"{what}, and there is one process.",
        remedy="Train on one device; XLA uses the cores that it has.",
        site=here(),
    )


__getattr__, __dir__, __all__ = _namespace("paddle.distributed", globals(), "io", later={__name__: "fleet"})
for _name in ("Task", "refuse_several"):  # Paddle does not show them.
    __all__.remove(_name)
