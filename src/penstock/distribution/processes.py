"""Several processes that run one program together, each on its own devices: JAX joins them."""

from __future__ import annotations

import os
import socket
from importlib import import_module

from penstock.distribution import peers
from penstock.errors import ArgumentError, PenstockError
from penstock.trace.source_site import here

ADDRESSES, COUNT, NUMBER = "PENSTOCK_ADDRESSES", "PENSTOCK_PROCESSES", "PENSTOCK_PROCESS"
"""The environment variables that `initialize` reads for missing arguments."""


def initialize(
    job_addresses: str | None = None, num_processes: int | None = None, process_id: int | None = None
) -> None:
    """Joins this process to others that run the same program; call it before anything else.

    `job_addresses` are host and port of each process with commas between them, or only those of the first;
    `num_processes` is their number, `process_id` the number of this one, from 0. Missing arguments are read
    from PENSTOCK_ADDRESSES, PENSTOCK_PROCESSES and PENSTOCK_PROCESS, and otherwise found by JAX, which knows
    SLURM, Open MPI and Kubernetes. Every process gets the whole batch and takes its part of it.

    Afterwards all processes draw the same random numbers, those of the first. Under `penstock run
    --processes` a process has been joined before the script begins, and a call without arguments does
    nothing.

    Raises ArgumentError for an impossible process number, and PenstockError if JAX has already started, or if
    the address is in use or cannot be reached.

    Args:
        job_addresses: host and port of each process, with commas between; None if the launcher provides them.
        num_processes: the number of processes, an int.
        process_id: the number of this process, an int from 0.

    Returns:
        None.

    Raises:
        ArgumentError: if an argument does not fit the others.
        PenstockError: if the engine is already running.

    >>> import penstock as ps
    >>> try:
    ...     ps.distribution.initialize("first-host:12345", num_processes=2, process_id=2)
    ... except ps.errors.ArgumentError as error:
    ...     print(error.remedy)
    Number the processes from 0 to 1.
    """
    addresses = job_addresses or os.environ.get(ADDRESSES)
    count = num_processes if num_processes is not None else _number(COUNT)
    number = process_id if process_id is not None else _number(NUMBER)
    if addresses and count is None and "," in addresses:
        count = len(addresses.split(","))
    if count is not None and number is not None and not 0 <= number < count:
        raise ArgumentError(
            f"initialize was given process_id={number} and num_processes={count}.",
            remedy=f"Number the processes from 0 to {count - 1}.",
            site=here(),
        )
    if joined == [(addresses, count, number)]:
        return
    module = import_module("jax")
    first = addresses.split(",")[0].strip() if addresses else None
    if first is not None and number == 0:
        _refuse_used(first)
    try:
        module.config.update("jax_cpu_collectives_implementation", "gloo")
        module.distributed.initialize(first, count, number, initialization_timeout=round(peers.patience()))
    except (RuntimeError, ValueError) as error:
        said = " ".join(str(error).split())
        begun = "before any" in said or "once" in said
        raise PenstockError(
            f"Process {0 if number is None else number} could not join the others"
            + (f" at {first}." if first else "."),
            origin=said,
            why="JAX finds its devices when it starts, and never again." if begun else "",
            remedy="Call initialize once, first of all, before tensors and devices."
            if begun
            else "Check that the first process runs, and that its address can be reached; or give "
            "initialize(job_addresses, num_processes, process_id).",
            site=here(),
        ) from None
    joined.append((addresses, count, number))
    # JAX's public API joins processes, but cannot send them messages.
    state = import_module("jax._src.distributed").global_state
    peers.joined_by(state.client, state.process_id, state.num_processes)


joined: list[tuple[str | None, int | None, int | None]] = []
"""The arguments of `initialize`, once it has joined this process to others."""


def _number(name: str) -> int | None:
    value = os.environ.get(name)
    if not value:
        return None
    if not value.isdecimal():
        raise ArgumentError(
            f"{name} is {value!r}.", remedy="Set it to a whole number, or unset it.", site=here()
        )
    return int(value)


def _refuse_used(address: str) -> None:
    """Raises PenstockError if another program uses the address of the first process."""
    host, _, port = address.rpartition(":")
    if not port.isdecimal():
        raise ArgumentError(
            f"initialize was given the address {address!r}.",
            remedy="Write host and port, such as 'first-host:12345'.",
            site=here(),
        )
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, int(port)))
        except OSError as error:
            raise PenstockError(
                f"The address {address} cannot be used: {error.strerror}.",
                why="The first process listens there for the others.",
                remedy="Give another port, or end the program that uses this one.",
                site=here(),
            ) from None
