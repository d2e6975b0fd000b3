"""The cost of a distribution: the place of each variable, the collectives of a step, and their lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from penstock.capture.steps import Step
from penstock.distribution.collectives import Collective, collectives
from penstock.distribution.in_force import placings
from penstock.distribution.placing import Placed, Placing, Run
from penstock.errors import ArgumentError
from penstock.flow.report_model import Finding
from penstock.tiers.program import Program
from penstock.trace.source_site import Site, here


@dataclass(frozen=True, slots=True)
class Sent:
    """Collectives of one kind caused by one line of the user's: their count, their bytes, the bytes sent.

    `sites` are the lines: several if XLA has merged collectives, and none if the line is unknown.
    `times` of 0 says that a loop decides how often they run. Bytes are for each device and step.
    """

    kind: str
    count: int
    size: int
    sent: int
    parts: int
    times: int
    sites: tuple[Site, ...]


@dataclass(frozen=True, slots=True)
class Cost:
    """One compiled step: the bytes that its collectives send, and the memory that XLA needs on each device.

    `arguments` are the bytes of its inputs: variables, the state of optimizers and the device's part of the
    batch. `temporaries` are those of intermediate values, `results` those of values that it returns or
    writes, except those that overwrite its arguments.
    """

    site: Site | None
    operations: int
    sent: tuple[Sent, ...]
    arguments: int
    temporaries: int
    results: int
    written: tuple[str, ...]
    whole: tuple[Collective, ...] = ()

    @property
    def bytes_sent(self) -> int:
        """The bytes that each device sends in a step, without loops that decide as they run."""
        return sum(one.sent for one in self.sent)

    @property
    def memory(self) -> int:
        """The bytes that each device needs for the step in all."""
        return self.arguments + self.temporaries + self.results


@dataclass(slots=True)
class Distributed:
    """The result of `ps.distribution.report`: `variables`, `steps` and `findings`; `str` is the text."""

    mesh: str
    devices: int
    variables: list[Placed] = field(default_factory=list)
    steps: list[Cost] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    planned: bool = False

    @property
    def bytes_per_device(self) -> int:
        """The bytes of variables, and of the state of optimizers, that each device holds."""
        return sum(one.bytes_per_device for one in self.variables)

    def data(self) -> dict[str, Any]:
        """Returns the report as plain data for JSON."""
        return {
            "mesh": self.mesh,
            "devices": self.devices,
            "bytes_per_device": self.bytes_per_device,
            "variables": [
                {"path": one.path, "shape": list(one.shape), "dtype": one.dtype, "axes": list(one.axes),
                 "bytes": one.bytes, "bytes_per_device": one.bytes_per_device, "owner": one.owner}
                for one in self.variables
            ],
            "steps": [
                {"line": step.site and step.site.line, "bytes_sent": step.bytes_sent,
                 "argument_bytes": step.arguments, "temporary_bytes": step.temporaries,
                 "memory_bytes": step.memory,
                 "collectives": [
                     {"kind": one.kind, "count": one.count, "bytes": one.size, "sent": one.sent,
                      "devices": one.parts, "lines": [site.line for site in one.sites]}
                     for one in step.sent
                 ]}
                for step in self.steps
            ],
        }  # fmt: skip

    def __str__(self) -> str:
        from penstock.distribution.wording import text

        return text(self)


def report(step: Any = None) -> Distributed:
    """Returns the cost of the active distribution, or of the last one; print it.

    For each variable: its layout, and the bytes that each device holds. For each compiled step that writes
    variables: which collectives run, how many bytes each device sends, and the lines of the program that
    cause them. With `step`, a result of `ps.step`, only that step is reported. Raises ArgumentError if no
    distribution was set, or if the step has not been called under one.

    Bytes sent are those of collectives in a ring: 2 (n - 1) / n of the size for an all-reduce among n
    devices, (n - 1) / n for an all-gather.

    Args:
        step: a result of `ps.step`; None for all steps.

    Returns:
        A report, to be printed.

    Raises:
        ArgumentError: if there is no step of that number.

    >>> import penstock as ps
    >>> weight = ps.Variable([1.0, 2.0], name="weight")
    >>> @ps.step
    ... def step():
    ...     weight.assign_add([1.0, 1.0])
    >>> with ps.distribution.DataParallel(devices=["cpu:0"]):
    ...     step()
    >>> ps.distribution.report(step).variables[0].bytes_per_device
    8
    """
    if step is not None and not isinstance(step, Step):
        raise ArgumentError(
            f"report was given {step!r}.",
            why="It reads the compiled program of a captured step.",
            remedy="Decorate the function with @ps.step, or leave the argument out: then all steps that ran "
            "under the distribution are reported.",
            site=here(),
        )
    used = [one for one in placings() if one.runs or one.places]
    if not used:
        raise ArgumentError(
            "report was called, but nothing has run under a distribution.",
            remedy="Write ps.distribution.set_distribution(ps.distribution.DataParallel()) before the loop.",
            site=here(),
        )
    placing = used[-1]
    runs = list(placing.runs.values())
    if step is not None:
        programs = {id(one.program) for one in step.captures.values()}
        chosen = [(one, run) for one in used for run in one.runs.values() if id(run.program) in programs]
        if not chosen:
            raise ArgumentError(
                f"report was given the step {step.function.__name__!r}, which was not called under a "
                "distribution.",
                remedy="Call it once, then report.",
                site=here(),
            )
        placing = chosen[-1][0]
        runs = [run for one, run in chosen if one is placing]
    return reported(placing, runs, step is not None)


def reported(placing: Placing, runs: Sequence[Run], alone: bool = False, made: Any = None) -> Distributed:
    """Returns the report on one distribution and on programs that ran under it.

    `made` is XLA's compiled form of a program that did not run.
    """
    from penstock.distribution.findings import findings

    mesh = placing.distribution.device_mesh
    named = ", ".join(f"{name}={length}" for name, length in zip(mesh.axis_names, mesh.shape, strict=True))
    found = Distributed(f"{type(placing.distribution).__name__}, mesh {named}", mesh.size)
    touched = {uid for run in runs for uid in (*run.taken, *run.written)}
    found.variables = [one for uid, one in placing.places.items() if not alone or uid in touched]
    kept = [(run, cost) for run in runs if run.written and (cost := _cost(run, placing, made)) is not None]
    found.steps = [cost for _, cost in kept]
    found.findings = findings(placing, kept, found.variables)
    return found


def _cost(run: Run, placing: Placing, made: Any = None) -> Cost | None:
    program = run.program
    if made is None:
        compiled = list(program.compiled.items())
        made = next((one.made for key, one in compiled if key and key[-1] == run.layouts), None)
    if made is None:
        return None
    every = collectives(made.as_text(), placing.distribution.device_mesh.size)
    grouped: dict[Any, list[Collective]] = {}
    for one in every:
        grouped.setdefault((one.kind, one.parts, one.times, _sites(program, one)), []).append(one)
    sent = [
        Sent(kind, len(held), _sum(held, "size"), _sum(held, "sent"), parts, times, sites)
        for (kind, parts, times, sites), held in grouped.items()
    ]
    sent.sort(key=lambda one: -one.sent)
    memory = made.memory_analysis()
    sites = [step.site for step in program.steps if step.site is not None]
    paths = tuple(placing.places[uid].path for uid in run.written if uid in placing.places)
    return Cost(
        sites[-1] if sites else None,
        program.operations,
        tuple(sent),
        int(getattr(memory, "argument_size_in_bytes", 0)),
        int(getattr(memory, "temp_size_in_bytes", 0)),
        max(0, getattr(memory, "output_size_in_bytes", 0) - getattr(memory, "alias_size_in_bytes", 0)),
        paths,
        tuple(one for one in every if one.argument is not None),
    )


def _sum(held: Sequence[Collective], name: str) -> int:
    return sum(getattr(one, name) * max(1, one.times) for one in held)


def _sites(program: Program, one: Collective) -> tuple[Site, ...]:
    """Returns the user's lines that need a collective."""
    first = len(program.specs) + len(program.constants)
    numbers = one.steps or [program.outputs[at] - first for at in one.outputs if at < len(program.outputs)]
    known = [program.steps[number].site for number in numbers if 0 <= number < len(program.steps)]
    return tuple(dict.fromkeys(site for site in known if site is not None))
