"""Nested structures: flattened, rebuilt, compared, and used wherever tensors may be nested."""

import collections
import dataclasses
import types
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as ps
import penstock.tensorflow as tf
from penstock.errors import ArgumentError, PenstockError
from penstock.trace.structure import flat, flatten, mapped, named, outline, packed


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclasses.dataclass
class Plain:
    a: Any
    b: Any = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    a: Any
    b: Any


@dataclasses.dataclass
class Computed:
    """Has a field that __init__ does not take, and one more attribute."""

    a: Any
    b: Any = dataclasses.field(init=False, default=None)

    def __post_init__(self):
        self.made = "by __post_init__"


class Attributes:
    def __init__(self, *, a, b):
        self.a, self.b = a, b


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, both):
        self.a, self.b = both


class ByFunctions:
    def __init__(self, values, unit):
        self.values, self.unit = values, unit


class Lookup(Mapping):
    """A mapping of an unknown type."""

    def __init__(self, items):
        self._items = dict(items)

    def __getitem__(self, key):
        return self._items[key]

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)


class Batch(collections.UserDict):
    source = None


ps.register_structure(Attributes)
ps.register_structure(Slotted)
ps.register_structure(
    ByFunctions, lambda one: (one.values, one.unit), lambda unit, parts: ByFunctions(list(parts), unit)
)


def computed(a, b):
    made = Computed(a)
    made.b = b
    return made


def batch(a, b):
    made = Batch(b=b, a=a)
    made.source = "file"
    return made


KINDS = {
    "list": lambda a, b: [a, b],
    "tuple": lambda a, b: (a, b),
    "named tuple": Pair,
    "dict": lambda a, b: {"b": b, "a": a},
    "ordered dict": lambda a, b: collections.OrderedDict(b=b, a=a),
    "default dict": lambda a, b: collections.defaultdict(list, {"b": b, "a": a}),
    "user dict": lambda a, b: collections.UserDict(b=b, a=a),
    "class of user dict": batch,
    "mapping proxy": lambda a, b: types.MappingProxyType({"b": b, "a": a}),
    "unknown mapping": lambda a, b: Lookup({"b": b, "a": a}),
    "deque": lambda a, b: collections.deque([a, b], maxlen=3),
    "dataclass": Plain,
    "frozen dataclass": Frozen,
    "computed dataclass": computed,
    "namespace": lambda a, b: types.SimpleNamespace(a=a, b=b),
    "registered": lambda a, b: Attributes(a=a, b=b),
    "registered, with slots": lambda a, b: Slotted([a, b]),
    "registered with functions": lambda a, b: ByFunctions([a, b], "kg"),
}
every_kind = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)


def parts_of(thing):
    """What the test knows of a structure: a and b."""
    if isinstance(thing, Mapping):
        return thing["a"], thing["b"]
    if isinstance(thing, ByFunctions):
        return tuple(thing.values)
    if isinstance(thing, list | tuple | collections.deque):
        return tuple(thing)
    return thing.a, thing.b


def besides(thing):
    """The other attributes of a structure, which must not change."""
    if isinstance(thing, Mapping):
        return list(thing), getattr(thing, "default_factory", None), getattr(thing, "source", None)
    return getattr(thing, "unit", None), getattr(thing, "made", None), getattr(thing, "maxlen", None)


def alike(one, other, leaf=lambda a, b: a == b):
    """Whether two structures are the same, down to the classes and the order of their items."""
    if type(one) is not type(other):
        return False
    if not any(type(one) is type(make(0, 0)) for make in KINDS.values()):
        return leaf(one, other)
    if besides(one) != besides(other):
        return False
    return all(alike(*both, leaf) for both in zip(parts_of(one), parts_of(other), strict=True))


structures = st.recursive(
    st.floats(allow_nan=False) | st.none(),
    lambda inner: st.builds(
        lambda make, a, b: make(a, b), st.sampled_from(list(KINDS.values())), inner, inner
    ),
    max_leaves=12,
)


# -- flattened and rebuilt ------------------------------------------------------------------------------


@given(structures)
def test_leaves_go_back_where_they_were(structure):
    leaves, form = flatten(structure)
    assert leaves == flat(structure) and form.count == len(leaves) and form == outline(structure)
    assert alike(form.packed(iter(leaves)), structure)
    assert alike(packed(structure, iter(leaves)), structure)
    assert alike(mapped(structure, lambda one: one), structure)
    doubled = mapped(structure, lambda one: [one * 2.0])
    assert flat(doubled) == [one * 2.0 for one in leaves]


@given(structures, structures)
def test_outlines_are_equal_if_structures_are(one, other):
    """If every leaf is 0, that means equality, except for the class and order of mappings."""
    one, other = (mapped(structure, lambda _: 0.0) for structure in (one, other))

    def as_known(thing):
        """The same, with every mapping as a sorted dict."""
        if isinstance(thing, float) or thing is None:
            return thing
        if isinstance(thing, Mapping):
            extra = (thing.source,) if isinstance(thing, Batch) else ()
            return ("mapping", *extra, *map(as_known, parts_of(thing)))
        return (type(thing), besides(thing), *map(as_known, parts_of(thing)))

    assert (outline(one) == outline(other)) == (as_known(one) == as_known(other))
    if outline(one) == outline(other):
        assert hash(outline(one)) == hash(outline(other))


@given(structures)
def test_paths_are_what_a_user_would_write(structure):
    found = list(named(structure, "given"))
    assert [one for _, one in found] == flat(structure)
    for path, one in found:
        # What was registered with functions has names for its parts that only it knows.
        if not any(isinstance(part, ByFunctions) for part in every_part(structure)):
            assert eval(path, {"given": structure}) is one


def every_part(structure):
    yield structure
    if not isinstance(structure, float) and structure is not None:
        for one in parts_of(structure):
            yield from every_part(one)


def test_an_outline_reads_like_its_structure():
    given = {"x": [1.0, (2.0,)], "y": Pair(None, Plain(3.0, 4.0))}
    assert repr(outline(given)) == "{'x': [*, (*,)], 'y': Pair(a=None, b=Plain(a=*, b=*))}"


@pytest.mark.parametrize("keys", [(1, "a"), (None, 2), ((1,), "b"), (2.5, False)])
def test_keys_that_cannot_be_compared_have_a_fixed_order(keys):
    one, other = dict.fromkeys(keys, 0.0), dict.fromkeys(reversed(keys), 0.0)
    one[keys[0]] = other[keys[0]] = 1.0
    assert flat(one) == flat(other) and outline(one) == outline(other)
    assert list(packed(other, iter(flat(one)))) == list(reversed(keys))


def test_init_is_not_called_again():
    calls = []

    @dataclasses.dataclass
    class Counting:
        x: Any

        def __post_init__(self):
            calls.append(self)

    given = Counting(1.0)
    assert mapped(given, lambda one: one + 1.0).x == 2.0 and calls == [given]


def test_attributes_of_a_mapping_stay_with_it():
    class Table(dict):
        pass

    given = Table(x=1.0)
    given.data, given.label = 2.0, "a"
    made = mapped(given, lambda one: one * 10.0)
    assert type(made) is Table and made == {"x": 10.0} and (made.data, made.label) == (20.0, "a")


def test_classes_written_in_c():
    import time

    now = time.gmtime(0)
    assert mapped(now, lambda one: one) == now and type(mapped(now, lambda one: one)) is time.struct_time


# -- registration -----------------------------------------------------------------------------------------


def test_registration_holds_for_subclasses_by_attributes_alone():
    class Derived(Attributes):
        pass

    class FromFunctions(ByFunctions):
        pass

    assert flat(Derived(a=1.0, b=2.0)) == [1.0, 2.0]
    thing = FromFunctions([1.0, 2.0], "kg")
    assert flat(thing) == [thing]


def test_a_class_is_a_leaf_until_it_is_registered():
    class Later:
        def __init__(self, x):
            self.x = x

    thing = Later(1.0)
    assert flat([thing]) == [thing]
    assert ps.register_structure(Later) is Later
    assert flat([thing]) == [1.0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((3,), "3, which is no class"),
        ((dict,), "a structure already"),
        ((ByFunctions, tuple), "only one function"),
    ],
)
def test_registrations_that_are_refused(arguments, words):
    with pytest.raises(ArgumentError, match=words):
        ps.register_structure(*arguments)


def test_a_function_that_takes_apart_wrongly_is_named():
    class Wrong:
        pass

    ps.register_structure(Wrong, lambda one: [1.0], lambda rest, parts: Wrong())
    with pytest.raises(ArgumentError, match=r"takes Wrong apart returned \[1.0\]"):
        flat(Wrong())


def test_a_mapping_that_cannot_be_made_again_is_named():
    class Stubborn(Lookup):
        def __init__(self, items, more):
            super().__init__(items)

    with pytest.raises(PenstockError, match="No Stubborn could be made") as caught:
        mapped(Stubborn({"a": 1.0}, 2), lambda one: one)
    assert "ps.register_structure(Stubborn)" in caught.value.remedy


# -- everywhere -------------------------------------------------------------------------------------------


def scalar(point):
    a, b = parts_of(point)
    return ps.sum(a * a) * b + b * b


def numbers(structure):
    return [float(one) for one in parts_of(structure)]


@every_kind
def test_gradients_have_the_structure_of_arguments(make, tier):
    point = make(3.0, 2.0)
    value, slopes = ps.value_and_grad(scalar)(point)
    assert float(value) == 22.0 and type(slopes) is type(point)
    assert numbers(slopes) == [12.0, 13.0] and besides(slopes) == besides(point)
    assert numbers(ps.grad(scalar)(point)) == [12.0, 13.0]


@every_kind
def test_derivatives_have_the_structure_of_arguments(make):
    point = make(3.0, 2.0)
    _, pullback = ps.vjp(scalar, point)
    assert numbers(pullback(1.0)[0]) == [12.0, 13.0]
    assert float(ps.jvp(scalar, (point,), (make(1.0, 10.0),))[1]) == 142.0
    assert numbers(ps.jacobian(scalar)(point)) == [12.0, 13.0]
    rows = ps.hessian(scalar)(point)
    assert [numbers(row) for row in parts_of(rows)] == [[4.0, 6.0], [6.0, 2.0]]
    assert numbers(ps.hvp(scalar, (point,), (make(1.0, 0.0),))[0]) == [4.0, 6.0]


@every_kind
def test_sources_of_a_tape(make):
    a, b = ps.Variable(3.0), ps.Variable(2.0)
    sources = make(a, b)
    with ps.GradientTape(persistent=True) as tape:
        loss = a * a * b
    found = tape.gradient(loss, sources)
    assert type(found) is type(sources) and numbers(found) == [12.0, 9.0]
    assert numbers(tape.jacobian(loss, sources)) == [12.0, 9.0]


def test_views_of_mappings_are_sources():
    weights = {"b": ps.Variable(2.0), "a": ps.Variable(3.0)}
    with ps.GradientTape(persistent=True) as tape:
        loss = weights["a"] ** 2 * weights["b"]
    assert [float(one) for one in tape.gradient(loss, weights.values())] == [9.0, 12.0]
    user = collections.UserDict(weights)
    assert [float(one) for one in tape.gradient(loss, user.values())] == [9.0, 12.0]


@every_kind
def test_programs_inside_carry_structures(make, tier):
    start = make(ps.asarray(1.0), ps.asarray(2.0))

    def turn(carry, x):
        a, b = parts_of(carry)
        return make(a + x, b * 2.0), make(a, b)

    last, every = ps.scan(turn, start, ps.asarray([1.0, 2.0]))
    assert type(last) is type(start) and numbers(last) == [4.0, 8.0]
    assert [one.numpy().tolist() for one in parts_of(every)] == [[1.0, 2.0], [2.0, 4.0]]
    grown = ps.while_loop(lambda carry: parts_of(carry)[0] < 5.0, lambda carry: turn(carry, 2.0)[0], start)
    assert numbers(grown) == [5.0, 8.0]
    chosen = ps.cond(ps.asarray(True), lambda one: make(parts_of(one)[1], 0.0), lambda one: one, start)
    assert numbers(chosen) == [2.0, 0.0]
    stacked = make(ps.asarray([1.0, 2.0]), ps.asarray([3.0, 4.0]))
    for found in (
        ps.map(lambda one: make(*(part * 2.0 for part in parts_of(one))), stacked),
        ps.vmap(lambda one: make(*(part * 2.0 for part in parts_of(one))))(stacked),
    ):
        assert type(found) is type(start)
        assert [one.numpy().tolist() for one in parts_of(found)] == [[2.0, 4.0], [6.0, 8.0]]


@every_kind
def test_axes_of_a_batch_may_be_structured(make):
    stacked = make(ps.asarray([1.0, 2.0]), ps.asarray(3.0))
    found = ps.vmap(lambda one: parts_of(one)[0] * parts_of(one)[1], in_axes=(make(0, None),))(stacked)
    assert found.numpy().tolist() == [3.0, 6.0]


@every_kind
def test_functions_with_a_custom_gradient_take_structures(make):
    point = make(ps.asarray(3.0), ps.asarray(2.0))

    @ps.custom_gradient
    def tenfold(one):
        return scalar(one), lambda upstream: (upstream * 10.0, upstream * 20.0)

    assert numbers(ps.grad(tenfold)(point)) == [10.0, 20.0]

    @ps.custom_gradient
    def structured(one):
        return scalar(one), lambda upstream: make(upstream * 10.0, None)

    found = ps.grad(structured)(point)
    assert float(parts_of(found)[0]) == 10.0 and parts_of(found)[1] is None
    assert numbers(ps.grad(ps.checkpoint(scalar))(point)) == [12.0, 13.0]
    assert numbers(ps.checkpoint(lambda one: make(*parts_of(one)))(point)) == [3.0, 2.0]


def test_an_unknown_container_is_refused_with_the_way_to_convert_it():
    class Weights:
        def __init__(self, a):
            self.a = a

    def use(one):
        return one.a * 2.0

    variable = ps.Variable(1.0)
    with ps.GradientTape() as tape:
        loss = variable * 2.0
    for attempt in (
        lambda: ps.grad(use)(Weights(1.0)),
        lambda: ps.vjp(use, Weights(1.0)),
        lambda: ps.scan(lambda c, x: (c, x), Weights(1.0), length=2),
        lambda: ps.cond(ps.asarray(True), lambda: Weights(1.0), lambda: Weights(2.0)),
        lambda: tape.gradient(loss, Weights(variable)),
    ):
        with pytest.raises(PenstockError) as caught:
            attempt()
        assert "Weights" in caught.value.fact
        assert "ps.register_structure(Weights)" in caught.value.remedy


# -- mappings filled in another order ------------------------------------------------------------------------


def test_branches_may_fill_a_mapping_in_another_order():
    """Keys match values, not the order of insertion."""
    for chosen, wanted in ((True, [1.0, 2.0]), (False, [3.0, 4.0])):
        found = ps.cond(
            ps.asarray(chosen),
            lambda: {"a": ps.asarray(1.0), "b": ps.asarray(2.0)},
            lambda: {"b": ps.asarray(4.0), "a": ps.asarray(3.0)},
        )
        assert [float(found["a"]), float(found["b"])] == wanted and list(found) == ["a", "b"]


def test_a_carry_may_come_back_in_another_order():
    start = {"a": 1.0, "b": 10.0}
    last, _ = ps.scan(lambda c, _: ({"b": c["b"], "a": c["a"] + 1.0}, None), start, length=3)
    assert {name: float(one) for name, one in last.items()} == {"a": 4.0, "b": 10.0}
    grown = ps.while_loop(lambda c: c["a"] < 4.0, lambda c: {"b": c["b"], "a": c["a"] + 1.0}, start)
    assert {name: float(one) for name, one in grown.items()} == {"a": 4.0, "b": 10.0}


def test_cotangents_and_tangents_may_come_in_another_order():
    def both(point):
        return {"p": point["a"] * 2.0, "q": point["b"] * 3.0}

    point = {"a": 1.0, "b": 1.0}
    _, pullback = ps.vjp(both, point)
    (found,) = pullback({"q": 10.0, "p": 1.0})
    assert {name: float(one) for name, one in found.items()} == {"a": 2.0, "b": 30.0}
    _, along = ps.jvp(both, point, {"b": 10.0, "a": 1.0})
    assert {name: float(one) for name, one in along.items()} == {"p": 2.0, "q": 30.0}


def test_axes_may_come_in_another_order():
    given = {"a": ps.asarray([1.0, 2.0]), "b": ps.asarray(3.0)}
    found = ps.vmap(lambda one: one["a"] * one["b"], in_axes=({"b": None, "a": 0},))(given)
    assert found.numpy().tolist() == [3.0, 6.0]


def test_tensorflows_structures():
    """Their keys are sorted too, a dataclass is a leaf, and None is one."""
    given = {"b": [1, None], "a": Plain(2, 3)}
    assert tf.nest.flatten(given) == [given["a"], 1, None]
    rows = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), (2, 1))
    assert tf.nest.flatten([rows]) == [rows]
    assert [np.shape(one) for one in tf.nest.flatten([rows], expand_composites=True)] == [(1, 1), (1,)]


# -- the dialects -----------------------------------------------------------------------------------------


@every_kind
def test_layers_take_structures(make):
    class Sum(ps.layers.Layer):
        def call(self, given):
            a, b = parts_of(given)
            return make(a + b, a - b)

    given = make(np.float32([[1.0, 2.0]]), np.float32([[3.0, 5.0]]))
    found = Sum()(given)
    assert type(found) is type(given)
    assert [one.numpy().tolist() for one in parts_of(found)] == [[[4.0, 7.0]], [[-2.0, -3.0]]]


@every_kind
def test_modules_of_tensorflow_find_variables_in_structures(make):
    class Holder(tf.Module):
        def __init__(self):
            super().__init__()
            self.both = make(tf.Variable(1.0), [tf.Variable(2.0)])

    assert sorted(float(one) for one in Holder().variables) == [1.0, 2.0]


@every_kind
def test_sessions_answer_in_the_structure_they_were_asked_in(make):
    import penstock.tensorflow.compat.v1 as tf1

    with tf1.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf1.float32, [])
        asked = make(x * 2.0, [x + 1.0, tf1.no_op()])
        for number in (1.0, 5.0):
            found = session.run(asked, {x: number})
            assert type(found) is type(asked) and besides(found) == besides(asked)
            assert list(parts_of(found)) == [2.0 * number, [number + 1.0, None]]


def test_a_session_is_asked_by_what_a_structure_holds_now():
    import penstock.tensorflow.compat.v1 as tf1

    with tf1.Graph().as_default(), tf1.Session() as session:
        x = tf1.constant(3.0)
        asked = Attributes(a=x, b=x)
        assert session.run(asked).a == 3.0
        asked.a = x * 2.0
        assert session.run(asked).a == 6.0


def test_batches_of_paddle_are_structured_as_the_items():
    from penstock import paddle

    items = [{"x": np.float32([n]), "more": Plain(n, [float(n)])} for n in range(3)]
    found = paddle.io.default_collate_fn(items)
    assert found["x"].tolist() == [[0.0], [1.0], [2.0]]
    assert found["more"].a.tolist() == [0, 1, 2] and found["more"].b[0].tolist() == [0.0, 1.0, 2.0]


def test_data_sets_of_tensorflow_hold_named_tuples_and_mappings():
    data = tf.data.Dataset.from_tensor_slices(Pair(np.arange(3), {"b": np.arange(3) * 2, "a": np.arange(3)}))
    for number, one in enumerate(data):
        assert isinstance(one, Pair) and list(one.b) == ["b", "a"]
        assert [int(one.a), int(one.b["b"]), int(one.b["a"])] == [number, 2 * number, number]
