"""The loop that trains a model: `compile`, `fit`, `evaluate`, `predict`, over steps to override."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np

from penstock.tensorflow._convert import operand
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._modes import again, eagerly, inside, print_once_per_trace
from penstock.tensorflow._seeds import Calls, of_call
from penstock.tensorflow._tape import GradientTape
from penstock.tensorflow.keras import _batches as batches
from penstock.tensorflow.keras import metrics, optimizers
from penstock.tensorflow.keras._compiled import CompileLoss, CompileMetrics, is_nested, values_of
from penstock.tensorflow.keras._metric import total as total_of
from penstock.tensorflow.keras._scope import Metric
from penstock.tensorflow.keras._settings import limited
from penstock.tensorflow.keras._settled_flags import SettledFlags
from penstock.tensorflow.keras.callbacks._callback import CallbackList, plain
from penstock.trace import structure as structures
from penstock.trace.engine import engine
from penstock.trace.local import local
from penstock.trace.source_site import here, warn
from penstock.trace.tensor import Cell, Tensor


def _end_step() -> None:
    """Runs the step that is pending, unless the user's own code is recording around it."""
    trace = local.trace
    if trace.pending and not trace.taping and not trace.capturing:
        engine.run(trace, True)


class NotCompiledError(ArgumentError):
    """A model that is to be trained before `compile` has said how."""


class Trainer:
    """The methods of models for training: `compile`, then `fit`.

    `fit` calls `train_step(data)` for each batch, `evaluate` calls `test_step(data)`, and `predict` calls
    `predict_step(data)`: a subclass overrides them, or `compute_loss`, or `compute_metrics`. A step is
    recorded like one that is written out, and reports name the line of `fit`, or lines of an overridden step.

    >>> from penstock import tensorflow as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros")])
    >>> model.compile(tf.keras.optimizers.SGD(0.5), "mse")
    >>> history = model.fit(tf.ones((4, 1)), tf.ones((4, 1)), epochs=2, verbose=0)
    >>> [round(loss, 4) for loss in history.history["loss"]]
    [1.0, 1.0]
    """

    compiled = False
    optimizer: Any = None
    loss: Any = None
    history: Any = None
    stop_training = stop_evaluating = stop_predicting = False
    run_eagerly = False
    jit_compile: Any = False
    steps_per_execution = 1
    train_function: Any = None
    test_function: Any = None
    predict_function: Any = None
    _initial_epoch = 0
    _loss_of: CompileLoss | None = None
    _metrics_of: CompileMetrics | None = None
    _loss_tracker: Any = None
    _settled: SettledFlags | None = None
    _looks_ahead = False
    """Whether the model is of a strategy: Keras then builds it from a batch of a pass that it leaves."""
    _is_fresh = False
    """Whether the metrics are to be set back before the next step."""

    @property
    def _drawing(self) -> dict[str, Calls]:
        """What the functions of a step draw from that Keras compiles: for each kind of step."""
        found = self.__dict__.get("_calls")
        if found is None:
            # A single batch goes to the same function, but not through that over an iterator.
            found = {
                f"{kind}{end}": Calls() for kind in ("train", "test", "predict") for end in ("", "_on_batch")
            }
            object.__setattr__(self, "_calls", found)
        return found

    # -- settings ------------------------------------------------------------------------------------------

    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        loss_weights: Any = None,
        metrics: Any = None,
        weighted_metrics: Any = None,
        run_eagerly: bool = False,
        steps_per_execution: int = 1,
        jit_compile: Any = "auto",
        auto_scale_loss: bool = True,
    ) -> None:
        """Says how the model is trained: optimizer, losses, and metrics, for one output or each of several.

        A loss is a word such as "mse", a function of targets and predictions, or an object of
        `tf.keras.losses`; a list or a dictionary by the outputs' names has one for each. `metrics` is a list
        of words, functions and objects likewise, and "accuracy" is the kind that fits the shapes;
        `weighted_metrics` are weighed with the examples. Every step is recorded, and
        compiled once it has come back often enough: `jit_compile` is kept and changes nothing, and with
        `run_eagerly` each step follows the flags of layers as they are then.

        Raises ValueError for a word that stands for nothing.
        """
        names = getattr(self, "output_names", None)
        self._compiled_with: Any = {
            "optimizer": optimizer, "loss": loss, "loss_weights": loss_weights, "metrics": metrics,
            "weighted_metrics": weighted_metrics, "run_eagerly": run_eagerly,
            "steps_per_execution": steps_per_execution, "jit_compile": jit_compile,
        }  # fmt: skip
        # Where this call names no loss or no metrics, Keras keeps those of an earlier one.
        if loss is not None:
            self._loss_of = CompileLoss(loss, loss_weights, names)
        if metrics is not None or weighted_metrics is not None:
            self._metrics_of = CompileMetrics(metrics, weighted_metrics, names)
        self.optimizer = _optimizer(optimizer)
        scaled = auto_scale_loss and self.optimizer is not None
        if scaled and self._policy.name == "mixed_float16":  # type: ignore[attr-defined]
            self.optimizer = _scaling(self.optimizer)
        if loss is not None:
            self.loss = loss
        self.run_eagerly = run_eagerly
        object.__setattr__(self, "_calls", None)
        self.__dict__.pop("_traced_steps", None)
        self.jit_compile = False if jit_compile == "auto" else jit_compile
        self.steps_per_execution = int(steps_per_execution)
        self.stop_training = False
        self.compiled = True
        self._loss_tracker = _tracker()
        self._settled = None
        self.train_function = self.test_function = self.predict_function = None

    def _of_optimizer(self) -> Any:
        built = self.compiled and getattr(self.optimizer, "built", False)
        return list(self.optimizer.variables) if built else None

    def _require_compiled(self) -> None:
        if not self.compiled:
            raise NotCompiledError(
                "You must call `compile()` before using the model.",
                why="`compile` says which optimizer and which loss the model is trained with.",
                remedy="model.compile(optimizer='adam', loss='mse')",
                site=here(),
            )

    @property
    def metrics(self) -> list[Any]:
        """The metrics: the mean of the loss, the compiled ones, and those in attributes."""
        found: list[Any] = []
        if self.compiled:
            found.append(self._loss_tracker)
            if self._metrics_of is not None:
                found.append(self._metrics_of)
            if self._loss_of is not None:
                found += self._loss_of.metrics
        known = {id(one) for one in found}
        for layer in (self, *self._found().layers):  # type: ignore[attr-defined]
            if layer is not self and isinstance(layer, Trainer):
                continue
            for one in _held_metrics(layer):
                if id(one) not in known:
                    known.add(id(one))
                    found.append(one)
        return found

    @property
    def metrics_names(self) -> list[str]:
        """The names of the metrics."""
        return [one.name for one in self.metrics]

    def reset_metrics(self) -> None:
        """Sets the metrics back, as `fit` does before each epoch."""
        for one in self.metrics:
            one.reset_state()

    def get_metrics_result(self) -> dict[str, Any]:
        """Returns the values of the metrics, by name."""
        found: dict[str, Any] = {}
        for one in self.metrics:
            result = one.result()
            if isinstance(result, dict):
                found.update(result)
            else:
                found[one.name] = result
        return found

    # -- steps ---------------------------------------------------------------------------------------------

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None,
        training: bool = True,
    ) -> Any:  # fmt: skip
        """Returns the loss of a batch: the compiled losses, and those in `self.losses`."""
        total = None if self._loss_of is None else self._loss_of(y, y_pred, sample_weight)
        for one in self.losses:  # type: ignore[attr-defined]
            term = one if isinstance(one, Tensor) and one._spec.shape == () else _summed(one)
            total = term if total is None else total + term
        if total is None:
            raise ArgumentError(
                "No loss to compute. Provide a `loss` argument in `compile()`.",
                why="There is nothing to minimise: no compiled loss, no add_loss, no regularizer.",
                remedy="model.compile(optimizer, loss='mse')",
                site=here(),
            )
        return total

    def stateless_compute_loss(
        self, trainable_variables: Any, non_trainable_variables: Any, metrics_variables: Any, x: Any = None,
        y: Any = None, y_pred: Any = None, sample_weight: Any = None, training: bool = True,
    ) -> Any:  # fmt: skip
        """Returns the loss of a batch with these values of the variables, and the three lists of values."""
        from penstock.tensorflow.keras import _stateless

        values = trainable_variables, non_trainable_variables, metrics_variables
        return _stateless.compute_loss(self, values, (x, y, y_pred, sample_weight), training)

    def _compute_loss(self, x: Any, y: Any, y_pred: Any, sample_weight: Any, training: bool) -> Any:
        kind: Any = type(self)
        takes = kind.__dict__.get("_loss_takes_training")
        if takes is None:
            takes = "training" in inspect.signature(self.compute_loss).parameters
            kind._loss_takes_training = takes
        more = {"training": training} if takes else {}
        return self.compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, **more)

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> dict[str, Any]:
        """Takes a batch into the compiled metrics; returns what all metrics have come to."""
        self._measure(x, y, y_pred, sample_weight)
        return self.get_metrics_result()

    @property
    def compiled_metrics(self) -> Any:
        """The compiled metrics as older programs update them; deprecated in Keras 3."""
        return _OlderMetrics(self)

    def compiled_loss(
        self, y: Any, y_pred: Any, sample_weight: Any = None, regularization_losses: Any = None
    ) -> Any:
        """Returns the loss of a batch, as older programs ask for it; deprecated in Keras 3.

        `regularization_losses` does nothing: compute_loss adds the losses of the model itself.
        """
        warn(
            "`model.compiled_loss()` is deprecated. Instead, use `model.compute_loss(x, y, y_pred, "
            "sample_weight, training)`."
        )
        return self.compute_loss(x=None, y=y, y_pred=y_pred, sample_weight=sample_weight)

    def _measure(self, x: Any, y: Any, y_pred: Any, sample_weight: Any) -> None:
        if self._metrics_of is not None:
            self._metrics_of.update_state(y, y_pred, sample_weight)

    def _outputs_of(self, x: Any, training: bool) -> Any:
        takes = self._signature[1]  # type: ignore[attr-defined]
        return self(x, training=training) if takes else self(x)  # type: ignore[operator]

    def _settle_metrics(self) -> None:
        if self._is_fresh:
            self._is_fresh = False
            self.reset_metrics()

    def _variables_to_train(self) -> list[Any]:
        """Returns the variables that were trainable in the first step after `compile`."""
        present = self.trainable_variables  # type: ignore[attr-defined]
        settled = self._settled
        if settled is None or self._runs_eagerly():
            settled = self._settled = SettledFlags(self)
            if not present:
                warn(_untrained(self))
        elif not settled.are_trained(present):
            self._tell_changed(settled.trained, present)
        return settled.trained

    def _tell_changed(self, settled: list[Any], present: list[Any]) -> None:
        before, after = ({id(one) for one in each} for each in (settled, present))
        frozen = [one.path for one in settled if id(one) not in after]
        freed = [one.path for one in present if id(one) not in before]
        words = (
            f"{', '.join(frozen)} " + ("is" if len(frozen) == 1 else "are") + " trained all the same"
            if (frozen)
            else f"{', '.join(freed)} " + ("is" if len(freed) == 1 else "are") + " not trained"
        )
        warn(
            f"`trainable` of {self.name!r} was changed after compile() and the first step: {words}. Keras "  # type: ignore[attr-defined]
            "settles what is trained then. Call compile() again for the change to take effect."
        )

    def _step(self, data: Any, tell: bool = True) -> Any:
        """Trains on a batch; returns the values of the metrics on request."""
        x, y, sample_weight = batches.unpack_x_y_sample_weight(data)
        with GradientTape() as tape:
            self._settle_metrics()
            y_pred = self._outputs_of(x, True)
            loss = self._compute_loss(x, y, y_pred, sample_weight, True)
            scaled = loss if self.optimizer is None else self.optimizer.scale_loss(loss)
        variables = self._variables_to_train()
        if variables:
            if self.optimizer is None:
                raise NotCompiledError(
                    "The model was compiled without an optimizer.",
                    remedy="model.compile(optimizer='adam', loss=...)",
                    site=here(),
                )
            gradients = tape.gradient(scaled, variables)
            self.optimizer.apply_gradients(zip(gradients, variables, strict=True))
        self._loss_tracker._take_mean(loss, batches.rows_in(x))
        return self._told(tell, x, y, y_pred, sample_weight)

    def _told(self, tell: bool, x: Any, y: Any, y_pred: Any, sample_weight: Any) -> Any:
        if not tell and type(self).compute_metrics is Trainer.compute_metrics:
            self._measure(x, y, y_pred, sample_weight)
            return None
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def train_step(self, data: Any) -> Any:
        """Trains on a batch, once; a subclass may override this. Returns the values of the metrics."""
        return self._step(data)

    def _test(self, data: Any, tell: bool = True) -> Any:
        x, y, sample_weight = batches.unpack_x_y_sample_weight(data)
        self._settle_metrics()
        y_pred = self._outputs_of(x, False)
        loss = self._compute_loss(x, y, y_pred, sample_weight, False)
        self._loss_tracker._take_mean(loss, batches.rows_in(x))
        return self._told(tell, x, y, y_pred, sample_weight)

    def test_step(self, data: Any) -> Any:
        """Evaluates a batch; a subclass may override this. Returns the values of the metrics."""
        return self._test(data)

    def predict_step(self, data: Any) -> Any:
        """Returns the outputs for a batch; a subclass may override this."""
        return self._outputs_of(batches.unpack_x_y_sample_weight(data)[0], False)

    def make_train_function(self, force: bool = False) -> Callable[[Any], Any]:
        """Returns a function of an iterator that trains on the next batch.

        `force` settles anew which variables are trained, as they are then.
        """
        if force:
            self.__dict__.get("_traced_steps", {}).pop("train", None)
            self._settled = None
        self.train_function = lambda iterator: self.train_step(next(iterator))
        return self.train_function  # type: ignore[no-any-return]

    def make_test_function(self, force: bool = False) -> Callable[[Any], Any]:
        """Returns a function of an iterator that evaluates the next batch."""
        self.test_function = lambda iterator: self.test_step(next(iterator))
        return self.test_function  # type: ignore[no-any-return]

    def make_predict_function(self, force: bool = False) -> Callable[[Any], Any]:
        """Returns a function of an iterator that gives the outputs for the next batch."""
        self.predict_function = lambda iterator: self.predict_step(next(iterator))
        return self.predict_function  # type: ignore[no-any-return]

    # -- loops ---------------------------------------------------------------------------------------------

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: Any = "auto",
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: Any = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_batch_size: int | None = None,
        validation_freq: Any = 1,
    ) -> Any:
        """Trains for so many epochs; returns a `History` of what losses and metrics have come to.

        `x` and `y` are arrays or structures of them; or `x` is a data set, a `PyDataset` or a generator of
        batches (x, y) or (x, y, sample_weight). With `shuffle`, rows come in the order that Keras has
        for the seed of `tf.random.set_seed`, the same in each epoch; without a seed, in another each time.

        Raises ValueError for a model that is not compiled, and for data that cannot be made into batches.
        """
        self._require_compiled()
        epochs = limited("epochs", epochs)
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = batches.split((x, y, sample_weight), validation_split)
        source = batches.source_of(x, y, sample_weight, batch_size, steps_per_epoch, shuffle, class_weight)
        epoch_data = batches.Epochs(source, steps_per_epoch, self.steps_per_execution)
        source.end()
        if not isinstance(callbacks, CallbackList):
            callbacks = CallbackList(
                callbacks, add_history=True, add_progbar=verbose != 0, verbose=verbose, epochs=epochs,
                steps=epoch_data.length, model=self,
            )  # fmt: skip
        size = validation_batch_size or batch_size
        validation = (
            None if validation_data is None else self._validation(validation_data, size, validation_steps)
        )
        self.stop_training = False
        before = self._layers_with_shapes()
        self._look_ahead(source)
        callbacks.on_train_begin()
        logs: Any = None
        for epoch in range(self._initial_epoch or initial_epoch, epochs):
            self._begin_metrics(Trainer.train_step, "train_step")
            callbacks.on_epoch_begin(epoch)
            with self._in_function():
                logs = self._epoch(epoch_data, callbacks)
            self._forget_rows(source, before)
            if validation is not None and _is_due(epoch, validation_freq):
                with self._in_function():
                    found = self._evaluate(validation, callbacks)
                logs.update({f"val_{name}": value for name, value in found.items()})
            callbacks.on_epoch_end(epoch, logs)
            if self.stop_training:
                break
        if self.optimizer is not None and epochs > 0 and hasattr(self.optimizer, "finalize_variable_values"):
            self.optimizer.finalize_variable_values(self.trainable_variables)  # type: ignore[attr-defined]
        callbacks.on_train_end(logs)
        return self.history

    def _look_ahead(self, source: batches.Source) -> None:
        """Builds what Keras builds of a model of a strategy, before the first batch."""
        if not self._looks_ahead:
            return
        source.begin_unread()
        optimizer, model = self.optimizer, cast(Any, self)
        if optimizer is not None and model.built and not optimizer.built:
            optimizer.build(model.trainable_variables)

    def _validation(self, data: Any, size: int | None, steps: int | None) -> batches.Epochs:
        source = batches.source_of(*batches.unpack_x_y_sample_weight(data), size, steps)
        return batches.Epochs(source, steps, self.steps_per_execution)

    def _begin_metrics(self, own: Any, name: str) -> None:
        """Sets the metrics back: inside the first step, where that is Keras' own."""
        self._is_fresh = True
        if getattr(type(self), name) is not own:
            self._settle_metrics()

    def _every_layer(self) -> list[Any]:
        return list(self._found().layers)  # type: ignore[attr-defined]

    def _layers_with_shapes(self) -> set[int]:
        """Returns the layers, by `id`, that have been called."""
        return {id(one) for one in self._every_layer() if one.__dict__.get("_output_shape") is not None}

    def _forget_rows(self, source: batches.Source, before: set[int]) -> None:
        """Lets the shapes of layers that were new say nothing of the number of rows.

        Keras builds layers for any number of rows, or for that of all batches if they have one size.
        """
        for layer in () if source.one_size else self._every_layer():
            shape = layer.__dict__.get("_output_shape")
            if isinstance(shape, tuple) and shape and id(layer) not in before:
                object.__setattr__(layer, "_output_shape", (None, *shape[1:]))

    def _epoch(self, epoch_data: batches.Epochs, callbacks: CallbackList) -> dict[str, Any]:
        own, calls = type(self).train_step is Trainer.train_step, self._drawing["train"]
        logs: Any = None
        for first, several in epoch_data:
            callbacks.on_train_batch_begin(first)
            for data in several:
                twice = None if own or self._is_traced("train") else functools.partial(self.train_step, data)
                with self._traced("train"), self._drawn(calls, twice):
                    logs = self._step(data, callbacks.wants_logs("train")) if own else self.train_step(data)
            callbacks.on_train_batch_end(first + self.steps_per_execution - 1, self._asked(logs, callbacks))
            if self.stop_training:
                break
        return self._results(logs)

    def _drawn(self, calls: Any, again: Any = None) -> Any:
        """Returns a block for the draws of a step, which is a function unless it is run as it is written."""
        return contextlib.nullcontext() if self._runs_eagerly() else of_call(calls, (), {}, again=again)

    def _in_function(self) -> Any:
        """Returns a block for steps: they are in a function unless they are run as they are written."""
        return contextlib.nullcontext() if self._runs_eagerly() else inside

    def _runs_eagerly(self) -> bool:
        return self.run_eagerly or eagerly.chosen

    def _is_traced(self, step: str) -> bool:
        return self._runs_eagerly() or step in self.__dict__.get("_traced_steps", ())

    def _traced(self, step: str) -> Any:
        """Returns a block for a step: from the second on, Keras runs what it has traced in the first."""
        known = self.__dict__.setdefault("_traced_steps", {})
        if self._runs_eagerly():
            return contextlib.nullcontext()
        flags = known.get(step)
        if flags is None:
            print_once_per_trace()
            return self._traced_first(step, known)
        return again if flags.hold() else self._again_as_settled(flags, step == "train")

    @contextlib.contextmanager
    def _traced_first(self, step: str, known: dict[str, SettledFlags]) -> Iterator[None]:
        with inside:
            yield
        known[step] = SettledFlags(self)

    @contextlib.contextmanager
    def _again_as_settled(self, flags: SettledFlags, trains: bool) -> Iterator[None]:
        settled = self._settled
        present = self.trainable_variables  # type: ignore[attr-defined]
        if trains and settled is not None and not settled.are_trained(present):
            self._tell_changed(settled.trained, present)
        with again, flags.restored():
            yield

    def _asked(self, logs: Any, callbacks: CallbackList) -> Any:
        """Returns the values of the metrics if only the progress bar needs them, and only now and then."""
        if callbacks.wants_logs("train") or not callbacks.shows_now():
            return logs if callbacks.wants_logs("train") else None
        _end_step()
        return logs if logs is not None else self.get_metrics_result()

    def _results(self, logs: Any) -> dict[str, Any]:
        """Returns the values of the metrics, or the result of a step if it has other names."""
        _end_step()
        self._settle_metrics()
        if self._metrics_of is not None and not self._metrics_of.built:
            return plain(logs)
        found = self.get_metrics_result()
        if logs is None or (isinstance(logs, dict) and set(plain(logs)) == set(found)):
            return plain(found)
        return plain(logs)

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: Any = "auto",
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Any = None,
        return_dict: bool = False,
        **more: Any,
    ) -> Any:
        """Returns loss and metrics over data: a number, a list, or with `return_dict` a dictionary."""
        self._require_compiled()
        if more:
            raise ArgumentError(f"Arguments not recognized: {more}", site=here())
        source = batches.source_of(x, y, sample_weight, batch_size, steps)
        data = batches.Epochs(source, steps, self.steps_per_execution)
        before = self._layers_with_shapes()
        source.end()
        if not isinstance(callbacks, CallbackList):
            callbacks = CallbackList(
                callbacks, add_progbar=verbose != 0, verbose=verbose, epochs=1, steps=data.length, model=self
            )
        with self._in_function():
            logs = self._evaluate(data, callbacks)
        self._forget_rows(source, before)
        return logs if return_dict else self._in_order(logs)

    def _evaluate(self, data: batches.Epochs, callbacks: CallbackList) -> dict[str, Any]:
        own, calls = type(self).test_step is Trainer.test_step, self._drawing["test"]
        self.stop_evaluating = False
        self._look_ahead(data.source)
        callbacks.on_test_begin()
        _end_step()
        self._begin_metrics(Trainer.test_step, "test_step")
        logs: Any = None
        for first, several in data:
            callbacks.on_test_batch_begin(first)
            for one in several:
                with self._traced("test"), self._drawn(calls):
                    logs = self._test(one, callbacks.wants_logs("test")) if own else self.test_step(one)
                _end_step()
            shown = logs
            if logs is None and callbacks.shows_now():
                shown = self.get_metrics_result()
            callbacks.on_test_batch_end(first + self.steps_per_execution - 1, shown)
            if self.stop_evaluating:
                break
        results = self._results(logs)
        callbacks.on_test_end(results)
        return results

    def predict(
        self, x: Any, batch_size: int | None = None, verbose: Any = "auto", steps: int | None = None,
        callbacks: Any = None,
    ) -> Any:  # fmt: skip
        """Returns the outputs for all data as NumPy arrays, batch by batch."""
        source = batches.source_of(x, None, None, batch_size, steps)
        data = batches.Epochs(source, steps, self.steps_per_execution)
        if not isinstance(callbacks, CallbackList):
            callbacks = CallbackList(
                callbacks, add_progbar=verbose != 0, verbose=verbose, epochs=1, steps=data.length, model=self
            )
        self.stop_predicting = False
        callbacks.on_predict_begin()
        found: list[list[Any]] = []
        outline: Any = None
        for first, several in data:
            callbacks.on_predict_batch_begin(first)
            for one in several:
                with self._traced("predict"), self._drawn(self._drawing["predict"]):
                    outputs = self.predict_step(one)
                outline = outputs
                found.append([_array(each) for each in structures.flat(outputs)])
            callbacks.on_predict_batch_end(first + self.steps_per_execution - 1, {"outputs": outputs})
            if self.stop_predicting:
                break
        callbacks.on_predict_end()
        if not found:
            raise ArgumentError("predict: there were no batches.", site=here())
        whole = iter([np.concatenate(column) for column in zip(*found, strict=True)])
        return structures.packed(outline, whole)

    # -- single batches ------------------------------------------------------------------------------------

    def train_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None,
        return_dict: bool = False,
    ) -> Any:  # fmt: skip
        """Trains on one batch; returns loss and metrics: a number, a list, or with `return_dict` by name."""
        self._require_compiled()
        if class_weight is not None:
            if sample_weight is not None:
                raise ArgumentError(
                    "Arguments `sample_weight` and `class_weight` cannot be specified at the same time. "
                    f"Received: sample_weight={sample_weight}, class_weight={class_weight}",
                    site=here(),
                )
            sample_weight = batches.class_weights(y, class_weight)
        self._begin_metrics(Trainer.train_step, "train_step")
        return self._of_batch("train_on_batch", self.train_step, (x, y, sample_weight), return_dict)

    def test_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False
    ) -> Any:
        """Evaluates one batch; returns loss and metrics: a number, a list, or with `return_dict` by name."""
        self._require_compiled()
        self._begin_metrics(Trainer.test_step, "test_step")
        return self._of_batch("test_on_batch", self.test_step, (x, y, sample_weight), return_dict)

    def _of_batch(self, kind: str, step: Callable[[Any], Any], data: Any, by_name: bool) -> Any:
        with self._in_function(), self._drawn(self._drawing[kind]):
            logs = plain(step(tuple(batches.tensors(one) for one in data)))
        return logs if by_name else self._in_order(logs)

    def predict_on_batch(self, x: Any) -> Any:
        """Returns the outputs for one batch as NumPy arrays."""
        with self._drawn(self._drawing["predict_on_batch"]):
            outputs = self.predict_step((batches.tensors(x),))
        return structures.mapped(outputs, _array)

    def _in_order(self, logs: dict[str, Any]) -> Any:
        """Returns logs as a list, in the order of the metrics; a number, if there is one only."""
        names: list[str] = []
        for one in self.metrics:
            names += [each.name for each in one.metrics] if isinstance(one, CompileMetrics) else [one.name]
        found = [logs[name] for name in names if name in logs]
        found += [logs[name] for name in sorted(logs) if name not in names]
        return found[0] if len(found) == 1 else found


class _OlderMetrics:
    """What `model.compiled_metrics` gives: it updates all metrics of the model, as Keras 3 does."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def update_state(self, y: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes a batch in; a mean, such as that of the loss, takes the predictions."""
        warn(
            "`model.compiled_metrics()` is deprecated. Instead, use e.g.:\n```\nfor metric in "
            "self.metrics:\n    metric.update_state(y, y_pred)\n```\n"
        )
        for one in self._model.metrics:
            given = (y_pred,) if isinstance(one, metrics.Mean) else (y, y_pred)
            one.update_state(*given, sample_weight=sample_weight)


def _tracker() -> Any:
    return metrics.Mean(name="loss")


def _optimizer(given: Any) -> Any:
    return None if given is None else optimizers.get(given)


def _untrained(model: Any) -> str:
    words = "The model does not have any trainable weights."
    count = len(model.variables)
    if not count:
        return words
    return (
        f"{words} All {count} variables of {model.name!r} are frozen in its first step, so no step will "
        "change them. Set trainable = True, and call compile() after it."
    )


def _scaling(optimizer: Any) -> Any:
    kind = optimizers.LossScaleOptimizer
    return optimizer if isinstance(optimizer, kind) else kind(optimizer, name="loss_scale_optimizer")


def _summed(loss: Any) -> Any:
    loss = operand(loss)
    if not loss._spec.shape:
        return loss
    return total_of(loss)


def _array(value: Any) -> Any:
    return np.asarray(value.numpy()) if isinstance(value, Tensor | Cell) else np.asarray(value)


def _is_due(epoch: int, frequency: Any) -> bool:
    if isinstance(frequency, int):
        return (epoch + 1) % frequency == 0
    if isinstance(frequency, list | tuple):
        return epoch + 1 in frequency
    raise ArgumentError(
        f"Expected `validation_freq` to be a list or int. Received: validation_freq={frequency} of the type "
        f"{type(frequency)}.",
        site=here(),
    )


def _held_metrics(layer: Any) -> list[Any]:
    """Returns the metrics in the attributes of a layer, and in lists and dictionaries there."""
    found: list[Any] = []
    for name, value in list(vars(layer).items()):
        if name in ("_loss_tracker", "_metrics_of", "_loss_of"):
            continue
        if isinstance(value, Metric):
            found.append(value)
        elif is_nested(value) and not name.startswith("_"):
            found += [one for one in values_of(value) if isinstance(one, Metric)]
    return found
