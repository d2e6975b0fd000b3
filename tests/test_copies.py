"""Copies of models and optimizers, by `copy.deepcopy` and by `pickle`, here and in a new process."""

import copy
import functools
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bad_layers
import penstock as ps
import penstock.paddle as paddle
import penstock.tensorflow as tf
from penstock.errors import FunctionNotFoundError
from penstock.optimizers import schedules

X = np.random.default_rng(0).standard_normal((4, 6)).astype(np.float32)


def doubled(x):
    return x * 2.0


class Block(ps.layers.Layer):
    """Layers and variables wherever they can be held, one of them twice."""

    def __init__(self, **options):
        super().__init__(**options)
        self.first = ps.layers.Dense(5, activation=doubled, kernel_regularizer=ps.layers.regularizers.L2(0.1))
        self.more = [ps.layers.Dense(5), {"last": ps.layers.Dense(2, use_bias=False)}]
        self.again = self.more[0]
        self.scale = ps.Variable([1.0, 2.0])
        self.count = ps.Variable(0.0, trainable=False)

    def call(self, x):
        self.count.assign_add(1.0)
        return self.more[1]["last"](self.again(self.more[0](self.first(x)))) * self.scale


def sequential():
    return ps.layers.Sequential(
        [
            ps.layers.Dense(5, activation="relu", name="one", kernel_constraint="non_neg"),
            ps.layers.BatchNormalization(),
            ps.layers.Dropout(0.5, seed=3),
            ps.layers.Dense(2),
        ],
        name="net",
    )


def recurrent():
    return ps.layers.Sequential(
        [ps.layers.Reshape((3, 2)), ps.layers.Bidirectional(ps.layers.LSTM(3)), ps.layers.Dense(2)]
    )


def attentive():
    attention = ps.layers.MultiHeadAttention(2, 4)
    return ps.layers.Sequential(
        [ps.layers.Reshape((3, 2)), Twice(attention), ps.layers.LayerNormalization(), ps.layers.Flatten()]
    )


class Twice(ps.layers.Layer):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def call(self, x):
        return self.inner(x, x)


def halves():
    return ps.layers.Sequential(
        [ps.layers.Dense(4, dtype="mixed_bfloat16"), Block(dtype="mixed_bfloat16"), ps.layers.Dense(2)]
    )


def keras_sequential():
    return tf.keras.Sequential([tf.keras.layers.Dense(3, activation="relu"), tf.keras.layers.Dense(2)])


def keras_functional():
    inputs = tf.keras.Input((6,))
    hidden = tf.keras.layers.Dense(3, activation="tanh")(inputs)
    return tf.keras.Model(inputs, tf.keras.layers.Concatenate()([hidden, tf.keras.layers.Dense(2)(hidden)]))


MODELS = {
    "sequential": sequential,
    "subclass": Block,
    "recurrent": recurrent,
    "attention": attentive,
    "mixed precision": halves,
    "keras sequential": keras_sequential,
    "keras functional": keras_functional,
}
OPTIMIZERS = {
    "SGD": lambda: ps.optimizers.SGD(0.1, momentum=0.9),
    "Adam": lambda: ps.optimizers.Adam(
        schedules.ExponentialDecay(0.1, 2, 0.5),
        gradient_accumulation_steps=2,
        groups={"*/bias": {"beta_1": 0.5}},
    ),
    "Adafactor": lambda: ps.optimizers.Adafactor(0.1),
    "AdamW": lambda: ps.optimizers.AdamW(0.1, use_ema=True, loss_scale_factor="dynamic"),
}


def trained(model, optimizer, turns):
    for _ in range(turns):
        with ps.GradientTape() as tape:
            y = model(X, training=True)
            loss = optimizer.scale_loss(ps.mean(ps.astype(y, "float32") ** 2) * 0.1)
        wanted = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, wanted), wanted))


def told(model, optimizer):
    """All that a copy has to have, as plain data."""
    found = [
        (one.path, one.trainable, one.locked, str(one.dtype), np.asarray(one.numpy()).tobytes().hex())
        for one in [*model.variables, *optimizer.variables]
    ]
    wanted = [one.path for one in model.trainable_variables]
    return found, wanted, [one.path for one in model._found().layers], optimizer.applied


def after(model, optimizer, turns):
    """The state of both after some turns, and the model's output then."""
    ps.random.seed(5)
    trained(model, optimizer, turns)
    said = np.asarray(model(X)).astype(np.float32).tobytes().hex()
    return told(model, optimizer), said, [float(one) for one in model.losses]


def in_a_process_of_its_own(pairs):
    """The result of a process that has only the bytes."""
    program = (
        "import pickle, sys\n"
        "from test_copies import after, told\n"
        "for pair in pickle.load(sys.stdin.buffer):\n"
        "    print(repr((told(*pair), after(*pair, 3))))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=pickle.dumps(pairs),
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent), "PENSTOCK_ENGINE": "numpy"},
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


HOW = {"deepcopy": copy.deepcopy, "pickle": lambda one: pickle.loads(pickle.dumps(one))}
PAIRS = [(name, "SGD") for name in MODELS if "keras" not in name]
PAIRS += [("sequential", name) for name in OPTIMIZERS if name != "SGD"]


# What is kept does not depend on who computes it.
on_numpy = pytest.mark.parametrize("tier", ["numpy"], indirect=True)


@on_numpy
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize(("model", "optimizer"), PAIRS)
def test_a_copy_equals_its_original_and_continues_alone(tier, model, optimizer, how):
    model, optimizer = MODELS[model](), OPTIMIZERS[optimizer]()
    ps.random.seed(1)
    trained(model, optimizer, 3)
    ps.freeze(model.variables[0])
    before = told(model, optimizer)
    twin, other = HOW[how]((model, optimizer))
    assert told(twin, other) == before
    ps.unfreeze(model.variables[0])
    ps.unfreeze(twin.variables[0])
    moved = after(twin, other, 3)
    ps.freeze(model.variables[0])
    assert told(model, optimizer) == before, "the copy has moved what it was copied from"
    ps.unfreeze(model.variables[0])
    assert after(model, optimizer, 3) == moved


@on_numpy
def test_pickled_models_go_on_in_another_process(tier):
    pairs = [(MODELS[model](), OPTIMIZERS[optimizer]()) for model, optimizer in PAIRS]
    for model, optimizer in pairs:
        trained(model, optimizer, 3)
    found = in_a_process_of_its_own(pairs)
    assert found == [repr((told(*pair), after(*pair, 3))) for pair in pairs]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("model", ["keras sequential", "keras functional"])
def test_models_and_optimizers_of_keras(how, model):
    model, optimizer = MODELS[model](), tf.keras.optimizers.Adam(0.1, weight_decay=0.1)
    optimizer.exclude_from_weight_decay([model(X) is None or model.trainable_variables[1]])

    def train(model, optimizer):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(X) ** 2)
        wanted = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, wanted), wanted))
        return [one.numpy().tolist() for one in [*wanted, *optimizer.variables]]

    train(model, optimizer)
    twin, other = HOW[how]((model, optimizer))
    assert [one.path for one in twin.variables] == [one.path for one in model.variables]
    moved = train(twin, other)
    assert np.asarray(model(X)).tolist() != np.asarray(twin(X)).tolist()
    assert train(model, optimizer) == moved


@pytest.mark.parametrize("how", HOW)
def test_layers_and_optimizers_of_paddle(how):
    layer = paddle.nn.Sequential(paddle.nn.Linear(6, 3), paddle.nn.Tanh(), paddle.nn.Linear(3, 1))
    layer[0].weight.stop_gradient = True
    optimizer = paddle.optimizer.AdamW(0.1, parameters=layer.parameters())

    def train(layer, optimizer):
        paddle.mean(layer(paddle.to_tensor(X)) ** 2).backward()
        optimizer.step()
        optimizer.clear_grad()
        return [one.numpy().tolist() for one in layer.state_dict().values()]

    train(layer, optimizer)
    twin, other = HOW[how]((layer, optimizer))
    assert [type(one).__name__ for one in twin.parameters()] == [
        type(one).__name__ for one in layer.parameters()
    ]
    assert [one.stop_gradient for one in twin.parameters()] == [
        one.stop_gradient for one in layer.parameters()
    ]
    moved = train(twin, other)
    assert layer[2].weight.numpy().tolist() != twin[2].weight.numpy().tolist()
    assert train(layer, optimizer) == moved


@pytest.mark.parametrize("how", HOW)
def test_tensors_of_paddle(how):
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    twin, other = HOW[how]([x, x * 2.0])
    assert twin.tolist() == [1.0, 2.0] and other.tolist() == [2.0, 4.0] and not twin.stop_gradient
    (twin * twin).sum().backward()
    assert twin.grad.tolist() == [2.0, 4.0] and x.grad is None


@pytest.mark.parametrize("how", HOW)
def test_a_copy_is_trained_or_frozen_like_its_original(how):
    """A layer's flag finds its variables by their numbers, and a copy has new numbers."""
    model = Block()
    model(X)
    model.trainable = False
    twin = HOW[how](model)
    twin.trainable = True
    assert [one.path for one in twin.trainable_variables] == ["block/scale", *BELOW]
    assert model.trainable_variables == []


BELOW = [
    "block/first/kernel",
    "block/first/bias",
    "block/more/0/kernel",
    "block/more/0/bias",
    "block/more/1/last/kernel",
]


@pytest.mark.parametrize("how", HOW)
def test_a_part_is_copied_without_its_surroundings(how):
    model = Block()
    model(X)
    part = HOW[how](model.first)
    assert len(part.variables) == 2 and part.path == "block/first" and part._parent is None
    assert b"block/scale" in pickle.dumps(model) and b"block/scale" not in pickle.dumps(model.first)


@pytest.mark.parametrize("how", HOW)
def test_a_shared_object_is_shared_in_the_copy(how):
    model = Block()
    model(X)
    twin, shared = HOW[how]((model, [model.first, model.first.kernel]))
    assert twin.again is twin.more[0] and shared[0] is twin.first and shared[1] is twin.first.kernel
    assert twin.more[0]._parent() is twin and twin.first.kernel.path == "block/first/kernel"
    assert len(twin.variables) == len(model.variables)


@pytest.mark.parametrize("how", HOW)
def test_layers_that_are_not_built_yet(how):
    for name in ("sequential", "subclass", "recurrent"):
        twin = HOW[how](MODELS[name]())
        assert not twin.built
        assert twin(X).shape[0] == 4


@pytest.mark.parametrize("how", HOW)
def test_layers_that_hold_each_other(how):
    inner, outer = ps.layers.Dense(2), Twice(None)
    outer.inner, inner.around = inner, outer
    inner(X)
    outer.variables  # noqa: B018 - names what it holds
    twin = HOW[how](outer)
    assert twin.inner.around is twin and twin.inner._parent() is twin


def test_a_copy_of_a_layer_alone_shares_its_variables():
    layer = ps.layers.Dense(2)
    layer(X)
    assert copy.copy(layer).kernel is layer.kernel


FUNCTIONS = {
    "an activation": lambda: ps.layers.Dense(2, activation=lambda x: x, name="head"),
    "a layer of a function": lambda: ps.layers.Lambda(lambda x: x, name="head"),
    "an initializer": lambda: ps.layers.Dense(2, kernel_initializer=lambda shape, dtype: 0.0, name="head"),
    "part of a function": lambda: ps.layers.Dense(
        2, activation=functools.partial(lambda x, by: x * by, by=2), name="head"
    ),
    "a function in a list": lambda: listed(),
}


def listed():
    def local(x):
        return x

    layer = Twice(None)
    layer.name, layer.steps = "head", {"all": [local]}
    return layer


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_functions_without_a_name_are_refused_by_name(kind):
    layer = FUNCTIONS[kind]()
    with pytest.raises(
        FunctionNotFoundError, match=r"Layer 'head' cannot be pickled(.|\n)*with def at the top"
    ) as caught:
        pickle.dumps({"model": [layer]})
    assert f"defined at {__file__}:" in str(caught.value) and isinstance(caught.value, pickle.PicklingError)
    assert copy.deepcopy(layer).name == "head"


def test_functions_of_variables_and_optimizers_are_refused_by_name():
    weight = ps.Variable([1.0], name="weight")
    weight.constraint = lambda variable: variable * 1.0
    with pytest.raises(FunctionNotFoundError, match=r"Variable 'weight' cannot be pickled: its 'constraint'"):
        pickle.dumps([weight])
    assert copy.deepcopy(weight).constraint is weight.constraint
    optimizer = ps.optimizers.SGD(lambda step: 0.1)
    with pytest.raises(FunctionNotFoundError, match=r"Optimizer 'sgd' cannot(.|\n)*its 'learning_rate'"):
        pickle.dumps(optimizer)
    assert copy.deepcopy(optimizer).learning_rate is optimizer.learning_rate


def test_who_writes_functions_by_value_may():
    cloudpickle = pytest.importorskip("cloudpickle")
    layer = ps.layers.Dense(2, activation=lambda x: x * 3.0)
    y = layer(X)
    twin = pickle.loads(cloudpickle.dumps(layer))
    assert twin(X).numpy().tolist() == y.numpy().tolist()


def test_functions_with_a_name_are_kept_by_it():
    layer = ps.layers.Dense(2, activation=doubled)
    assert pickle.loads(pickle.dumps(layer)).activation is doubled


def _every_layer():
    """Each existing layer, with inputs for it."""
    made = {name: (getattr(ps.layers, name), *one) for name, one in bad_layers.GOOD.items()}
    rows, L = (bad_layers.SEQUENCE,), ps.layers
    made["Bidirectional"] = (L.Bidirectional, {"layer": L.GRU(2)}, rows)
    made["TimeDistributed"] = (L.TimeDistributed, {"layer": L.Dense(2, activation="tanh")}, rows)
    made["Lambda"] = (L.Lambda, {"function": doubled}, rows)
    made["Sequential"] = (L.Sequential, {"layers": [L.Dense(2, ps.nn.gelu), L.LSTM(2)]}, rows)
    return made


def _arrays(result):
    return [np.asarray(one).tobytes() for one in (result if isinstance(result, tuple | list) else [result])]


@on_numpy
@pytest.mark.parametrize("how", HOW)
def test_every_layer_built_or_not(tier, how):
    assert set(bad_layers.GOOD) | bad_layers.ELSEWHERE == set(ps.layers.__all__)
    for name, (kind, arguments, inputs) in _every_layer().items():
        layer = kind(**arguments)
        fresh = HOW[how](layer)
        assert fresh(*inputs) is not None
        said = _arrays(layer(*inputs))
        twin, again = HOW[how]([layer, layer])
        assert twin is again and _arrays(twin(*inputs)) == said, name
        own, others = {one._uid for one in layer.variables}, {one._uid for one in twin.variables}
        assert len(own) == len(others) and not own & others, name


@on_numpy
@pytest.mark.parametrize("how", HOW)
def test_every_optimizer_goes_on_with_the_copies_of_its_variables(tier, how):
    for name in sorted(set(ps.optimizers.__all__) - {"Group", "Optimizer", "schedules"}):
        model, optimizer = ps.layers.Dense(3), getattr(ps.optimizers, name)(0.1)
        trained(model, optimizer, 2)
        twin, other = HOW[how]((model, optimizer))
        trained(twin, other, 2)
        moved = told(twin, other)
        trained(model, optimizer, 2)
        assert told(model, optimizer) == moved, name
        assert {id(one) for one in twin.variables} <= {id(one.variable) for one in other._state.values()}


@pytest.mark.parametrize("how", HOW)
def test_keys_and_streams_of_random_numbers(how):
    key = ps.random.key()
    assert ps.random.normal((3,), key=HOW[how](key)).numpy().tolist() == (
        ps.random.normal((3,), key=key).numpy().tolist()
    )
    drop = ps.layers.Dropout(0.5, seed=3)
    drop(X, training=True)
    twin = HOW[how](drop)
    assert twin(X, training=True).numpy().tolist() == drop(X, training=True).numpy().tolist()
