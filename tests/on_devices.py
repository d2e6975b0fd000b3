"""Tests on eight devices: test_distribution.py runs this file in a process that simulates them."""

import contextlib
import gc
import socket
from pathlib import Path

import numpy as np
import pytest

import penstock as ps
from penstock import distribution as D
from penstock.distribution import in_force
from scripts import module_in

COUNT = 8
HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def alone():
    """Remove the distribution that a test has set."""
    ps.random.seed(0)
    yield
    D.set_distribution(None)


def devices(count):
    return D.list_devices()[:count]


def model_parallel(count):
    """A mesh of two axes, the second of which splits kernels and a table."""
    model = 2 if count > 1 else 1
    mesh = D.DeviceMesh((count // model, model), ["batch", "model"], devices(count))
    layouts = D.LayoutMap(mesh)
    layouts["kernel"] = (None, "model")
    layouts["embeddings"] = ("model", None)
    return D.ModelParallel(layout_map=layouts, batch_dim_name="batch")


MADE = {
    "copied": lambda count: D.DataParallel(devices=devices(count)),
    "state split": lambda count: D.DataParallel(devices=devices(count), shard_state=True),
    "weights split": lambda count: D.DataParallel(devices=devices(count), shard_weights=True),
    "model split": model_parallel,
}


def trained(distribution, captured=False, steps=6):
    """Train with dropout, batch normalization and a table; return losses, and all variables by path."""
    from penstock.layers import naming

    naming.counts.clear()
    ps.random.seed(11)
    data = np.random.default_rng(5)
    ids = data.integers(0, 24, (steps, 16))
    xs = data.standard_normal((steps, 16, 8)).astype("float32")
    labels = data.integers(0, 4, (steps, 16))
    with distribution or contextlib.nullcontext():
        table = ps.layers.Embedding(24, 8)
        first, norm = ps.layers.Dense(16, activation="relu"), ps.layers.BatchNormalization()
        drop, last = ps.layers.Dropout(0.25), ps.layers.Dense(4)
        optimizer = ps.optimizers.Adam(0.01)

        def step(x, index, label):
            with ps.GradientTape() as tape:
                hidden = drop(norm(first(x + table(index)), training=True), training=True)
                loss = ps.mean(ps.losses.softmax_cross_entropy(last(hidden), label))
            weights = [w for layer in (table, first, norm, last) for w in layer.trainable_variables]
            optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
            return loss

        run = ps.step(step) if captured else step
        losses = [float(run(x, index, label)) for x, index, label in zip(xs, ids, labels, strict=True)]
        variables = [v for layer in (table, first, norm, last) for v in layer.variables]
        variables += optimizer.variables
        return losses, {one.path: one.numpy() for one in variables}, variables


def assert_same(found, wanted):
    np.testing.assert_allclose(found[0], wanted[0], rtol=2e-5)
    assert found[1].keys() == wanted[1].keys()
    for path, value in wanted[1].items():
        np.testing.assert_allclose(found[1][path], value, rtol=2e-4, atol=2e-5, err_msg=path)


@pytest.fixture(scope="module")
def alone_plain():
    return trained(None)


@pytest.fixture(scope="module")
def alone_captured():
    return trained(None, captured=True)


@pytest.mark.parametrize(
    ("kind", "count"),
    [("copied", 2), ("copied", 8), ("state split", 8), ("weights split", 8), ("model split", 4)],
)
def test_a_plain_loop_computes_the_same_numbers(kind, count, alone_plain):
    assert_same(trained(MADE[kind](count)), alone_plain)


@pytest.mark.parametrize(
    ("kind", "count"), [("copied", 1), ("copied", 4), ("weights split", 4), ("model split", 8)]
)
def test_a_captured_step_computes_the_same_numbers(kind, count, alone_captured):
    assert_same(trained(MADE[kind](count), captured=True), alone_captured)


def bytes_on_each(variable):
    return {int(shard.data.nbytes) for shard in variable._value.addressable_shards}


def test_variables_and_state_live_where_the_distribution_says():
    for kind, parts in (("copied", (1, 1)), ("state split", (1, 8)), ("weights split", (8, 8))):
        _, _, variables = trained(MADE[kind](8), steps=2)
        kernel = next(v for v in variables if v.path.endswith("dense/kernel"))
        moment = next(v for v in variables if v.path.endswith("dense/kernel/momentum"))
        for variable, part in zip((kernel, moment), parts, strict=True):
            # The block is over, and values are brought back when they are next used.
            assert bytes_on_each(variable) == {variable.size * 4 // part}, (kind, variable.path)


def test_state_follows_its_variable_and_what_fits_no_device_count_is_copied():
    _, _, variables = trained(model_parallel(8), steps=2)
    by_path = {v.path: v for v in variables}
    assert bytes_on_each(by_path["adam/dense/kernel/velocity"]) == {8 * 16 * 4 // 2}
    assert bytes_on_each(by_path["embedding/embeddings"]) == {24 * 8 * 4 // 2}
    assert bytes_on_each(by_path["adam/step"]) == {by_path["adam/step"].dtype.itemsize}


def test_values_come_back_to_one_device_and_go_on():
    weight = ps.Variable(np.arange(16, dtype="float32"), name="weight")
    with D.DataParallel(devices=devices(8), shard_weights=True):
        weight.assign(weight * 2.0)
        split = weight + 0.0
        ps.wait()
        assert len(weight._value.sharding.device_set) == 8
    weight.assign(weight + split)
    np.testing.assert_array_equal(weight.numpy(), np.arange(16) * 4.0)
    for _ in range(40):
        weight.assign(weight - 1.0)
    np.testing.assert_array_equal(weight.numpy(), np.arange(16) * 4.0 - 40)
    assert len(getattr(weight._value, "devices", lambda: {0})()) == 1


def test_a_block_restores_the_distribution_before_even_after_an_error():
    outer, inner = D.DataParallel(devices=devices(2)), D.DataParallel(devices=devices(4))
    with outer, contextlib.suppress(KeyError), inner:
        assert D.distribution() is inner
        raise KeyError
    with outer:
        assert D.distribution() is outer
        with inner.scope(), outer:
            assert D.distribution() is outer
        assert D.distribution() is outer
    assert D.distribution() is None


def test_random_numbers_and_initial_values_do_not_depend_on_devices():
    def drawn():
        ps.random.seed(3)
        layer = ps.layers.Dense(8)
        layer(np.ones((8, 8), "float32"))
        return [
            layer.variables[0].numpy(),
            ps.random.normal((8, 4)).numpy(),
            ps.random.permutation(32).numpy(),
        ]

    wanted = drawn()
    for kind in MADE:
        with MADE[kind](8):
            for one, other in zip(drawn(), wanted, strict=True):
                np.testing.assert_array_equal(one, other)


def test_a_batch_that_does_not_divide_is_copied_and_computes_the_same():
    weight = ps.Variable(np.ones((4, 2), "float32"))
    x = np.arange(28, dtype="float32").reshape(7, 4)
    with D.DataParallel(devices=devices(8)):
        np.testing.assert_allclose(ps.mean(ps.matmul(x, weight)).numpy(), x.sum(1).mean(), rtol=1e-6)


def test_a_gradient_can_be_asked_for_after_the_step():
    with D.DataParallel(devices=devices(8)):
        weight = ps.Variable(np.ones(4, "float32"))
        with ps.GradientTape(persistent=True) as tape:
            loss = ps.sum(ps.matmul(np.ones((8, 4), "float32"), weight) ** 2)
        float(loss)
        weight.assign_sub(tape.gradient(loss, weight) * 0.1)
        np.testing.assert_allclose(tape.gradient(loss, weight).numpy(), np.full(4, 64.0), rtol=1e-6)


def test_a_refused_index_changes_no_part_of_a_split_table():
    with model_parallel(8):
        table = ps.Variable(np.ones((8, 2), "float32"), name="embeddings")
        optimizer = ps.optimizers.SGD(0.1)

        def step(ids):
            with ps.GradientTape() as tape:
                loss = ps.sum(ps.take(table, ids, axis=0))
            optimizer.apply_gradients([(tape.gradient(loss, table), table)])
            return loss

        float(step(np.array([0, 1, 5, 7])))
        before = table.numpy()
        with pytest.raises(ps.errors.RangeError, match="8"):
            float(step(np.array([0, 1, 8, 7])))
        np.testing.assert_array_equal(table.numpy(), before)


def test_a_broken_contract_changes_nothing():
    with D.DataParallel(devices=devices(8)):
        kept, moved = ps.Variable(np.ones(8, "float32"), name="kept"), ps.Variable(1.0, name="moved")

        @ps.step(updates="moved")
        def step():
            moved.assign_add(1.0)
            kept.assign_add(ps.ones(8))

        with pytest.raises(ps.errors.ContractBroken, match="kept"):
            step()
        assert (float(kept.numpy().sum()), float(moved.numpy())) == (8.0, 1.0)


def test_ledger_and_explain_tell_what_they_tell_on_one_device():
    def told():
        weight = ps.Variable(np.ones((8, 2), "float32"), name="weight")
        cut = ps.Variable(np.ones(8, "float32"), name="cut")
        with ps.ledger() as ledger:
            with ps.GradientTape() as tape:
                loss = ps.mean(ps.matmul(np.ones((8, 8), "float32"), weight)) + ps.mean(
                    ps.stop_gradient(cut * 2.0)
                )
            gradient = tape.gradient(loss, weight)
            reason = ps.explain(loss, cut).reason
            weight.assign_sub(gradient)
        (entry,) = ledger.entries
        return (
            str(reason),
            entry.by,
            entry.variable if isinstance(entry.variable, str) else entry.variable.path,
        )

    wanted = told()
    with D.DataParallel(devices=devices(8), shard_weights=True):
        assert told() == wanted


def test_memory_does_not_grow_and_written_values_are_overwritten_in_place():
    with D.DataParallel(devices=devices(8)):
        weight = ps.Variable(np.zeros((8, 64), "float32"))
        x = np.ones((8, 8), "float32")

        def step():
            with ps.GradientTape() as tape:
                loss = ps.mean(ps.matmul(x, weight) ** 2)
            weight.assign_sub(tape.gradient(loss, weight))

        step()
        ps.wait()
        first = weight._value
        place = first.addressable_shards[0].data.unsafe_buffer_pointer()
        del first
        step()
        ps.wait()
        import jax

        gc.collect()
        count = len(jax.live_arrays())
        for _ in range(5):
            step()
        ps.wait()
        gc.collect()
        assert len(jax.live_arrays()) <= count
        assert weight._value.addressable_shards[0].data.unsafe_buffer_pointer() == place


def test_a_step_is_compiled_once_for_each_distribution():
    weight = ps.Variable(np.zeros((8, 4), "float32"))

    @ps.step
    def step(x):
        loss = ps.mean(ps.matmul(x, weight))
        weight.assign_add(ps.ones((8, 4)))
        return loss

    x = np.ones((8, 8), "float32")
    outer, inner = D.DataParallel(devices=devices(8)), D.DataParallel(devices=devices(4))
    for _ in range(3):
        for distribution in (outer, inner):
            with distribution:
                step(x)
    (capture,) = step.captures.values()
    assert len(capture.program.compiled) == 2


def test_checkpoints_move_between_meshes(tmp_path):
    def made():
        weight = ps.Variable(np.arange(32, dtype="float32").reshape(8, 4), name="weight")
        return weight, ps.optimizers.Adam(0.1)

    with D.DataParallel(devices=devices(8), shard_weights=True):
        weight, optimizer = made()
        optimizer.apply_gradients([(ps.ones((8, 4)), weight)])
        ps.save(tmp_path / "step", [weight], optimizer)
        wanted = weight.numpy(), [one.numpy() for one in optimizer.variables]
    for distribution in (D.DataParallel(devices=devices(2), shard_state=True), contextlib.nullcontext()):
        with distribution:
            weight, optimizer = made()
            ps.load(tmp_path / "step", [weight], optimizer)
            np.testing.assert_array_equal(weight.numpy(), wanted[0])
            for one, value in zip(optimizer.variables, wanted[1], strict=True):
                np.testing.assert_array_equal(one.numpy(), value)


def test_distribute_tensor_places_data_where_its_layout_says():
    mesh = D.DeviceMesh((4, 2), ["batch", "model"])
    placed = D.distribute_tensor(np.ones((8, 4), "float32"), D.TensorLayout(["batch", "model"], mesh))
    assert {one.data.shape for one in placed._value.addressable_shards} == {(2, 2)}
    with model_parallel(8):
        assert float(ps.sum(placed)) == 32.0
    assert float(ps.sum(placed)) == 32.0


def test_the_tensorflow_dialect_has_the_names_of_keras():
    import penstock.tensorflow as tf

    def losses(distribution):
        tf.keras.utils.set_random_seed(1)
        with distribution or contextlib.nullcontext():
            model = tf.keras.Sequential(
                [tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(1)]
            )
            optimizer = tf.keras.optimizers.Adam(0.1)
            x = tf.constant(np.linspace(-1, 1, 32, dtype="float32").reshape(16, 2))
            found = []

            @tf.function
            def step():
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.square(model(x) - 1.0))
                weights = model.trainable_variables
                optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
                return loss

            for _ in range(4):
                found.append(float(step()))
            return found

    keras = tf.keras.distribution
    wanted = losses(None)
    np.testing.assert_allclose(losses(keras.DataParallel().scope()), wanted, rtol=1e-5)
    mesh = keras.DeviceMesh((2, 4), ["data", "model"], keras.list_devices())
    layouts = keras.LayoutMap(mesh)
    layouts["dense/kernel"] = keras.TensorLayout([None, "model"])
    split = keras.ModelParallel(layout_map=layouts, batch_dim_name="data")
    keras.set_distribution(split)
    np.testing.assert_allclose(losses(None), wanted, rtol=1e-5)
    assert keras.distribution() is split


def told(*parts):
    return pytest.raises(ps.errors.PenstockError, match="(?s)" + ".*".join(parts))


def test_bad_meshes_say_what_to_type():
    with told("16 devices: there are 8", "--xla_force_host_platform_device_count=16", "check --devices 16"):
        D.DeviceMesh((4, 4), ["batch", "model"])
    with told(r"\(3, 2\), which is 6 devices, and 8", r"such as \(2, 4\)"):
        D.DeviceMesh((3, 2), ["batch", "model"], D.list_devices())
    with told("cpu:12", "there are 8", "device_count=13"):
        D.DeviceMesh((1,), ["batch"], ["cpu:12"])
    with told("shape=.8,.", "batch", "model", "Give 1 names|Give"):
        D.DeviceMesh((8,), ["batch", "model"])
    with told("twice"):
        D.DeviceMesh((4, 2), ["batch", "batch"])
    with told("2 axes", r"DeviceMesh\(\(8,\), \['batch'\]\)"):
        D.DataParallel(D.DeviceMesh((4, 2), ["batch", "model"]))


def test_bad_layouts_say_what_to_type():
    mesh = D.DeviceMesh((4, 2), ["batch", "model"])
    with told("'modle'", "'batch', 'model'"):
        D.TensorLayout([None, "modle"], mesh)
    with told("'model' twice"):
        D.TensorLayout(["model", "model"], mesh)
    with told("axes='model'", r"\('model',\)"):
        D.TensorLayout("model", mesh)
    layouts = D.LayoutMap(mesh)
    with told("regular expression", r"'\.\*/kernel'"):
        layouts["*/kernel"] = (None, "model")
    layouts["kernel"] = (None, "batch")
    with told("already", "del layout_map"):
        layouts["kernel"] = (None, "model")
    split = D.ModelParallel(layout_map=layouts, batch_dim_name="batch")
    with told("batch_dim_name='rows'", "'batch', 'model'"):
        D.ModelParallel(layout_map=layouts, batch_dim_name="rows")
    with split:
        bias = ps.Variable(np.zeros(8, "float32"), name="a/kernel_bias")
        with told("kernel_bias", r"shape \(8,\)", "2 entries", "by the pattern 'kernel'", r"\('batch',\)"):
            bias.assign_add(ps.ones(8))
            ps.wait()
        odd = ps.Variable(np.zeros((8, 6), "float32"), name="b/kernel")
        with told("b/kernel", "axis 1 over 4", "6 does not divide by 4", "8 long", r"\('batch', None\)"):
            odd.assign_add(ps.ones((8, 6)))
            ps.wait()
        layouts["b"] = ("model", None)
        other = ps.Variable(np.zeros((8, 8), "float32"), name="b/kernel2")
        with told("2 patterns", "'b/kernel2'", "narrower"):
            other.assign_add(ps.ones((8, 8)))
            ps.wait()


def test_a_distribution_cannot_be_set_inside_a_step_or_with_numpy():
    from penstock.testing import use_engine

    @ps.step
    def step():
        D.set_distribution(D.DataParallel())

    with told("'step' sets a distribution", "before the step"):
        step()
    with told("set_distribution was given 'all'", "DataParallel"):
        D.set_distribution("all")
    with use_engine("numpy"), told("the engine is NumPy", "PENSTOCK_ENGINE"):
        D.set_distribution(D.DataParallel())


# -- cost ----------------------------------------------------------------------------------------------------


def reported(distribution, batch=16, captured=True):
    """Train two layers for three steps; return the report and the line of the gradient."""
    from penstock.layers import naming

    naming.counts.clear()
    with distribution:
        layers = [ps.layers.Dense(32), ps.layers.Dense(32)]
        optimizer = ps.optimizers.SGD(0.1, momentum=0.9)

        def step(x):
            with ps.GradientTape() as tape:
                loss = ps.mean(layers[1](layers[0](x)) ** 2)
            weights = [w for layer in layers for w in layer.trainable_variables]
            optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))

        run = ps.step(step) if captured else step
        for _ in range(3):
            run(np.ones((batch, 32), "float32"))
        ps.wait()
        return D.report(run if captured else None)


def test_a_report_says_what_each_device_holds():
    for kind, part in (
        ("copied", (1, 1)),
        ("state split", (1, 8)),
        ("weights split", (8, 8)),
        ("model split", (2, 2)),
    ):
        report = reported(MADE[kind](8))
        by_path = {one.path: one for one in report.variables}
        kernel, state = by_path["dense/kernel"], by_path["sgd/dense/kernel/momentum"]
        assert (kernel.bytes, kernel.bytes_per_device) == (4096, 4096 // part[0]), kind
        assert (state.owner, state.bytes_per_device) == ("dense/kernel", 4096 // part[1]), kind
        # The report's sum, with the batch, is XLA's figure for the step.
        (step,) = report.steps
        taken = report.bytes_per_device + 16 * 32 * 4 // (4 if kind == "model split" else 8)
        assert taken <= step.arguments <= taken + 64, kind


@pytest.mark.parametrize("captured", [True, False])
def test_gradients_of_copies_are_added_once_and_the_report_counts_their_bytes(captured):
    report = reported(MADE["copied"](8), captured=captured)
    (step,) = report.steps
    assert {one.kind for one in step.sent} == {"all-reduce"}
    weights = sum(one.bytes for one in report.variables if not one.owner)
    assert sum(one.size for one in step.sent) == weights
    assert step.bytes_sent == 2 * weights * 7 // 8
    lines = {site.line for one in step.sent for site in one.sites}
    source = Path(__file__).read_text(encoding="utf-8").splitlines()
    assert all("tape.gradient" in source[line - 1] or "layers[1]" in source[line - 1] for line in lines), (
        lines
    )
    assert "1 all-reduce among 8" in str(report) and "on_devices.py" in str(report)


def test_one_device_sends_nothing():
    assert reported(MADE["copied"](1)).steps[0].bytes_sent == 0


def test_collectives_are_read_from_every_way_xla_writes_them():
    from penstock.distribution.collectives import collectives

    text = """
%body (x: f32[4]) -> f32[4] {
  %all-gather-start.1 = (f32[4]{0}, f32[16]{0}) all-gather-start(%x), replica_groups=[2,4]<=[8], NAME7"}
}

ENTRY %main (p: f32[4], q: bf16[2,3]) -> (f32[4], bf16[2,3]) {
  %p = f32[4]{0} parameter(0)
  %q = bf16[2,3]{1,0} parameter(1)
  %w = f32[4]{0} while(%p), condition=%cond, body=%body, backend_config={"known_trip_count":{"n":"5"}}
  %g = bf16[16,3]{1,0} all-gather(%q), replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}
  %r = (f32[4]{0}, s64[]) all-reduce(%w), replica_groups=mesh['a'=4,'b'=2] {'b'}, NAME1/x:penstock_step_2"}
  ROOT %t = (f32[4]{0}, bf16[16,3]{1,0}) tuple(%w, %g)
}
"""
    gather, whole, reduce = collectives(text.replace("NAME", 'metadata={op_name="jit(f)/penstock_step_'), 8)
    assert (gather.kind, gather.size, gather.parts, gather.times, gather.steps) == (
        "all-gather",
        64,
        4,
        5,
        (7,),
    )
    assert (whole.size, whole.parts, whole.argument, whole.elements, whole.outputs) == (96, 8, 1, 48, (1,))
    assert (reduce.size, reduce.sent, reduce.parts, reduce.steps) == (24, 24, 2, (1, 2))


def codes(report):
    return [one.code for one in report.findings]


def test_right_programs_have_no_findings():
    for kind in ("copied", "state split", "weights split"):
        assert codes(reported(MADE[kind](8))) == [], kind
    assert codes(reported(split_by(kernel=(None, "model")))) == []


def split_by(**patterns):
    mesh = D.DeviceMesh((2, 4), ["batch", "model"])
    layouts = D.LayoutMap(mesh)
    for name, axes in patterns.items():
        layouts[name.replace("__", "/")] = axes
    return D.ModelParallel(layout_map=layouts, batch_dim_name="batch")


def test_patterns_without_effect_and_copies_left_behind_are_found():
    report = reported(split_by(encoder=(None, "model"), kernel=(None, "model")))
    assert codes(report) == ["PS602"]
    assert "'encoder'" in report.findings[0].message and "dense" in report.findings[0].fix
    report = reported(split_by(dense__kernel=(None, "model")))
    assert codes(report) == ["PS601"] and report.findings[0].variables == ("dense_1/kernel",)
    assert "dense(_?[0-9]+)?/kernel" in report.findings[0].fix
    # The two remedies.
    assert codes(reported(split_by(**{"dense(_?[0-9]+)?__kernel": (None, "model")}))) == []
    assert codes(reported(split_by(dense__kernel=(None, "model"), dense_1__kernel=()))) == []


@pytest.mark.parametrize("captured", [True, False])
def test_a_batch_that_no_device_splits_is_found(captured):
    report = reported(MADE["copied"](8), batch=12, captured=captured)
    assert codes(report) == ["PS603"]
    assert "12 is not divisible by the 8 devices" in report.findings[0].message
    assert "8 or 16" in report.findings[0].fix


def test_reports_of_nothing_say_what_to_type():
    with told("def step|function", "@ps.step"):
        D.report(lambda: None)
    with told("'idle'", "Call it once"):
        reported(MADE["copied"](8))

        @ps.step
        def idle():
            pass

        D.report(idle)


@pytest.mark.parametrize("code", ["PS601", "PS602", "PS603", "PS604"])
def test_pages_show_a_wrong_and_a_right_program(code, tmp_path, capsys):
    import json

    from penstock.cli import main
    from penstock.flow.manual import page

    for which, wanted in (("wrong", [code]), ("right", [])):
        file = tmp_path / f"{which}.py"
        file.write_text(getattr(page(code), which))
        D.set_distribution(None)
        in_force._placings.clear()
        main(["check", "--devices", "8", "--format", "json", str(file)])
        report = json.loads(capsys.readouterr().out)
        assert [one["code"] for one in report["findings"]] == wanted, which
        assert report["error"] is None and report["distributions"][0]["devices"] == 8


def checked(capsys, *arguments):
    """The report that a check prints, started as in a new process."""
    from penstock.cli import main

    D.set_distribution(None)
    in_force._placings.clear()
    status = main(["check", "--devices", "8", *map(str, arguments)])
    return status, capsys.readouterr().out


@pytest.mark.parametrize("name", ["digits", "language", "recommend"])
def test_examples_run_on_eight_devices_and_are_clean(name, capsys, monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.chdir(HERE.parent)
    status, said = checked(capsys, f"examples/devices_{name}.py")
    assert status == 0 and "No problems found" in said and "8 devices" in said, said
    losses = [float(line.rpartition(" ")[2]) for line in said.splitlines() if ": loss " in line]
    assert losses[-1] < 0.9 * losses[0]
    if name == "recommend":
        # A step sends rows: no device assembles the table of 30 MiB, an eighth of which it holds.
        assert "split: axis 0 over 'rows'  3.8 MiB" in said
        (line,) = [line for line in said.splitlines() if line.startswith("Step 1")]
        assert "KiB a step" in line.partition("sends ")[2]


def test_a_check_without_a_distribution_says_how_to_use_the_devices(tmp_path, capsys):
    script = tmp_path / "alone.py"
    script.write_text("import penstock as ps\nx = ps.Variable(1.0, name='x')\nx.assign_add(1.0)\n")
    _, said = checked(capsys, script)
    assert "No distribution was set" in said and "DataParallel()" in " ".join(said.split())


def test_joining_others_says_what_is_wrong():
    with socket.socket() as taken:
        taken.bind(("localhost", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with told(f"localhost:{port} cannot be used", "Give another port"):
            D.initialize(f"localhost:{port}", 2, 0)
    with told("process_id=2 and num_processes=2", "from 0 to 1"):
        D.initialize(f"localhost:{port}", 2, 2)
    D.list_devices()
    with told("could not join", "first of all, before tensors and devices"):
        D.initialize(f"localhost:{port}", 1, 0)


# -- plans ------------------------------------------------------------------------------------------------


def figures(report):
    """All figures of a report."""
    found = report.data()
    steps = [{**step, "line": None} for step in found.pop("steps")]
    return {**found, "mesh": None}, steps


@pytest.mark.parametrize("kind", MADE)
def test_a_plan_has_the_figures_of_the_run(kind):
    table = ps.Variable(np.ones((24, 8), "float32"), name="embeddings")
    kernel = ps.Variable(np.ones((8, 16), "float32"), name="kernel")
    optimizer = ps.optimizers.Adam(0.1)

    @ps.step
    def step(ids, label):
        with ps.GradientTape() as tape:
            hidden = ps.tanh(ps.matmul(ps.take(table, ids, axis=0), kernel)) * ps.random.uniform((16,))
            loss = ps.mean((ps.sum(hidden, axis=1) - label) ** 2)
        weights = [table, kernel]
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    data = [np.arange(16) % 24, np.ones(16, "float32")]
    before = kernel.numpy()
    with MADE[kind](1):
        lengths = (4, 2) if kind == "model split" else 8
        ahead = D.plan(step, lengths, data)
        assert (
            D.plan(step, dict(zip(["batch", "model"], np.atleast_1d(lengths))), data).data() == ahead.data()
        )
    np.testing.assert_array_equal(kernel.numpy(), before)
    with MADE[kind](8):
        step(*data)
        step(*data)
        real = D.report(step)
    planned, run = figures(ahead), figures(real)
    assert planned[0] == run[0]
    # Results that the program reads come back whole; whether a value may be overwritten depends on its
    # holders.
    (found,), (wanted,) = planned[1], run[1]
    assert found == wanted
    assert found["bytes_sent"] > 0
    assert "not run" in str(ahead) and "not run" not in str(real)


def test_a_plan_for_hundreds_of_devices_draws_and_changes_nothing():
    weight = ps.Variable(np.ones((64, 4), "float32"), name="weight")

    @ps.step
    def step(x):
        with ps.GradientTape() as tape:
            loss = ps.mean(ps.matmul(x, weight) ** 2 * ps.random.uniform((4,)))
        weight.assign_sub(tape.gradient(loss, weight))
        return loss

    with told("'step', which was not called", "arguments="):
        D.plan(step, 256)
    ps.random.seed(5)
    wanted = ps.random.uniform((3,)).numpy()
    ps.random.seed(5)
    found = D.plan(step, 256, [np.broadcast_to(np.float32(1), (512, 64))])
    np.testing.assert_array_equal(ps.random.uniform((3,)).numpy(), wanted)
    assert weight.numpy().sum() == 256.0 and weight.version == 0
    assert found.devices == 256 and {one.parts for one in found.steps[0].sent} >= {256}
    # Each device sends nearly twice the bytes that it sums, whatever the number of devices.
    assert found.steps[0].bytes_sent < 2 * (64 * 4 * 4 + 64)
    assert [one.code for one in D.plan(step, 256, [np.ones((100, 64), "float32")]).findings] == ["PS603"]
    split = model_parallel(1)
    with split:
        for mesh in (256, (2, 2, 2), {"batch": 2}, (0, 4), "many"):
            with told("mesh=", "'batch', 'model'", "Give a length"):
                D.plan(step, mesh, [np.ones((8, 64), "float32")])
    with told("plan was given", "@ps.step"):
        D.plan(lambda: None, 8)
    with told("arguments=3"):
        D.plan(step, 8, 3)


def test_the_table_of_the_docs_has_the_figures_of_today():
    pytest.importorskip("sklearn")
    path = HERE.parent / "tools" / "device_table.py"
    tool = module_in(path)
    text = tool.PAGE.read_text(encoding="utf-8")
    assert tool.written(text, tool.rows()) == text, "python tools/device_table.py --write"


def test_what_is_compiled_for_several_devices_is_not_kept_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("PENSTOCK_CACHE_DIR", str(tmp_path))
    with D.DataParallel(devices=devices(8)):
        weight = ps.Variable(np.ones((4, 2), "float32"))
        float(ps.mean(ps.matmul(np.ones((8, 4), "float32"), weight) ** 5))
    assert not [one for one in tmp_path.rglob("*") if one.is_file()]
