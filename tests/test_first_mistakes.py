"""Mistakes of the first hour, made by users of other libraries: each message says what to type."""

import json
from pathlib import Path

import numpy as np
import pytest

import penstock as ps
from penstock import tensorflow as tf
from penstock.errors import ArgumentError, CheckpointError, DTypeError, PenstockError, ShapeError
from penstock.foreign import OF_LAYERS, OF_OPTIMIZERS
from penstock.tensorflow._names import _FOREIGN

ORACLES = Path(__file__).parent / "oracles"


def dense(*arguments):
    return ps.layers.Dense(*arguments)


def wide():
    return ps.ones((4, 3))


def sgd():
    return ps.optimizers.SGD(0.1)


MISTAKES = [
    (lambda: dense(2).parameters(), AttributeError, "layer.trainable_variables"),
    (lambda: dense(2).train(), AttributeError, r"layer\(x, training=True\)"),
    (lambda: sgd().step(), AttributeError, r"apply_gradients\(zip\(gradients, variables\)\)"),
    (lambda: sgd().zero_grad(), AttributeError, "Leave it out"),
    (lambda: ps.optimizers.Adam(dense(2)), PenstockError, "Dense.*but to apply_gradients"),
    (
        lambda: ps.optimizers.Adam([ps.Variable(1.0)]),
        PenstockError,
        "not given to the optimizer, but to apply_g",
    ),
    (
        lambda: sgd().apply_gradients(([ps.ones(3)], [ps.Variable(ps.ones(3))])),
        ArgumentError,
        r"\[float32\[3\]\] at position 0.*zip\(gradients, variables\)",
    ),
    (lambda: sgd().apply_gradients([(wide(), wide())]), PenstockError, r"Tensor float32\[4, 3\] to update"),
    (lambda: dense(3, 2), ArgumentError, "counts its inputs when it is first called"),
    (lambda: ps.layers.Sequential(dense(2), dense(3)), ArgumentError, r"Sequential\(\[first, second\]\)"),
    (lambda: ps.concat(wide(), wide()), ArgumentError, r"one list: concat\(\[a, b\], axis=0\)"),
    (lambda: ps.sum(wide(), wide()), ArgumentError, r"axis=float32\[4, 3\]"),
    (lambda: ps.stack([wide(), ps.ones((4, 2))]), ShapeError, r"stack: part 1 .*part 2 has \(4, 2\)"),
    (lambda: ps.mean([wide(), ps.ones((2, 3))]), DTypeError, r"\[float32\[4, 3\], float32\[2, 3\]\]"),
    (
        lambda: ps.losses.softmax_cross_entropy(wide(), ps.ones((4, 2))),
        ShapeError,
        r"labels float32\[4, 2\] do not fit logits float32\[4, 3\].*shape \(4, 3\), or integers",
    ),
    (
        lambda: ps.losses.softmax_cross_entropy(wide(), np.array([0.0, 1.0, 2.0, 0.0])),
        ShapeError,
        r"ps.astype\(labels, 'int64'\)",
    ),
]


@pytest.mark.parametrize(("mistake", "error", "words"), MISTAKES)
def test_a_mistake_is_answered(mistake, error, words):
    with pytest.raises(error, match=f"(?s){words}"):
        mistake()


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        (lambda: tf.sum(wide()), "no attribute 'sum'. TensorFlow writes tf.reduce_sum"),
        (lambda: tf.no_grad(), "TensorFlow writes tf.stop_gradient"),
        (lambda: tf.ones(3).unsqueeze(0), "TensorFlow writes tf.expand_dims"),
        (lambda: tf.ones(3).grad, "TensorFlow writes tape.gradient"),
        (lambda: tf.keras.optimizers.Adam().zero_grad(), "Leave it out"),
        (lambda: tf.keras.optimizers.SGD().minimize(1.0, []), "Compute the loss in a tape"),
    ],
)
def test_a_name_of_another_library_is_answered_in_tensorflow(mistake, words):
    with pytest.raises(AttributeError, match=words):
        mistake()


def test_names_that_tensorflow_has_are_not_called_foreign():
    recorded = json.loads((ORACLES / "public_names_tensorflow.json").read_text(encoding="utf-8"))["names"][
        "tf"
    ]
    assert [name for name in _FOREIGN if name in recorded] == []


@pytest.mark.parametrize(("made", "names"), [(dense(1), OF_LAYERS), (sgd(), OF_OPTIMIZERS)])
def test_no_answer_hides_an_attribute(made, names):
    assert [name for name in names if hasattr(made, name)] == []


def test_labels_that_broadcast_are_probabilities():
    loss = ps.losses.softmax_cross_entropy(wide(), np.full(3, 1 / 3, np.float32))
    assert np.allclose(loss.numpy(), np.log(3.0))


def test_an_update_of_no_variables_warns():
    with pytest.warns(UserWarning, match="given no variables: nothing is updated") as caught:
        sgd().apply_gradients([])
    assert caught[0].filename == __file__


PLACES = """\
{imports}
a, b = {made}(1.0, name="a"), {made}(2.0, name="b")
variables = {container}
for turn in range(3):
    with {tape} as tape:
        loss = (variables[{first}] * variables[{second}] - 1.0) ** 2
    slopes = tape.gradient(loss, [variables[{first}], variables[{second}]])
    if slopes[1] is not None:
        {update}
"""


@pytest.mark.parametrize(
    ("container", "first", "second"), [("[a, b]", "0", "1"), ("{'a': a, 'b': b}", "'a'", "'b'")]
)
@pytest.mark.parametrize(
    ("dialect", "update", "wrong"),
    [
        (None, "variables[{second}] = variables[{second}] - 0.1 * slopes[1]", True),
        (None, "variables[{second}] -= 0.1 * slopes[1]", True),
        (None, "variables[{second}].assign_sub(0.1 * slopes[1])", False),
        ("tensorflow", "variables[{second}] = variables[{second}] - 0.1 * slopes[1]", True),
        ("tensorflow", "variables[{second}].assign_sub(0.1 * slopes[1])", False),
    ],
)
def test_a_tensor_in_the_place_of_a_variable_is_named_once(
    container, first, second, update, wrong, dialect, check
):
    made, tape = ("ps.Variable", "ps.GradientTape()") if dialect is None else (
        "tf.Variable", "tf.GradientTape()"
    )  # fmt: skip
    imports = "import penstock as ps" if dialect is None else "import tensorflow as tf"
    text = PLACES.format(
        imports=imports, made=made, tape=tape, container=container, first=first, second=second,
        update=update.format(second=second),
    )  # fmt: skip
    report = check(text, dialect)
    line = len(text.splitlines())
    assert [(one.code, one.variables, one.site.line) for one in report.findings] == [
        ("PS104", ("b",), line)
    ] * wrong


UNLISTED = """\
import tensorflow as tf


class Box:
    def __init__(self, part):
        self.part = part


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.head = tf.keras.layers.Dense(1)
        self.box = Box(tf.keras.Sequential([tf.keras.layers.Dense(4), tf.keras.layers.Dense(4)], name="body"))

    def call(self, x):
        return self.head(self.box.part(x))


net, optimizer, x = Net(), tf.keras.optimizers.SGD(0.01), tf.ones([4, 3])
net(x)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(x) - 1.0) ** 2)
    slopes = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(slopes, net.trainable_variables))
"""


def test_an_unlisted_model_inside_a_model_is_named_as_a_whole(check):
    (found,) = check(UNLISTED, "tensorflow").findings
    assert found.code == "PS401" and len(found.variables) == 4
    assert found.fix.startswith("Assign the layer 'body'")


REBOUND = r"give the name v to a result. Write v.assign_add\(x\)"
FIRST_CALL = "'dense(_\\d+)?' is not built yet: its variables are made when it is first called"


@pytest.mark.parametrize(
    ("mistake", "error", "words"),
    [
        (lambda: (ps.Variable(1.0) + 1.0).assign_add(1.0), AttributeError, REBOUND),
        (
            lambda: setattr(ps.Variable(1.0), "requires_grad", False),
            PenstockError,
            "variable.trainable = False",
        ),
        (lambda: dense(2).kernel, AttributeError, FIRST_CALL),
        (lambda: dense(2).weight, AttributeError, "layer.kernel"),
        (lambda: ps.random.randn, AttributeError, r"normal\(\(3, 4\)\), with the shape in one tuple"),
        (lambda: ps.detach, AttributeError, r"ps.stop_gradient\(x\)"),
        (lambda: ps.losses.mse, AttributeError, "mean_squared_error"),
        (
            lambda: ps.losses.sparse_categorical_crossentropy,
            AttributeError,
            "softmax_cross_entropy, which takes",
        ),
        (lambda: ps.grad(1.0), ArgumentError, r"of 1.0 was asked for.*ps.grad\(f\)\(x\)"),
        (lambda: ps.value_and_grad(ps.ones(3)), ArgumentError, r"float32\[3\] was asked for"),
        (
            lambda: ps.save("unbuilt.safetensors", model=dense(2)),
            CheckpointError,
            "nothing of it would be stored",
        ),
    ],
)
def test_a_mistake_of_a_first_model_is_answered(mistake, error, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=f"(?s){words}"):
        mistake()
    assert not list(tmp_path.iterdir())
