"""tf.distribute.experimental: strategies of one replica under older names, and how they communicate."""

from __future__ import annotations

import enum as _enum
from typing import Any

from penstock.tensorflow import distribute as _distribute
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.distribute import _values

ValueContext = _values.ValueContext


class CommunicationImplementation(_enum.Enum):
    """How workers would communicate: there is one."""

    AUTO, RING, NCCL = "AUTO", "RING", "NCCL"

    def __str__(self) -> str:
        return f"CommunicationImplementation.{self.name}"


CollectiveCommunication = CommunicationImplementation


class CommunicationOptions:
    """Options of communication between workers. They are kept and do nothing: there is one worker."""

    def __init__(
        self,
        bytes_per_pack: int = 0,
        timeout_seconds: Any = None,
        implementation: Any = CommunicationImplementation.AUTO,
    ) -> None:
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        self.bytes_per_pack, self.timeout_seconds = bytes_per_pack, timeout_seconds
        self.implementation = CommunicationImplementation(getattr(implementation, "value", implementation))

    def __repr__(self) -> str:
        return (
            f"Options(bytes_per_pack={self.bytes_per_pack},timeout_seconds={self.timeout_seconds}, "
            f"implementation={self.implementation})"
        )


class CentralStorageStrategy(_distribute.Strategy):
    """One replica. The arguments do nothing: JAX is set to a device."""

    def __init__(self, compute_devices: Any = None, parameter_device: Any = None) -> None:
        pass


class MultiWorkerMirroredStrategy(_distribute.Strategy):
    """One replica in this process. The arguments do nothing: there is one worker."""

    def __init__(
        self, communication: Any = CommunicationImplementation.AUTO, cluster_resolver: Any = None
    ) -> None:
        pass


__getattr__, __dir__, __all__ = _namespace("tf.distribute.experimental", globals())
