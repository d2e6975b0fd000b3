"""Operations are called as they were typed: by their operators, and by the function that was called."""

import pickle

import pytest

import penstock as ps
from penstock.flow.explanation import path_rows
from penstock.trace.source_site import recorded_at


def rows(explanation):
    return [what for what, _, _ in path_rows(explanation.path)]


def test_operators_are_written_as_operators():
    w, b = ps.Variable([[1.0, 2.0]], name="w"), ps.Variable(3.0, name="b")
    with ps.GradientTape():
        loss = ps.sum((-(w @ ps.ones((2, 1))) + b) ** 2 / 4.0) - 1.0
    assert rows(ps.explain(loss, w))[:2] == [
        "loss = sum((((-(w @ data)) + b) ** 2) / 4.0) - 1.0",
        "← Variable 'w'",
    ]


def test_an_operator_that_cuts_is_told_by_its_sign():
    w = ps.Variable(1.0, name="w")
    with ps.GradientTape():
        loss = ps.where(w > 0.5, 1.0, 0.0)
    found = ps.explain(loss, w)
    assert [step.note for step in found.path if step.note] == ["`>` returns booleans: the path ends here"]
    assert "greater" not in str(found)


@pytest.mark.parametrize(("dialect", "program"), [
    ("tensorflow", """
        import tensorflow as tf
        w = tf.Variable([[1.0, 2.0], [3.0, 1.0]])
        with tf.GradientTape() as tape:
            hits = tf.math.in_top_k([0, 1], w, 1)
            loss = tf.reduce_mean(tf.cast(hits, tf.float32))
        tape.gradient(loss, w)
    """),
])  # fmt: skip
def test_a_function_of_many_operations_is_one_step_under_its_name(dialect, program, check):
    report = check(program, dialect)
    (finding,) = [one for one in report.findings if one.explanation is not None]
    steps = [step for step in finding.explanation.path if "in_top_k" in str(step)]
    assert len(steps) == 1
    assert "in_top_k returns" in steps[0].note
    for word in ("argmax", "greater", "less", "equal(", "sum("):
        assert word not in str(finding.explanation)


def test_calls_of_one_line_in_a_loop_stay_apart():
    w = ps.Variable(1.0, name="w")
    with ps.GradientTape():
        y = w
        for _ in range(3):
            y = ps.tanh(y)
    assert sum(str(step).startswith("tanh(") for step in ps.explain(y, w).path) == 3


def test_a_term_is_called_by_its_source_and_comes_once(check):
    report = check("""
        import penstock as ps
        w, v = ps.Variable(1.0, name="w"), ps.Variable(2.0, name="v")
        optimizer = ps.optimizers.SGD(0.1)
        wanted = ps.ones((3,)) * 2.0  # computed in the first step, data from the second on
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = ps.mean((w * wanted - 1.0) ** 2) + v ** 2
            optimizer.apply_gradients(zip(tape.gradient(loss, [w, v]), [w, v]))
    """)
    assert [(one.name, [it.path for it in one.reaches]) for one in report.terms] == [
        ("mean((w * wanted - 1.0) ** 2)", ["w"]),
        ("v ** 2", ["v"]),
    ]


def test_a_site_that_knows_its_instruction_can_be_pickled():
    site = recorded_at(__import__("sys")._getframe())
    again = pickle.loads(pickle.dumps(site))
    assert again == site and again.instruction is None and site.position is not None
