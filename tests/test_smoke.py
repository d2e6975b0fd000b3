"""The few facts on which everything else depends, in a second or two: run on each save."""

import subprocess
import sys

import penstock as ps
from penstock.testing import use_engine


def test_gradient_of_a_square(tier):
    x = ps.Variable(3.0, name="x")
    with ps.GradientTape() as tape:
        y = x * x
    assert float(tape.gradient(y, x)) == 6.0


def test_two_variables_descend_to_the_audited_value(tier):
    x = ps.Variable(0.0, name="x")
    y = ps.Variable(1.0, name="y", trainable=False)
    optimizer = ps.optimizers.SGD(0.1)
    for _ in range(10):
        with ps.GradientTape() as tape:
            loss = (x - 2) ** 2 + (y - 3) ** 2
        optimizer.apply_gradients([(tape.gradient(loss, x), x)])
    assert abs(float(x.numpy()) - 1.7852516) < 1e-6
    assert float(y.numpy()) == 1.0


def test_tiers_agree():
    def slope():
        x = ps.Variable([0.5, -1.5, 2.0], name="x")
        with ps.GradientTape() as tape:
            y = x * x * x - x / 4
        return tape.gradient(y, x).numpy().tolist()

    with use_engine("numpy"):
        reference = slope()
    with use_engine("xla"):
        assert slope() == reference
    assert reference == [0.5, 6.5, 11.75]


def test_stop_gradient_is_a_wall_with_a_reason(tier):
    x = ps.Variable(3.0, name="x")
    with ps.GradientTape() as tape:
        y = ps.stop_gradient(x) * 2.0
    assert tape.gradient(y, x) is None
    assert ps.explain(y, x).reason == "stopped"


def test_import_does_not_load_jax():
    program = "import sys, penstock; sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
