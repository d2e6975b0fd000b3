"""Callbacks for trainers of other packages, called as these call them, and by them if installed."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-frameworks")

from penstock import callbacks  # noqa: E402
from penstock.errors import PenstockError  # noqa: E402


class Model(torch.nn.Module):
    def __init__(self, spare):
        super().__init__()
        self.body = torch.nn.Linear(3, 1)
        if spare:
            self.spare = torch.nn.Linear(3, 1)

    def forward(self, x):
        return self.body(x)


def train(model, optimizer, begin, follow, end, fail, steps=12):
    """A trainer's loop: calls its argument with the number of updates so far."""
    begin()
    try:
        for step in range(steps):
            optimizer.zero_grad()
            model(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
            follow(step + 1)
        end()
    except BaseException as error:
        fail(error)
        raise


def lightning(monkeypatch, model, optimizer, broken=False, **options):
    package, inner = ModuleType("lightning"), ModuleType("lightning.pytorch")
    inner.Callback = type("Callback", (), {})
    monkeypatch.setitem(sys.modules, "lightning", package)
    monkeypatch.setitem(sys.modules, "lightning.pytorch", inner)
    callback = callbacks.for_lightning(**options)
    assert isinstance(callback, inner.Callback)
    trainer = SimpleNamespace(global_step=0, optimizers=[optimizer], is_global_zero=True)

    def follow(updates):
        trainer.global_step = updates
        callback.on_train_batch_end(trainer, model, None, None, 0)
        if broken and updates == 2:
            raise ArithmeticError("broken")

    train(
        model,
        optimizer,
        lambda: callback.on_train_start(trainer, model),
        follow,
        lambda: callback.on_train_end(trainer, model),
        lambda error: callback.on_exception(trainer, model, error),
    )
    return callback.first


def transformers(monkeypatch, model, optimizer, **options):
    package = ModuleType("transformers")
    package.TrainerCallback = type("TrainerCallback", (), {})
    monkeypatch.setitem(sys.modules, "transformers", package)
    callback = callbacks.for_transformers(**options)
    assert isinstance(callback, package.TrainerCallback)
    state = SimpleNamespace(global_step=0, is_world_process_zero=True)
    held = {"model": model, "optimizer": optimizer}

    def follow(updates):
        state.global_step = updates
        callback.on_step_end(None, state, None, **held)

    train(
        model,
        optimizer,
        lambda: callback.on_train_begin(None, state, None, **held),
        follow,
        lambda: callback.on_train_end(None, state, None, **held),
        lambda error: None,
    )
    return callback.first


PACKAGES = pytest.mark.parametrize("package", [lightning, transformers])


def parts(spare=False):
    model = Model(spare)
    return model, torch.optim.SGD(model.parameters(), 0.1)


@PACKAGES
def test_the_first_steps_are_reported_once_and_the_run_goes_on(package, monkeypatch, capsys):
    first = package(monkeypatch, *parts(), steps=5)
    assert first.report.steps == 5
    assert [one.path for one in first.report.variables] == ["model.body.weight", "model.body.bias"]
    assert first.report.findings == []
    assert capsys.readouterr().out.count("No problems found.") == 1
    assert torch.overrides._get_current_function_mode_stack() == []


@PACKAGES
def test_a_short_run_is_reported_at_its_end(package, monkeypatch):
    assert package(monkeypatch, *parts(), steps=50).report.steps == 12


@PACKAGES
def test_a_run_with_findings_is_stopped_if_that_is_asked_for(package, monkeypatch, capsys):
    with pytest.raises(PenstockError, match="after 3 steps: the report on them has PS101"):
        package(monkeypatch, *parts(spare=True), steps=3, fail=True)
    assert "'model.spare.weight'" in capsys.readouterr().out
    assert torch.overrides._get_current_function_mode_stack() == []


@PACKAGES
def test_a_run_with_findings_goes_on_otherwise(package, monkeypatch):
    first = package(monkeypatch, *parts(spare=True), steps=3)
    assert [one.code for one in first.report.findings] == ["PS101"]


def test_a_run_that_fails_is_reported_with_its_error(monkeypatch):
    made = []
    monkeypatch.setattr(callbacks, "FirstSteps", lambda *given: made.append(FirstSteps(*given)) or made[0])
    with pytest.raises(ArithmeticError):
        lightning(monkeypatch, *parts(), broken=True)
    assert made[0].report.steps == 2
    assert isinstance(made[0].report.error, ArithmeticError)
    assert torch.overrides._get_current_function_mode_stack() == []


FirstSteps = callbacks.FirstSteps


@pytest.mark.parametrize("steps", [0, 1.5, True])
def test_steps_are_whole_numbers(steps):
    with pytest.raises(PenstockError, match=f"steps={steps}"):
        FirstSteps(steps)


@pytest.mark.parametrize("make", [callbacks.for_lightning, callbacks.for_transformers])
def test_a_package_that_is_missing_is_named(make, monkeypatch):
    for name in ("lightning.pytorch", "pytorch_lightning", "transformers"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(PenstockError, match=r"needs (lightning\.pytorch or pytorch_lightning|transformers)"):
        make()


def test_lightning_itself_runs_the_callback(tmp_path):
    package = pytest.importorskip("lightning.pytorch", reason="Lightning is not installed")

    class Whole(package.LightningModule):
        def __init__(self):
            super().__init__()
            self.body = torch.nn.Linear(3, 1)

        def training_step(self, batch, index):
            return self.body(batch).pow(2).mean()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.1)

    callback = callbacks.for_lightning(steps=3, fail=True)
    package.Trainer(
        callbacks=[callback], max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, default_root_dir=tmp_path,
    ).fit(Whole(), torch.utils.data.DataLoader(torch.randn(64, 3), 8))  # fmt: skip
    assert callback.first.report.steps == 3
    assert [one.path for one in callback.first.report.variables] == ["model.body.weight", "model.body.bias"]


def test_transformers_itself_runs_the_callback(tmp_path):
    package = pytest.importorskip("transformers", reason="Transformers is not installed")
    pytest.importorskip("accelerate", reason="Accelerate is not installed")

    class Whole(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.body = torch.nn.Linear(3, 1)

        def forward(self, x):
            return {"loss": self.body(x).pow(2).mean()}

    callback = callbacks.for_transformers(steps=3, fail=True)
    options = package.TrainingArguments(
        output_dir=str(tmp_path), per_device_train_batch_size=4, gradient_accumulation_steps=2, max_steps=6,
        report_to=[], use_cpu=True, save_strategy="no", disable_tqdm=True,
    )  # fmt: skip
    data = [{"x": torch.randn(3)} for _ in range(64)]
    package.Trainer(Whole(), options, train_dataset=data, callbacks=[callback]).train()
    assert callback.first.report.steps == 3
    assert [one.path for one in callback.first.report.variables] == ["model.body.weight", "model.body.bias"]
