"""The work for a new step is proportional to the number of its variables."""

import gc
import sys

import numpy as np
import pytest

import penstock as ps
from memory import forget_paths
from penstock.testing import use_engine
from penstock.trace.budget import budget

SIZES, MOST = (60, 120, 240), 2.2
SMALL, MOST_OF_SMALL = (30, 60, 120), 2.02
"""For a session, whose lines are many: without a mistake the ratio is 1.92. Fifteen more lines for each pair
of variables pass this limit; at the sizes above it takes more to pass the other."""


def lines_run(act):
    """How many lines of Python an action runs, turns of comprehensions and generators among them."""
    count = 0

    def step(frame, event, argument):
        nonlocal count
        count += event == "line"
        return step

    # A shorter loop's path is the beginning of a longer one's: each must be recorded completely.
    forget_paths()
    # No garbage of earlier tests may be collected meanwhile: its finalizers are lines, too.
    gc.collect()
    gc.disable()
    # Nor may their recordings be released: that takes time in proportion to their number.
    budget.tidying = True
    before = sys.gettrace()
    sys.settrace(step)
    try:
        act()
    finally:
        sys.settrace(before)
        budget.tidying = False
        gc.enable()
    return count


def loss_of(variables):
    total = 0.0
    for one in variables:
        total = total + one * one
    return total


def trained(count):
    """A gradient and an update of this many variables."""
    variables = [ps.Variable(1.0) for _ in range(count)]
    optimizer = ps.optimizers.Adam(0.1)

    def act():
        with ps.GradientTape() as tape:
            loss = loss_of(variables)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        ps.wait()

    return act


def asked_late(count):
    """A gradient of a step that is over."""
    variables = [ps.Variable(1.0) for _ in range(count)]

    def act():
        with ps.GradientTape(persistent=True) as tape:
            loss = loss_of(variables)
        variables[0].assign(2.0)
        with ps.GradientTape():
            pass
        assert float(tape.gradient(loss, variables)[-1]) == 2.0

    return act


def captured(count):
    """A captured step, which returns a value for each variable."""
    variables = [ps.Variable(1.0) for _ in range(count)]
    optimizer = ps.optimizers.Adam(0.1)

    @ps.step
    def step(rates):
        with ps.GradientTape() as tape:
            loss = loss_of(variables)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return [loss * rate for rate in rates]

    return lambda: step([np.float32(i) for i in range(count)])


def assigned(count):
    """Two writes of each variable, one after the other."""
    variables = [ps.Variable(1.0) for _ in range(count)]

    def act():
        for one in variables:
            one.assign_add(1.0)
        for one in variables:
            one.assign_sub(0.5)
        ps.wait()

    return act


def in_paddle(count):
    import penstock.paddle as paddle

    variables = [paddle.create_parameter([], "float32") for _ in range(count)]
    optimizer = paddle.optimizer.Adam(0.1, parameters=variables)

    def act():
        for _ in range(2):
            loss_of(variables).backward()
            optimizer.step()
            optimizer.clear_grad()
        ps.wait()

    return act


def gradient_in_paddle(count):
    import penstock.paddle as paddle

    variables = [paddle.create_parameter([], "float32") for _ in range(count)]
    return lambda: paddle.grad(loss_of(variables), variables)


def in_tensorflow(count):
    import penstock.tensorflow as tf

    variables = [tf.Variable(1.0) for _ in range(count)]
    optimizer = tf.keras.optimizers.Adam(0.1)

    def act():
        with tf.GradientTape() as tape:
            loss = loss_of(variables)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        ps.wait()

    return act


def in_a_session(count):
    import penstock.tensorflow.compat.v1 as tf

    def act():
        graph = tf.Graph()
        with graph.as_default():
            variables = [tf.get_variable(f"v{i}", [], tf.float32) for i in range(count)]
            train = tf.train.AdamOptimizer(0.1).minimize(loss_of(variables))
            with tf.Session(graph=graph) as session:
                session.run(tf.global_variables_initializer())
                session.run(train)

    return act


ACTIONS = (
    trained,
    asked_late,
    captured,
    assigned,
    in_paddle,
    gradient_in_paddle,
    in_tensorflow,
    in_a_session,
)


@pytest.mark.parametrize("made", ACTIONS, ids=lambda made: made.__name__)
def test_twice_the_variables_are_twice_the_work(made):
    sizes, most = (SMALL, MOST_OF_SMALL) if made is in_a_session else (SIZES, MOST)
    with use_engine("numpy"):
        made(7)()
        few, more, many = (lines_run(made(count)) for count in sizes)
        # The shorter of two runs: work of the process, other than the step's, only adds lines. In the middle
        # it could hide a mistake; elsewhere it could only look like one.
        more = min(more, lines_run(made(sizes[1])))
        if many - more >= most * (more - few):
            few, many = min(few, lines_run(made(sizes[0]))), min(many, lines_run(made(sizes[2])))
    assert many - more < most * (more - few), f"{few}, {more}, {many} lines for {sizes} variables"
