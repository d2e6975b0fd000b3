"""Wrong Paddle programs: the message on each, whose remedy repairs the program if typed literally."""

import functools

import pytest

from penstock.flow.report.data import as_data

BEFORE = """\
import numpy as np
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
opt = paddle.optimizer.SGD(0.1, parameters=net.parameters())
x, y = paddle.randn([16, 4]), paddle.randn([16, 1])
for _ in range(3):
"""
AFTER = """\
    loss.backward()
    opt.step()
    opt.clear_grad()
"""
BODY, HEAD = ("linear_0.w_0", "linear_0.b_0"), ("linear_1.w_0", "linear_1.b_0")
ALL = BODY + HEAD


@pytest.fixture
def check(check):
    """Check a Paddle program."""
    return functools.partial(check, dialect="paddle")


def facts(report):
    """What other programs read of the findings: code, variables, line, line of the cause."""
    found = as_data(report)["findings"]
    return [(one["code"], tuple(one["variables"]), one["line"], one["cause_line"]) for one in found]


# A name, the mistake, its code, its variables, the line that is to blame (of the loop's body, from 0),
# what to type, and the same with that typed.
MISTAKES = {
    "argmax": (
        "    pred = paddle.argmax(net(x), axis=1, keepdim=True).astype('float32')\n"
        "    loss = ((pred - y) ** 2).mean()\n",
        "PS105", ALL, 0,
        "Train on something smooth instead, for example paddle.nn.functional.cross_entropy(logits, labels).",
        "    logits = paddle.concat([net(x), paddle.zeros([16, 1])], axis=1)\n"
        "    loss = paddle.nn.functional.cross_entropy(logits, (y > 0).astype('int64').flatten())\n",
    ),
    "comparison": (
        "    pred = (net(x) > 0.5).astype('float32')\n    loss = ((pred - y) ** 2).mean()\n",
        "PS105", ALL, 0,
        "Use something smooth in place of the comparison, for example sigmoid of the difference.",
        "    pred = F.sigmoid(net(x) - 0.5)\n    loss = ((pred - y) ** 2).mean()\n",
    ),
    "detach": (
        "    hidden = net[1](net[0](x)).detach()\n    loss = F.mse_loss(net[2](hidden), y)\n",
        "PS106", BODY, 0,
        "Remove the detach() at {guilty}, if 'linear_0.w_0' is meant to learn from loss.",
        "    hidden = net[1](net[0](x))\n    loss = F.mse_loss(net[2](hidden), y)\n",
    ),
    "flag": (
        "    hidden = net[1](net[0](x))\n    hidden.stop_gradient = True\n"
        "    loss = F.mse_loss(net[2](hidden), y)\n",
        "PS106", BODY, 1,
        "Remove the stop_gradient = True at {guilty}, if 'linear_0.w_0' is meant to learn from loss.",
        "    hidden = net[1](net[0](x))\n    loss = F.mse_loss(net[2](hidden), y)\n",
    ),
    "no_grad": (
        "    with paddle.no_grad():\n        hidden = net[1](net[0](x))\n"
        "    loss = F.mse_loss(net[2](hidden), y)\n",
        "PS107", BODY, 1,
        "Move the computation at {guilty} out of no_grad.",
        "    hidden = net[1](net[0](x))\n    loss = F.mse_loss(net[2](hidden), y)\n",
    ),
    "numpy": (
        "    pred = paddle.to_tensor(net(x).numpy())\n    loss = ((pred - y) ** 2).mean()\n",
        "PS108", ALL, 0,
        "Stay with tensors: remove the numpy() at {guilty}, and the to_tensor() at {guilty}, which copies "
        "a value without its history.",
        "    pred = net(x)\n    loss = ((pred - y) ** 2).mean()\n",
    ),
    "numpy loss": (
        "    pred = net(x).numpy()\n    error = np.mean((pred - y.numpy()) ** 2)\n"
        "    loss = paddle.to_tensor(error, stop_gradient=False)\n",
        "PS108", ALL, 0,
        "Stay with tensors: remove the numpy() at {guilty}, and the to_tensor() at {guilty + 2}, which "
        "copies a value without its history.",
        "    pred = net(x)\n    error = paddle.mean((pred - y) ** 2)\n    loss = error\n",
    ),
    "tolist": (
        "    hidden = paddle.to_tensor(net[0](x).tolist())\n    loss = F.mse_loss(net[2](hidden), y)\n",
        "PS108", BODY, 0,
        "Stay with tensors: remove the tolist() at {guilty}, and the to_tensor() at {guilty}, which "
        "copies a value without its history.",
        "    hidden = net[0](x)\n    loss = F.mse_loss(net[2](hidden), y)\n",
    ),
    "a function of NumPy": (
        "    hidden = paddle.to_tensor(np.tanh(net[0](x)))\n    loss = F.mse_loss(net[2](hidden), y)\n",
        "PS108", BODY, 0,
        "Stay with tensors: call a function of tensors instead of NumPy's at {guilty}, and remove the "
        "to_tensor() at {guilty}, which copies a value without its history.",
        "    hidden = paddle.tanh(net[0](x))\n    loss = F.mse_loss(net[2](hidden), y)\n",
    ),
    "a tensor made of a tensor": (
        "    hidden = paddle.to_tensor(net[0](x))\n    loss = F.mse_loss(net[2](hidden), y)\n",
        "PS108", BODY, 0,
        "Stay with tensors: remove the to_tensor() at {guilty}.",
        "    hidden = net[0](x)\n    loss = F.mse_loss(net[2](hidden), y)\n",
    ),
    "item": (
        "    loss = ((net(x) - y) ** 2).mean()\n"
        "    loss = paddle.to_tensor(loss.item(), stop_gradient=False)\n",
        "PS108", ALL, 1,
        "Stay with tensors: remove the item() at {guilty}, and the to_tensor() at {guilty}, which copies "
        "a value without its history.",
        "    loss = ((net(x) - y) ** 2).mean()\n",
    ),
    "set_value": (
        "    z = paddle.zeros([16, 1])\n    z.set_value(net(x))\n    loss = ((z - y) ** 2).mean()\n",
        "PS109", ALL, 1,
        "Compute with the value assigned at {guilty}, instead of the variable.",
        "    loss = ((net(x) - y) ** 2).mean()\n",
    ),
    "not read": (
        "    loss = F.mse_loss(net[2](paddle.tanh(x @ paddle.ones([4, 8]))), y)\n",
        "PS101", BODY, None,
        "Compute loss with 'linear_0.w_0', or leave 'linear_0.w_0' out of the optimizer's parameters.",
        "    loss = F.mse_loss(net[2](paddle.tanh(net[0](x))), y)\n",
    ),
    "not part of the loss": (
        "    pred, other = net[2](x @ paddle.ones([4, 8])), net[0](x)\n    loss = F.mse_loss(pred, y)\n",
        "PS101", BODY, 0,
        "Let something computed from 'linear_0.w_0' take part in loss, or leave 'linear_0.w_0' out of the "
        "optimizer's parameters.",
        "    pred, other = net[2](x @ paddle.ones([4, 8])), net[0](x)\n"
        "    loss = F.mse_loss(pred, y) + (other**2).mean()\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named_with_its_line_its_path_and_a_remedy_that_mends_it(name, check):
    wrong, code, variables, guilty, fix, mended = MISTAKES[name]
    first = BEFORE.count("\n") + 1
    report = check(BEFORE + wrong + AFTER)
    asked = first + wrong.count("\n") + 1
    (finding,) = [one for one in report.findings if one.code == code]
    assert finding.variables == variables and finding.site.line == asked
    if guilty is None:
        # Nothing reads the layer: only the line that made it can be shown.
        assert finding.cause.line == 7
    else:
        assert finding.cause.line == first + guilty
    assert finding.explanation.path or code == "PS101"
    assert finding.fix == _filled(fix, finding.site.file, first + (guilty or 0))
    right = check(BEFORE + mended + AFTER)
    assert right.error is None and facts(right) == []
    moved = [one for one in right.variables if one.path in variables]
    assert moved and all(one.writers and one.gradient == "flows" for one in moved)


def _filled(text, file, guilty):
    return text.replace("{guilty}", f"{file}:{guilty}").replace("{guilty + 2}", f"{file}:{guilty + 2}")


def test_a_pass_that_reaches_nothing_is_told_where_no_optimizer_steps(check):
    report = check(
        BEFORE.replace("opt = ", "made = ")
        + "    loss = (net(x) > 0).astype('float32').mean()\n    loss.backward()\n"
    )
    assert facts(report) == [("PS105", ALL, 12, 11)]


@pytest.mark.parametrize("step", ["round", "floor", "sign"])
def test_a_step_function_whose_gradient_is_zeros_is_named_with_its_line_and_a_remedy(step, check):
    wrong = f"    loss = ((paddle.{step}(net(x)) - y) ** 2).mean()\n"
    report = check(BEFORE.replace("range(3)", "range(8)") + wrong + AFTER)
    (finding,) = report.findings
    first = BEFORE.count("\n") + 1
    assert (finding.code, finding.severity, finding.variables) == ("PS406", "warning", ALL)
    assert (finding.site.line, finding.cause.line) == (first + 1, first)
    assert f"`{step}(net(x))`" in finding.message and "slope zero wherever" in finding.message
    fix = f"Let the gradient pass as if {step} were not there: x + (paddle.{step}(x) - x).detach()."
    assert finding.fix == fix
    mended = f"    z = net(x)\n    loss = ((z + (paddle.{step}(z) - z).detach() - y) ** 2).mean()\n"
    assert facts(check(BEFORE + mended + AFTER)) == []


def test_data_that_an_optimizer_is_to_train_is_frozen_by_default(check):
    program = (
        "import paddle\nw = paddle.to_tensor([1.0]{})\nv = paddle.to_tensor([1.0], stop_gradient=False)\n"
        "opt = paddle.optimizer.SGD(0.1, parameters=[w, v])\nfor _ in range(3):\n"
        "    (w * v).sum().backward()\n    opt.step()\n    opt.clear_grad()\n"
    )
    report = check(program.format(""))
    (finding,) = report.findings
    assert (finding.code, finding.site.line) == ("PS110", 7)
    assert "by default" in finding.message and finding.fix.startswith("Write w.stop_gradient = False")
    assert facts(check(program.format(", stop_gradient=False"))) == []


# -- the backward pass that belongs to a step ------------------------------------------------------------

ADVERSARIES = """\
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
maker, judge = nn.Linear(2, 4), nn.Linear(4, 1)
making = paddle.optimizer.Adam(0.01, parameters=maker.parameters())
judging = paddle.optimizer.Adam(0.01, parameters=judge.parameters())
real, ones, zeros = paddle.randn([8, 4]), paddle.ones([8, 1]), paddle.zeros([8, 1])
for _ in range(4):
    fake = maker(paddle.randn([8, 2]))
    loss = F.binary_cross_entropy_with_logits(judge(fake.detach()), zeros)
    loss = loss + F.binary_cross_entropy_with_logits(judge(real), ones)
    loss.backward()
    judging.step()
    judging.clear_grad()
    loss = F.binary_cross_entropy_with_logits(judge(fake{}), ones)
    loss.backward()
    making.step()
    making.clear_grad()
    judging.clear_grad()
"""


def test_the_step_of_one_of_two_adversaries_is_asked_about_its_own_loss(check):
    found = facts(check(ADVERSARIES.format(".detach()")))
    assert ("PS106", ("linear_0.w_0", "linear_0.b_0"), 19, 17) in found
    assert facts(check(ADVERSARIES.format(""))) == []


# -- right programs ----------------------------------------------------------------------------------------

RIGHT = {
    "values are looked at": (
        "    labels = paddle.to_tensor(np.ones([16, 1], 'float32'))\n    pred = net(x)\n"
        "    print(pred.numpy().mean())\n    target = paddle.to_tensor(np.zeros([16, 1], 'float32'))\n"
        "    loss = F.mse_loss(pred, labels) + F.mse_loss(pred, target)\n    print(loss.item())\n"
    ),
    "a target that is a copy of the network's answer": (
        "    target = paddle.to_tensor(net(x).numpy())\n    loss = F.mse_loss(net(x), target + y)\n"
    ),
    "a residual that is held still": (
        "    advantage = (y - net(x)).detach()\n"
        "    loss = (net(x) * advantage).mean() + F.mse_loss(net(x), y)\n"
    ),
    "heads that take turns": (
        "    loss = (net[2](net[1](net[0](x)).detach()) ** 2).mean() if _ == 1 else F.mse_loss(net(x), y)\n"
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_is_left_alone(name, check):
    report = check(BEFORE + RIGHT[name] + AFTER)
    assert report.error is None and facts(report) == []


def test_a_layer_that_is_not_read_has_not_escaped_because_values_were_looked_at(check):
    body = (
        "    labels = paddle.to_tensor(np.ones([16, 1], 'float32'))\n    print(net[0](x).numpy().mean())\n"
        "    loss = F.mse_loss(net[2](paddle.concat([x, x], axis=1)), labels)\n"
    )
    (found,) = check(BEFORE + body + AFTER).findings
    assert found.code == "PS101" and found.explanation.reason != "escaped"


def test_a_vector_of_parameters_is_a_copy_and_the_line_that_copies_is_named(check):
    penalised = "    flat = {}\n    loss = (flat**2).sum()\n"
    wrong = check(BEFORE + penalised.format("nn.utils.parameters_to_vector(net.parameters())") + AFTER)
    assert facts(wrong) == [("PS107", ALL, 14, 11)]
    assert wrong.findings[0].fix.endswith("records nothing: compute its result with operations that do.")
    by_hand = "paddle.concat([one.reshape([-1]) for one in net.parameters()])"
    assert facts(check(BEFORE + penalised.format(by_hand) + AFTER)) == []


def test_a_step_without_a_backward_pass_says_so(check):
    body = "    loss = F.mse_loss(net(x), y)\n    {}opt.minimize(loss)\n    opt.clear_grad()\n"
    wrong = check(BEFORE + body.format(""))
    assert facts(wrong) == [("PS101", ALL, 12, None)]
    assert "no backward pass came before it" in wrong.findings[0].message
    assert wrong.findings[0].fix == f"Call backward() on the loss before {wrong.findings[0].site}."
    assert facts(check(BEFORE + body.format("loss.backward()\n    "))) == []


def test_a_pass_that_has_been_run_by_the_time_of_the_step_is_asked(check):
    body = "    loss = F.mse_loss(net[2](net[1](net[0](x)).detach()), y)\n    loss.backward()\n"
    body += "    print(float(loss), float(net[2].weight.grad.sum()))\n    opt.step()\n    opt.clear_grad()\n"
    report = check(BEFORE + body)
    assert facts(report) == [("PS106", BODY, 14, 11)] and report.findings[0].explanation.path


def test_weights_that_are_read_first_where_nothing_is_recorded_are_watched_all_the_same(check):
    body = "    with paddle.no_grad():\n        before = net(x)\n    loss = F.mse_loss(net(x), before + y)\n"
    report = check(BEFORE + body + AFTER)
    assert facts(report) == [] and {one.gradient for one in report.variables} == {"flows"}
    (term,) = report.terms
    assert [one.path for one in term.reaches] == list(ALL) and not term.blocked
