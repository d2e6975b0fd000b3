"""tf.train.Checkpoint: the variables of objects, by the attributes that lead to them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.errors import PenstockError
from penstock.layers.base import Layer as NativeLayer
from penstock.tensorflow import _checkpoints as checkpoints
from penstock.tensorflow import _object_graph as graphs
from penstock.tensorflow import _restores
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._generators import Generator
from penstock.tensorflow._module import Module
from penstock.tensorflow._variable import ResourceVariable
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell


class NotMatchedError(PenstockError, AssertionError):
    """A checkpoint that does not match the restored objects."""


def _is_tracked(thing: Any) -> bool:
    return (
        isinstance(thing, Cell | Generator | NativeLayer | Mapping | list | tuple | Module | Checkpoint)
        or hasattr(thing, "variables")
        or hasattr(thing, "__iter__")
    )


@named("tf.train.Checkpoint")
class Checkpoint:
    """Keeps the variables of objects in a file, by the attributes that lead to them.

    A variable is found under each of the names that lead to it, so what restores may hold a part of what was
    saved, or hold it in other classes. `root` lends its own attributes, besides the `objects`. The file is
    one of safetensors, `prefix` + ".safetensors": Penstock's own format, which TensorFlow does not read, and
    checkpoints that TensorFlow wrote are not read here. It is written whole or not at all.

    >>> import tempfile
    >>> from penstock import tensorflow as tf
    >>> step = tf.Variable(3)
    >>> path = tf.train.Checkpoint(step=step).save(tempfile.mkdtemp() + "/ckpt")
    >>> unread = step.assign(0)
    >>> status = tf.train.Checkpoint(step=step).restore(path)
    >>> int(step.numpy()), path.endswith("ckpt-1")
    (3, True)
    """

    def __init__(self, root: Any = None, **objects: Any) -> None:
        for name, thing in objects.items():
            if not _is_tracked(thing):
                raise ArgumentError(
                    f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from "
                    f"`Trackable`), got {thing}. If you believe this object should be trackable, hold it "
                    f"in a "
                    "tf.Variable.",
                    site=here(),
                )
        self._root = root
        self._counter: Any = None
        for name, thing in sorted(objects.items()):
            setattr(self, name, thing)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, _TrackedList(value) if type(value) is list else value)
        _restores.made_variables()

    @property
    def save_counter(self) -> Any:
        """How often `save` has been called."""
        if self._counter is None:
            self._counter = ResourceVariable(np.int64(0), trainable=False, name="save_counter")
        return self._counter

    def _checkpoint_parts(self) -> dict[str, Any]:
        own = {name: one for name, one in vars(self).items() if name not in ("_root", "_counter")}
        lent = {} if self._root is None else dict(graphs.parts_of(self._root))
        counter: dict[str, Any] = {} if self._counter is None else {"save_counter": self._counter}
        return lent | own | counter

    def _variables(self) -> dict[str, Any]:
        return {node.key: node.value for node in graphs.graph_of(self) if node.value is not None}

    def write(self, file_prefix: Any, options: Any = None) -> str:
        """Writes the variables under a prefix, as it is given; returns the prefix."""
        nodes = graphs.graph_of(self)
        arrays = {node.key: np.asarray(node.value.numpy()) for node in nodes if node.value is not None}
        return checkpoints.write(os.fspath(file_prefix), arrays, graphs.described(nodes))

    def save(self, file_prefix: Any, options: Any = None) -> str:
        """Writes the variables under a prefix and a number that counts up; returns both together."""
        counter = self.save_counter
        counter.assign_add(1)
        try:
            path = self.write(f"{os.fspath(file_prefix)}-{int(counter.numpy())}")
        except PenstockError:
            counter.assign_sub(1)
            raise
        folder = os.path.dirname(path) or "."
        state = checkpoints.get_checkpoint_state(folder)
        every = (
            []
            if state is None
            else [one for one in state.all_model_checkpoint_paths if checkpoints.exists(one)]
        )
        checkpoints.update_state(folder, path, [one for one in every if one != path] + [path])
        return path

    def read(self, save_path: Any, options: Any = None) -> Restored:
        """Restores what `write` has written: see `restore`."""
        if save_path is None:
            return Restored(self, None, {}, None)
        restored = Restored(
            self, os.fspath(save_path), checkpoints.read(save_path), checkpoints.graph(save_path)
        )
        if not restored.restore():
            _restores.waiting.append(restored.restore)
        return restored

    def restore(self, save_path: Any, options: Any = None) -> Restored:
        """Restores the variables from a checkpoint; does nothing for None.

        What a layer, an optimizer or a module gets later is restored then. The file of a TensorFlow 1 Saver
        is read by the names of the variables. Raises NotFoundError where there is no such file,
        CheckpointError for a damaged one, and ArgumentError for a variable of another shape.
        """
        counter = self.save_counter
        restored = self.read(save_path)
        if restored.path is not None and restored.graph is None:
            counter.assign(0)
        return restored


class _TrackedList(list):  # type: ignore[type-arg]
    """A list in an attribute of a checkpoint: what is added to it later is restored then."""

    def append(self, value: Any) -> None:
        super().append(value)
        _restores.made_variables()

    def extend(self, values: Any) -> None:
        super().extend(values)
        _restores.made_variables()

    def insert(self, place: Any, value: Any) -> None:
        super().insert(place, value)
        _restores.made_variables()

    def __repr__(self) -> str:
        return f"ListWrapper({list.__repr__(self)})"


class Restored:
    """The status of a restore: its methods check whether all values were found."""

    def __init__(self, checkpoint: Checkpoint, path: str | None, arrays: dict[str, Any], graph: Any) -> None:
        self.path, self.arrays, self.graph, self._checkpoint = path, arrays, graph, checkpoint
        self._done: set[str] = set()
        self._restored: dict[int, Any] = {}

    def restore(self) -> bool:
        """Restores the variables that exist by now; returns whether each value of the file found one."""
        new = [
            (path, one)
            for path, one in self._present()
            if path in self.arrays and id(_owner(one)) not in self._restored
        ]
        for path, variable in new:
            value = self.arrays[path]
            if tuple(variable.shape) != value.shape:
                raise ArgumentError(
                    f"Received incompatible tensor with shape {value.shape} when attempting to restore "
                    f"variable "
                    f"with shape {tuple(variable.shape)} and name {path}.",
                    origin=f"the file {self.path!r}",
                    remedy="Make the objects as the program that saved them did.",
                    site=here(),
                )
        for path, variable in new:
            variable.assign(self.arrays[path].astype(variable._spec.dtype))
            self._restored[id(_owner(variable))] = variable
            self._done.add(path)
        return not self._left()

    def _present(self) -> list[tuple[str, Any]]:
        """Returns the variables that exist by now, with the names that their values have in the file."""
        nodes = graphs.graph_of(self._checkpoint)
        if self.graph is not None:
            return list(graphs.matched(self.graph, nodes).items())
        values = [node.value for node in nodes if node.value is not None]
        return [(str(one.name).removesuffix(":0"), one) for one in values if hasattr(one, "name")]

    def _left(self) -> list[str]:
        """Returns the values of the file that no object has yet."""
        return sorted(set(self.arrays) - self._done)

    def _raise(self, words: str, names: list[str]) -> None:
        shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
        raise NotMatchedError(
            f"{words}: {shown}",
            origin=f"the file {self.path!r}",
            remedy="Build the models and the optimizer first, or call expect_partial() on the result.",
            site=here(),
        )

    def assert_existing_objects_matched(self) -> Restored:
        """Raises NotMatchedError, an AssertionError, if a variable that is there was not in the file."""
        missing = sorted(
            path
            for path, one in self._checkpoint._variables().items()
            if id(_owner(one)) not in self._restored and one is not self._checkpoint._counter
        )
        if self.path is not None and missing:
            self._raise("No checkpoint value for variables", missing)
        return self

    def assert_consumed(self) -> Restored:
        """Raises NotMatchedError, an AssertionError, if a value of the file or of the objects was left
        out."""
        self.assert_existing_objects_matched()
        left = self._left()
        if left:
            self._raise("Unresolved object in checkpoint", left)
        return self

    def assert_nontrivial_match(self) -> Restored:
        """Raises NotMatchedError if nothing was restored."""
        if not self._done and self.path is not None:
            self._raise("Nothing to load. The file holds", self._left())
        return self

    def expect_partial(self) -> Restored:
        """Says that parts of the file may stay unread."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Does nothing: values are restored at once."""

    run_restore_ops = initialize_or_restore


def _owner(value: Any) -> Any:
    """Returns what keeps a value: an iterator, a generator, a variable of a graph, or the variable itself."""
    for name in ("_iterator", "_generator"):
        if hasattr(value, name):
            return getattr(value, name)
    return value._variable if isinstance(value, graphs.InSession) else value


@named("tf.train.CheckpointManager")
class CheckpointManager:
    """Keeps the newest checkpoints of a folder, and deletes older ones."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Any = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ArgumentError(
                f"The argument `max_to_keep` must be positive, got {max_to_keep}.", site=here()
            )
        self.checkpoint = checkpoint
        self._directory: str = os.fspath(directory)
        self._max, self._hours = max_to_keep, keep_checkpoint_every_n_hours
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._counter, self._interval, self._init = step_counter, checkpoint_interval, init_fn
        self._last_step: int | None = None
        self._kept_for_good = time.time()
        state = checkpoints.get_checkpoint_state(self._directory)
        self._paths = [] if state is None else [
            path for path in state.all_model_checkpoint_paths if checkpoints.exists(path)
        ]  # fmt: skip

    @property
    def directory(self) -> str:
        """The folder."""
        return self._directory

    @property
    def checkpoint_interval(self) -> int | None:
        """How many steps lie between two checkpoints at least."""
        return self._interval

    @property
    def checkpoints(self) -> list[str]:
        """The checkpoints that are kept, the oldest first."""
        return list(self._paths)

    @property
    def latest_checkpoint(self) -> str | None:
        """The newest checkpoint; None if there is none."""
        return self._paths[-1] if self._paths else None

    def save(
        self, checkpoint_number: Any = None, check_interval: bool = True, options: Any = None
    ) -> str | None:
        """Writes a checkpoint, and deletes those that are too many; returns its path, None if it is too
        soon."""
        if self._interval is not None and check_interval and self._counter is not None:
            step = int(self._counter.numpy())
            if self._last_step is not None and step < self._last_step + self._interval:
                return None
            self._last_step = step
        if checkpoint_number is None:
            path = self.checkpoint.save(self._prefix)
        else:
            number = int(
                checkpoint_number.numpy() if isinstance(checkpoint_number, Cell) else checkpoint_number
            )
            path = str(self.checkpoint.write(f"{self._prefix}-{number}"))
        self._paths = [*(one for one in self._paths if one != path), path]
        while self._max is not None and len(self._paths) > self._max:
            oldest = self._paths.pop(0)
            if self._hours is not None and time.time() - self._kept_for_good >= self._hours * 3600:
                self._kept_for_good = time.time()
            else:
                checkpoints.remove(oldest)
        checkpoints.update_state(self._directory, path, self._paths)
        return path

    def restore_or_initialize(self) -> str | None:
        """Restores the newest checkpoint; where there is none, calls `init_fn`."""
        if self.latest_checkpoint is not None:
            self.checkpoint.restore(self.latest_checkpoint)
            if self._counter is not None:
                self._last_step = int(self._counter.numpy())
            return self.latest_checkpoint
        if self._init is not None:
            self._init()
        return None
