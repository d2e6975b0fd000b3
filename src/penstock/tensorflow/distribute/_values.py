"""Values of the replicas of a strategy, of which there is one."""

from __future__ import annotations

from typing import Any


class DistributedValues:
    """The values of the replicas: there is one."""


class PerReplica(DistributedValues):
    """The value of the one replica, which `run` gives to its function."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"PerReplica:{{\n  0: {self.value!s}\n}}"


class ValueContext:
    """The replica for which a function makes a value: there is one."""

    replica_id_in_sync_group = 0
    num_replicas_in_sync = 1


def its_own(value: Any) -> Any:
    """Returns the value of the one replica, which stands alone or among the values of all."""
    return value.value if isinstance(value, PerReplica) else value
