"""Programs that run in JAX itself: the report on wrong ones, and no finding on right ones."""

import importlib.util
import json
import pickle
import subprocess
import sys
from textwrap import dedent

import numpy as np
import pytest

pytest.importorskip("jax", reason="JAX is not installed: pip install 'penstock[xla]'")

from frameworks import jax_programs as programs
from penstock.errors import PenstockError
from penstock.flow.check import inspect
from penstock.frameworks.jax.source import Jax, require_new
from penstock.running import run_script

pytestmark = [pytest.mark.xla, pytest.mark.filterwarnings("ignore")]

KEEP = """
import pickle
kept = [np.asarray(one) for name in sorted(globals()) if name not in ("jax", "jnp", "np", "key")
        for one in jax.tree.leaves(globals()[name]) if isinstance(one, jax.Array)
        and not jnp.issubdtype(one.dtype, jax.dtypes.prng_key)]
if "nnx" in globals():
    kept += [np.asarray(one) for one in jax.tree.leaves(nnx.state(model, nnx.Param))]
with open(KEPT, "wb") as file:
    pickle.dump(kept, file)
"""


def cases(*groups):
    """The right programs, each of which is left out if a library is missing."""
    for names, group in groups:
        missing = [name for name in names if importlib.util.find_spec(name) is None]
        marks = [pytest.mark.skip(reason=f"{missing[0]} is not installed")] if missing else []
        for name, text in group.items():
            yield pytest.param(text, id=name, marks=marks)


RIGHT = [
    *cases(
        ((), programs.PLAIN),
        (("optax",), programs.OPTAX),
        (("optax", "flax"), programs.LINEN),
        (("optax", "flax"), programs.NNX),
        (("optax", "equinox"), programs.EQUINOX),
    )
]


@pytest.fixture
def check(tmp_path):
    """Runs a program under inspection; returns the report."""

    def run(text, limit=None):
        file = tmp_path / "train.py"
        file.write_text(programs.HEAD + dedent(text))
        return inspect(str(file), lambda: run_script(str(file), None, []), limit, source=Jax())

    return run


def line_of(text, mark="# here"):
    """The line number of a mark in the program, with its head."""
    whole = programs.HEAD + dedent(text)
    return next(number for number, line in enumerate(whole.splitlines(), 1) if mark in line)


def found(report):
    """What is said, notes left out: code, variables, line."""
    assert report.error is None, report.error
    return [
        (one.code, one.variables, one.site and one.site.line)
        for one in report.findings
        if one.severity != "note"
    ]


@pytest.mark.parametrize("name", programs.WRONG)
def test_a_mistake_is_named_with_its_variables_and_its_line(check, name):
    text, code, variables = programs.WRONG[name]
    said = found(check(text))
    assert (code, variables, line_of(text)) in said
    assert {one for one, _, _ in said} <= {code, "PS302"}


@pytest.mark.parametrize("text", RIGHT)
def test_right_programs_get_no_findings_and_end_with_the_same_bits(tmp_path, check, text):
    kept = tmp_path / "kept"
    whole = dedent(text) + KEEP.replace("KEPT", repr(str(kept)))
    file = tmp_path / "train.py"
    file.write_text(programs.HEAD + whole)
    assert run_script(str(file), None, []) is None
    plain = pickle.loads(kept.read_bytes())
    kept.unlink()
    report = check(whole)
    assert found(report) == []
    watched = pickle.loads(kept.read_bytes())
    assert len(plain) == len(watched) > 2
    for before, after in zip(plain, watched, strict=True):
        assert before.dtype == after.dtype and before.tobytes() == after.tobytes()
    assert report.variables and all(
        one.gradient in ("flows", "frozen") for one in report.variables if not one.data
    )
    trained = [one for one in report.variables if one.writers]
    assert trained and report.steps


def test_a_missing_gradient_is_zeros_in_jax(check):
    (said,) = [one for one in check(programs.WRONG["rounded features"][0]).findings if one.code == "PS105"]
    assert "the gradient is all zeros" in said.message and "None" not in said.message


def test_the_history_of_weights_is_no_path_of_a_loss(check):
    text = programs.ADVERSARIES.replace(
        "fake = apply(g, noise)\n", "fake = jax.lax.stop_gradient(apply(g, noise))\n"
    )
    (said,) = [one for one in check(text).findings if one.code == "PS106"]
    assert said.explanation is not None and said.explanation.path
    assert not [one for one in said.explanation.notes if "Another path" in one]


def test_a_term_says_why_it_does_not_train_a_network_that_was_data_at_first(check):
    text = programs.ADVERSARIES
    report = check(text)
    assert found(report) == []
    terms = [one for one in report.terms if one.site.line == line_of(text, "# judged")]
    (told,) = {(one.word, one.cut.line) for one in terms if one.blocked}
    assert told == ("stopped", line_of(text, "# stop"))


@pytest.mark.parametrize("same", ["jax.lax.stop_gradient(one)", "one.astype(one.dtype)", "jnp.copy(one)"])
def test_a_value_that_equals_a_parameter_is_no_write(check, same):
    text = f"""
        params = dense(key, 3, 1)
        @jax.jit
        def step(params):
            one = params["kernel"]
            params = params | {{"kernel": {same}}}
            gradients = jax.grad(lambda p: jnp.mean((apply(p, x) - y) ** 2))(params)
            return descend(params, gradients)
        for _ in range(8):
            params = step(params)
        """
    report = check(text)
    assert found(report) == [] and len(report.variables) == 2
    assert [writer.times for one in report.variables for writer in one.writers.values()] == [8, 8]


def times(report):
    """How often each line writes each parameter."""
    return {
        (one.path, key[0], key[1].line): writer.times
        for one in report.variables
        for key, writer in one.writers.items()
    }


def test_the_steps_of_a_compiled_function_are_counted_with_their_amounts(check):
    text = programs.PLAIN["a compiled step with momentum by hand"]
    report = check(text)
    assert report.steps == 12
    assert set(times(report).values()) == {12}
    assert all(writer.mean > 0 for one in report.variables for writer in one.writers.values())


def test_each_step_of_a_scan_is_counted(check):
    report = check(programs.PLAIN["an epoch in a scan"])
    assert report.steps == 24 and set(times(report).values()) == {24}


def test_a_scan_that_trains_outside_of_compiled_code_is_named(check):
    text = programs.PLAIN["an epoch in a scan"].replace("        @jax.jit\n", "")
    report = check(text)
    (said,) = report.remarks
    assert "scan at" in said and "jax.jit" in said and f":{line_of(text, 'lax.scan')}," in said


def test_updates_by_hand_are_at_least_those_counted(check):
    report = check(programs.PLAIN["a loop without a compiled step"])
    writers = [writer for one in report.variables for writer in one.writers.values()]
    assert {one.times for one in writers} == {7} and all(one.least for one in writers)


def test_calls_that_do_not_train_are_not_counted(check):
    report = check(programs.PLAIN["an evaluation between steps, with one function for both"])
    assert report.steps == 12 and set(times(report).values()) == {12}


def test_members_of_an_ensemble_are_different_parameters(check):
    report = check(programs.PLAIN["an ensemble through one function"])
    assert len(report.variables) == 6
    assert [writer.times for one in report.variables for writer in one.writers.values()] == [8] * 6


def test_a_frozen_parameter_that_decays_is_named(check):
    pytest.importorskip("optax", reason="optax is not installed")
    report = check(programs.DECAYED)
    # The bias stays where it is: it begins at zero.
    assert found(report) == [("PS404", ("params/encoder/kernel",), line_of(programs.DECAYED))]


def test_parameters_have_the_lines_that_made_them(check):
    text = programs.WRONG["a stop on a result"][0]
    lines = {one.path: one.created.line for one in check(text).variables}
    made = next(n for n, line in enumerate(programs.HEAD.splitlines(), 1) if '"kernel"' in line)
    assert set(lines.values()) == {made}


def test_the_steps_before_a_limit_are_analysed(check):
    text = programs.WRONG["a stop on a result"][0].replace("range(6)", "range(40)")
    report = check(text, 8)
    assert report.steps == 8 and report.stopped
    assert [code for code, _, _ in found(report)] == ["PS106"]


def test_nothing_is_left_behind(check):
    import jax
    from jax._src import core, pjit

    def present():
        return [jax.grad, jax.value_and_grad, jax.jit, core.Primitive.bind_with_trace,
                pjit._get_fastpath_data, pjit._pjit_call_impl_python, list(sys.meta_path)]  # fmt: skip

    before = present()
    check(programs.PLAIN["an epoch in a scan"])
    assert present() == before


def test_the_command_reports_on_a_script_that_runs_in_jax(tmp_path):
    text, code, _ = programs.WRONG["a choice by argmax"]
    file = tmp_path / "train.py"
    file.write_text(programs.HEAD + dedent(text))
    command = [sys.executable, "-m", "penstock", "check", "--with", "jax", "--format", "json", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    said = json.loads(done.stdout)
    assert said["framework"]["name"] == "jax"
    assert [one["code"] for one in said["findings"]] == [code]


def test_an_old_version_is_refused_with_what_to_type():
    with pytest.raises(PenstockError, match=r"JAX 0\.10 or newer.*0\.4\.30"):
        require_new("0.4.30")
    require_new("0.11.0")


def test_bits_of_amounts_are_read_before_memory_is_donated(check):
    report = check(programs.PLAIN["Adam by hand, with donated memory"])
    assert all(np.isfinite(writer.mean) and writer.mean > 0
               for one in report.variables for writer in one.writers.values())  # fmt: skip


def test_derivatives_that_are_not_followed_are_named_with_their_lines(check):
    text = """
        w = jnp.ones(2)
        for _ in range(3):
            value, back = jax.vjp(lambda w: jnp.sum(w**2), w)  # here
            w = w - 0.1 * back(jnp.ones(()))[0]
        curvature = jax.hessian(lambda w: jnp.sum(w**3))(w)
        slope = jax.grad(lambda w: jnp.sum(w**2))(w)
    """
    remarks = [one for one in check(text).remarks if "does not follow" in one]
    assert len(remarks) == 2
    assert "jax.vjp at " in remarks[0] and f"train.py:{line_of(text)}." in remarks[0]
    assert "jax.hessian at " in remarks[1]
