"""paddle.Model: a network with its loss, optimizer and metrics, and the loop that trains it."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from penstock.paddle import callbacks as told
from penstock.paddle import jit
from penstock.paddle._convert import HANDLES, to_tensor
from penstock.paddle._declaring import in_paddle
from penstock.paddle._errors import InvalidTypeError, InvalidValueError
from penstock.paddle._grad_mode import no_grad
from penstock.paddle._saving import load as load_file
from penstock.paddle._saving import save as save_file
from penstock.paddle._summary import summary
from penstock.paddle.io import DataLoader, Dataset
from penstock.paddle.metric import Metric
from penstock.trace.source_site import here, warn_once


class UnpreparedError(InvalidValueError, AssertionError):
    """A model that is to be trained before `prepare` has said how."""


class UnfitError(InvalidValueError, AssertionError):
    """Data or settings that a model cannot be trained with."""


def listed(value: Any) -> list[Any]:
    """Returns a value as a list: an empty one for None, the parts of a tuple or list."""
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _flat(data: Any) -> Iterator[Any]:
    if isinstance(data, list | tuple):
        for one in data:
            yield from _flat(one)
    elif isinstance(data, dict):
        for key in sorted(data):
            yield from _flat(data[key])
    else:
        yield data


class _Rows:
    """The numbers of the rows in each batch, in a new order for each epoch, as Paddle draws it."""

    def __init__(self, dataset: Any, size: int, shuffle: bool, drop_last: bool) -> None:
        self.count, self.size, self.shuffle, self.drop_last = len(dataset), size, shuffle, drop_last
        self.epoch = 0

    def __iter__(self) -> Iterator[list[int]]:
        order = list(range(self.count))
        if self.shuffle:
            np.random.RandomState(self.epoch).shuffle(order)
            self.epoch += 1
        for start in range(0, self.count, self.size):
            batch = order[start : start + self.size]
            if len(batch) == self.size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        return self.count // self.size if self.drop_last else -(-self.count // self.size)


def _loader(data: Any, size: int, workers: int, shuffle: bool = False, drop_last: bool = False) -> Any:
    if not isinstance(data, Dataset):
        return data
    if not isinstance(size, int) or size < 1:
        raise UnfitError(
            f"batch_size is {size!r}.", remedy="It is a whole number of at least 1.", site=here()
        )
    rows = _Rows(data, size, shuffle, drop_last)
    return DataLoader(data, batch_sampler=rows, num_workers=workers)


def _length(loader: Any) -> int | None:
    try:
        return len(loader)
    except (TypeError, ValueError, NotImplementedError):
        return None


def _array(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, HANDLES) else value


def _number(value: Any) -> float:
    return float(np.asarray(value).reshape(-1)[0])


@in_paddle
class Model:
    """A network that `fit` trains, with the optimizer and losses given to `prepare`.

    Batches are lists: the first parts are the arguments of the network's `forward`, or as many as `inputs`
    lists; the rest are labels, which the loss and the metrics get after the outputs. A step is recorded like
    one that is written out, and reports name the line of `fit`.

    >>> from penstock import paddle
    >>> model = paddle.Model(paddle.nn.Linear(2, 1))
    >>> optimizer = paddle.optimizer.SGD(0.1, parameters=model.parameters())
    >>> model.prepare(optimizer, paddle.nn.MSELoss())
    >>> data = paddle.io.TensorDataset([paddle.ones([4, 2]), paddle.ones([4, 1])])
    >>> model.fit(data, epochs=2, batch_size=2, verbose=0)
    >>> sorted(model.evaluate(data, batch_size=2, verbose=0))
    ['loss']
    """

    def __init__(self, network: Any, inputs: Any = None, labels: Any = None) -> None:
        self.mode = "train"
        self.network = network
        self.stop_training = False
        self._inputs: Any = listed(inputs) or None
        self._labels: Any = listed(labels) or None
        self._optimizer: Any = None
        self._loss: Any = None
        self._metrics: list[Any] = []
        self._level = "O0"
        self._amp_lists: dict[str, Any] = {}
        self._amp_scale: dict[str, Any] = {}
        self._scaler: Any = None

    # -- settings ------------------------------------------------------------------------------------------

    def prepare(
        self, optimizer: Any = None, loss: Any = None, metrics: Any = None, amp_configs: Any = None
    ) -> None:
        """Says how the model is trained: its optimizer, its loss, its metrics, and mixed precision.

        `loss` is a layer or a function of outputs and labels. Raises TypeError for another.
        """
        if loss is not None and not callable(loss):
            raise InvalidTypeError(
                "'loss' must be sub classes of `paddle.nn.Layer` or any callable function.",
                remedy="model.prepare(optimizer, paddle.nn.MSELoss())",
                site=here(),
            )
        for one in listed(metrics):
            if not isinstance(one, Metric):
                raise UnfitError(
                    f"{type(one).__name__} is not sub class of Metric",
                    remedy="Use paddle.metric.Accuracy(), or write a subclass of paddle.metric.Metric.",
                    site=here(),
                )
        self._optimizer, self._loss, self._metrics = optimizer, loss, listed(metrics)
        self._prepare_amp(amp_configs)

    def _prepare_amp(self, given: Any) -> None:
        self._level, self._amp_lists, self._amp_scale, self._scaler = "O0", {}, {}, None
        if not given:
            return
        options = {"level": given} if isinstance(given, str) else dict(given)
        self._level = options.pop("level", "O1")
        if self._level not in ("O0", "O1", "O2"):
            raise InvalidValueError("amp_configs['level'] should be 'O0', 'O1' or 'O2'.", site=here())
        for name in ("custom_white_list", "custom_black_list"):
            if name in options:
                self._amp_lists[name] = options.pop(name)
        scale = {
            "init_loss_scaling", "incr_ratio", "decr_ratio", "incr_every_n_steps", "decr_every_n_nan_or_inf",
            "use_dynamic_loss_scaling",
        }  # fmt: skip
        unknown = tuple(set(options) - scale)
        if unknown:
            raise InvalidValueError(
                "Except for 'level', the keys of 'amp_configs' must be accepted by mixed precision APIs, but "
                f"{unknown} could not be recognized.",
                site=here(),
            )
        self._amp_scale = options

    def parameters(self, *arguments: Any, **options: Any) -> list[Any]:
        """Returns the parameters of the network; `arguments` and `options` do nothing."""
        return self.network.parameters()  # type: ignore[no-any-return]

    def _count_inputs(self) -> int:
        """Returns how many parts of a batch go to the network."""
        if self._inputs is not None:
            return len(self._inputs)
        names = inspect.getfullargspec(self.network.forward)
        count = len(names.args) - 1
        return count if count > 0 else 1

    # -- single batches ------------------------------------------------------------------------------------

    def _forward(self, inputs: Any) -> list[Any]:
        return listed(self.network(*[to_tensor(one) for one in listed(inputs)]))

    def _losses(self, outputs: list[Any], labels: list[Any]) -> list[Any]:
        return listed(self._loss(*outputs, *labels))

    def _measured(self, outputs: list[Any], labels: list[Any]) -> list[Any]:
        found = []
        for one in self._metrics:
            parts = listed(one.compute(*outputs, *labels))
            found.append(one.update(*[_array(part) for part in parts]))
        return found

    def _train(self, inputs: Any, labels: Any, update: bool) -> tuple[list[Any], list[Any]]:
        """Trains on a batch; returns losses and metrics, without a look at the losses' values."""
        from penstock.paddle import amp

        if self._optimizer is None or self._loss is None:
            what = "an optimizer" if self._optimizer is None else "a loss"
            raise UnpreparedError(
                "model not ready, please call `model.prepare()` first",
                why=f"The model has not been given {what}.",
                remedy="model.prepare(optimizer, loss)",
                site=here(),
            )
        self.network.train()
        self.mode = "train"
        labels = [to_tensor(one) for one in listed(labels)]
        if self._level != "O0" and self._scaler is None:
            self._scaler = amp.GradScaler(**self._amp_scale)
        if self._level != "O0":
            with amp.auto_cast(enable=True, level=self._level, **self._amp_lists):
                outputs = self._forward(inputs)
        else:
            outputs = self._forward(inputs)
        losses = self._losses(outputs, labels)
        total = losses[0]
        for one in losses[1:]:
            total = total + one
        if self._level != "O0":
            scaled = self._scaler.scale(total)
            scaled.backward()
            if update:
                self._scaler.minimize(self._optimizer, scaled)
                self.network.clear_gradients()
        else:
            total.backward()
            if update:
                self._optimizer.step()
                self.network.clear_gradients()
        return losses, self._measured(outputs, labels)

    def train_batch(self, inputs: Any, labels: Any = None, update: bool = True) -> Any:
        """Trains on a batch; returns its losses as arrays, or these and the metrics.

        Without `update`, gradients are added to those that are there.
        """
        losses, metrics = self._train(inputs, labels, update)
        arrays = [_array(one) for one in losses]
        return (arrays, metrics) if metrics else arrays

    def _eval(self, inputs: Any, labels: Any) -> tuple[list[Any], list[Any]]:
        self.network.eval()
        self.mode = "eval"
        labels = [to_tensor(one) for one in listed(labels)]
        with no_grad():
            outputs = self._forward(inputs)
            losses = self._losses(outputs, labels) if self._loss is not None else []
            return losses, self._measured(outputs, labels)

    def eval_batch(self, inputs: Any, labels: Any = None) -> Any:
        """Evaluates a batch; returns its losses as arrays, or the metrics, or both."""
        losses, metrics = self._eval(inputs, labels)
        arrays = [_array(one) for one in losses]
        if self._loss is not None and metrics:
            return arrays, metrics
        return arrays if self._loss is not None else metrics

    def predict_batch(self, inputs: Any) -> list[Any]:
        """Returns the outputs for a batch as arrays."""
        self.network.eval()
        self.mode = "test"
        with no_grad():
            return [_array(one) for one in self._forward(inputs)]

    # -- loops ---------------------------------------------------------------------------------------------

    def fit(
        self,
        train_data: Any = None,
        eval_data: Any = None,
        batch_size: Any = 1,
        epochs: int = 1,
        eval_freq: int = 1,
        log_freq: int = 10,
        save_dir: str | None = None,
        save_freq: int = 1,
        verbose: int = 2,
        drop_last: bool = False,
        shuffle: bool = True,
        num_workers: int = 0,
        callbacks: Any = None,
        accumulate_grad_batches: int = 1,
        num_iters: int | None = None,
    ) -> None:
        """Trains for `epochs` epochs on a data set or a loader, and evaluates every `eval_freq` epochs.

        Rows of a data set are shuffled by the number of the epoch, as Paddle does it. `num_workers` are those
        of a `DataLoader`. With `num_iters`, training stops after that many batches.
        """
        if train_data is None:
            raise UnfitError("train_data must be given!", remedy="model.fit(data, ...)", site=here())
        sizes = list(batch_size) if isinstance(batch_size, list | tuple) else [batch_size, batch_size]
        if len(sizes) != 2:
            raise UnfitError(
                "batch_size length error, expected train_batch_size and eval_batch_size.", site=here()
            )
        loader = _loader(train_data, sizes[0], num_workers, shuffle, drop_last)
        tests = None if eval_data is None else _loader(eval_data, sizes[1], num_workers)
        steps = _length(loader)
        if steps == 0:
            raise UnfitError(
                "The training data have no batches.",
                why="The data set is empty, or shorter than one batch that may not be dropped.",
                remedy="Look at len(train_data) and batch_size.",
                site=here(),
            )
        left = num_iters
        if num_iters is not None and steps is not None:
            if num_iters < 1:
                raise UnfitError("num_iters must be greater than 0!", site=here())
            epochs, steps = num_iters // steps + 1, min(num_iters, steps)
        hearing = self._callbacks(
            callbacks, epochs=epochs, steps=steps, log_freq=log_freq, save_freq=save_freq, save_dir=save_dir,
            verbose=verbose,
        )  # fmt: skip
        if tests is None and any(isinstance(one, told.EarlyStopping) for one in hearing):
            warn_once("EarlyStopping needs validation data.")
        hearing.on_begin("train")
        logs: dict[str, Any] = {}
        for epoch in range(epochs):
            hearing.on_epoch_begin(epoch)
            left = self._epoch(loader, hearing, "train", logs, accumulate_grad_batches, left)
            hearing.on_epoch_end(epoch, logs)
            if tests is not None and epoch % eval_freq == 0:
                hearing.on_begin("eval", {"steps": _length(tests), "metrics": self._names()})
                self._epoch(tests, hearing, "eval", logs)
                hearing.on_end("eval", logs)
            if self.stop_training:
                break
        hearing.on_end("train", logs)

    def evaluate(
        self, eval_data: Any, batch_size: int = 1, log_freq: int = 10, verbose: int = 2, num_workers: int = 0,
        callbacks: Any = None, num_iters: int | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Returns the loss of the last batch, as a list, and the metrics over all data, by name.

        `num_workers` are those of a `DataLoader`.
        """
        loader = _loader(eval_data, batch_size, num_workers)
        hearing = self._callbacks(callbacks, log_freq=log_freq, verbose=verbose)
        steps = _length(loader)
        if num_iters is not None and steps is not None:
            if num_iters < 1:
                raise UnfitError("num_iters must be greater than 0!", site=here())
            steps = min(num_iters, steps)
        hearing.on_begin("eval", {"steps": steps, "metrics": self._names()})
        logs: dict[str, Any] = {}
        self._epoch(loader, hearing, "eval", logs, left=num_iters)
        hearing.on_end("eval", logs)
        return {name: logs[name] for name in self._names() if name in logs}

    def predict(
        self, test_data: Any, batch_size: int = 1, num_workers: int = 0, stack_outputs: bool = False,
        verbose: int = 1, callbacks: Any = None,
    ) -> list[Any]:  # fmt: skip
        """Returns for each output its arrays, one a batch; with `stack_outputs`, one array.

        `num_workers` are those of a `DataLoader`.
        """
        loader = _loader(test_data, batch_size, num_workers)
        hearing = self._callbacks(callbacks, verbose=verbose)
        hearing.on_begin("predict", {"steps": _length(loader)})
        outputs: list[Any] = []
        logs: dict[str, Any] = {}
        count = self._count_inputs()
        for step, data in enumerate(loader):
            parts = list(_flat(data))
            hearing.on_batch_begin("predict", step, logs)
            outputs.append(self.predict_batch(parts[:count]))
            logs.update(step=step, batch_size=int(parts[0].shape[0]))
            hearing.on_batch_end("predict", step, logs)
        found: list[Any] = list(zip(*outputs, strict=True))
        if stack_outputs:
            found = [np.vstack(one) for one in found]
        hearing.on_end("predict", logs)
        return found

    def _callbacks(
        self, callbacks: Any, log_freq: int = 2, verbose: int = 2, save_freq: int = 1,
        save_dir: str | None = None, **params: Any,
    ) -> told.CallbackList:  # fmt: skip
        found = listed(callbacks)
        if verbose and not any(isinstance(one, told.ProgBarLogger) for one in found):
            found = [told.ProgBarLogger(log_freq, verbose=verbose), *found]
        if not any(isinstance(one, told.ModelCheckpoint) for one in found):
            found.append(told.ModelCheckpoint(save_freq, save_dir))
        if not any(isinstance(one, told.LRScheduler) for one in found):
            found.append(told.LRScheduler())
        for one in found:
            if isinstance(one, told.EarlyStopping):
                one.save_dir = save_dir
        hearing = told.CallbackList(found)
        hearing.set_model(self)
        hearing.set_params(
            {
                "batch_size": None, "epochs": params.get("epochs"), "steps": params.get("steps"),
                "verbose": verbose, "metrics": self._names(),
            }
        )  # fmt: skip
        return hearing

    def _names(self) -> list[str]:
        names = ["loss"] if self._loss is not None else []
        for one in self._metrics:
            names += listed(one.name())
        return names

    def _epoch(
        self, loader: Any, hearing: told.CallbackList, mode: str, logs: dict[str, Any], accumulate: int = 1,
        left: int | None = None,
    ) -> int | None:  # fmt: skip
        """Goes over the data once; returns how many batches may still follow."""
        count, length = self._count_inputs(), _length(loader)
        eager = any(_hears(one, mode) for one in hearing)
        bar = next((one for one in hearing if isinstance(one, told.ProgBarLogger)), None)
        losses: list[Any] = []
        for step, data in enumerate(loader):
            parts = list(_flat(data))
            hearing.on_batch_begin(mode, step, logs)
            if mode == "train":
                update = (step + 1) % accumulate == 0 or step + 1 == length
                losses, _ = self._train(parts[:count], parts[count:], update)
            else:
                losses, _ = self._eval(parts[:count], parts[count:])
            logs.update(step=step, batch_size=int(parts[0].shape[0]))
            if eager or (bar is not None and bar.wants_logs()):
                self._log(logs, losses)
            hearing.on_batch_end(mode, step, logs)
            if left is not None:
                left -= 1
                if left <= 0:
                    self.stop_training = True
                    break
        self._log(logs, losses)
        for one in self._metrics:
            one.reset()
        return left

    def _log(self, logs: dict[str, Any], losses: list[Any]) -> None:
        values: list[Any] = [[_number(one) for one in losses]] if self._loss is not None else []
        for one in self._metrics:
            values += listed(one.accumulate())
        logs.update(zip(self._names(), values, strict=False))
        for name in ("step", "batch_size"):  # Paddle lists them last.
            if name in logs:
                logs[name] = logs.pop(name)

    # -- files ---------------------------------------------------------------------------------------------

    def save(self, path: str, training: bool = True) -> None:
        """Writes the network's state to path.pdparams, and the optimizer's to path.pdopt.

        Without `training`, the network is written for inference by `paddle.jit.save`.
        """
        if not training:
            self._save_for_inference(path)
            return
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        save_file(self.network.state_dict(), f"{path}.pdparams")
        if self._optimizer is not None and (state := self._optimizer.state_dict()):
            save_file(state, f"{path}.pdopt")
        if self._scaler is not None and (state := self._scaler.state_dict()):
            save_file(state, f"{path}.pdscaler")

    def _save_for_inference(self, path: str) -> None:
        jit.save(self.network, path, input_spec=self._inputs)

    def load(self, path: str, skip_mismatch: bool = False, reset_optimizer: bool = False) -> None:
        """Takes what `save` has written; with `skip_mismatch`, parameters that do not fit stay as they are.

        Raises ValueError for a parameter that is not in the file, or that has another shape there.
        """
        stem, ending = os.path.splitext(path)
        if ending not in ("", ".pdparams", ".pdopt", ".pdmodel"):
            stem = path
        if not os.path.exists(f"{stem}.pdparams"):
            raise UnfitError(
                "Failed to load parameters, please check path.",
                origin=f"looked for {stem}.pdparams",
                remedy="Give the path that model.save(path) was given.",
                site=here(),
            )
        state = load_file(f"{stem}.pdparams", return_numpy=True)
        pairs = []
        for key, one in self.network.state_dict().items():
            problem = _mismatch(key, one, state)
            if problem is None:
                pairs.append((one, state[key]))
            elif skip_mismatch:
                warn_once(f"Skip loading for {key}. {problem}")
                reset_optimizer = True
            else:
                raise InvalidValueError(
                    problem, remedy="load(path, skip_mismatch=True) leaves such parameters.", site=here()
                )
        for one, value in pairs:
            one.set_value(value)
        rest = f"{stem}.pdopt"
        if self._optimizer is not None and not reset_optimizer and os.path.exists(rest):
            self._optimizer.set_state_dict(load_file(rest))

    def summary(self, input_size: Any = None, dtype: Any = None) -> dict[str, int]:
        """Prints the layers of the network; returns how many numbers there are, and how many are trained."""
        size = input_size if input_size is not None else self._inputs
        if size is None:
            raise UnfitError(
                "'input_size' or 'self._input' must be set", remedy="model.summary((1, 784))", site=here()
            )
        return summary(self.network, size, dtypes=dtype)


def _mismatch(key: str, one: Any, state: dict[str, Any]) -> str | None:
    value = state.get(key)
    if value is None:
        return f"{key} is not found in the providing file."
    if list(value.shape) != list(one.shape):
        return f"{key} receives a shape {list(value.shape)}, but the expected shape is {list(one.shape)}."
    return None


def _hears(callback: Any, mode: str) -> bool:
    """Returns whether a callback receives the results of each batch."""
    if type(callback) in (told.ProgBarLogger, told.LRScheduler, told.ModelCheckpoint):
        return False
    name = f"on_{mode}_batch_end"
    return getattr(type(callback), name, None) is not getattr(told.Callback, name) or name in vars(callback)
