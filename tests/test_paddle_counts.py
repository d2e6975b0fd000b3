"""What a turn of a Paddle loop costs: one launch, no rule called again, no growth of tree or memory."""

import itertools

import numpy as np
import pytest

import penstock as ps
from counting import calls_of, count_compilations, launches, rules
from memory import ALLOWED, WINDOWS, grown, linux
from penstock import paddle
from penstock.paddle._record import Record, record_of
from penstock.paddle.nn import functional as F
from penstock.testing import use_engine
from penstock.tiers.program import programs
from penstock.trace.fast_path import accelerated
from penstock.trace.local import local
from penstock.trace.tree import tree


class TwoScalars:
    """One moved by an optimizer, one written by hand."""

    def __init__(self):
        self.x = paddle.to_tensor([0.0], stop_gradient=False)
        self.y = paddle.to_tensor([1.0])
        self.optimizer = paddle.optimizer.SGD(0.1, parameters=[self.x])

    def turn(self, i):
        loss = (self.x - 2) ** 2 + (self.y - 3) ** 2
        loss.backward()
        self.optimizer.step()
        self.optimizer.clear_grad()
        self.y.set_value(self.y - 0.1 * (2 * (self.y - 3)))


class ClearedFirst(TwoScalars):
    """clear_grad precedes backward, as in PyTorch's tutorials."""

    def turn(self, i):
        self.optimizer.clear_grad()
        ((self.x - 2) ** 2).backward()
        self.optimizer.step()


class ClearedByHand(TwoScalars):
    """No clear_grad of the optimizer marks where a step ends."""

    def turn(self, i):
        ((self.x - 2) ** 2).backward()
        self.optimizer.step()
        self.x.clear_gradient()


class ClearedBetween(TwoScalars):
    """clear_grad stands between the loss and its backward, and the losses are kept and never read."""

    def __init__(self):
        super().__init__()
        self.losses = []

    def turn(self, i):
        loss = (self.x - 2) ** 2
        self.losses.append(loss)
        self.optimizer.clear_grad()
        loss.backward()
        self.optimizer.step()


class ReadBetween(ClearedBetween):
    """The loss is read, too, before the gradients are cleared."""

    def turn(self, i):
        loss = (self.x - 2) ** 2
        float(loss)
        self.optimizer.clear_grad()
        loss.backward()
        self.optimizer.step()


class KeptResults(ClearedBetween):
    """Each turn keeps a result that could be differentiated, and is not."""

    def turn(self, i):
        loss = (self.x - 2) ** 2
        self.losses.append(abs(self.x - 2))
        float(loss)
        self.optimizer.clear_grad()
        loss.backward()
        self.optimizer.step()


class Deep(TwoScalars):
    """The way to the loss has more events than may be pending outside of every tape."""

    def turn(self, i):
        h = self.x
        for _ in range(300):
            h = paddle.tanh(h)
        h.sum().backward()
        self.optimizer.step()
        self.optimizer.clear_grad()


class WithoutOptimizer(TwoScalars):
    def turn(self, i):
        ((self.x - 2) ** 2).backward()
        self.x.set_value(self.x - 0.1 * self.x.grad)
        self.x.clear_grad()


class ActorCritic:
    """Two networks, two optimizers, in one turn."""

    def __init__(self):
        rng = np.random.default_rng(0)
        self.actor = paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.Tanh(), paddle.nn.Linear(8, 2))
        self.critic = paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.Tanh(), paddle.nn.Linear(8, 1))
        self.states = paddle.to_tensor(rng.standard_normal((16, 4)).astype("float32"))
        self.rewards = paddle.to_tensor(rng.standard_normal((16, 1)).astype("float32"))
        self.actions = paddle.to_tensor(rng.integers(0, 2, 16))
        self.optimizers = [
            paddle.optimizer.Adam(0.01, parameters=net.parameters()) for net in (self.actor, self.critic)
        ]

    def turn(self, i):
        advantage = (self.rewards - self.critic(self.states)).detach()[:, 0]
        terms = advantage * F.cross_entropy(self.actor(self.states), self.actions, reduction="none")
        self.descend(0, terms.mean())
        self.descend(1, ((self.rewards - self.critic(self.states)) ** 2).mean())

    def descend(self, which, loss):
        loss.backward()
        self.optimizers[which].step()
        self.optimizers[which].clear_grad()


class ActorCriticClearedBetween(ActorCritic):
    def descend(self, which, loss):
        self.optimizers[which].clear_grad()
        loss.backward()
        self.optimizers[which].step()


class Scheduled:
    """A new batch in each turn, a falling rate, gradients clipped together."""

    def __init__(self):
        self.net = paddle.nn.Linear(3, 2)
        self.rate = paddle.optimizer.lr.ExponentialDecay(0.1, gamma=0.9)
        clip = paddle.nn.ClipGradByGlobalNorm(1.0)
        self.optimizer = paddle.optimizer.AdamW(self.rate, parameters=self.net.parameters(), grad_clip=clip)

    def turn(self, i):
        x = paddle.to_tensor(np.full((4, 3), i + 1.0, np.float32))
        loss = F.mse_loss(self.net(x), paddle.zeros([4, 2]))
        loss.backward()
        self.optimizer.step()
        self.optimizer.clear_grad()
        self.rate.step()


LOOPS = [
    TwoScalars,
    ClearedFirst,
    ClearedByHand,
    ClearedBetween,
    WithoutOptimizer,
    ActorCritic,
    ActorCriticClearedBetween,
    Scheduled,
]


def end():
    ps.wait()


def test_a_small_turn_calls_few_functions(compiled):
    """A turn of two scalars is Python alone: each function that it calls takes time.

    If a variable has a constraint, the loop checks which of the moved variables have one. Without the parts
    in C, the hot path is Python too.
    """
    ps.Variable(1.0).constraint = ps.layers.constraints.NonNeg()
    made = TwoScalars()
    for i in range(20):
        made.turn(i)
    found = calls_of(lambda: made.turn(20))
    assert found.total() - found["TwoScalars.turn"] <= (26 if accelerated else 139), found


@pytest.mark.parametrize("loop", [*LOOPS, Deep])
def test_one_turn_is_one_launch(compiled, loop):
    made = loop()
    for i in range(5):
        made.turn(i)
    before = launches()
    for i in range(20):
        made.turn(i + 5)
    assert launches() - before == 20
    end()


@pytest.mark.parametrize("loop", LOOPS)
def test_when_the_loop_is_known_no_rule_is_called(compiled, loop):
    made = loop()
    turns = 4
    for i in range(turns):
        made.turn(i)
    with rules() as counted:
        for i in range(turns, 12):
            made.turn(i)
    assert not counted, counted
    end()


@pytest.mark.parametrize("loop", LOOPS)
def test_the_tree_does_not_grow(loop):
    with use_engine("numpy"):
        made = loop()
        for i in range(5):
            made.turn(i)
        before = tree.count
        for i in range(5, 30):
            made.turn(i)
        assert tree.count == before
        end()


@pytest.mark.parametrize("loop", LOOPS)
def test_nothing_is_compiled_in_the_end(compiled, loop):
    made = loop()
    for i in range(6):
        made.turn(i)
    before = sum(len(program.compiled) for program in programs.values())
    for i in range(6, 16):
        made.turn(i)
    assert sum(len(program.compiled) for program in programs.values()) == before
    end()


def sizes_of_the_path(made, turns):
    """How many values the path has after each turn."""
    sizes = []
    for i in range(turns):
        made.turn(i)
        sizes.append(local.trace.node.size)
    return sizes


@pytest.mark.parametrize("loop", [ClearedBetween, ReadBetween, ActorCriticClearedBetween])
def test_a_step_ends_with_its_update_if_gradients_are_cleared_late(loop):
    with use_engine("numpy"):
        assert set(sizes_of_the_path(loop(), 12)[4:]) == {0}


def test_a_loop_that_reads_its_loss_launches_two_programs(compiled):
    made = ReadBetween()
    for i in range(5):
        made.turn(i)
    before, compiled = launches(), count_compilations()
    for i in range(20):
        made.turn(i)
    assert launches() - before == 40
    assert count_compilations() == compiled


def warmed_up():
    return paddle.optimizer.lr.LinearWarmup(0.1, 4, 0.0, 0.1)


@pytest.mark.parametrize("made", [warmed_up, lambda: paddle.optimizer.lr.StepDecay(0.1, 3)])
@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_the_rate_of_a_scheduler_is_an_argument_from_the_first_step(compiled, made, kind):
    scheduler = made()
    x = paddle.to_tensor([0.0, 4.0], stop_gradient=False)
    optimizer = getattr(paddle.optimizer, kind)(scheduler, parameters=[x])
    compilations, reused = [], []
    for _ in range(9):
        ((x - 2) ** 2).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
        ps.wait()
        scheduler.step()
        compilations.append(count_compilations())
        reused.append(tree.count)
    # The second step finds that an optimizer's state is there.
    assert compilations[-1] == compilations[1] and reused[-1] == reused[1]


def test_a_rate_that_varies_calls_little(compiled):
    """Neither is the update described again, nor are interrupts held: only 64-bit data is converted."""
    calls = []
    for scheduler in (0.1, warmed_up()):
        x = paddle.to_tensor([0.0, 4.0], stop_gradient=False)
        optimizer = paddle.optimizer.Adam(scheduler, parameters=[x])

        def turn(x=x, optimizer=optimizer):
            ((x - 2) ** 2).sum().backward()
            optimizer.step()
            optimizer.clear_grad()

        for _ in range(5):
            turn()
        calls.append(calls_of(turn))
    constant, varying = calls
    assert not any("interrupts" in str(one) for one in varying)
    assert varying.total() <= constant.total() + 60


def test_results_that_are_never_differentiated_do_not_lengthen_the_path():
    with use_engine("numpy"):
        made = KeptResults()
        sizes = sizes_of_the_path(made, 30)
        assert max(sizes[4:]) <= sizes[1]
        before = tree.count
        sizes_of_the_path(made, 20)
        assert tree.count == before
    made.losses[-1].backward()
    assert made.x.grad is not None
    end()


@linux
def test_many_steps_hold_memory_constant():
    turns = repeated(TwoScalars().turn)
    turns(2_000)
    nodes = tree.count
    assert grown(turns, 30_000) < ALLOWED
    assert tree.count == nodes
    end()


def repeated(turn):
    """The turns of a loop one after the other, this many at a time."""
    numbers = itertools.count()

    def turns(count):
        for i in itertools.islice(numbers, count):
            turn(i)

    return turns


def grown_in_a_few(turn):
    """By how many bytes 3,000 turns make the process grow."""
    turns = repeated(turn)
    turns(300)
    nodes = tree.count
    each = grown(turns, 3_000)
    assert tree.count - nodes < 1_000
    return each * WINDOWS


@linux
def test_reading_without_backward_keeps_only_reachable_history():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    batch = np.ones((256, 100), np.float32)
    last = None

    def turn(i):
        nonlocal last
        last = (paddle.to_tensor(batch) * x[0]).sum()
        float(last)

    # 3,000 batches are 300 MB.
    assert grown_in_a_few(turn) < 60 << 20
    last.backward()
    np.testing.assert_allclose(x.grad.numpy(), [25600.0, 0.0])


@linux
def test_losses_that_are_kept_do_not_keep_their_batches():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    optimizer = paddle.optimizer.SGD(1e-9, parameters=[x])
    batch = np.ones((256, 100), np.float32)
    losses = []

    def turn(i):
        loss = (paddle.to_tensor(batch) * x).sum()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss)

    assert grown_in_a_few(turn) < 60 << 20
    assert float(losses[0]) == 25600.0
    end()


def test_a_path_that_is_looked_at_as_it_grows_is_read_once(monkeypatch):
    read = []
    follow = Record._follow
    monkeypatch.setattr(Record, "_follow", lambda self, *given: (read.append(given[0]), follow(self, *given)))
    for looks in (20, 40):
        x = paddle.to_tensor([0.5], stop_gradient=False)
        read.clear()
        for _ in range(looks):
            x = x * 1.5 - x.tanh()
            x.numpy()
        calls = len(record_of(local.trace.node).calls)
        assert calls >= 3 * looks
        assert len(read) <= 2 * calls


@pytest.mark.parametrize("what", ["a result", "a view of data"])
def test_a_write_in_place_costs_the_same_however_long_the_path(what):
    """What it would overwrite is known of the path before: only what is new is looked through."""
    weight = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    data = paddle.to_tensor([1.0, 2.0])
    written = weight * 2.0 if what == "a result" else data.reshape([2, 1])
    kept = []

    def write():
        kept.append(paddle.exp(weight))
        written.add_(paddle.to_tensor(1.0))

    calls = [calls_of(write).total() for _ in range(100)]
    assert max(calls[80:]) <= max(calls[10:30]) + 10, (max(calls[10:30]), max(calls[80:]))
    sum(kept).sum().backward()
    assert np.allclose(weight.grad.numpy(), 100 * np.exp([1.0, 2.0]), rtol=1e-5)
