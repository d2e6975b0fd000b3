"""Contracts: variables that a step may write and read and its gradients reach, checked before any write."""

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest

import penstock as ps
from penstock.errors import ContractBroken, PenstockError, SelectionError
from penstock.flow import breaches, contract_clauses
from penstock.flow.report_model import Finding
from penstock.trace.local import local
from source_lines import line

pytestmark = pytest.mark.usefixtures("no_others")


class Gan:
    """A generator and a discriminator of one weight each; z, real data and rates are numbers."""

    def __init__(self):
        self.g = ps.Variable(0.5, name="generator/w")
        self.d = ps.Variable(0.25, name="discriminator/w")
        self.z, self.real = ps.asarray([1.0, 2.0]), ps.asarray([3.0, 4.0])
        self.of_g, self.of_d = ps.optimizers.Adam(0.1), ps.optimizers.SGD(0.1)

    def fake(self):
        return self.g * self.z

    def believed(self, x):
        return ps.nn.sigmoid(self.d * x)

    def values(self):
        return self.g.numpy(), self.d.numpy()


def refused(step, clause, *paths):
    """Runs a step that breaks its contract; returns the error."""
    with pytest.raises(ContractBroken) as caught:
        step()
    assert caught.value.clause == clause
    assert caught.value.variables == paths
    assert caught.value.site.file == __file__
    return caught.value


# -- a GAN -------------------------------------------------------------------------------------------------


def test_a_gan_keeps_its_contracts(tier):
    gan = Gan()

    @ps.step(updates="generator/*", reads="discriminator/*", reaches="generator/*")
    def generator_step():
        with ps.GradientTape() as tape:
            loss = -ps.mean(ps.log(gan.believed(gan.fake())))
        gan.of_g.apply_gradients([(tape.gradient(loss, gan.g), gan.g)])
        return loss

    @ps.step(updates=gan.d, reads=gan.g, unused="generator/*")
    def discriminator_step():
        with ps.GradientTape() as tape:
            fake = ps.stop_gradient(gan.fake())
            loss = -ps.mean(ps.log(gan.believed(gan.real)) + ps.log(1.0 - gan.believed(fake)))
        gan.of_d.apply_gradients([(tape.gradient(loss, gan.d), gan.d)])
        return loss

    before = gan.values()
    for _ in range(20):
        discriminator_step()
        generator_step()
    assert all(now != then for now, then in zip(gan.values(), before))


def test_a_generator_behind_a_barrier():
    """The barrier is on the score, which the generator's gradient must pass; another term hides it."""
    gan = Gan()

    @ps.step(updates="generator/*", reads="discriminator/*", reaches="generator/*")
    def generator_step():
        with ps.GradientTape() as tape:
            loss = -ps.mean(ps.log(ps.stop_gradient(gan.believed(gan.fake()))))
        gradient = tape.gradient(loss, gan.g)
        assert gradient is None

    error = refused(generator_step, "reaches", "generator/w")
    assert error.site.line == line() - 5
    assert "no gradient reaches 'generator/w': stopped" in error.fact


def test_the_other_network_is_updated_too():
    gan = Gan()

    @ps.step(updates="generator/*", reads="discriminator/*")
    def generator_step():
        with ps.GradientTape() as tape:
            loss = -ps.mean(ps.log(gan.believed(gan.fake())))
        both = [gan.g, gan.d]
        gan.of_g.apply_gradients(zip(tape.gradient(loss, both), both))

    before = gan.values()
    for _ in range(2):
        error = refused(generator_step, "updates", "discriminator/w")
    assert error.site.line == line() - 5
    text = str(error)
    assert "The contract of step 'generator_step' is broken: Adam writes 'discriminator/w'" in text
    assert "nothing was written" in text and "name it in updates=" in text
    assert gan.values() == before and gan.g.version == 0


def test_the_discriminator_trains_the_generator():
    """Nobody applies it, but the gradient is there: the fake samples were not detached."""
    gan = Gan()

    def discriminator_step():
        with ps.contract(updates="discriminator/*", unused="generator/*"), ps.GradientTape() as tape:
            loss = ps.mean(ps.log(1.0 - gan.believed(gan.fake())))
            gan.of_d.apply_gradients([(tape.gradient(loss, gan.d), gan.d)])

    error = refused(discriminator_step, "unused", "generator/w")
    assert error.site.line == line() - 3
    assert " * " in str(error) and "Put stop_gradient" in str(error)
    assert gan.d.version == 0


# -- actor and critic --------------------------------------------------------------------------------------


class ActorCritic:
    def __init__(self):
        self.actor = ps.Variable([0.1, -0.2], name="actor/w")
        self.critic = ps.Variable(0.5, name="critic/w")
        self.state, self.reward = ps.asarray(2.0), ps.asarray(3.0)
        self.sgd = ps.optimizers.SGD(0.1)

    def policy_loss(self, detached):
        advantage = self.reward - self.critic * self.state
        if detached:
            advantage = ps.stop_gradient(advantage)
        return -ps.log(ps.nn.softmax(self.actor * self.state))[0] * advantage


@pytest.mark.parametrize("detached", [True, False])
def test_the_policy_may_not_train_the_critic(detached):
    agent = ActorCritic()

    @ps.step(updates="actor/*", reads="critic/*", reaches="actor/*", unused="critic/*")
    def policy_step():
        with ps.GradientTape() as tape:
            loss = agent.policy_loss(detached)
        agent.sgd.apply_gradients([(tape.gradient(loss, agent.actor), agent.actor)])

    if detached:
        policy_step()
        assert agent.actor.version == 1
    else:
        error = refused(policy_step, "unused", "critic/w")
        assert "a gradient reaches 'critic/w'" in error.fact
        assert agent.actor.version == 0


def test_a_critic_that_is_detached_everywhere_is_dead():
    agent = ActorCritic()

    def value_step():
        with ps.contract(updates="critic/*", reaches="critic/*"):
            with ps.GradientTape() as tape:
                value = ps.stop_gradient(agent.critic * agent.state)
                loss = (agent.reward - value) ** 2
            tape.gradient(loss, agent.critic)

    error = refused(value_step, "reaches", "critic/w")
    assert error.site.line == line() - 5


# -- transfer learning -------------------------------------------------------------------------------------


class Transfer:
    """A pre-trained body with statistics of its batches, and a new head."""

    def __init__(self):
        self.kernel = ps.Variable(2.0, name="body/kernel")
        self.mean = ps.Variable(0.0, name="body/mean", trainable=False)
        self.head = ps.Variable(1.0, name="head/w")
        self.sgd = ps.optimizers.SGD(0.01)

    def body(self, x, training):
        if training:
            self.mean.assign(self.mean * 0.9 + ps.mean(x) * 0.1)
        return (x - self.mean) * self.kernel

    def step(self, x, training):
        with ps.contract(updates="head/*", locked="body/*"):
            with ps.GradientTape() as tape:
                loss = ps.mean((self.body(x, training) * self.head - 1.0) ** 2)
            self.sgd.apply_gradients([(tape.gradient(loss, self.head), self.head)])
        return loss


def test_only_the_head_is_trained(tier):
    model, x = Transfer(), ps.asarray([1.0, 2.0])
    losses = [float(model.step(x, training=False)) for _ in range(20)]
    assert losses[-1] < losses[0] and (model.kernel.numpy(), model.mean.numpy()) == (2.0, 0.0)


def test_statistics_of_a_frozen_body_move(tier):
    """It is left out of the list, but its forward pass writes: 0.1 of the gap to the batch's mean."""
    model, x = Transfer(), ps.asarray([1.0, 2.0])
    for _ in range(2):
        error = refused(lambda: model.step(x, training=True), "locked", "body/mean")
    assert "assign writes 'body/mean', which is locked" in error.fact
    assert (model.head.version, model.mean.numpy()) == (0, 0.0)
    model.body(x, training=True)
    assert model.mean.numpy() == pytest.approx(0.15)


def test_a_teacher_drifts():
    student, teacher = ps.Variable(1.0, name="student/w"), ps.Variable(3.0, name="teacher/w")
    sgd = ps.optimizers.SGD(0.1)

    @ps.step(updates="student/*", locked="teacher/*")
    def distil():
        with ps.GradientTape() as tape:
            loss = (student - teacher) ** 2
        both = [student, teacher]
        sgd.apply_gradients(zip(tape.gradient(loss, both), both))

    refused(distil, "locked", "teacher/w")
    assert (student.numpy(), teacher.numpy()) == (1.0, 3.0)


# -- effects of a violation --------------------------------------------------------------------------------


def networks():
    made = [
        ps.Variable(np.full(shape, value, np.float32), name=f"{name}/{part}")
        for name, value in (("policy", 1.0), ("target", 1.0))
        for part, shape in (("kernel", (2, 2)), ("bias", (2,)))
    ]
    return made[:2], made[2:]


FOLLOWS = {"target/*": ("policy/*", 0.005)}


def test_targets_follow(tier):
    policy, target = networks()

    @ps.step(follows=FOLLOWS, updates="policy/*")
    def train():
        for variable in policy:
            variable.assign_add(variable * 0.1)
        for mine, other in zip(target, policy):
            mine.assign_add((other - mine) * 0.005)

    for _ in range(3):
        train()
    want = have = 1.0
    for _ in range(3):
        want, have = want * 1.1, have + 0.005 * (want * 1.1 - have)
    assert np.allclose(target[0].numpy(), have, rtol=1e-6)


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (lambda t, p: t.assign_add((p - t) * 0.5), "at the rate 0.5, not 0.005"),
        (lambda t, p: t.assign(p * 0.995 + t * 0.005), "at the rate 0.995, not 0.005"),
        (lambda t, p: t.assign(p), "at the rate 1, not 0.005"),
        (lambda t, p: t.assign_add(t * 0.1), "is written from something else than 'policy/kernel'"),
        (lambda t, p: ps.optimizers.SGD(0.1).apply_gradients([(p * 1.0, t)]), "is moved by SGD"),
        (lambda t, p: None, "is never moved towards 'policy/kernel'"),
    ],
)
def test_targets_that_do_not_follow(write, words):
    """They equal their sources when they are made, which must not hide the rate."""
    policy, target = networks()

    def train():
        with ps.contract(follows=FOLLOWS):
            for mine, other in zip(target, policy):
                write(mine, other)

    with pytest.raises(ContractBroken) as caught:
        train()
    assert caught.value.clause == "follows" and caught.value.variables == ("target/kernel", "target/bias")
    assert words in caught.value.fact
    assert all(variable.version == 0 for variable in target)


def test_a_target_that_is_its_source():
    weight = ps.Variable(1.0, name="net/w")

    def train():
        with ps.contract(follows={weight: weight}):
            weight.assign_add(0.1)

    error = refused(train, "follows", "net/w")
    assert "is the same Variable as the one that it should follow" in error.fact
    assert weight.numpy() == 1.0


def test_targets_that_cannot_be_paired():
    policy, target = networks()
    refusal = pytest.raises(PenstockError, match=r"2 targets cannot be paired with 1 (.|\n)*target/kernel")
    with refusal, ps.contract(follows={"target/*": "policy/bias"}):
        target[0].assign_add(policy[0])
    assert target[0].version == 0


# -- reads, blocks, paths ----------------------------------------------------------------------------------


def test_undeclared_reads():
    used, stray = ps.Variable(1.0, name="used"), ps.Variable(2.0, name="stray")
    rate = ps.Variable(0.1, name="rate", trainable=False)
    sgd = ps.optimizers.SGD(rate)

    def train(extra):
        with ps.contract(updates=used, reads=rate):
            with ps.GradientTape() as tape:
                loss = used**2 + (stray if extra else 0.0)
            sgd.apply_gradients([(tape.gradient(loss, used), used)])

    train(False)
    error = refused(lambda: train(True), "reads", "stray")
    assert error.site.line == line() - 5
    assert used.numpy() == pytest.approx(0.8)


def test_operations_inside_a_block_are_checked_before_they_run():
    one, two = ps.Variable(1.0, name="one"), ps.Variable(1.0, name="two")

    def train():
        with ps.contract(updates=one):
            for turn in range(5):
                one.assign_add(1.0)
                if turn == 3:
                    two.assign_add(1.0)
                one.numpy()

    error = refused(train, "updates", "two")
    assert error.site.line == line() - 4
    assert (one.numpy(), two.numpy()) == (4.0, 1.0), "the first three steps were over"


def test_a_value_looked_at_inside_a_tape_changes_nothing_of_it():
    gan = Gan()
    with ps.contract(updates="generator/*", reaches="generator/*"):
        with ps.GradientTape() as tape:
            loss = -ps.mean(ps.log(gan.believed(gan.fake())))
            assert float(loss) > 0
        gradient = tape.gradient(loss, gan.g)
        assert float(gradient) < 0
        gan.of_g.apply_gradients([(gradient, gan.g)])
    assert gan.g.version == 1


def test_operations_before_the_block_do_not_count():
    one, two = ps.Variable(1.0, name="one"), ps.Variable(1.0, name="two")
    two.assign_add(1.0)
    with ps.contract(updates=one):
        one.assign_add(1.0)
    two.assign_add(1.0)
    assert (one.numpy(), two.numpy()) == (2.0, 3.0)


def test_captured_steps_inside_a_block():
    one, two = ps.Variable(1.0, name="one"), ps.Variable(1.0, name="two")

    @ps.step
    def move():
        two.assign_add(1.0)

    move()

    def train():
        with ps.contract(updates=one):
            move()

    refused(train, "updates", "two")
    assert two.numpy() == 2.0
    move()
    with ps.contract(updates=two):
        move()
    assert two.numpy() == 4.0


def test_a_step_inside_a_larger_recording_keeps_its_contract():
    one, two = ps.Variable(1.0, name="one"), ps.Variable(1.0, name="two")

    @ps.step(updates=one)
    def inner():
        two.assign_add(1.0)

    @ps.step
    def outer():
        one.assign_add(1.0)
        inner()

    refused(outer, "updates", "two")
    assert (one.numpy(), two.numpy()) == (1.0, 1.0)


def test_blocks_nest():
    one, two = ps.Variable(1.0, name="one"), ps.Variable(1.0, name="two")

    def train():
        with ps.contract(updates=[one, two]), ps.contract(updates=one):
            two.assign_add(1.0)

    refused(train, "updates", "two")
    with ps.contract(updates=[one, two]):
        with ps.contract(updates=one):
            one.assign_add(1.0)
        two.assign_add(1.0)
    assert (one.numpy(), two.numpy()) == (2.0, 2.0)


def test_an_error_in_the_block_is_the_error():
    one = ps.Variable(1.0, name="one")
    with pytest.raises(ZeroDivisionError), ps.contract(locked=one):
        one.assign_add(1.0)
        1 / 0  # noqa: B018
    assert not local.trace.guards


def test_flags_that_change_are_checked_again():
    one, two = ps.Variable(1.0, name="one"), ps.Variable(1.0, name="two")
    two.trainable = False
    sgd = ps.optimizers.SGD(0.1)

    @ps.step(updates=one)
    def train():
        wanted = [v for v in (one, two) if v.trainable]
        with ps.GradientTape() as tape:
            loss = one**2 + two**2
        sgd.apply_gradients(zip(tape.gradient(loss, wanted), wanted))

    train()
    two.trainable = True
    refused(train, "updates", "two")
    assert two.numpy() == 1.0


def test_patterns_that_match_nothing_are_errors():
    one = ps.Variable(1.0, name="only/one")

    @ps.step(updates="only/*", locked="bakbone/*")
    def train():
        one.assign_add(1.0)

    for _ in range(2):
        with pytest.raises(SelectionError, match="contract, locked: the pattern 'bakbone/\\*' matches none"):
            train()
    with pytest.raises(SelectionError, match="contract, reaches"), ps.contract(reaches="bakbone/*"):
        one.assign_add(1.0)
    follows = {"only/*": ("bakbone/*", 0.1)}
    with pytest.raises(SelectionError, match="contract, follows"), ps.contract(follows=follows):
        one.assign_add(1.0)
    with pytest.raises(PenstockError, match="the rate 'fast'"):
        ps.contract(follows={one: (one, "fast")})
    assert one.numpy() == 1.0


def test_a_pattern_means_the_model_on_the_record_or_the_youngest():
    """A notebook that makes its model twice, with the first one still alive somewhere."""
    stale, gan = Gan(), Gan()
    with ps.contract(reaches="generator/*", updates="generator/*"):
        with ps.GradientTape() as tape:
            loss = -ps.mean(ps.log(gan.believed(gan.fake())))
        gan.of_g.apply_gradients([(tape.gradient(loss, gan.g), gan.g)])
    assert gan.g.version == 1 and stale.g.version == 0

    def nothing():
        with ps.contract(reaches="generator/*"):
            pass

    assert refused(nothing, "reaches", "generator/w").site.line == line() - 3


def test_a_contract_says_something_it_knows():
    with pytest.raises(PenstockError, match="has no clause"):
        ps.contract()
    with pytest.raises(PenstockError, match="'update', which is not a clause"):
        ps.step(update="generator/*")


# -- intended findings -------------------------------------------------------------------------------------


def test_a_contract_silences_one_finding_for_its_variables_only():
    pooler, other = ps.Variable(1.0, name="pooler/w"), ps.Variable(1.0, name="other/w")
    with ps.contract(allow={"PS101": "pooler/*"}):
        other.assign_add(1.0)

    def finding(code, *paths):
        return Finding(code, "name", "warning", paths, None, None, "", "")

    assert contract_clauses.meant(finding("PS101", "pooler/w"))
    assert not contract_clauses.meant(finding("PS101", "other/w"))
    assert not contract_clauses.meant(finding("PS101", "pooler/w", "other/w"))
    assert not contract_clauses.meant(finding("PS102", "pooler/w"))
    assert not contract_clauses.meant(finding("PS101"))
    with pytest.raises(PenstockError, match="'PS1O1', which is not the code"):
        ps.contract(allow={"PS1O1": pooler})


def test_contracts_do_not_keep_models_alive():
    """But for the few that a path remembers."""

    def build():
        gan = Gan()
        with ps.contract(updates=gan.g, reads=gan.d):
            gan.g.assign_add(gan.d * 0.1)
        ps.wait()
        return weakref.ref(gan.g)

    made = [build() for _ in range(60)]
    gc.collect()
    assert sum(one() is not None for one in made) <= 2 * breaches.KEPT


# -- cost --------------------------------------------------------------------------------------------------


def test_a_known_path_is_not_read_again(monkeypatch):
    gan = Gan()
    made = []
    reader = breaches._Reader
    monkeypatch.setattr(breaches, "_Reader", lambda *given: made.append(1) or reader(*given))
    patterns = []
    select = contract_clauses.select
    monkeypatch.setattr(
        contract_clauses, "select", lambda *given, **named: patterns.append(1) or select(*given, **named)
    )

    @ps.step(updates="generator/*", reads="discriminator/*", reaches="generator/*")
    def captured():
        with ps.GradientTape() as tape:
            loss = -ps.mean(ps.log(gan.believed(gan.fake())))
        gan.of_g.apply_gradients([(tape.gradient(loss, gan.g), gan.g)])

    def block():
        with ps.contract(updates="generator/*", reads="discriminator/*", reaches="generator/*"):
            captured.function()

    for step in (captured, block):
        for _ in range(4):
            step()
        before = len(made), len(patterns)
        for _ in range(100):
            step()
        assert (len(made), len(patterns)) == before


def test_a_step_keeps_its_contract_after_other_imports():
    """`penstock.contract` is imported on first use; the clauses of a step must not wait for that."""
    program = (
        "import penstock as ps\nx, y = ps.Variable(1.0, name='x'), ps.Variable(1.0, name='y')\n"
        "@ps.step(updates='x')\ndef train():\n    y.assign_add(1.0)\ntrain()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "ContractBroken: The contract of step 'train' is broken" in done.stderr


def test_allowed_findings_are_forgotten_with_their_variables():
    idle = ps.Variable(1.0, name="gone_by_then/idle")
    with ps.contract(allow={"PS101": "gone_by_then/*"}):
        pass
    finding = Finding("PS101", "missing-gradient", "warning", ("gone_by_then/idle",), None, None, "", "")
    assert contract_clauses.meant(finding)
    del idle
    gc.collect()
    assert not contract_clauses.meant(finding)


def test_what_a_contract_allows_for_others_outlives_variables_that_are_gone():
    idle, kept = ps.Variable(1.0, name="gone_soon/idle"), ps.Variable(1.0, name="kept/idle")
    with ps.contract(allow={"PS101": ["gone_soon/*", "kept/*"]}):
        pass
    del idle
    gc.collect()
    finding = Finding("PS101", "missing-gradient", "warning", (kept.path,), None, None, "", "")
    assert contract_clauses.meant(finding)
