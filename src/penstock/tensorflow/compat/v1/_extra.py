"""Functions of TensorFlow 1 that stand on several others: Python functions in a graph, averages, sampled
losses."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._averages import ExponentialMovingAverage as _EagerAverage
from penstock.tensorflow._convert import constant as _constant
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._graphs.build import give
from penstock.tensorflow._graphs.graph import GraphKeys, Operation, mode
from penstock.tensorflow._graphs.infer import Output, Place
from penstock.tensorflow._graphs.variable import GraphVariable
from penstock.tensorflow._shape_functions import numpy_function
from penstock.trace.source_site import here

_frame = sys._getframe


def _names() -> Any:
    from penstock.tensorflow.compat import v1

    return v1


def py_func(func: Any, inp: Any, Tout: Any, stateful: bool = True, name: Any = None) -> Any:
    """Returns what a function of NumPy arrays gives, at each run; no gradient passes.

    `Tout` names the dtype of the result, or of each.
    """
    if mode.building() is None:
        return numpy_function(func, inp, Tout)
    tf = _names()
    graph = mode.default()
    inputs = [tf.convert_to_tensor(one) for one in inp]
    several = isinstance(Tout, list | tuple)
    dtypes = [as_dtype(one) for one in (Tout if several else [Tout])]
    operation = graph.add("PyFunc", name or "PyFunc", _call, inputs, _frame(1), fresh=stateful)
    operation.details = {"function": func, "dtypes": dtypes}
    places = [Place(number) for number in range(len(dtypes))]
    return give(operation, places if several else places[0], [Output(one, None) for one in dtypes])


def _call(runner: Any, operation: Operation, values: Any) -> Any:
    dtypes = operation.details["dtypes"]
    found = operation.details["function"](*(np.asarray(one.numpy()) for one in values))
    several = list(found) if isinstance(found, list | tuple) else [found]
    if len(several) != len(dtypes):
        raise ArgumentError(
            f"py_func: the function returned {len(several)} values, and Tout names {len(dtypes)} dtypes.",
            origin=f"built at {operation.site}",
            site=here(),
        )
    made = []
    for one, dtype in zip(several, dtypes, strict=True):
        array = np.asarray(one)
        if array.dtype != dtype.as_numpy_dtype:
            raise ArgumentError(
                f"py_func: the function returned {array.dtype.name}, and Tout says {dtype.name}.",
                origin=f"built at {operation.site}",
                remedy=f"Return np.{dtype.name}(...), or name the dtype that it returns.",
                site=here(),
            )
        made.append(_constant(array))
    return made if len(made) > 1 else made[0]


def multinomial(
    logits: Any, num_samples: Any, seed: Any = None, name: Any = None, output_dtype: Any = None
) -> Any:
    """Returns class numbers drawn by the logits of each row, others at each run."""
    return _names().random.categorical(logits, num_samples, output_dtype or "int64", seed, name)


@named("tf.compat.v1.train.ExponentialMovingAverage")
class ExponentialMovingAverage(_EagerAverage):
    """Keeps an average of variables; in a graph, `apply` returns the operation that takes their values in."""

    def apply(self, var_list: Any = None) -> Any:
        """Returns the operation that takes the values of variables, or tensors, into their averages."""
        tf = _names()
        if mode.building() is None:
            return super().apply(var_list)
        variables = tf.trainable_variables() if var_list is None else list(var_list)
        decay = self._decay
        if self._updates is not None:
            count = tf.cast(self._updates, tf.float32)
            decay = tf.minimum(decay, (1.0 + count) / (10.0 + count))
        moved = []
        for one in variables:
            if id(one) not in self._averages:
                start = one.initialized_value() if isinstance(one, GraphVariable) else tf.zeros_like(one)
                name = f"{one.op.name}/{self.name}"
                keys = [GraphKeys.GLOBAL_VARIABLES, "moving_average_variables"]
                with mode.default().name_scope(None):
                    made = GraphVariable(start, trainable=False, name=name, collections=keys)
                self._averages[id(one)] = made
            average = self._averages[id(one)]
            moved.append(tf.assign_sub(average, (average - one) * (1.0 - decay)))
        return tf.group(*moved, name=self.name)

    def average(self, var: Any) -> Any:
        """Returns the variable that holds the average of another; None before `apply`."""
        return self._averages.get(id(var)) if mode.building() is not None else super().average(var)

    def average_name(self, var: Any) -> str:
        """Returns what the average of a variable is called."""
        name = var.op.name if isinstance(var, GraphVariable) else var.name.removesuffix(":0")
        return f"{name}/{self.name}"

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Any]:
        """Returns variables by the names that a checkpoint of averages has for them."""
        tf = _names()
        given = tf.trainable_variables() if moving_avg_variables is None else moving_avg_variables
        found = {self.average_name(one): one for one in given}
        others = [one for one in tf.global_variables() if not any(one is known for known in given)]
        own = {id(one) for one in self._averages.values()}
        return {**found, **{one.op.name: one for one in others if id(one) not in own}}


@named("tf.compat.v1.train.start_queue_runners")
def start_queue_runners(sess: Any = None, coord: Any = None, daemon: bool = True, start: bool = True,
                        collection: Any = None) -> list[Any]:  # fmt: skip
    """Returns no threads: there are no queues, whose runners would be started."""
    return []


def _sampled(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int,
    sampled_values: Any, remove_accidental_hits: bool, seed: Any,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the logits of the true classes and of sampled ones, less the logarithms of how often they
    come."""
    tf = _names()
    labels = tf.reshape(tf.cast(labels, tf.int64), [-1, num_true])
    if sampled_values is None:
        # The log-uniform sampler of TensorFlow: frequent classes have small numbers.
        drawn = tf.random_uniform([num_sampled], seed=seed)
        spread = float(np.log(num_classes + 1.0))
        classes = tf.cast(tf.exp(drawn * spread) - 1.0, tf.int64)
        sampled = tf.minimum(classes, tf.constant(num_classes - 1, tf.int64))

        def expected(numbers: Any) -> Any:
            floats = tf.cast(numbers, tf.float32)
            return (tf.log(floats + 2.0) - tf.log(floats + 1.0)) / spread * float(num_sampled)

        often_true, often_sampled = expected(labels), expected(sampled)
    else:
        sampled, often_true, often_sampled = sampled_values
    weights = weights[0] if isinstance(weights, list) else weights
    true_w, sampled_w = tf.gather(weights, tf.reshape(labels, [-1])), tf.gather(weights, sampled)
    true_b, sampled_b = tf.gather(biases, tf.reshape(labels, [-1])), tf.gather(biases, sampled)
    size = int(inputs.shape[-1])
    rows = tf.reshape(true_w, [-1, num_true, size]) * tf.expand_dims(inputs, 1)
    true_logits = tf.reduce_sum(rows, 2) + tf.reshape(true_b, [-1, num_true]) - tf.log(often_true)
    logits = tf.matmul(inputs, sampled_w, transpose_b=True) + sampled_b - tf.log(often_sampled)
    if remove_accidental_hits:
        hits = tf.reduce_any(tf.equal(tf.expand_dims(labels, 2), tf.reshape(sampled, [1, 1, -1])), 1)
        logits = logits + tf.cast(hits, tf.float32) * -3.4e38
    return true_logits, logits


def _beside(true: Any, sampled: Any, num_true: int) -> tuple[Any, Any]:
    """Returns the logits of true and sampled classes in one row, and what each is to be."""
    tf = _names()
    targets = tf.concat([tf.ones_like(true) / float(num_true), tf.zeros_like(sampled)], 1)
    return tf.concat([true, sampled], 1), targets


def nce_loss(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int,
    num_true: int = 1, sampled_values: Any = None, remove_accidental_hits: bool = False,
    partition_strategy: str = "mod", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the noise-contrastive loss of each row, with classes sampled anew at each run.

    Draws are Penstock's; true classes count 1 / num_true each.
    """
    tf = _names()
    true, sampled = _sampled(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        None,
    )
    logits, targets = _beside(true, sampled, num_true)
    return tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits), 1)


def sampled_softmax_loss(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int,
    num_true: int = 1, sampled_values: Any = None, remove_accidental_hits: bool = True,
    partition_strategy: str = "mod", name: Any = "sampled_softmax_loss", seed: Any = None,
) -> Any:  # fmt: skip
    """Returns the cross entropy of each row over its true classes and sampled ones, drawn anew at each
    run."""
    tf = _names()
    true, sampled = _sampled(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        seed,
    )
    logits, targets = _beside(true, sampled, num_true)
    return tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.stop_gradient(targets), logits=logits)


__all__ = [
    "ExponentialMovingAverage", "multinomial", "nce_loss", "py_func", "sampled_softmax_loss",
    "start_queue_runners",
]  # fmt: skip
