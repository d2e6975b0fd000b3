"""Arguments and results of a captured step: structures of every kind, values that select one; errors."""

import collections
import copy
import dataclasses
import enum
import functools
import gc
import pickle
import random
import re
import types
import weakref
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

import penstock as ps
import penstock.tensorflow as tf
from penstock.errors import CaptureError
from test_structure import Pair, besides, every_kind, parts_of

# -- structures -------------------------------------------------------------------------------------------


@every_kind
def test_each_call_computes_with_its_own_arguments(make, tier):
    @ps.step
    def scaled(given):
        a, b = parts_of(given)
        return make(a * b, given)

    for number in range(1, 4):
        given = make(np.full(2, number, np.float32), 10.0)
        product, same = parts_of(scaled(given))
        assert product.numpy().tolist() == [10.0 * number] * 2
        assert type(same) is type(given) and besides(same) == besides(given)
        assert [np.asarray(one).tolist() for one in parts_of(same)] == [[number, number], 10.0]
    assert len(scaled.recordings) == 1


@every_kind
def test_other_shapes_and_other_structures_are_recorded_again(make):
    @ps.step
    def total(given):
        return sum(ps.sum(one) for one in parts_of(given) if one is not None)

    given = [make(1.0, 2.0), make(np.ones(3, np.float32), 2.0), make(None, 2.0), make(make(1.0, 1.0), 2.0)]
    wanted = [3.0, 5.0, 2.0]
    for _ in range(2):
        assert [float(total(one)) for one in given[:3]] == wanted
    assert len(total.recordings) == 3


def test_a_class_of_the_same_name_is_another_class():
    def made(times):
        class Point(NamedTuple):
            x: Any

            def size(self):
                return self.x * times

        return Point

    @ps.step
    def size(point):
        return point.size()

    assert [float(size(made(times)(1.0))) for times in (2.0, 3.0)] == [2.0, 3.0]


def test_a_word_is_not_taken_for_a_number():
    """Once the key of ("*", x) was that of (x, "*")."""

    @ps.step
    def second(*given):
        return next(one for one in given if not isinstance(one, str)) * (1.0 if given[0] == "*" else 2.0)

    assert [float(second(*given)) for given in (("*", 3.0), (3.0, "*"))] == [3.0, 6.0]


def test_a_dict_in_another_order_is_recorded_again():
    """What a function does with the items may depend on their order."""

    @ps.step
    def first(batch):
        return next(iter(batch.values())) * 1.0

    assert [float(first(one)) for one in ({"a": 1.0, "b": 2.0}, {"b": 2.0, "a": 1.0})] == [1.0, 2.0]


def test_a_mapping_keeps_its_class_inside():
    seen = []

    @ps.step
    def look(given):
        seen.append(given)
        return given["missing"] if isinstance(given, collections.defaultdict) else given["x"]

    look(collections.OrderedDict(x=1.0))
    assert float(look(collections.defaultdict(lambda: ps.asarray(7.0), x=1.0))) == 7.0
    assert [type(one) for one in seen] == [collections.OrderedDict, collections.defaultdict]


def test_row_gradients_are_results_and_arguments():
    table = ps.Variable(np.ones((5, 2), np.float32))
    optimizer = ps.optimizers.SGD(1.0)

    @ps.step
    def slopes(ids):
        with ps.GradientTape() as tape:
            loss = ps.sum(ps.take(table, ids, axis=0))
        return {"rows": tape.gradient(loss, table)}

    @ps.step
    def apply(rows):
        optimizer.apply_gradients([(rows, table)])

    for ids in ([1, 1, 2], [0, 3, 4]):
        found = slopes(np.array(ids))["rows"]
        assert isinstance(found, ps.Rows)
        wanted = np.zeros((5, 2), np.float32)
        np.add.at(wanted, ids, 1.0)
        assert np.array_equal(found.numpy(), wanted)
        before = table.numpy()
        apply(found)
        assert np.array_equal(table.numpy(), before - wanted)
    assert len(slopes.recordings) == len(apply.recordings) == 1


def test_indexed_slices_are_results():
    table = tf.Variable(np.ones((3, 2), np.float32))

    @ps.step
    def slopes(ids):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, ids))
        return tape.gradient(loss, table)

    for ids in ([0, 2], [1, 1]):
        found = slopes(np.array(ids))
        assert isinstance(found, tf.IndexedSlices) and found.indices.numpy().tolist() == ids


# -- values -----------------------------------------------------------------------------------------------


class Mode(enum.Enum):
    FAST = 1
    EXACT = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(enum.StrEnum):
    RED = "red"


@dataclasses.dataclass(frozen=True)
class Config:
    layers: int
    scale: float = 1.0
    note: Any = dataclasses.field(default=None, compare=False)


class Numbers:
    def __init__(self, number):
        self.number = number


class ByValue:
    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return self.number == other.number

    def __hash__(self):
        return hash(self.number)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a", "b"), (None, True), (True, False), (b"a", b"b"), (Mode.FAST, Mode.EXACT),
        (Level.LOW, Level.HIGH), (Word.RED, "red"), (int, float), (abs, max), (Config, Pair),
        (Fraction(1, 2), Fraction(1)),
        (frozenset({1}), frozenset({2})), (frozenset({1}), frozenset({1.0})), (slice(1), slice(2)),
        (range(2), range(3)), (Config(1), Config(2)), (Config(1), Config(1.0)), (Config(1), Config(True)),
        (Config(1, 0.0), Config(1, -0.0)), (Config(1, note="a"), Config(1, note="b")),
        (ByValue(1), ByValue(2)), (lambda x: x, lambda x: -x),
        (functools.partial(max, 1), functools.partial(max, 2)), (..., None),
    ],
)  # fmt: skip
def test_another_value_is_recorded_again_and_an_equal_one_is_not(one, other):
    seen = []

    @ps.step
    def look(x, *, value):
        seen.append(value)
        return x * 1.0

    for _ in range(2):
        look(1.0, value=one)
        look(1.0, value=other)
    assert len(seen) == 2 and seen[0] is one and seen[1] is other


def test_a_key_that_equals_another_is_another_key():
    @ps.step
    def weighted(parts):
        return sum(one * weight for weight, one in parts.items())

    assert weighted({1: np.int32(2)}).dtype == np.int32
    assert weighted({1.0: np.int32(2)}).dtype != np.int32


def test_a_number_of_numpy_is_an_attribute_like_any_other():
    @ps.step
    def scaled(x, numbers):
        return x * numbers.number

    found = [float(scaled(3.0, Numbers(number))) for number in (np.float32(2.0), np.float32(4.0))]
    assert found == [6.0, 12.0]


def test_a_layer_without_a_hash_is_itself():
    class Equal(ps.layers.Dense):
        def __eq__(self, other):
            return True

    @ps.step
    def use(layer, x):
        return layer(x)

    given = np.ones((1, 1), np.float32)
    layers = [Equal(1, kernel_initializer=ps.layers.initializers.Constant(n)) for n in (2.0, 3.0)]
    assert [one(given).numpy().item() for one in layers] == [2.0, 3.0]
    assert [use(one, given).numpy().item() for one in (*layers, *layers)] == [2.0, 3.0, 2.0, 3.0]
    assert len(use.recordings) == 2


def test_a_frozen_dataclass_without_data_is_a_value():
    @ps.step
    def power(x, config):
        for _ in range(config.layers):
            x = x * config.scale
        return x

    found = [float(power(1.0, Config(layers, scale))) for layers in (1, 2) for scale in (2.0, 3.0)]
    assert found == [2.0, 3.0, 4.0, 9.0]
    power(1.0, Config(1, 2.0))
    assert len(power.recordings) == 4
    assert "layers=2" in power.recordings[2]


def test_a_number_that_is_a_member_of_an_enum_stays_one():
    @ps.step
    def choose(x, level):
        return x * 2.0 if level is Level.HIGH else x

    assert [float(choose(3.0, level)) for level in Level] == [3.0, 6.0]


# -- objects ----------------------------------------------------------------------------------------------


class Settings:
    def __init__(self, scale, words=("a",)):
        self.scale, self.words = scale, list(words)


def test_attributes_of_an_object_are_those_of_the_call():
    settings = Settings(2.0)

    @ps.step
    def scaled(x, settings):
        return x * settings.scale + len(settings.words)

    assert float(scaled(1.0, settings)) == 3.0
    settings.scale = 5.0
    assert float(scaled(1.0, settings)) == 6.0
    settings.words.append("b")
    assert float(scaled(1.0, settings)) == 7.0
    settings.scale, settings.words = 2.0, ["a"]
    assert float(scaled(1.0, settings)) == 3.0
    assert len(scaled.recordings) == 3
    assert "'settings.scale' went from 2.0 to 5.0" in scaled.recordings[1]
    assert float(scaled(1.0, Settings(4.0))) == 5.0


def test_an_attribute_is_not_taken_for_an_option():
    settings = Settings(1.0)

    @ps.step
    def look(x, settings, extra=False):
        return x * (10.0 if extra else 1.0) * (100.0 if getattr(settings, "extra", False) else 1.0)

    del settings.words
    assert float(look(1.0, settings, extra=True)) == 10.0
    settings.extra = True
    assert float(look(1.0, settings)) == 100.0


def test_an_argument_that_holds_itself_is_refused():
    endless = [1.0]
    endless.append(endless)

    @ps.step
    def look(given):
        return given[0] * 2.0

    with pytest.raises(CaptureError, match="look: an argument contains itself"):
        look(endless)


def test_objects_that_hold_each_other():
    one, other = Settings(2.0), Settings(3.0)
    one.other, other.other = other, one

    @ps.step
    def product(one):
        return ps.asarray(one.scale * one.other.scale)

    assert float(product(one)) == 6.0
    other.scale = 5.0
    assert float(product(one)) == 10.0


def test_models_are_read_live():
    class Model:
        def __init__(self):
            self.weight = ps.Variable(2.0)
            self.dense = ps.layers.Dense(1)
            self.heads = {"a": ps.Variable(3.0)}

    model = Model()
    optimizer = ps.optimizers.SGD(0.5)

    @ps.step
    def train(model, optimizer, x):
        with ps.GradientTape() as tape:
            loss = model.weight * model.heads["a"] * x
        optimizer.apply_gradients([(tape.gradient(loss, model.weight), model.weight)])
        return loss

    assert [float(train(model, optimizer, 1.0)) for _ in range(3)] == [6.0, 1.5, -3.0]
    model.weight.assign(1.0)
    assert [float(train(model, optimizer, 1.0)) for _ in range(2)] == [3.0, -1.5]
    assert len(train.recordings) == 1


def test_an_identity_is_not_used_again():
    """Objects that identify a recording live as long as it does: no other object ever has their ids."""

    @ps.step
    def scale(x, settings):
        return x * settings.scale

    assert [float(scale(1.0, Settings(float(n)))) for n in range(50)] == [float(n) for n in range(50)]


# -- errors -----------------------------------------------------------------------------------------------


class Holder:
    def __init__(self, x):
        self.parts = {"x": x}


class Unhashable:
    def __eq__(self, other):
        return True


@pytest.mark.parametrize(
    ("value", "fact", "remedy"),
    [
        ({1, 2}, r"argument 'value' is a set, \{1, 2\}", "frozenset"),
        (["a", {"b": {1}}], r"argument \"value\[1\]\['b'\]\" is a set", "frozenset"),
        (Pair(1.0, iter([1])), r"argument 'value.b' is a list_iterator", r"next\(iterator\)"),
        ((n for n in "ab"), r"argument 'value' is a generator", "list"),
        (Unhashable(), r"argument 'value' is an Unhashable", r"ps.register_structure\(Unhashable\)"),
        (bytearray(b"a"), r"argument 'value' is a bytearray", "register_structure"),
        (np.random.default_rng(0), r"argument 'value' is a Generator", "ps.random"),
        (random.Random(0), r"argument 'value' is a Random", "ps.random"),
        (Holder(np.ones(2)), r"argument \"value.parts\['x'\]\" is a Holder that holds data", r"\(Holder\)"),
        (Holder(ps.ones(2)), r"holds data, float32\[2\]", "Variable"),
        (Holder({1}), r"argument \"value.parts\['x'\]\" is a set", "frozenset"),
        (functools.partial(max, np.ones(1)), r"value.args\[0\].* is a partial that holds data", "partial"),
    ],
)  # fmt: skip
def test_mutable_arguments_are_refused(value, fact, remedy):
    calls = []

    @ps.step
    def look(x, *, value):
        calls.append(value)
        return x

    with pytest.raises(CaptureError, match=fact) as caught:
        look(1.0, value=value)
    assert caught.value.fact.startswith("look: ")
    assert caught.value.site.file.endswith("test_step_arguments.py")
    assert re.search(remedy, caught.value.remedy)
    assert calls == [] and look.recordings == []


def test_an_argument_is_called_by_the_name_it_was_passed_under():
    @ps.step
    def free(*given, **options):
        return 1.0

    with pytest.raises(CaptureError, match=r"free: argument 'words' is a set"):
        free(words={"a"})
    with pytest.raises(CaptureError, match=r"free: argument 'given\[1\]' is a set"):
        free(1.0, {"a"})


def test_a_function_around_a_generator_is_a_function():
    def listed(generator):
        @functools.wraps(generator)
        def collect(x):
            return list(generator(x))

        return collect

    @ps.step
    @listed
    def twice(x):
        yield x
        yield x * 2.0

    assert [[float(one) for one in twice(x)] for x in (1.0, 3.0)] == [[1.0, 2.0], [3.0, 6.0]]


def test_the_way_out_that_is_named_works():
    class Data:
        def __init__(self, x):
            self.x = x

    @ps.step
    def double(data):
        return data.x * 2.0

    with pytest.raises(CaptureError, match="is a Data that holds data"):
        double(Data(np.ones(2, np.float32)))
    ps.register_structure(Data)
    for number in range(3):
        assert double(Data(np.full(2, number, np.float32))).numpy().tolist() == [2.0 * number] * 2
    assert len(double.recordings) == 1


def test_results_that_hide_computed_values_are_refused():
    class Result:
        def __init__(self, loss):
            self.loss = loss

    @ps.step
    def hidden(x):
        return {"result": Result(x * 2.0)}

    @ps.step
    def unordered(x):
        return {x * 2.0}

    @ps.step
    def lazy(x):
        return (one for one in [x])

    with pytest.raises(CaptureError, match=r"hidden: its result\['result'\] is a Result") as caught:
        hidden(1.0)
    assert "ps.register_structure(Result)" in caught.value.remedy
    with pytest.raises(CaptureError, match="unordered: its result is a set"):
        unordered(1.0)
    with pytest.raises(CaptureError, match="lazy: its result is a generator"):
        lazy(1.0)
    ps.register_structure(Result)
    assert [float(hidden(x)["result"].loss) for x in (1.0, 2.0)] == [2.0, 4.0]


def test_functions_of_which_a_call_runs_nothing_are_refused():
    def generator(x):
        yield x

    async def coroutine(x):
        return x

    async def stream(x):
        yield x

    for function, what in (
        (generator, "a generator function"),
        (coroutine, "a coroutine function"),
        (stream, "an asynchronous generator function"),
    ):
        with pytest.raises(CaptureError, match=f"{function.__name__!r}, which is {what}"):
            ps.step(function)


# -- methods ----------------------------------------------------------------------------------------------


class Trainer:
    def __init__(self, scale=1.0):
        self.weight = ps.Variable(1.0)
        self.scale = scale
        self.steps = 0
        self.losses = []

    @ps.step
    def train(self, x):
        """Trains."""
        self.weight.assign_add(x * self.factor())
        return self.weight * 1.0

    @ps.step
    def value(self):
        return self.weight * self.scale

    def factor(self):
        return self.scale


def test_a_step_may_be_a_method(tier):
    one, other = Trainer(), Trainer(10.0)
    for number in range(1, 4):
        one.losses.append(float(one.train(2.0)))
        one.steps += 1
        assert float(other.train(2.0)) == 1.0 + 20.0 * number
    assert one.losses == [3.0, 5.0, 7.0]
    assert float(one.weight) == 7.0 and float(other.weight) == 61.0
    assert len(one.train.recordings) == len(other.train.recordings) == 1
    assert Trainer.train.recordings == [] and Trainer.train.__doc__ == "Trains."
    assert one.train is one.train and one.train is not other.train
    assert float(one.value()) == 7.0


def test_attributes_that_a_method_reads_are_those_of_the_call():
    one = Trainer(2.0)
    assert float(one.train(1.0)) == 3.0
    one.scale = 10.0
    assert float(one.train(1.0)) == 13.0
    assert float(one.value()) == 130.0
    one.scale = 0.0
    assert float(one.value()) == 0.0
    assert len(one.train.recordings) == 2
    assert "'self.scale' went from 2.0 to 10.0" in one.train.recordings[1]


def test_many_calls_of_a_method_in_one(tier):
    one, other = Trainer(), Trainer(2.0)
    assert float(ps.repeat(one.train, 20)(1.0)) == 21.0
    assert float(ps.repeat(other.train, 20)(1.0)) == 41.0


def test_an_array_that_a_method_reads_may_be_replaced():
    class Scaled:
        def __init__(self, by):
            self.by = by

        @ps.step
        def of(self, x):
            return x * self.by

    one = Scaled(np.float32([1.0, 2.0]))
    assert one.of(1.0).numpy().tolist() == [1.0, 2.0]
    one.by = np.float32([3.0, 4.0])
    assert one.of(1.0).numpy().tolist() == [3.0, 4.0]


def test_an_object_goes_with_its_recordings():
    one = Trainer()
    one.me = one
    one.train(1.0)
    gone = weakref.ref(one)
    del one
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_of_an_object_has_its_own_recordings(copied):
    one = Simple(2.0)
    assert float(one.times(3.0)) == 6.0
    other = copied(one)
    other.scale = 5.0
    assert float(other.times(3.0)) == 15.0 and float(one.times(3.0)) == 6.0
    assert other.times is not one.times and len(one.times.recordings) == 1


class Simple:
    def __init__(self, scale):
        self.scale = scale

    @ps.step
    def times(self, x):
        return x * self.scale


class Derived(Simple):
    @ps.step
    def times(self, x):
        return super().times(x) + 1.0


def test_methods_are_inherited_and_overridden():
    class Inherited(Simple):
        pass

    assert float(Inherited(2.0).times(3.0)) == 6.0
    assert [float(Derived(2.0).times(x)) for x in (3.0, 4.0)] == [7.0, 9.0]


def test_methods_of_dataclasses_and_layers(tier):
    @dataclasses.dataclass
    class Model:
        weight: Any

        @ps.step
        def times(self, x):
            return self.weight * x

    model = Model(ps.Variable(2.0))
    assert [float(model.times(x)) for x in (1.0, 2.0)] == [2.0, 4.0]
    assert dataclasses.asdict(Model(3.0)) == {"weight": 3.0}

    class Net(ps.layers.Layer):
        def __init__(self):
            super().__init__()
            self.dense = ps.layers.Dense(1, use_bias=False, kernel_initializer="ones")

        @ps.step
        def total(self, x):
            return ps.sum(self.dense(x))

    net = Net()
    assert [float(net.total(np.full((2, 3), n, np.float32))) for n in (1, 2)] == [6.0, 12.0]
    assert len(net.variables) == 1

    @ps.step
    def used(model, x):
        return model.weight * x

    assert float(used(model, 3.0)) == 6.0


def test_class_methods_and_static_methods():
    class Tools:
        factor = 3.0

        @staticmethod
        @ps.step
        def double(x):
            return x * 2.0

    assert [float(Tools.double(x)) for x in (1.0, 2.0)] == [2.0, 4.0]
    assert float(Tools().double(5.0)) == 10.0


def test_an_object_that_keeps_nothing_is_refused():
    class Small:
        __slots__ = ("scale",)

        @ps.step
        def times(self, x):
            return x * self.scale

    small = Small()
    small.scale = 2.0
    with pytest.raises(CaptureError, match="A step of Small was requested") as caught:
        small.times(1.0)
    assert "'__dict__'" in caught.value.remedy


def test_a_bound_method_may_be_made_a_step():
    one = Trainer(2.0)

    def plain(self, x):
        return x * self.scale

    times = ps.step(types.MethodType(plain, one))
    assert float(times(3.0)) == 6.0
    one.scale = 5.0
    assert float(times(3.0)) == 15.0


def test_contracts_hold_for_methods():
    class Guarded:
        def __init__(self):
            self.weight = ps.Variable(1.0, name="weight")
            self.other = ps.Variable(1.0, name="other")

        @ps.step(updates="weight")
        def train(self, x):
            self.other.assign(x)

    with pytest.raises(ps.errors.ContractBroken):
        Guarded().train(1.0)
