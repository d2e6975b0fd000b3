"""The numbers after `paddle.seed`: one sequence of words, in eager programs, recorded steps and checkpoints.

That they are Paddle's is shown by the recorded programs `seeded_*` of test_paddle_programs.py.
"""

import threading

import numpy as np
import pytest

import penstock as ps
from penstock import paddle
from penstock.paddle import _rejections, _seeded, _twister, _variates
from penstock.paddle.nn import functional as F
from penstock.state.records import records
from penstock.testing import use_engine
from penstock.trace.local import local


@pytest.fixture
def only_numpy():
    """Compile nothing."""
    with use_engine("numpy"):
        yield


def following(count=1):
    """What comes next, which tells where the sequence stands."""
    return _seeded.sequence.engine.copy().take(count).tolist()


# -- words -------------------------------------------------------------------------------------------------


def test_the_ten_thousandth_word_is_that_of_the_standard():
    # ISO C++, [rand.predef]: of mt19937_64 with its default seed.
    assert _twister.seeded_by_value(5489).take(10000)[-1] == 9981545732273789042


def test_numpy_and_c_make_the_same_words():
    one, other = (_twister.seeded(5)._state for _ in range(2))
    for rounds in (1, 3):
        words, others = (np.empty(rounds * _twister.ROUND, np.uint64) for _ in range(2))
        _twister.fill(one, words)
        _twister.fill_by_numpy(other, others)
        assert (words == others).all() and (one == other).all()


def test_words_are_the_same_however_many_are_taken_at_a_time():
    rng = np.random.default_rng(0)
    whole = _twister.seeded(3).take(5000)
    for _ in range(5):
        engine, taken = _twister.seeded(3), []
        while sum(map(len, taken)) < 4000:
            count = int(rng.integers(0, 700))
            seen = engine.ahead(count + int(rng.integers(0, 400)))[:count].copy()
            engine.skip(count)
            taken.append(seen)
            if rng.random() < 0.2:
                engine = engine.copy()
        found = np.concatenate(taken)
        assert (found == whole[: found.size]).all()


def test_integers_of_any_range_are_those_of_one_at_a_time():
    rng = np.random.default_rng(1)
    wide = [2**63 + 1, 2**63 + 12345, 2**64 - 3, 3 * 2**61]
    for width in [1, 2, 3, 10, 2**31, 2**32, 2**32 + 1, *wide, *rng.integers(1, 2**63, 8).tolist()]:
        one, other = _twister.seeded(9), _twister.seeded(9)
        found = _variates._scaled(one, np.full(50, width, np.uint64)).tolist()
        assert found == [_variates._scaled_alone(other, width) for _ in range(50)]
        assert max(found) < width and one.take(1) == other.take(1)


@pytest.mark.parametrize("share", [0.0, 1e-12, 0.1, 0.25, 0.3, 0.5, 0.9, 1 - 2.0**-24])
def test_what_is_kept_is_what_single_precision_draws_say(share):
    words = np.concatenate([_twister.seeded(1).take(3000), np.array([0, 1, 2**64 - 1], np.uint64)])
    limit = int(share * 2.0**64)
    near = [limit + apart for apart in range(-3, 4)] + [limit - 2**40, limit + 2**40, limit - 2**39]
    words = np.concatenate([words, np.array([one for one in near if 0 <= one < 2**64], np.uint64)])

    class Given:
        def take(self, count):
            return words

    drawn = _variates._unit(words, np.dtype(np.float32))
    assert (_variates.kept(Given(), (words.size,), share) == (drawn >= np.float32(share))).all()


@pytest.mark.parametrize("count", [0, 1, 2, 5, 16384, 16385, 40001])
def test_normal_draws_do_not_depend_on_how_many_are_made_together(count, monkeypatch):
    found = _variates.normal(_twister.seeded(2), (count,), 1.0, 2.0)
    monkeypatch.setattr(_variates, "_BLOCK", 100)
    engine = _twister.seeded(2)
    assert (_variates.normal(engine, (count,), 1.0, 2.0) == found).all()
    other = _twister.seeded(2)
    monkeypatch.undo()
    _variates.normal(other, (count,), 1.0, 2.0)
    assert other.take(1) == engine.take(1)


def test_draws_by_rejection_have_the_moments_of_their_distributions():
    engine, count = _twister.seeded(4), 4000
    for mean in (0.3, 5.0, 11.9, 12.0, 80.0):
        drawn = _rejections.poisson(engine, np.full(count, mean), np.float64)
        assert drawn.mean() == pytest.approx(mean, rel=0.08) and drawn.var() == pytest.approx(mean, rel=0.12)
    for total, share in ((10, 0.2), (50, 0.5), (200, 0.9), (40, 0.99)):
        drawn = _rejections.binomial(engine, np.full(count, float(total)), np.full(count, share), np.float64)
        assert drawn.mean() == pytest.approx(total * share, rel=0.02)
        assert drawn.var() == pytest.approx(total * share * (1 - share), rel=0.15)
    for shape in (0.3, 1.0, 7.5):
        drawn = _rejections.gamma(engine, np.full(count, shape), np.float64)
        assert drawn.mean() == pytest.approx(shape, rel=0.08) and drawn.var() == pytest.approx(shape, rel=0.2)


# -- where draws come from ---------------------------------------------------------------------------------


def test_without_a_seed_draws_are_of_penstocks_own_keys():
    assert _seeded.sequence.engine is None and not _seeded.drawing()
    ps.random.seed(3)
    found = paddle.randn([4]).numpy()
    ps.random.seed(3)
    assert (ps.random.normal((4,)).numpy() == found).all()
    assert (paddle.uniform([3], seed=5).numpy() == paddle.uniform([3], seed=5).numpy()).all()


def test_native_draws_are_not_taken_from_the_sequence():
    paddle.seed(1)
    before = following()
    ps.random.normal((3,))
    ps.layers.Dropout(0.5)(ps.ones((2, 3)), training=True)
    assert following() == before


def model_of(seed):
    paddle.seed(seed)
    return paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.Dropout(0.5), paddle.nn.Linear(4, 1))


def test_replays_of_a_recorded_step_draw_what_the_loop_draws(tier):
    def losses(recorded):
        model = model_of(6)
        optimizer = paddle.optimizer.SGD(0.1, parameters=model.parameters())

        def step(x):
            noisy = x + paddle.normal(0.0, 0.1, [5, 3]) * F.dropout(paddle.ones([3]), 0.2)
            loss = (model(noisy) ** 2).mean() + paddle.uniform([1], min=0.5, seed=3).sum()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            return loss

        run = ps.step(step) if recorded else step
        return [float(run(paddle.ones([5, 3]))) for _ in range(6)], following(3)

    with use_engine(tier):
        (one, after), (other, later) = losses(False), losses(True)
    assert one == pytest.approx(other, rel=1e-6) and after == later
    assert len(set(one)) == 6


def test_steps_repeated_in_one_program_draw_what_the_loop_draws():
    def totals(repeated):
        paddle.seed(8)
        total = ps.Variable(np.zeros(3, np.float32), name="drawn_total")

        def add():
            total.assign_add(paddle.rand([3]))

        if repeated:
            ps.repeat(ps.step(add), 9)()
        else:
            for _ in range(9):
                add()
        return total.numpy().tolist(), following()

    one, other = totals(False), totals(True)
    assert one[0] == pytest.approx(other[0], rel=1e-6) and one[1] == other[1]


def test_in_the_body_of_a_loop_draws_are_of_penstocks_own_keys():
    paddle.seed(2)
    before = following()
    turns = ps.scan(lambda carry, x: (carry, paddle.rand([2]) + x), ps.zeros(()), ps.zeros((3, 2)))[1]
    assert following() == before and len(set(np.asarray(turns).ravel().tolist())) == 6


def test_what_is_only_tried_out_takes_nothing():
    paddle.seed(2)
    before = following()
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            x = paddle.static.data("x", [None, 4], "float32")
            out = F.dropout(paddle.static.nn.fc(x, 3), 0.5) + paddle.rand([3])
        assert following() == before
        executor = paddle.static.Executor()
        executor.run(startup)
        assert following() == _twister.seeded(2).take(13)[12:].tolist()
        executor.run(main, feed={"x": np.ones((2, 4), "float32")}, fetch_list=[out])
        assert following() == _twister.seeded(2).take(12 + 6 + 3 + 1)[-1:].tolist()
    finally:
        paddle.disable_static()


@pytest.mark.xla
def test_a_plan_of_a_step_takes_nothing():
    model = model_of(4)
    before = following()
    ps.distribution.plan(ps.step(lambda x: model(x)), 2, [np.ones((2, 3), np.float32)])
    assert following() == before


def test_threads_share_the_sequence():
    paddle.seed(5)
    found = []

    def draw():
        for _ in range(50):
            found.extend(paddle.rand([7]).numpy().tolist())

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    paddle.seed(5)
    assert sorted(found) == sorted(paddle.rand([1400]).numpy().tolist())


# -- where the sequence stands -----------------------------------------------------------------------------


def test_a_checkpoint_brings_the_sequence_back(tmp_path):
    weight = ps.Variable(np.ones(2, np.float32), name="seeded_weight")
    for draws in ([3], [700]):
        paddle.seed(7)
        paddle.rand(draws)
        ps.save(tmp_path / "at.safetensors", weight)
        wanted = paddle.randn([5]).tolist()
        paddle.seed(8)
        ps.load(tmp_path / "at.safetensors", weight)
        assert paddle.randn([5]).tolist() == wanted
    _seeded.sequence.engine = None
    ps.save(tmp_path / "without.safetensors", weight)
    paddle.seed(8)
    ps.load(tmp_path / "without.safetensors", weight)
    assert not _seeded.drawing()


def test_what_is_noted_has_the_form_that_is_read():
    record = records["random numbers of paddle"]
    form = record.form()
    paddle.seed(3)
    text = record.note()
    assert form("") and form(text)
    for wrong in (None, 3, text[:-1], text[:160], "x" * len(text)):
        assert not form(wrong)


def test_a_state_is_taken_down_whether_or_not_a_seed_was_set():
    at = paddle.get_rng_state()
    first = paddle.rand([3]).tolist()
    paddle.seed(2)
    seeded = paddle.get_rng_state()
    second = paddle.rand([3]).tolist()
    paddle.set_rng_state(at)
    assert paddle.rand([3]).tolist() == first
    paddle.set_rng_state(seeded)
    assert paddle.rand([3]).tolist() == second


def test_a_seed_of_its_own_choice_is_the_one_it_says():
    generator = paddle.Generator()
    found = generator.seed()
    first = paddle.rand([3]).tolist()
    assert generator.initial_seed() == found
    paddle.seed(found)
    assert paddle.rand([3]).tolist() == first


# -- leaves that were drawn --------------------------------------------------------------------------------


@pytest.mark.parametrize("used_before", [False, True])
def test_a_drawn_leaf_is_trained_for_as_long_as_one_likes(used_before, only_numpy):
    # No parameter is written: the record ends when it has grown long, anywhere in a turn.
    points, wanted = np.ones((5, 4), np.float32), np.ones((5, 1), np.float32)
    for penalty in (0.0, 3.0):
        weight, bias = paddle.normal(0.0, 1.0, [4, 1]), paddle.zeros([1])
        own = [weight.numpy().astype(np.float64), np.zeros(1)]
        if used_before:
            paddle.matmul(paddle.ones([1, 4]), weight)
        weight.stop_gradient = bias.stop_gradient = False
        for turn in range(70):
            x, y = paddle.to_tensor(points), paddle.to_tensor(wanted)
            out = paddle.matmul(x, weight) + bias
            loss = ((out - y.reshape(out.shape)) ** 2) / 2 + penalty * (paddle.sum(weight.pow(2)) / 2)
            loss.sum().backward()
            apart = points @ own[0] + own[1] - wanted
            slopes = [points.T @ apart + 5 * penalty * own[0], apart.sum(0)]
            with paddle.no_grad():
                for place, one in enumerate([weight, bias]):
                    moved = one - 0.01 * one.grad / 5
                    one.set_value(moved)
                    one.clear_gradient()
                    own[place] = own[place] - 0.01 * slopes[place] / 5
            if turn % 7 == 6:
                float(((paddle.matmul(x, weight) + bias - y) ** 2).sum())
        assert np.allclose(weight.numpy(), own[0], atol=1e-5) and np.allclose(bias.numpy(), own[1], atol=1e-5)


def test_a_record_begins_without_what_has_entered_the_last_one():
    weight = paddle.zeros([2])
    paddle.tanh(weight)
    weight.stop_gradient = False
    local.trace.run(reset=True)
    assert local.trace.entries == []
