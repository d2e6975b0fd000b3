"""tf.keras.distillation: a student learns the outputs or features of a teacher (Hinton et al., 2015)."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras import losses as _losses
from penstock.tensorflow.keras import metrics as _metrics
from penstock.tensorflow.keras import models as _models
from penstock.tensorflow.keras import ops as _ops
from penstock.tensorflow.keras import tree as _tree
from penstock.tensorflow.keras._serial import deserialize_keras_object as _deserialize
from penstock.tensorflow.keras._serial import serialize_keras_object as _serialize
from penstock.trace.source_site import here as _here


def _refuse(text: str) -> None:
    raise _ArgumentError(text, site=_here())


def _meant(loss: Any) -> Any:
    return _tree.map_structure(lambda one: _losses.get(one) if isinstance(one, str) else one, loss)


def _total(loss: Any, function: Any, teacher: Any, student: Any) -> Any:
    """Returns the sum of a function's results for each loss and its outputs."""
    found = _tree.map_structure(
        lambda one, t, s: 0.0 if one is None else _ops.mean(function(one, t, s)), loss, teacher, student
    )
    return _ops.sum(_ops.stack(_tree.flatten(found)))


class DistillationLoss:
    """How far the outputs of a student are from those of a teacher; a subclass writes `compute_loss`."""

    def compute_loss(self, teacher_outputs: Any, student_outputs: Any, **options: Any) -> Any:
        """Returns a scalar; a subclass writes this."""
        raise NotImplementedError("Subclasses must implement compute_loss")

    def validate_outputs(self, teacher_outputs: Any, student_outputs: Any) -> None:
        """Raises ArgumentError for outputs of different structures."""
        _tree.assert_same_structure(teacher_outputs, student_outputs)

    def validate_model_compatibility(self, teacher: Any, student: Any) -> None:
        """Raises an error for models that the loss does not take; a subclass may write this."""


class FeatureDistillation(DistillationLoss):
    """A loss of the outputs of a layer of the teacher and one of the student, or of both models."""

    def __init__(
        self, loss: Any = "mse", teacher_layer_name: str | None = None, student_layer_name: str | None = None
    ) -> None:
        self.teacher_layer_name, self.student_layer_name = teacher_layer_name, student_layer_name
        self.loss = _meant(loss)
        if all(one is None for one in _tree.flatten(self.loss)):
            _refuse(
                "The `loss` argument in `FeatureDistillation` must contain at least one non-`None` value."
            )

    def validate_model_compatibility(self, teacher: Any, student: Any) -> None:
        """Raises ArgumentError, a ValueError, for a layer that is not there."""
        for word, model, name in (
            ("teacher", teacher, self.teacher_layer_name), ("student", student, self.student_layer_name)
        ):  # fmt: skip
            if name is None:
                continue
            if getattr(model, "inputs", None) is None:
                _refuse(
                    "FeatureDistillation with specific layer names requires Functional or Sequential models. "
                    f"The {word} model(s) appear to be subclassed (no symbolic inputs/outputs). Either use "
                    "Functional/Sequential models, or use FeatureDistillation without layer names (to "
                    "distill final outputs only), or use LogitsDistillation instead."
                )
            try:
                model.get_layer(name=name)
            except ValueError as problem:
                raise _ArgumentError(f"In {word} model: {problem}", site=_here()) from problem

    def compute_loss(self, teacher_outputs: Any, student_outputs: Any, **options: Any) -> Any:
        """Returns the sum of the means of the losses; `options` do nothing, as in Keras."""
        return _total(self.loss, lambda loss, t, s: loss(t, s), teacher_outputs, student_outputs)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        return {
            "loss": _serialize(self.loss), "teacher_layer_name": self.teacher_layer_name,
            "student_layer_name": self.student_layer_name,
        }  # fmt: skip

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> FeatureDistillation:
        """Returns the loss with these arguments."""
        return cls(**{**config, "loss": _deserialize(config["loss"])})


class LogitsDistillation(DistillationLoss):
    """A loss of the logits of both models, divided by a temperature."""

    def __init__(self, temperature: Any = 3.0, loss: Any = "kl_divergence") -> None:
        self.temperature, self.loss = temperature, _meant(loss)
        if all(one is None for one in _tree.flatten(self.loss)):
            _refuse("At least one loss must be non-`None`.")
        if not isinstance(temperature, int | float):
            _refuse(f"temperature must be a number, got {type(temperature)}")
        if temperature <= 0.0:
            _refuse("temperature must be positive.")

    def compute_loss(self, teacher_outputs: Any, student_outputs: Any, **options: Any) -> Any:
        """Returns the sum of the means of the losses; `options` do nothing, as in Keras.

        An object of the class KLDivergence is given probabilities, and counts with the square of the
        temperature.
        """
        heat = float(self.temperature)

        def apply(loss: Any, teacher: Any, student: Any) -> Any:
            if isinstance(loss, _losses.KLDivergence):
                return loss(_ops.softmax(teacher / heat), _ops.softmax(student / heat)) * heat**2
            return loss(teacher / heat, student / heat)

        return _total(self.loss, apply, teacher_outputs, student_outputs)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        return {"temperature": self.temperature, "loss": _serialize(self.loss)}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> LogitsDistillation:
        """Returns the loss with these arguments."""
        return cls(**{**config, "loss": _deserialize(config["loss"])})


class Distiller(_models.Model):
    """A student that is trained on its own loss and on distillation losses of a teacher, which is frozen.

    `student_loss_weight` is the share of the student's loss.
    """

    def __init__(
        self,
        teacher: Any,
        student: Any,
        distillation_losses: Any,
        distillation_loss_weights: Any = None,
        student_loss_weight: Any = 0.5,
        name: str = "distiller",
        **options: Any,
    ) -> None:
        super().__init__(name=name, **options)
        for word, model in (("Teacher", teacher), ("Student", student)):
            if not isinstance(model, _models.Model):
                _refuse(f"{word} must be a keras.Model, got {type(model)}")
        _check_ends(teacher, student)
        if not isinstance(student_loss_weight, int | float):
            _refuse(f"student_loss_weight must be a number, got {type(student_loss_weight)}")
        if student_loss_weight < 0.0 or student_loss_weight > 1.0:
            _refuse(f"student_loss_weight must be between 0.0 and 1.0, got {student_loss_weight}")
        if distillation_losses is None:
            _refuse(
                "'distillation_losses' cannot be `None`. Provide a distillation loss (e.g., "
                "LogitsDistillation or FeatureDistillation) or a list of distillation losses."
            )
        several = isinstance(distillation_losses, list | tuple)
        given = list(distillation_losses) if several else [distillation_losses]
        weights = distillation_loss_weights if several else None
        weights = [1.0] * len(given) if weights is None else list(weights)
        if len(weights) != len(given):
            _refuse(
                f"Number of distillation_loss_weights ({len(weights)}) must match number of "
                f"distillation_losses ({len(given)})"
            )
        for one in given:
            one.validate_model_compatibility(teacher, student)
        self.teacher, self.student = teacher, student
        self.distillation_losses, self.distillation_loss_weights = given, weights
        self.student_loss_weight = student_loss_weight
        self._teacher_features = _features(
            teacher, [getattr(one, "teacher_layer_name", None) for one in given]
        )
        self._student_features = _features(
            student, [getattr(one, "student_layer_name", None) for one in given]
        )
        self.teacher.trainable = False
        self.student_loss_tracker = _metrics.Mean(name="student_loss")
        self.distillation_loss_tracker = _metrics.Mean(name="distillation_loss")
        self.total_loss_tracker = _metrics.Mean(name="total_loss")

    def compile(  # type: ignore[override]
        self, optimizer: Any = "adam", loss: Any = None, metrics: Any = None, **options: Any
    ) -> None:
        """Sets the optimizer, and the loss of the student."""
        if loss is None:
            _refuse("'loss' cannot be `None`.")
        if metrics is not None and not isinstance(metrics, list | tuple):
            _refuse(f"metrics must be a list or tuple, got {type(metrics)}")
        self._student_loss = _meant(loss)
        super().compile(optimizer=optimizer, loss=None, metrics=metrics, **options)

    def call(self, inputs: Any, training: Any = None, mask: Any = None, **options: Any) -> Any:
        """Computes the student's outputs."""
        options = options if mask is None else {**options, "mask": mask}
        return self.student(inputs, training=training, **options)

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: Any = True,
    ) -> Any:
        """Returns the weighted sum of both losses; `sample_weight` does nothing, as in Keras."""
        y_pred = self(x, training=training) if y_pred is None else y_pred
        own: Any = 0.0
        if self.student_loss_weight > 0.0 and y is not None:
            found = _tree.flatten(
                _tree.map_structure(lambda loss, t, p: loss(t, p), self._student_loss, y, y_pred)
            )
            own = _ops.sum(_ops.stack(found)) if len(found) > 1 else found[0]
            own = _ops.mean(own) if len(own.shape) else own
        learned: Any = 0.0
        if self.student_loss_weight < 1.0:
            learned = self._distilled(x, y_pred)
        share = float(self.student_loss_weight)
        total = _ops.add(_ops.multiply(share, own), _ops.multiply(1.0 - share, learned))
        self.student_loss_tracker.update_state(own)
        self.distillation_loss_tracker.update_state(learned)
        self.total_loss_tracker.update_state(total)
        return total

    def _distilled(self, x: Any, y_pred: Any) -> Any:
        final = "final_output"
        taught = (
            {final: self.teacher(x, training=False)}
            if self._teacher_features is None
            else self._teacher_features(x, training=False)
        )
        shown = (
            {final: y_pred} if self._student_features is None else self._student_features(x, training=True)
        )
        total: Any = 0.0
        for loss, weight in zip(self.distillation_losses, self.distillation_loss_weights, strict=True):
            name = getattr(loss, "teacher_layer_name", None)
            outputs = (
                (taught[final], y_pred)
                if name is None
                else (taught[name], shown[getattr(loss, "student_layer_name", None) or final])
            )
            loss.validate_outputs(*outputs)
            found = loss.compute_loss(*outputs)
            if len(getattr(found, "shape", ())):
                _refuse(
                    f"Distillation loss {type(loss).__name__} returned a non-scalar loss with shape "
                    f"{found.shape}. The compute_loss method must return a scalar tensor."
                )
            total = _ops.add(total, _ops.multiply(float(weight), found))
        return total

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        return {
            **super().get_config(),
            "teacher": _serialize(self.teacher),
            "student": _serialize(self.student),
            "distillation_losses": [_serialize(one) for one in self.distillation_losses],
            "distillation_loss_weights": self.distillation_loss_weights,
            "student_loss_weight": self.student_loss_weight,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Returns the distiller with these arguments."""
        made = {
            key: _deserialize(config[key], custom_objects)
            for key in ("teacher", "student", "distillation_losses")
        }
        return cls(**{**config, **made})


def _check_ends(teacher: Any, student: Any) -> None:
    """Refuses models whose inputs or outputs differ in shape or dtype."""
    for word in ("input", "output"):
        ours, theirs = (getattr(one, f"{word}s", None) for one in (teacher, student))
        if ours is None or theirs is None:
            return
        for a, b in zip(ours, theirs, strict=True):
            start = f"Teacher and student {word}"
            told = f"Teacher: {a.shape}, Student: {b.shape}."
            if len(a.shape) != len(b.shape):
                _refuse(f"{start} shapes have different dimensions. {told}")
            if any(m is not None and n is not None and m != n for m, n in zip(a.shape, b.shape, strict=True)):
                _refuse(f"{start} shapes are incompatible. {told} All dimensions must match.")
            if a.dtype != b.dtype:
                _refuse(f"{start} dtypes must match. Teacher: {a.dtype}, Student: {b.dtype}.")


def _features(model: Any, names: list[Any]) -> Any:
    """Returns a model of the outputs of some layers, and of the last; None for no layers."""
    wanted = [one for one in dict.fromkeys(names) if one]
    if not wanted:
        return None
    outputs = {"final_output": model.outputs[0] if len(model.outputs) == 1 else model.output}
    outputs |= {name: model.get_layer(name=name).output for name in wanted}
    return _models.Model(model.inputs, outputs, name=f"{model.name}_multi_feature_extractor")


__getattr__, __dir__, __all__ = _namespace("tf.keras.distillation", globals())
