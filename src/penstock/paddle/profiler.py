"""How long steps and marked parts of a program take. Operations are not timed one by one.

`penstock check` reports what a step changes, and Python's own profilers show where its time goes.
"""

from __future__ import annotations

import enum
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from penstock.paddle._names import namespace as _namespace


class ProfilerState(enum.Enum):
    """The action of a profiler in a step."""

    CLOSED = 0
    READY = 1
    RECORD = 2
    RECORD_AND_RETURN = 3


class ProfilerTarget(enum.Enum):
    """The devices that programs request to time: here the program is timed as a whole."""

    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM_DEVICE = 3


class SortedKeys(enum.Enum):
    """The sort keys for operations, which are not listed here."""

    CPUTotal = 0
    CPUAvg = 1
    CPUMax = 2
    CPUMin = 3
    GPUTotal = 4
    GPUAvg = 5
    GPUMax = 6
    GPUMin = 7


class SummaryView(enum.Enum):
    """Which tables programs ask for: there is one of steps and marked parts."""

    DeviceView = 0
    OverView = 1
    ModelView = 2
    DistributedView = 3
    KernelView = 4
    OperatorView = 5
    MemoryView = 6
    MemoryManipulationView = 7
    UDFView = 8


def make_scheduler(
    *, closed: int, ready: int, record: int, repeat: int = 0, skip_first: int = 0
) -> Callable[[int], ProfilerState]:
    """Returns which state each step is in: some closed, some ready, some recorded, and so on in turn.

    >>> from penstock.paddle import profiler
    >>> states = profiler.make_scheduler(closed=1, ready=0, record=1)
    >>> [states(step).name for step in range(3)]
    ['CLOSED', 'RECORD_AND_RETURN', 'CLOSED']
    """
    span = closed + ready + record

    def state(step: int) -> ProfilerState:
        place = step - skip_first
        if place < 0 or (repeat and place // span >= repeat):
            return ProfilerState.CLOSED
        place %= span
        if place < closed:
            return ProfilerState.CLOSED
        if place < closed + ready:
            return ProfilerState.READY
        return ProfilerState.RECORD_AND_RETURN if place == span - 1 else ProfilerState.RECORD

    return state


_running: list[Profiler] = []


class RecordEvent:
    """A part of a program with a name, between `begin` and `end` or in a `with` block.

    Which kind of part it is does not matter here: `event_type` does nothing.
    """

    def __init__(self, name: str, event_type: Any = None) -> None:
        self.name = name
        self._begun: float | None = None

    def begin(self) -> None:
        """Begins the part."""
        self._begun = time.perf_counter()

    def end(self) -> None:
        """Ends the part; every profiler that runs notes it."""
        if self._begun is not None:
            for one in _running:
                one._note(self.name, self._begun, time.perf_counter())
            self._begun = None

    def __enter__(self) -> RecordEvent:
        self.begin()
        return self

    def __exit__(self, *problem: Any) -> None:
        self.end()


class Profiler:
    """Times steps between `start` and `stop`, each of which ends with `step`, and the parts that are marked.

    What is timed is the program as a whole: `targets` and `custom_device_types` do nothing, and
    `record_shapes`, `profile_memory`, `timer_only`, `emit_nvtx` and `with_flops` are only kept.
    """

    def __init__(
        self, *, targets: Any = None, scheduler: Any = None, on_trace_ready: Any = None,
        record_shapes: bool = False, profile_memory: bool = False, timer_only: bool = False,
        emit_nvtx: bool = False, custom_device_types: Any = (), with_flops: bool = False,
    ) -> None:  # fmt: skip
        if isinstance(scheduler, tuple | list):
            start, end = scheduler
            first = max(start, 0)
            scheduler = make_scheduler(
                closed=max(first - 1, 0), ready=min(first, 1), record=end - first, repeat=1
            )
        self.scheduler: Callable[[int], ProfilerState] = scheduler or (lambda step: ProfilerState.RECORD)
        self.on_trace_ready = on_trace_ready
        self.timer_only, self.record_shapes, self.profile_memory = timer_only, record_shapes, profile_memory
        self.emit_nvtx, self.with_flops = emit_nvtx, with_flops
        self.step_num = 0
        self._begun = 0.0
        self._steps: list[tuple[float, int | None]] = []
        self._since = 0
        self._events: list[tuple[str, float, float]] = []

    @property
    def current_state(self) -> ProfilerState:
        """The profiler's action in this step."""
        return self.scheduler(self.step_num)

    def _note(self, name: str, begun: float, ended: float) -> None:
        if self.current_state.value >= ProfilerState.RECORD.value:
            self._events.append((name, begun, ended))

    def start(self) -> None:
        """Begins the first step."""
        self._begun = time.perf_counter()
        _running.append(self)

    def step(self, num_samples: int | None = None) -> None:
        """Ends a step, in which `num_samples` samples were used, and begins the next."""
        now = time.perf_counter()
        state = self.current_state
        self._note(f"ProfileStep#{self.step_num}", self._begun, now)
        self._steps.append((now - self._begun, num_samples))
        self._begun = now
        self.step_num += 1
        if state is ProfilerState.RECORD_AND_RETURN and self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def stop(self) -> None:
        """Ends the measurement."""
        if self in _running:
            _running.remove(self)
            if self.on_trace_ready is not None and self.current_state is ProfilerState.RECORD:
                self.on_trace_ready(self)

    def __enter__(self) -> Profiler:
        self.start()
        return self

    def __exit__(self, *problem: Any) -> None:
        self.stop()

    def step_info(self, unit: str | None = None) -> str:
        """Returns the mean time of the steps since the last call, and how many samples a second it makes."""
        recent = self._steps[self._since :]
        self._since = len(self._steps)
        if not recent:
            return ""
        total = sum(spent for spent, _ in recent)
        samples = sum(count or 0 for _, count in recent)
        text = f" batch_cost: {total / len(recent):.5f} s"
        speed = samples / total if samples else len(recent) / total
        return f"{text} ips: {speed:.5f} {unit or ('samples/s' if samples else 'steps/s')}"

    def export(self, path: str = "", format: str = "json") -> None:
        """Writes the steps and parts as a trace that browsers show; the one format is "json"."""
        if format != "json":
            raise NotImplementedError(f"Profiler.export: format={format!r} is not there; pass format='json'.")
        events = [
            {
                "name": name,
                "ph": "X",
                "ts": begun * 1e6,
                "dur": (ended - begun) * 1e6,
                "pid": os.getpid(),
                "tid": 0,
            }
            for name, begun, ended in self._events
        ]
        Path(path).write_text(json.dumps({"traceEvents": events}), encoding="utf-8")

    def summary(
        self, sorted_by: Any = SortedKeys.CPUTotal, op_detail: bool = True, thread_sep: bool = False,
        time_unit: str = "ms", views: Any = None,
    ) -> None:  # fmt: skip
        """Prints how often each step and part ran, and how long: in all, and on average.

        There is one table, the longest first: `sorted_by`, `op_detail`, `thread_sep` and `views` do nothing.
        """
        factor = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[time_unit]
        totals: dict[str, list[float]] = {}
        for name, begun, ended in self._events:
            totals.setdefault(name.partition("#")[0], []).append((ended - begun) * factor)
        print(f"{'Name':<30} {'Calls':>8} {'Total ' + time_unit:>14} {'Mean ' + time_unit:>14}")
        for name, spent in sorted(totals.items(), key=lambda one: -sum(one[1])):
            print(f"{name:<30} {len(spent):>8} {sum(spent):>14.3f} {sum(spent) / len(spent):>14.3f}")


def export_chrome_tracing(dir_name: str, worker_name: str | None = None) -> Callable[[Profiler], None]:
    """Returns a function that writes a profiler's trace into a folder, named by the worker and the time."""

    def written(profiler: Profiler) -> None:
        os.makedirs(dir_name, exist_ok=True)
        name = f"{worker_name or f'host_{os.getpid()}'}_{time.strftime('%Y_%m_%d_%H_%M_%S')}"
        profiler.export(os.path.join(dir_name, f"{name}.paddle_trace.json"))

    return written


__getattr__, __dir__, __all__ = _namespace("paddle.profiler", globals())
