"""Assigns the losses and metrics of `compile` to the outputs of a model."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from penstock.layers.naming import snake_case
from penstock.tensorflow._convert import operand
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras import losses, metrics
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

Words = Sequence[str] | None


class KeyedError(ArgumentError, KeyError):
    """An output that is named where there is none of this name."""

    __str__ = ArgumentError.__str__


def is_nested(value: Any) -> bool:
    """Returns whether a value describes several outputs."""
    return isinstance(value, list | tuple | dict)


def leaves(structure: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yields the leaves of lists, tuples and dictionaries, including None, each with its position."""
    if isinstance(structure, dict):
        for key in sorted(structure, key=str):
            yield from leaves(structure[key], (*path, key))
    elif isinstance(structure, list | tuple):
        for number, one in enumerate(structure):
            yield from leaves(one, (*path, number))
    else:
        yield path, structure


def values_of(structure: Any) -> list[Any]:
    """Returns the leaves of a structure, without their positions."""
    return [one for _, one in leaves(structure)]


# -- words -------------------------------------------------------------------------------------------------

_CHOSEN = {
    "accuracy": (
        metrics.BinaryAccuracy, metrics.SparseCategoricalAccuracy, metrics.CategoricalAccuracy,
    ),
    "crossentropy": (
        losses.binary_crossentropy, losses.sparse_categorical_crossentropy, losses.categorical_crossentropy,
    ),
}  # fmt: skip
_SHORT = {"acc": "accuracy", "ce": "crossentropy"}
_ALSO = {
    "bce": "BinaryCrossentropy", "BCE": "BinaryCrossentropy", "mse": "MeanSquaredError",
    "MSE": "MeanSquaredError", "mae": "MeanAbsoluteError", "MAE": "MeanAbsoluteError",
    "mape": "MeanAbsolutePercentageError", "MAPE": "MeanAbsolutePercentageError",
    "msle": "MeanSquaredLogarithmicError", "MSLE": "MeanSquaredLogarithmicError",
}  # fmt: skip


def _chosen(word: Any, y_true: Any, y_pred: Any) -> Any:
    """Returns the kind that shapes choose for "accuracy" and "crossentropy"; None for other words."""
    found = _CHOSEN.get(_SHORT.get(str(word).lower(), str(word).lower())) if isinstance(word, str) else None
    if found is None:
        return None
    t, p = (tuple(operand(one)._spec.shape) for one in (y_true, y_pred))
    if p[-1:] == (1,):
        return found[0]
    return found[1] if len(t) < len(p) or (t[-1:] == (1,) and p[-1] > 1) else found[2]


def _kinds(space: Any, base: type, word: Any) -> dict[str, Any]:
    """Returns the classes and functions of a module by their words.

    The files with rarer ones are imported only where `word` is none of the others.
    """

    def known(names: Sequence[str]) -> dict[str, Any]:
        every = {name: vars(space)[name] for name in names}
        found = {name: one for name, one in every.items() if not isinstance(one, type)}
        for name, one in every.items():
            if isinstance(one, type) and issubclass(one, base) and one is not base:
                found[name] = found[snake_case(name)] = one
        return found

    found = known(space._public)
    return found if word in found else known(space.__all__)


def metric_kinds(word: Any = None) -> dict[str, Any]:
    """Returns the metrics by their words, at least the one that a word names."""
    word = word if isinstance(word, str) else None
    found = _kinds(metrics, metrics.Metric, word if word not in _ALSO else "mean_squared_error")
    found.update({word: vars(metrics)[name] for word, name in _ALSO.items() if name in vars(metrics)})
    return found


def loss_kinds(word: Any = None) -> dict[str, Any]:
    """Returns the losses by their words, at least the one that a word names."""
    word = word if isinstance(word, str) else None
    found = _kinds(losses, losses.Loss, "binary_crossentropy" if word in ("bce", "BCE") else word)
    found["bce"] = found["BCE"] = losses.binary_crossentropy
    return found


def _meant(kind: str, word: Any, known: dict[str, Any], more: Sequence[str]) -> ArgumentError:
    near = difflib.get_close_matches(str(word).lower(), [*sorted(known), *more], 3, 0.5)
    return ArgumentError(
        f"Could not interpret {kind} identifier: {word}",
        remedy=f"Similar words: {', '.join(map(repr, near))}." if near else
        f"Give a word, a function of targets and predictions, or an object of tf.keras."
        f"{'losses' if kind == 'loss' else 'metrics'}.",
        site=here(),
    )  # fmt: skip


def check_words(kind: str, structure: Any) -> None:
    """Raises an error for a word that names no loss, or no metric."""
    more = ["crossentropy", "ce"] if kind == "loss" else ["accuracy", "acc", "crossentropy", "ce"]
    for word in values_of(structure):
        if word is None or callable(word) or hasattr(word, "update_state"):
            continue
        if isinstance(word, str) and word.lower() in more:
            continue
        known = loss_kinds(word) if kind == "loss" else metric_kinds(word)
        if not isinstance(word, str) or word not in known:
            raise _meant(kind, word, known, more)


def _of_one_rank(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Returns targets and predictions, of one rank where an axis with length 1 is missing at the end."""
    if isinstance(y_true, Tensor) and isinstance(y_pred, Tensor):
        return losses._same_rank(y_true, y_pred)
    if isinstance(y_true, dict) and isinstance(y_pred, dict) and y_true.keys() == y_pred.keys():
        pairs = {key: _of_one_rank(one, y_pred[key]) for key, one in y_true.items()}
        return {key: one[0] for key, one in pairs.items()}, {key: one[1] for key, one in pairs.items()}
    several = isinstance(y_true, list | tuple) and isinstance(y_pred, list | tuple)
    if several and len(y_true) == len(y_pred):
        listed = [_of_one_rank(a, b) for a, b in zip(y_true, y_pred, strict=True)]
        return [a for a, _ in listed], [b for _, b in listed]
    return y_true, y_pred


class FunctionLoss(losses.Loss):
    """A function of targets and predictions as a loss."""

    def __init__(self, function: Any, name: str) -> None:
        super().__init__(name=name)
        self._function = function
        self._converts = not getattr(function, "__module__", "").startswith("penstock.")

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """Returns the function's result; targets and predictions get one rank where an axis is missing."""
        found = self._function(*_of_one_rank(y_true, y_pred))
        return found if isinstance(found, Tensor) else operand(found)


def _name_of(function: Any) -> str:
    return getattr(function, "name", None) or snake_case(
        getattr(function, "__name__", type(function).__name__)
    )


def loss_of(word: Any, y_true: Any, y_pred: Any) -> Any:
    """Returns the loss given as a word, a function or an object."""
    found = _chosen(word, y_true, y_pred)
    if found is None:
        found = loss_kinds(word).get(word) if isinstance(word, str) else word
    if found is None:
        raise _meant("loss", word, loss_kinds(), ["crossentropy", "ce"])
    if isinstance(found, type):
        found = found()
    if isinstance(found, losses.Loss):
        return found
    if not callable(found):
        raise _meant("loss", word, loss_kinds(), ["crossentropy", "ce"])
    return FunctionLoss(found, word if isinstance(word, str) else _name_of(found))


def metric_of(word: Any, y_true: Any, y_pred: Any) -> Any:
    """Returns the metric given as a word, a function or an object."""
    if word is None:
        raise ArgumentError("Expected metric, received `None`", site=here())
    found = _chosen(word, y_true, y_pred)
    if found is None:
        found = metric_kinds(word).get(word) if isinstance(word, str) else word
    if isinstance(found, type):
        found = found()
    if found is None or not (callable(found) or hasattr(found, "update_state")):
        raise _meant("metric", word, metric_kinds(), ["accuracy", "acc"])
    if not isinstance(found, metrics.Metric):
        found = metrics.MeanMetricWrapper(found, word if isinstance(word, str) else _name_of(found))
    if isinstance(word, str):
        found.name = word
    return found


# -- outputs -----------------------------------------------------------------------------------------------


def _shown(structure: Any) -> Any:
    if isinstance(structure, dict):
        return {key: _shown(one) for key, one in structure.items()}
    if isinstance(structure, list | tuple):
        return type(structure)([_shown(one) for one in structure])
    return "X"


def spread(word: str, given: Any, y_pred: Any, names: Words) -> list[Any]:
    """Returns the setting for each output of a model, given by name, by position, or once for all."""
    count = len(values_of(y_pred))
    if not is_nested(given):
        return [given] * count
    if isinstance(given, dict):
        return _by_key(word, given, y_pred, names, count)
    if not is_nested(y_pred):
        found = values_of(given)
        if len(found) == 1:
            return found
    elif isinstance(y_pred, list | tuple) and len(given) == len(y_pred):
        return [
            one for each, part in zip(given, y_pred, strict=True) for one in spread(word, each, part, None)
        ]
    elif len(given) == count and not any(map(is_nested, given)):
        return list(given)
    raise ArgumentError(
        f"`{word}` has {len(given)} entries, and the model gives {count} output{'s' * (count != 1)}: "
        f"{_shown(y_pred)}. Received: {word}={given}",
        why="A list has one entry for each output, in their order.",
        remedy=f"Give one entry for each, None for an output without: {word}=[...].",
        site=here(),
    )


def _by_key(word: str, given: dict[Any, Any], y_pred: Any, names: Words, count: int) -> list[Any]:
    if isinstance(y_pred, dict):
        unknown = [key for key in given if key not in y_pred]
        if unknown:
            raise KeyedError(
                f"The path: {(unknown[0],)} in the `{word}` argument, can't be found in either the model's "
                "output (`y_pred`) or in the labels (`y_true`).",
                remedy=f"The outputs are {', '.join(map(repr, y_pred))}.",
                site=here(),
            )
        return [
            one for key in sorted(y_pred, key=str) for one in spread(word, given.get(key), y_pred[key], None)
        ]
    is_named = names is not None and len(names) == count and set(given) <= set(names)
    if names is not None and is_named and (word != "loss" or set(given) == set(names)):
        return [given.get(name) for name in names]
    if names is None and count == 1 and len(given) == 1:
        return list(given.values())
    known = list(names) if names is not None else "no names"
    raise ArgumentError(
        f"Expected keys {known} in {word} dict, but found {word}.keys()={list(given)}",
        why="" if names is not None else "Only a model of inputs and outputs has names of outputs.",
        remedy="An output is called after the layer that gives it: Dense(1, name='price'). Give a list "
        "instead to name none.",
        site=here(),
    )


def aligned(given: Any, y_pred: Any, names: Words, wanted: Sequence[Any]) -> list[Any]:
    """Returns the targets, or weights, of each output; None for an output that `wanted` has nothing for."""
    places = [path for path, _ in leaves(y_pred)]
    if not is_nested(given):
        if len(places) == 1:
            return [given]
        found = [given]
    elif isinstance(given, dict) and names is not None and set(given) == set(names):
        return [given[name] for name in names]
    elif isinstance(given, dict) and isinstance(y_pred, dict):
        table = dict(leaves(given))
        if all(path in table for path, one in zip(places, wanted, strict=True) if one is not None):
            return [table.get(path) for path in places]
        found = list(table.values())
    else:
        found = values_of(given)
    if len(found) == len(places):
        return found
    asking = [place for place, one in enumerate(wanted) if one is not None]
    if len(found) == len(asking):
        numbered = dict(zip(asking, found, strict=True))
        return [numbered.get(place) for place in range(len(places))]
    raise ArgumentError(
        "y_true and y_pred have different structures.\n"
        f"y_true: {_starred(given)}\ny_pred: {_starred(y_pred)}",
        why=f"The model gives {len(places)} output{'s' * (len(places) != 1)}, and each has its targets.",
        remedy="Give the targets as a list in the order of the outputs, or a dictionary by their names.",
        site=here(),
    )


def _starred(structure: Any) -> Any:
    return str(_shown(structure)).replace("'X'", "*").replace("X", "*")


class Term(NamedTuple):
    """The loss of one output: its weight, its name, and the mean that is kept of it, if there are several."""

    loss: Any
    weight: Any
    name: str
    mean: Any


class CompileLoss:
    """The losses of a model's outputs, weighed and added up."""

    def __init__(self, loss: Any, weights: Any, names: Words) -> None:
        if weights is not None and not isinstance(weights, list | tuple | dict | float):
            raise ArgumentError(
                "Expected `loss_weights` argument to be a float (single output case) or a list, tuple, or "
                f"dict (multiple output case). Received instead: loss_weights={weights} of type "
                f"{type(weights)}",
                site=here(),
            )
        check_words("loss", loss)
        self._given, self._weights, self._names = loss, weights, names
        self._terms: list[Term | None] = []
        self._order: list[int] = []
        self.metrics: list[Any] = []

    def _build(self, y_true: Any, y_pred: Any) -> None:
        given = spread("loss", self._given, y_pred, self._names)
        weights = self._spread_weights(given, y_pred)
        outputs = list(leaves(y_pred))
        targets = aligned(y_true, y_pred, self._names, given)
        several = sum(one is not None for one in given) > 1
        for place, ((path, p), t, one, weight) in enumerate(
            zip(outputs, targets, given, weights, strict=True)
        ):
            if one is None:
                self._terms.append(None)
                continue
            if t is None:
                raise _no_targets()
            loss = loss_of(one, t, p)
            if path and not isinstance(path[-1], int):
                name = "/".join(map(str, path))
            elif self._names is not None and len(self._names) == len(outputs):
                name = self._names[place]
            else:
                name = loss.name
            mean = metrics.Mean(name=f"{name}_loss") if several else None
            self._terms.append(Term(loss, weight, name, mean))
        paths = [path for path, _ in outputs]
        self._order = [paths.index(path) for path in _in_order(self._given, y_pred, ()) if path in paths]
        terms = [self._terms[place] for place in self._order]
        self.metrics = [one.mean for one in terms if one is not None and one.mean is not None]
        for variable in (each for one in self.metrics for each in one.variables):
            variable.path = f"compile_loss/{variable.path}"

    def _spread_weights(self, given: list[Any], y_pred: Any) -> list[Any]:
        if self._weights is None:
            return [None] * len(given)
        found = values_of(self._weights)
        asking = [place for place, one in enumerate(given) if one is not None]
        if not isinstance(self._weights, dict) and len(found) == len(asking):
            table = dict(zip(asking, found, strict=True))
            return [table.get(place) for place in range(len(given))]
        if not isinstance(self._weights, dict):
            raise ArgumentError(
                f"`loss_weights` must match the number of losses, got {len(asking)} losses and {len(found)} "
                "weights.",
                site=here(),
            )
        return spread("loss_weights", self._weights, y_pred, self._names)

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Returns the sum of the losses, each times its weight."""
        if not self._terms:
            self._build(y_true, y_pred)
        outputs = values_of(y_pred) if is_nested(y_pred) else [y_pred]
        wanted = [None if one is None else one.loss for one in self._terms]
        targets = aligned(y_true, y_pred, self._names, wanted)
        weights = [sample_weight] * len(outputs)
        if is_nested(sample_weight):
            weights = aligned(sample_weight, y_pred, self._names, wanted)
        total: Any = None
        for place in self._order:
            term, t, p, weight = self._terms[place], targets[place], outputs[place], weights[place]
            if term is None:
                continue
            if t is None:
                raise _no_targets()
            value = term.loss(t, p, weight) if weight is not None else term.loss(t, p)
            if term.mean is not None:
                # All batches have the same weight: Keras does not know their sizes while it traces.
                term.mean._take_mean(value, 1)
            if term.weight is not None:
                value = value * float(term.weight)
            total = value if total is None else total + value
        return total


def _in_order(given: Any, y_pred: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yields the paths of outputs, in the order of a dictionary of losses where there is one."""
    if isinstance(y_pred, dict):
        for key in given if isinstance(given, dict) else y_pred:
            if key in y_pred:
                inside = given[key] if isinstance(given, dict) else given
                yield from _in_order(inside, y_pred[key], (*path, key))
    elif isinstance(y_pred, list | tuple):
        same = isinstance(given, list | tuple) and len(given) == len(y_pred)
        for place, one in enumerate(y_pred):
            yield from _in_order(given[place] if same else given, one, (*path, place))
    else:
        yield path


def _no_targets() -> ArgumentError:
    return ArgumentError(
        "None values not supported: the model was compiled with a loss, and there are no targets.",
        why="A loss compares predictions with targets, but a batch contained only the inputs.",
        remedy="Give the targets, y, beside x; or leave out the loss, and add one with model.add_loss(...).",
        site=here(),
    )


class Listed(NamedTuple):
    """The metrics of one output, and the prefix of their names."""

    metrics: list[Any]
    prefix: str | None


class CompileMetrics(metrics.Metric):
    """The metrics of a model's outputs, under the names that logs have for them."""

    def __init__(self, plain: Any, weighted: Any, names: Words) -> None:
        self.name, self.dtype = "compile_metrics", "float32"
        for word, given in (("metrics", plain), ("weighted_metrics", weighted)):
            if given and not is_nested(given):
                raise ArgumentError(
                    f"Expected `{word}` argument to be a list, tuple, or dict. Received instead: "
                    f"{word}={given} of type {type(given)}",
                    remedy=f"Write {word}=[{given!r}].",
                    site=here(),
                )
            check_words("metric", given)
        self._given = (plain, weighted)
        self._names = names
        self.built = False
        self._listed: tuple[list[Listed | None], list[Listed | None]] = ([], [])

    @property
    def metrics(self) -> list[Any]:
        """The metrics, in the order of the outputs."""
        return [one for part in self._listed for each in part if each is not None for one in each.metrics]

    @property
    def variables(self) -> list[Any]:  # type: ignore[override]
        """The variables of the metrics."""
        return [variable for one in self.metrics for variable in one.variables]

    @property
    def weights(self) -> list[Any]:
        """The variables of the metrics."""
        return self.variables

    def _build(self, y_true: Any, y_pred: Any) -> None:
        self._listed = tuple(  # type: ignore[assignment]
            self._list(word, given, y_true, y_pred)
            for word, given in zip(("metrics", "weighted_metrics"), self._given, strict=True)
        )
        self.built = True

    def _list(self, word: str, given: Any, y_true: Any, y_pred: Any) -> list[Listed | None]:
        outputs = list(leaves(y_pred))
        if not given:
            return [None] * len(outputs)
        if len(outputs) == 1:
            t, p = values_of(y_true)[0], outputs[0][1]
            return [Listed([metric_of(one, t, p) for one in values_of(given)], None)]
        if isinstance(given, list | tuple) and len(given) == len(outputs):
            parts: list[Any] = list(given)
        elif isinstance(given, dict):
            parts = self._parts_by_key(word, given, y_pred, outputs)
        else:
            raise ArgumentError(
                f"Invalid `{word}`. `{word}` should contain metrics objects and either be a dict or a list "
                f"matching the output names of the functional model {list(self._names or ())} or match the "
                f"output structure of the model: {_shown(y_pred)}.\nReceived: {word}={given}",
                remedy=f"Give a list of metrics for each output: {word}=[['mae'], ['accuracy']].",
                site=here(),
            )
        targets = aligned(y_true, y_pred, self._names, parts)
        found: list[Listed | None] = []
        for place, ((path, p), t, part) in enumerate(zip(outputs, targets, parts, strict=True)):
            if part is None:
                found.append(None)
                continue
            prefix = None if self._names is None else self._names[place]
            if path and not isinstance(path[-1], int):
                prefix = str(path[-1])
            each = values_of(part) if is_nested(part) else [part]
            found.append(Listed([metric_of(one, t, p) for one in each], prefix))
        return found

    def _parts_by_key(self, word: str, given: Any, y_pred: Any, outputs: list[Any]) -> list[Any]:
        names = self._names
        if isinstance(y_pred, dict):
            names = [str(path[-1]) for path, _ in outputs]
        if names is not None and set(given) <= set(names):
            return [given.get(name) for name in names]
        raise ArgumentError(
            f"Invalid `{word}`: the outputs are called {list(names or ())}. Received: {word}={given}",
            remedy="Name an output by its layer: Dense(1, name='price').",
            site=here(),
        )

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes a batch in."""
        if y_true is None and any(self._given):
            raise _no_targets()
        if not self.built:
            self._build(y_true, y_pred)
        outputs = values_of(y_pred) if is_nested(y_pred) else [y_pred]
        wanted = [a or b for a, b in zip(*self._listed, strict=True)]
        targets = aligned(y_true, y_pred, self._names, wanted)
        weights = [sample_weight] * len(outputs)
        if is_nested(sample_weight):
            weights = aligned(sample_weight, y_pred, self._names, wanted)
        for part, t, p in zip(self._listed[0], targets, outputs, strict=True):
            for one in part.metrics if part is not None else ():
                one.update_state(t, p)
        for part, t, p, weight in zip(self._listed[1], targets, outputs, weights, strict=True):
            for one in part.metrics if part is not None else ():
                one.update_state(t, p, sample_weight=weight)

    def reset_state(self) -> None:
        """Sets all of them back."""
        for one in self.metrics:
            one.reset_state()

    def result(self) -> dict[str, Any]:
        """Returns the result of each metric; a name that occurs twice gets a number."""
        if not self.built:
            raise ArgumentError(
                "Cannot get result() since the metric has not yet been built.",
                remedy="The first batch builds it.",
                site=here(),
            )
        found: dict[str, Any] = {}
        times: dict[str, int] = {}
        for weighted, part in enumerate(self._listed):
            for each in part:
                for one in each.metrics if each is not None else ():
                    name = one.name if each.prefix is None else f"{each.prefix}_{one.name}"  # type: ignore[union-attr]
                    if weighted and name in times:
                        name = f"weighted_{one.name}"
                        name = name if each.prefix is None else f"{each.prefix}_{name}"  # type: ignore[union-attr]
                    count = times.get(name, 0)
                    times[name] = count + 1
                    found[f"{name}_{count}" if count else name] = one.result()
        return found
