"""Training on several machines under Paddle's names, as one process that is the first worker of one.

>>> from penstock import paddle
>>> from penstock.paddle.distributed import fleet
>>> fleet.init(is_collective=True, strategy=fleet.DistributedStrategy())
>>> fleet.worker_num(), fleet.worker_index(), fleet.is_first_worker()
(1, 0, True)
"""

from __future__ import annotations

from typing import Any

from penstock.paddle._names import namespace as _namespace
from penstock.paddle.distributed.fleet import utils


class DistributedStrategy:
    """Settings of training on several machines: any attribute can be set, and none changes anything here.

    `hybrid_configs` may ask for one process of each kind: degrees above 1 are refused by `init`.
    """

    def __init__(self) -> None:
        self.hybrid_configs: dict[str, Any] = {}
        self.amp = self.recompute = self.gradient_merge = self.sharding = self.lamb = self.lars = False
        self.find_unused_parameters = False


class PaddleCloudRoleMaker:
    """What says which process this is: the first worker. `options` do nothing."""

    def __init__(self, is_collective: bool = False, **options: Any) -> None:
        self.is_collective = is_collective


UserDefinedRoleMaker = PaddleCloudRoleMaker


def init(
    role_maker: Any = None, is_collective: bool = False, strategy: Any = None, log_level: Any = "INFO"
) -> None:
    """Begins: there is one process, so `role_maker`, `is_collective` and `log_level` do nothing.

    Raises NotImplementedError if the strategy asks for several processes.
    """
    from penstock.paddle.distributed import refuse_several

    for word, degree in getattr(strategy, "hybrid_configs", {}).items():
        if word.endswith("_degree") and isinstance(degree, int) and degree > 1:
            refuse_several(f"fleet.init: {word} is {degree}")


def distributed_model(model: Any) -> Any:
    """Returns the layer, which the one process trains."""
    return model


def distributed_optimizer(optimizer: Any, strategy: Any = None) -> Any:
    """Returns the optimizer: gradients are those of the one process, with any `strategy`."""
    return optimizer


def distributed_scaler(scaler: Any) -> Any:
    """Returns the scaler."""
    return scaler


def worker_num() -> int:
    """Returns 1."""
    return 1


def worker_index() -> int:
    """Returns 0."""
    return 0


def local_rank() -> int:
    """Returns 0."""
    return 0


def is_first_worker() -> bool:
    """Returns True."""
    return True


def is_worker() -> bool:
    """Returns True."""
    return True


def is_server() -> bool:
    """Returns False: there are no servers of parameters."""
    return False


def barrier_worker() -> None:
    """Does nothing: the one process need not wait for another."""


def init_worker(scopes: Any = None) -> None:
    """Does nothing, for any `scopes`."""


def stop_worker() -> None:
    """Does nothing."""


__getattr__, __dir__, __all__ = _namespace("paddle.distributed.fleet", globals())
__all__ += ["utils"]
