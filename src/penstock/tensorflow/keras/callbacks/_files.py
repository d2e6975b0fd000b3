"""Callbacks that write files: a table of the epochs, a backup to continue from, and event files."""

from __future__ import annotations

import csv
import importlib.util
import json
import os
import shutil
from collections.abc import Iterable
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras.callbacks._callback import Callback, number
from penstock.trace.source_site import here, warn


@named("tf.keras.callbacks.CSVLogger")
class CSVLogger(Callback):
    """Writes a line of comma-separated values for each epoch, below a line with their names.

    With `append`, after the file's present content.
    """

    def __init__(self, filename: Any, separator: str = ",", append: bool = False) -> None:
        super().__init__()
        self.filename, self.sep, self.append = os.fspath(filename), separator, append
        self.append_header = True
        self.keys: list[str] | None = None
        self.writer: Any = None
        self.csv_file: Any = None

    def on_train_begin(self, logs: Any = None) -> None:
        """Opens the file."""
        if self.append and os.path.exists(self.filename):
            with open(self.filename, encoding="utf-8") as file:
                self.append_header = not file.readline()
        if self.csv_file is not None:
            self.csv_file.close()
        self.csv_file = open(  # noqa: SIM115  (closed at the end of training)
            self.filename, "a" if self.append else "w", newline="", encoding="utf-8"
        )
        self.writer = self.keys = None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Writes a line."""
        logs = logs or {}
        if self.keys is None:
            self.keys = sorted(logs)
            if self.keys and not any(one.startswith("val_") for one in self.keys):
                # Validation may come in later epochs only, and the line of names is written once.
                self.keys += [f"val_{one}" for one in self.keys]
        if self.writer is None:
            self.writer = csv.DictWriter(self.csv_file, ["epoch", *self.keys], delimiter=self.sep)
            if self.append_header:
                self.writer.writeheader()
        self.writer.writerow({"epoch": epoch, **{key: _shown(logs.get(key, "NA")) for key in self.keys}})
        self.csv_file.flush()

    def on_train_end(self, logs: Any = None) -> None:
        """Closes the file."""
        if self.csv_file is not None:
            self.csv_file.close()
        self.writer = None


def _shown(value: Any) -> Any:
    if isinstance(value, str) or not isinstance(value, Iterable) or np.ndim(value) == 0:  # type: ignore[arg-type]
        return value
    return f'"[{", ".join(map(str, value))}]"'


@named("tf.keras.callbacks.BackupAndRestore")
class BackupAndRestore(Callback):
    """Keeps the weights and the epoch in a folder during training, to continue after an interruption.

    A `fit` that begins with a backup there continues from it. The folder is deleted at the end of training,
    unless `delete_checkpoint` is False.
    """

    def __init__(
        self, backup_dir: Any, save_freq: Any = "epoch", double_checkpoint: bool = False,
        delete_checkpoint: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        if not backup_dir:
            raise ArgumentError("Empty `backup_dir` argument passed", site=here())
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ArgumentError(
                f"Invalid value for argument `save_freq`. Received: save_freq={save_freq}. Expected either "
                "'epoch' or an integer value.",
                site=here(),
            )
        self.backup_dir, self.save_freq = os.fspath(backup_dir), save_freq
        self.double_checkpoint, self.delete_checkpoint = double_checkpoint, delete_checkpoint
        self._weights = os.path.join(self.backup_dir, "latest.weights.h5")
        self._progress = os.path.join(self.backup_dir, "training_metadata.json")
        self._epoch = self._batches = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Goes on from a backup, if there is one."""
        if not self.model.built:
            raise ArgumentError(
                "To use the BackupAndRestore callback, you model must be built before you call `fit()`. "
                f"Model {self.model} is unbuilt. You can build it beforehand by calling it on a batch of "
                "data.",
                site=here(),
            )
        if os.path.exists(self._weights):
            optimizer = self.model.optimizer
            if optimizer is not None and not optimizer.built:
                optimizer.build(self.model.trainable_variables)
            self.model.load_weights(self._weights)
        if os.path.exists(self._progress):
            with open(self._progress, encoding="utf-8") as file:
                self.model._initial_epoch = json.load(file)["epoch"]

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Keeps what there is."""
        self._epoch = epoch + 1
        if self.save_freq == "epoch":
            self._save(0)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Keeps what there is, where batches are counted."""
        if self.save_freq == "epoch":
            return
        self._batches += 1
        if self._batches >= self.save_freq:
            self._batches = 0
            self._save(batch)

    def _save(self, batch: int) -> None:
        os.makedirs(self.backup_dir, exist_ok=True)
        if self.double_checkpoint:
            for path in (self._weights, self._progress):
                if os.path.exists(path):
                    shutil.copyfile(path, f"{path}.bkp")
        self.model.save_weights(self._weights, overwrite=True)
        with open(self._progress, "w", encoding="utf-8") as file:
            json.dump({"epoch": self._epoch, "batch": batch}, file)

    def on_train_end(self, logs: Any = None) -> None:
        """Deletes the backup."""
        if self.delete_checkpoint:
            shutil.rmtree(self.backup_dir, ignore_errors=True)


@named("tf.keras.callbacks.TensorBoard")
class TensorBoard(Callback):
    """Writes the values of losses and metrics as event files for TensorBoard, through `tensorboardX`.

    Without that library nothing is written, and a warning says so. Of the arguments, `log_dir` and
    `update_freq` are read; histograms, graphs, images, embeddings and profiles are not written.

    `write_graph` does nothing: there is no graph to be drawn.
    """

    def __init__(
        self, log_dir: Any = "logs", histogram_freq: int = 0, write_graph: bool = True,
        write_images: bool = False, write_steps_per_second: bool = False, update_freq: Any = "epoch",
        profile_batch: Any = 0, embeddings_freq: int = 0, embeddings_metadata: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.log_dir, self.update_freq = os.fspath(log_dir), 1 if update_freq == "batch" else update_freq
        self._writers: dict[str, Any] = {}
        self._steps = 0
        left_out = {
            "histogram_freq": histogram_freq, "write_images": write_images, "profile_batch": profile_batch,
            "embeddings_freq": embeddings_freq, "embeddings_metadata": embeddings_metadata,
            "write_steps_per_second": write_steps_per_second,
        }  # fmt: skip
        asked = [name for name, value in left_out.items() if value]
        if asked:
            warn(
                f"TensorBoard: {', '.join(asked)} write nothing in penstock.tensorflow; numbers are written."
            )

    def _write(self, part: str, logs: dict[str, Any], step: int, prefix: str) -> None:
        if part not in self._writers:
            try:
                library = importlib.import_module("tensorboardX")
            except ImportError:
                return
            self._writers[part] = library.SummaryWriter(os.path.join(self.log_dir, part))
        for name, value in logs.items():
            self._writers[part].add_scalar(prefix + name, value, step)

    def on_train_begin(self, logs: Any = None) -> None:
        """Warns if it will write no files."""
        if importlib.util.find_spec("tensorboardX") is None:
            warn(
                f"TensorBoard(log_dir={self.log_dir!r}): penstock.tensorflow writes event files through "
                "tensorboardX, which is not installed: nothing is written. pip install tensorboardX"
            )

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Writes, where batches are counted."""
        self._steps += 1
        if isinstance(self.update_freq, int) and self._steps % self.update_freq == 0:
            self._write("train", logs or {}, self._steps, "batch_")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Writes."""
        logs = dict(logs or {})
        validation = {
            name.removeprefix("val_"): logs.pop(name) for name in list(logs) if name.startswith("val_")
        }
        optimizer = self.model.optimizer
        if optimizer is not None and hasattr(optimizer, "learning_rate"):
            logs["learning_rate"] = number(optimizer.learning_rate)
        self._write("train", logs, epoch, "epoch_")
        if validation:
            self._write("validation", validation, epoch, "epoch_")

    def on_train_end(self, logs: Any = None) -> None:
        """Closes the files."""
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()
