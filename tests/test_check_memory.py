"""Memory of a long program under `penstock check`: nothing grows with the number of its steps."""

import os
from pathlib import Path

import pytest

import processes
from memory import ALLOWED, linux

TURNS = 2_500
NATIVE = """
import penstock as ps
x, y = ps.Variable(1.0, name="x"), ps.Variable(2.0, name="y")
optimizer = ps.optimizers.SGD(0.01)

def turn():
    with ps.GradientTape() as tape:
        loss = (x - 2.0) ** 2 + (y - 3.0) ** 2
    optimizer.apply_gradients(zip(tape.gradient(loss, [x, y]), [x, y]))
"""
ANEW = """
import penstock as ps
y = ps.Variable(2.0, name="y")

def turn():
    x = ps.Variable(1.0)
    with ps.GradientTape() as tape:
        loss = (x - 2.0) ** 2 + (y - 3.0) ** 2
    by_x, by_y = tape.gradient(loss, [x, y])
    x.assign_sub(0.01 * by_x)
    y.assign_sub(0.01 * by_y)
"""
TENSORFLOW = """
import tensorflow as tf
x, y = tf.Variable(1.0, name="x"), tf.Variable(2.0, name="y")
optimizer = tf.keras.optimizers.SGD(0.01)

def turn():
    with tf.GradientTape() as tape:
        loss = (x - tf.constant([2.0])) ** 2 + (y - 3.0) ** 2
    optimizer.apply_gradients(zip(tape.gradient(loss, [x, y]), [x, y]))
"""
SESSION = """
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
x, data = tf.get_variable("x", [2], tf.float32), tf.placeholder(tf.float32, [2])
loss = tf.reduce_sum((x - data) ** 2)
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
session = tf.Session()
session.run(tf.global_variables_initializer())

def turn():
    session.run([train, loss], {data: np.ones(2, np.float32)})
"""
PADDLE = """
import numpy as np
import paddle
net = paddle.nn.Linear(2, 1)
optimizer = paddle.optimizer.Adam(0.01, parameters=net.parameters())

def turn():
    data = paddle.to_tensor(np.ones((3, 2), np.float32))
    loss = net(data).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    loss.item()
"""
LEAVES = """
import paddle
w = paddle.to_tensor([1.0, 2.0], stop_gradient=False)

def turn():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    (x * w).sum().backward()
    x.grad.numpy()
    w.clear_grad()
"""
MEASURED = f"""
import memory

def turns(count):
    for _ in range(count):
        turn()

turns(500)
print("grown", memory.grown(turns, {TURNS}))
"""
PROGRAMS = {
    "native": (NATIVE, []),
    "variables made anew": (ANEW, []),
    "TensorFlow": (TENSORFLOW, ["--as", "tensorflow"]),
    "a session": (SESSION, ["--as", "tensorflow"]),
    "Paddle": (PADDLE, ["--as", "paddle"]),
    "leaves of Paddle": (LEAVES, ["--as", "paddle"]),
}


@linux
@pytest.mark.parametrize("split", [False, True], ids=["", "split"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_check_keeps_nothing_of_a_step(tmp_path, name, split):
    text, options = PROGRAMS[name]
    script = tmp_path / "program.py"
    script.write_text(text + MEASURED)
    done = processes.run(
        ["-m", "penstock", "check", *options, *["--split"][: int(split)], script],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent), "PENSTOCK_ENGINE": "numpy"},
    )
    told = [line for line in done.stdout.splitlines() if line.startswith("grown")]
    assert told, done.stdout + done.stderr
    assert int(told[0].split()[1]) < ALLOWED
