"""Tools for training loops: early stopping, a rate that decreases on a plateau, and a log of numbers."""

from __future__ import annotations

import csv
import importlib
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from penstock.errors import ArgumentError, PenstockError
from penstock.lazy import listed
from penstock.ops.validation import shown
from penstock.state.selection import variables_of
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

MODES = ("min", "max")


def _number(what: str, value: Any) -> float:
    """Returns a number given by a loop; reads a tensor."""
    try:
        if isinstance(value, Tensor | Cell):
            value = value.numpy()
        return float(value)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{what} was given {shown(value)} (of type {type(value).__name__}).",
            remedy="Give one number, or a tensor of one element.",
            site=here(),
        ) from None


class _Best:
    """The best value so far, and the number of calls without a better one."""

    def __init__(self, what: str, patience: int, mode: str, margin: float) -> None:
        if mode not in MODES:
            raise ArgumentError(
                f"{what}: mode is {mode!r}.", remedy='Use "min" for an error, "max" for a score.', site=here()
            )
        if isinstance(patience, bool) or not isinstance(patience, int) or patience < 1:
            raise ArgumentError(
                f"{what}: patience is {shown(patience)}.",
                why="It is the number of calls in a row without improvement.",
                remedy="Give a whole number of at least 1.",
                site=here(),
            )
        self.what, self.patience, self.mode, self.margin = what, patience, mode, float(margin)
        self.best = math.inf if mode == "min" else -math.inf
        self.calls = self.best_call = self.waited = 0

    def better(self, value: float) -> bool:
        """Returns whether a value is better than all earlier ones, by more than the margin; NaN never is."""
        self.calls += 1
        gain = self.best - value if self.mode == "min" else value - self.best
        if gain > self.margin:
            self.best, self.best_call, self.waited = value, self.calls, 0
            return True
        self.waited += 1
        return False


class EarlyStopping:
    """Decides when to stop: after `patience` calls in a row without a better value.

    Call it with the value to watch, once an epoch; it returns whether to stop. `mode` is "min" for an error
    and "max" for a score; better means better by more than `margin`. With `restore`, a model, a variable or
    a list of these, the best values are kept, and `restore()` puts them back. `best` is the best value, and
    `best_call` the number of its call, from 1 on.

    Args:
        patience: the number of calls in a row without a better value, from 1 on.
        mode: "min" or "max".
        margin: by how much a value has to be better.
        restore: a model, a layer, a variable or a list of these, whose best values are kept; or None.

    Raises ArgumentError for other modes, for a patience below 1, and for a value that is not a number.

    >>> import penstock as ps
    >>> stopping = ps.training.EarlyStopping(patience=2)
    >>> [stopping(error) for error in (3.0, 2.0, 2.5, 2.1)]
    [False, False, False, True]
    >>> stopping.best, stopping.best_call
    (2.0, 2)
    """

    def __init__(
        self, patience: int = 5, *, mode: str = "min", margin: float = 0.0, restore: Any = None
    ) -> None:
        self._best = _Best("EarlyStopping", patience, mode, margin)
        self._restore = restore
        self._kept: list[tuple[Any, Any]] = []

    def __call__(self, value: Any) -> bool:
        """Records a value; returns whether to stop."""
        if self._best.better(_number("EarlyStopping", value)):
            # Collected again each time: layers create their variables at their first call.
            held = [] if self._restore is None else variables_of(self._restore)
            self._kept = [(variable, variable.numpy()) for variable in held]
        return self._best.waited >= self._best.patience

    @property
    def best(self) -> float:
        """The best value so far; infinite before the first."""
        return self._best.best

    @property
    def best_call(self) -> int:
        """The number of the call with the best value; 0 before the first."""
        return self._best.best_call

    def restore(self) -> None:
        """Restores the best values of `restore`; raises ArgumentError if there are none."""
        if not self._kept:
            raise ArgumentError(
                "EarlyStopping has saved no values.",
                remedy="Say whose values to save: EarlyStopping(restore=model).",
                site=here(),
            )
        for variable, value in self._kept:
            variable.assign(value)


class ReduceOnPlateau:
    """Multiplies an optimizer's learning rate by `factor` after `patience` calls without a better value.

    Call it with the value to watch, once an epoch; it returns the rate, which does not fall below `least`.
    `mode` and `margin` are those of `EarlyStopping`. Changing a rate compiles nothing again.

    Args:
        optimizer: an optimizer whose learning rate is a number or a variable.
        factor: the factor of the rate, between 0 and 1.
        patience: the number of calls in a row without a better value, from 1 on.
        mode: "min" or "max".
        margin: by how much a value has to be better.
        least: the least rate.

    Raises ArgumentError for an optimizer whose rate is a schedule, and for a factor that is not between 0
    and 1.

    >>> import penstock as ps
    >>> optimizer = ps.optimizers.SGD(0.5)
    >>> plateau = ps.training.ReduceOnPlateau(optimizer, factor=0.1, patience=2)
    >>> [plateau(error) for error in (3.0, 2.0, 2.5, 2.1)]
    [0.5, 0.5, 0.5, 0.05]
    """

    def __init__(
        self, optimizer: Any, *, factor: float = 0.1, patience: int = 10, mode: str = "min",
        margin: float = 0.0, least: float = 0.0,
    ) -> None:  # fmt: skip
        if not 0 < factor < 1:
            raise ArgumentError(
                f"ReduceOnPlateau: factor is {shown(factor)}.",
                remedy="Give a number between 0 and 1; 0.1 divides the rate by ten.",
                site=here(),
            )
        rate = getattr(optimizer, "learning_rate", None)
        if not isinstance(rate, int | float | np.number | Cell):
            raise ArgumentError(
                f"ReduceOnPlateau: the learning rate of {type(optimizer).__name__} is {shown(rate)}.",
                why="It can only lower a rate that is a number, or a variable.",
                remedy="Give the optimizer a number, or let the schedule lower the rate.",
                site=here(),
            )
        self.optimizer, self.factor, self.least = optimizer, float(factor), float(least)
        self._best = _Best("ReduceOnPlateau", patience, mode, margin)

    def __call__(self, value: Any) -> float:
        """Records a value; returns the learning rate from now on."""
        rate = _number("ReduceOnPlateau", self.optimizer.learning_rate)
        self._best.better(_number("ReduceOnPlateau", value))
        if self._best.waited >= self._best.patience:
            self._best.waited = 0
            rate = max(rate * self.factor, self.least)
            held: Any = self.optimizer.learning_rate
            if isinstance(held, Cell):
                held.assign(rate)  # type: ignore[attr-defined]
            else:
                self.optimizer.learning_rate = rate
        return rate


Sink = Callable[[int, Mapping[str, float]], object]


class Log:
    """A log of numbers by step: into a CSV file, for TensorBoard, and to run trackers.

    `sinks` are paths and objects that take numbers. A path that ends in .csv is a table; a folder (a path
    that ends in a slash, or has no ending) gets event files for TensorBoard, written by `tensorboardX`, which
    `pip install "penstock[tensorboard]"` brings. Objects are recognized by their methods: `add_scalar` for a
    SummaryWriter of PyTorch or `tensorboardX`, `log_metric` for MLflow or a client of it, `log` for a run of
    Weights & Biases; a function is called as `sink(step, values)`. Call the log with the step and the
    numbers; tensors are read. It is a context manager, which closes the files.

    Args:
        sinks: paths, functions, and objects with `add_scalar`, `log_metric` or `log`.

    A CSV file has a column for each name; a new name gets a column later, and the file is rewritten. Raises
    ArgumentError for a sink that does not accept numbers, for a path of another kind, and for values that are
    not numbers; PenstockError for a folder if `tensorboardX` is missing.

    >>> import penstock as ps
    >>> with ps.training.Log(lambda step, values: print(step, values)) as log:
    ...     log(1, loss=ps.asarray(0.5), rate=0.1)
    1 {'loss': 0.5, 'rate': 0.1}
    """

    def __init__(self, *sinks: Any) -> None:
        self._sinks = [_sink(one) for one in sinks]

    def __call__(self, step: int, /, **values: Any) -> None:
        """Writes the numbers of a step to every sink."""
        numbers = {name: _number(f"Log: {name}", value) for name, value in values.items()}
        for sink in self._sinks:
            sink(int(step), numbers)

    def close(self) -> None:
        """Closes the files."""
        for sink in self._sinks:
            if isinstance(sink, _Table | _Events):
                sink.close()

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _sink(given: Any) -> Sink:
    if isinstance(given, str | os.PathLike):
        return _file(os.fspath(given))
    if callable(getattr(given, "add_scalar", None)):
        return lambda step, values: [given.add_scalar(name, one, step) for name, one in values.items()]
    if callable(getattr(given, "log_metric", None)):
        return lambda step, values: [given.log_metric(name, one, step=step) for name, one in values.items()]
    if callable(getattr(given, "log", None)):
        return lambda step, values: given.log(dict(values), step=step)
    if callable(given):
        return lambda step, values: given(step, dict(values))
    raise ArgumentError(
        f"Log: {shown(given)} (of type {type(given).__name__}) does not accept numbers.",
        why="A sink is a path, a function of step and values, or has add_scalar, log_metric or log.",
        remedy='Write Log("run.csv"), or Log(writer) with a SummaryWriter.',
        site=here(),
    )


def _file(path: str) -> Sink:
    if path.endswith((os.sep, "/")) or os.path.isdir(path) or not Path(path).suffix:
        return _Events(path)
    if Path(path).suffix.lower() == ".csv":
        return _Table(Path(path))
    raise ArgumentError(
        f"Log: the path {path!r} ends in {Path(path).suffix}.",
        why="A path that ends in .csv is a table, and a folder gets event files for TensorBoard.",
        remedy=f"Write Log({path + '.csv'!r}) for a table, or Log({path + '/'!r}) for TensorBoard.",
        site=here(),
    )


class _Events:
    """Event files for TensorBoard in a folder."""

    def __init__(self, folder: str) -> None:
        try:
            library = importlib.import_module("tensorboardX")
        except ImportError:
            raise PenstockError(
                f"Log: {folder!r} is a folder, for event files that TensorBoard reads.",
                why="tensorboardX writes them, and it is not installed.",
                remedy='pip install "penstock[tensorboard]", or write Log("run.csv") for a table.',
                site=here(),
            ) from None
        self.writer = library.SummaryWriter(folder)

    def __call__(self, step: int, values: Mapping[str, float]) -> None:
        for name, one in values.items():
            self.writer.add_scalar(name, one, step)

    def close(self) -> None:
        self.writer.close()


class _Table:
    """A CSV file: a row for each step, a column for each name."""

    def __init__(self, path: Path) -> None:
        self.path, self.names = path, list[str]()
        self.rows: list[dict[str, Any]] = []
        self.file: Any = None

    def __call__(self, step: int, values: Mapping[str, float]) -> None:
        row = {"step": step, **values}
        self.rows.append(row)
        fresh = [name for name in row if name not in self.names]
        if fresh or self.file is None:
            self.names += fresh
            self.close()
            self.file = self.path.open("w", newline="", encoding="utf-8")
            self.writer = csv.DictWriter(self.file, self.names, restval="")
            self.writer.writeheader()
            self.writer.writerows(self.rows)
        else:
            self.writer.writerow(row)
        self.file.flush()

    def close(self) -> None:
        if self.file is not None:
            self.file.close()
            self.file = None


__all__ = ["EarlyStopping", "Log", "ReduceOnPlateau"]
__dir__ = listed(__name__)
