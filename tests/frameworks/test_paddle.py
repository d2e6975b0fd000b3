"""Programs that run in PaddlePaddle itself: the report on wrong ones, no finding and equal results.

These need PaddlePaddle: `make test-frameworks` makes an environment that has it.
"""

import hashlib
import sys
from textwrap import dedent

import pytest

paddle = pytest.importorskip("paddle", reason="PaddlePaddle is not installed: make test-frameworks")

import penstock as ps  # noqa: E402
from penstock.errors import PenstockError  # noqa: E402
from penstock.flow.check import inspect  # noqa: E402
from penstock.flow.inspection import Inspection  # noqa: E402
from penstock.frameworks import sources  # noqa: E402
from penstock.frameworks.paddle.source import Paddle  # noqa: E402
from penstock.running import run_script  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
HEAD = """
import numpy as np
import paddle
from paddle import nn
import paddle.nn.functional as F
paddle.seed(0)
np.random.seed(0)
"""
TAIL = """
import builtins
builtins.remaining = {
    **{name: one.numpy() for name, one in list(globals().items()) if isinstance(one, paddle.Tensor)},
    **{
        f"{name}.{path}": tensor.numpy()
        for name, one in list(globals().items())
        if isinstance(one, nn.Layer)
        for path, tensor in one.state_dict().items()
    },
    "next": paddle.rand([3]).numpy(),
}
"""


@pytest.fixture
def write(tmp_path):
    """Writes a program to a file."""

    def put(text):
        file = tmp_path / "train.py"
        file.write_text(HEAD + dedent(text) + TAIL)
        return str(file)

    return put


@pytest.fixture
def check(write):
    """Runs a program under inspection; returns the report."""

    def run(text, limit=None):
        file = write(text)
        return inspect(file, lambda: run_script(file, None, []), limit, source=Paddle())

    return run


def said(report):
    """What is said, notes left out."""
    assert report.error is None, report.error
    return [one for one in report.findings if one.severity != "note"]


RIGHT = {
    "adversaries": """
        g, d = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3)), nn.Linear(3, 1)
        og = paddle.optimizer.Adam(1e-3, parameters=g.parameters())
        od = paddle.optimizer.Adam(1e-3, parameters=d.parameters())
        loss = nn.BCEWithLogitsLoss()
        for step in range(20):
            real = paddle.randn([4, 3])
            fake = g(paddle.randn([4, 2]))
            ld = loss(d(real), paddle.ones([4, 1])) + loss(d(fake.detach()), paddle.zeros([4, 1]))
            od.clear_grad()
            ld.backward()
            od.step()
            lg = loss(d(fake), paddle.ones([4, 1]))
            og.clear_grad()
            lg.backward()
            og.step()
            if step % 4 == 0:
                print(float(ld), lg.item())
    """,
    "minimize and a regression": """
        net = nn.Linear(3, 1)
        opt = paddle.optimizer.SGD(learning_rate=0.1, parameters=net.parameters())
        for _ in range(8):
            x = paddle.to_tensor(np.random.rand(4, 3).astype('float32'))
            loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
            loss.backward()
            opt.minimize(loss)
            net.clear_gradients()
            print(loss.numpy())
    """,
    "a target network that is loaded": """
        q = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        t = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        t.set_state_dict(q.state_dict())
        opt = paddle.optimizer.Adam(1e-3, parameters=q.parameters())
        for step in range(20):
            s, s2, r = paddle.randn([6, 4]), paddle.randn([6, 4]), paddle.randn([6])
            a = q(s).argmax(axis=1)
            with paddle.no_grad():
                target = r + 0.9 * t(s2).max(axis=1)
            v = (q(s) * F.one_hot(a, 2)).sum(axis=1)
            loss = F.mse_loss(v, target)
            opt.clear_grad()
            loss.backward()
            opt.step()
            if step % 5 == 4:
                t.set_state_dict(q.state_dict())
    """,
    "a target network that follows": """
        q, t = nn.Linear(4, 2), nn.Linear(4, 2)
        for p in t.parameters():
            p.stop_gradient = True
        opt = paddle.optimizer.Adam(1e-3, parameters=q.parameters())
        for step in range(20):
            s, s2, r = paddle.randn([6, 4]), paddle.randn([6, 4]), paddle.randn([6])
            target = r + 0.9 * t(s2).max(axis=1)
            target.stop_gradient = True
            loss = F.mse_loss(q(s).max(axis=1), target)
            loss.backward()
            opt.step()
            opt.clear_grad()
            for a, b in zip(t.parameters(), q.parameters()):
                a.set_value(0.9 * a + 0.1 * b)
    """,
    "a gradient penalty": """
        g, d = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
        og = paddle.optimizer.Adam(1e-3, parameters=g.parameters())
        od = paddle.optimizer.Adam(1e-3, parameters=d.parameters())
        for step in range(8):
            real, fake = paddle.randn([4, 3]), g(paddle.randn([4, 2])).detach()
            e = paddle.rand([4, 1])
            mix = e * real + (1 - e) * fake
            mix.stop_gradient = False
            grad = paddle.grad(d(mix).sum(), mix, create_graph=True, retain_graph=True)[0]
            gp = ((grad.norm(axis=1) - 1) ** 2).mean()
            ld = d(fake).mean() - d(real).mean() + 10 * gp
            od.clear_grad(); ld.backward(); od.step()
            lg = -d(g(paddle.randn([4, 2]))).mean()
            og.clear_grad(); lg.backward(); og.step()
    """,
    "a schedule and clipped gradients": """
        net = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Linear(4, 1))
        lr = paddle.optimizer.lr.StepDecay(0.1, 3)
        clip = nn.ClipGradByGlobalNorm(1.0)
        opt = paddle.optimizer.Momentum(lr, parameters=net.parameters(), weight_decay=1e-4, grad_clip=clip)
        for _ in range(8):
            loss = net(paddle.randn([4, 3])).square().mean()
            loss.backward()
            opt.step()
            opt.clear_grad()
            lr.step()
    """,
    "a recurrent network": """
        emb, rnn, head = nn.Embedding(20, 8), nn.LSTM(8, 6), nn.Linear(6, 20)
        params = emb.parameters() + rnn.parameters() + head.parameters()
        opt = paddle.optimizer.AdamW(1e-3, parameters=params, weight_decay=0.01)
        for _ in range(8):
            x = paddle.randint(0, 20, [4, 7])
            out, (h, c) = rnn(emb(x[:, :-1]))
            loss = F.cross_entropy(head(out).reshape([-1, 20]), x[:, 1:].reshape([-1]))
            loss.backward()
            opt.step()
            opt.clear_grad()
    """,
    "a transformer": """
        enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2)
        head = nn.Linear(8, 3)
        opt = paddle.optimizer.Adam(1e-3, parameters=[*enc.parameters(), *head.parameters()])
        for _ in range(6):
            y = paddle.randint(0, 3, [4])
            loss = F.cross_entropy(head(enc(paddle.randn([4, 5, 8])).mean(axis=1)), y)
            loss.backward()
            opt.step()
            opt.clear_grad(set_to_zero=False)
    """,
    "a frozen backbone": """
        back = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1D(8))
        head = nn.Linear(8, 2)
        back.eval()
        for p in back.parameters():
            p.stop_gradient = True
        opt = paddle.optimizer.SGD(0.1, parameters=head.parameters())
        for _ in range(6):
            y = paddle.randint(0, 2, [4])
            loss = F.cross_entropy(head(back(paddle.randn([4, 4]))), y)
            loss.backward(); opt.step(); opt.clear_grad()
    """,
    "updates by hand": """
        w = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        for _ in range(6):
            loss = (w * w).sum()
            loss.backward()
            with paddle.no_grad():
                w.subtract_(0.1 * w.grad)
            w.clear_grad()
        print(w)
    """,
    "a model under fit": """
        class Data(paddle.io.Dataset):
            def __len__(self): return 32
            def __getitem__(self, i):
                rng = np.random.RandomState(i)
                return rng.rand(1, 8, 8).astype('float32'), np.array([i % 3], dtype='int64')
        net = nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 3))
        model = paddle.Model(net)
        adam = paddle.optimizer.Adam(parameters=model.parameters())
        model.prepare(adam, nn.CrossEntropyLoss(), paddle.metric.Accuracy())
        model.fit(Data(), epochs=2, batch_size=8, verbose=0)
        print(model.evaluate(Data(), batch_size=8, verbose=0))
    """,
    "a function made static": """
        class Net(nn.Layer):
            def __init__(self):
                super().__init__()
                self.one = nn.Linear(3, 4)
                self.two = nn.Linear(4, 1)
            @paddle.jit.to_static
            def forward(self, x):
                return self.two(F.relu(self.one(x)))
        net = Net()
        opt = paddle.optimizer.Adam(1e-2, parameters=net.parameters())
        for _ in range(6):
            loss = net(paddle.randn([4, 3])).square().mean()
            loss.backward(); opt.step(); opt.clear_grad()
        print(float(loss))
    """,
    "a gradient of its own": """
        from paddle.autograd import PyLayer
        class Cube(PyLayer):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x ** 3
            @staticmethod
            def backward(ctx, dy):
                x, = ctx.saved_tensor()
                return dy * 3 * x ** 2
        net = nn.Linear(3, 2)
        opt = paddle.optimizer.SGD(0.01, parameters=net.parameters())
        for _ in range(6):
            loss = Cube.apply(net(paddle.randn([4, 3]))).mean()
            loss.backward(); opt.step(); opt.clear_grad()
    """,
    "a policy gradient": """
        from paddle.distribution import Categorical
        pi = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2), nn.Softmax())
        opt = paddle.optimizer.Adam(1e-2, parameters=pi.parameters())
        for _ in range(6):
            logs, rewards = [], []
            for t in range(5):
                p = pi(paddle.randn([1, 4]))
                m = Categorical(p)
                a = m.sample([1])
                logs.append(m.log_prob(a))
                rewards.append(float(a.item() == 0))
            r = paddle.to_tensor(rewards)
            r = (r - r.mean()) / (r.std() + 1e-6)
            loss = paddle.concat([(-l * x).reshape([1]) for l, x in zip(logs, r)]).sum()
            opt.clear_grad(); loss.backward(); opt.step()
    """,
    "a loader of batches": """
        x = paddle.randn([32, 3]); y = x.sum(1, keepdim=True)
        data = paddle.io.TensorDataset([x, y])
        net = nn.Linear(3, 1)
        opt = paddle.optimizer.Adam(1e-2, parameters=net.parameters())
        for epoch in range(2):
            for a, b in paddle.io.DataLoader(data, batch_size=8, shuffle=True):
                loss = nn.MSELoss()(net(a), b)
                loss.backward(); opt.step(); opt.clear_grad()
    """,
    "accumulated gradients": """
        net = nn.Linear(3, 1)
        opt = paddle.optimizer.Adam(1e-2, parameters=net.parameters())
        for step in range(12):
            loss = net(paddle.randn([4, 3])).square().mean() / 3
            loss.backward()
            if step % 3 == 2:
                opt.step(); opt.clear_grad()
    """,
}


@pytest.mark.parametrize("name", RIGHT)
def test_there_is_nothing_to_say_of_a_right_program(check, name):
    assert [(one.code, one.message) for one in said(check(RIGHT[name]))] == []


WRONG = {
    "a loss through argmax": (
        "PS105",
        """
        net = nn.Linear(3, 2)
        opt = paddle.optimizer.Adam(1e-2, parameters=net.parameters())
        other = paddle.create_parameter([1], 'float32')
        opt2 = paddle.optimizer.Adam(1e-2, parameters=[other])
        for _ in range(6):
            y = paddle.randint(0, 2, [4])
            right = (net(paddle.randn([4, 3])).argmax(1) == y).astype('float32')
            loss = (1 - right.mean()) * other.sum()
            loss.backward(); opt.step(); opt2.step(); opt.clear_grad(); opt2.clear_grad()
        """,
    ),
    "a loss that left as a number": (
        "PS108",
        """
        net = nn.Linear(3, 1)
        bias = paddle.create_parameter([1], 'float32')
        opt = paddle.optimizer.Adam(1e-2, parameters=[*net.parameters(), bias])
        for _ in range(6):
            out = net(paddle.randn([4, 3])).mean()
            loss = (paddle.to_tensor(out.item()) - bias).square().sum()
            loss.backward(); opt.step(); opt.clear_grad()
        """,
    ),
    "layers in a plain list": (
        "PS401",
        """
        class Net(nn.Layer):
            def __init__(self):
                super().__init__()
                self.layers = [nn.Linear(3, 3) for _ in range(2)]
                self.head = nn.Linear(3, 1)
            def forward(self, x):
                for one in self.layers:
                    x = F.relu(one(x))
                return self.head(x)
        net = Net()
        opt = paddle.optimizer.Adam(1e-2, parameters=net.parameters())
        for _ in range(6):
            loss = net(paddle.randn([4, 3])).square().mean()
            loss.backward(); opt.step(); opt.clear_grad()
        """,
    ),
    "gradients that are never cleared": (
        "PS405",
        """
        net = nn.Linear(3, 1)
        opt = paddle.optimizer.Adam(1e-2, parameters=net.parameters())
        for _ in range(6):
            loss = net(paddle.randn([4, 3])).square().mean()
            loss.backward(); opt.step()
        """,
    ),
    "a layer replaced after the optimizer was made": (
        "PS402",
        """
        net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
        opt = paddle.optimizer.Adam(1e-2, parameters=net.parameters())
        net[1] = nn.Linear(4, 3)
        for _ in range(6):
            loss = net(paddle.randn([4, 3])).square().mean()
            loss.backward(); opt.step(); opt.clear_grad()
        """,
    ),
    "statistics of a frozen layer": (
        "PS403",
        """
        back = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1D(8))
        head = nn.Linear(8, 2)
        for p in back.parameters():
            p.stop_gradient = True
        opt = paddle.optimizer.SGD(0.1, parameters=head.parameters())
        for _ in range(6):
            y = paddle.randint(0, 2, [4])
            loss = F.cross_entropy(head(back(paddle.randn([4, 4]))), y)
            loss.backward(); opt.step(); opt.clear_grad()
        """,
    ),
    "a flag that a layer does not read": (
        "PS411",
        """
        back, head = nn.Linear(4, 8), nn.Linear(8, 2)
        back.stop_gradient = True
        opt = paddle.optimizer.SGD(0.1, parameters=[*back.parameters(), *head.parameters()])
        for _ in range(6):
            y = paddle.randint(0, 2, [4])
            loss = F.cross_entropy(head(back(paddle.randn([4, 4]))), y)
            loss.backward(); opt.step(); opt.clear_grad()
        """,
    ),
    "gradients cleared before the update": (
        "PS408",
        """
        net = nn.Linear(3, 1)
        opt = paddle.optimizer.Adam(1e-2, parameters=net.parameters())
        for _ in range(6):
            loss = net(paddle.randn([4, 3])).square().mean()
            loss.backward(); opt.clear_grad(); opt.step()
        """,
    ),
    "a loss through round": (
        "PS105",
        """
        net = nn.Linear(3, 1)
        opt = paddle.optimizer.SGD(1e-2, parameters=net.parameters())
        for _ in range(6):
            loss = (paddle.round(net(paddle.randn([4, 3]))) - 1).square().mean()
            loss.backward(); opt.step(); opt.clear_grad()
        """,
    ),
    "gradients of zeros that go on to move": (
        "PS426",
        """
        a, b = nn.Linear(3, 1), nn.Linear(3, 1)
        opt = paddle.optimizer.Adam(1e-2, parameters=[*a.parameters(), *b.parameters()])
        for step in range(10):
            x = paddle.randn([4, 3])
            loss = a(x).square().mean() + (b(x).square().mean() if step < 2 else 0)
            loss.backward(); opt.step(); opt.clear_grad()
        """,
    ),
    "a body computed under no_grad": (
        "PS107",
        """
        a, b = nn.Linear(3, 3), nn.Linear(3, 1)
        opt = paddle.optimizer.Adam(1e-2, parameters=[*a.parameters(), *b.parameters()])
        for _ in range(6):
            with paddle.no_grad():
                h = a(paddle.randn([4, 3]))
            loss = b(h).square().mean()
            loss.backward(); opt.step(); opt.clear_grad()
        """,
    ),
    "a result that is told to stop": (
        "PS106",
        """
        a, b = nn.Linear(3, 3), nn.Linear(3, 1)
        opt = paddle.optimizer.Adam(1e-2, parameters=[*a.parameters(), *b.parameters()])
        for _ in range(6):
            h = a(paddle.randn([4, 3]))
            h.stop_gradient = True
            loss = b(h).square().mean()
            loss.backward(); opt.step(); opt.clear_grad()
        """,
    ),
    "a model left in evaluation mode": (
        "PS413",
        """
        net = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 1))
        opt = paddle.optimizer.Adam(1e-2, parameters=net.parameters())
        for step in range(14):
            loss = net(paddle.randn([4, 3])).square().mean()
            loss.backward(); opt.step(); opt.clear_grad()
            if step == 3:
                net.eval()
                with paddle.no_grad():
                    print(float(net(paddle.randn([4, 3])).mean()))
        """,
    ),
    "a schedule that never steps": (
        "PS430",
        """
        net = nn.Linear(3, 1)
        lr = paddle.optimizer.lr.StepDecay(0.1, 3)
        opt = paddle.optimizer.SGD(lr, parameters=net.parameters())
        for _ in range(8):
            loss = net(paddle.randn([4, 3])).square().mean()
            loss.backward(); opt.step(); opt.clear_grad()
        """,
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_program_is_named(check, name):
    code, text = WRONG[name]
    found = said(check(text))
    assert [one.code for one in found] == [code]
    assert found[0].fix


def digest():
    """A number for everything that a program has left."""
    import builtins

    found = hashlib.sha256()
    for name, one in sorted(vars(builtins).pop("remaining").items()):
        found.update(name.encode() + one.tobytes())
    return found.hexdigest()


@pytest.mark.parametrize(
    "text", [*RIGHT.values(), *(text for _, text in WRONG.values())], ids=[*RIGHT, *WRONG]
)
def test_a_check_changes_no_result(check, write, text):
    run_script(write(text), None, [])
    alone = digest()
    assert check(text).error is None
    assert digest() == alone


# -- what is reported ---------------------------------------------------------------------------------------


def test_counting_goes_on_after_the_recorded_steps(check):
    report = check(
        """
        net = nn.Linear(3, 1)
        opt = paddle.optimizer.SGD(0.1, parameters=net.parameters())
        for _ in range(40):
            loss = net(paddle.randn([4, 3])).square().mean()
            loss.backward()
            opt.step()
            opt.clear_grad()
            with paddle.no_grad():
                net.weight.clip_(-1.0, 1.0)
        """
    )
    (weight,) = [one for one in report.subjects if one.path == "net.weight"]
    assert report.steps == 40
    assert [writer.times for writer in weight.writers.values()] == [40, 40]


def test_amounts_are_norms_of_changes(check):
    report = check(
        """
        w = paddle.create_parameter([2], "float32", default_initializer=nn.initializer.Constant(0.0))
        opt = paddle.optimizer.SGD(0.5, parameters=[w])
        for _ in range(4):
            (w * paddle.to_tensor([3.0, 4.0])).sum().backward()
            opt.step()
            opt.clear_grad()
        """
    )
    (w,) = report.subjects
    (writer,) = w.writers.values()
    assert w.path == "w" and writer.times == 4 and writer.mean == pytest.approx(2.5)


def test_a_new_head_with_a_new_optimizer_is_right_and_with_the_old_one_is_not(check):
    text = """
        net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
        opt = paddle.optimizer.Adam(1e-2, parameters=net.parameters())
        for step in range(8):
            if step == 4:
                net[1] = nn.Linear(4, 3)
                {again}
            net(paddle.randn([4, 3])).square().mean().backward()
            opt.step()
            opt.clear_grad()
    """
    anew = "opt = paddle.optimizer.Adam(1e-2, parameters=net.parameters())"
    assert said(check(text.format(again=anew))) == []
    assert "PS402" in [one.code for one in said(check(text.format(again="pass")))]


def test_a_function_made_static_is_named_in_a_remark(check):
    (remark,) = check(RIGHT["a function made static"]).remarks
    assert "'forward'" in remark and "to_static" in remark


def test_a_static_program_is_named_in_a_remark(check):
    report = check("paddle.enable_static()\nx = 1\npaddle.disable_static()\n")
    (remark,) = report.remarks
    assert "--as paddle" in remark


def test_nothing_is_left_behind(check):
    from paddle import _C_ops

    tensor, core = dict(vars(paddle.Tensor)), dict(vars(_C_ops))
    layer, optimizer = dict(vars(paddle.nn.Layer)), dict(vars(paddle.optimizer.Optimizer))
    check(RIGHT["adversaries"])
    assert dict(vars(paddle.Tensor)) == tensor and dict(vars(_C_ops)) == core
    assert dict(vars(paddle.nn.Layer)) == layer and dict(vars(paddle.optimizer.Optimizer)) == optimizer
    assert "apply" not in vars(paddle.autograd.PyLayer)


def test_a_block_can_be_watched():
    a, b = paddle.nn.Linear(3, 3), paddle.nn.Linear(3, 1)
    opt = paddle.optimizer.Adam(1e-2, parameters=[*a.parameters(), *b.parameters()])
    with ps.watch(a=a, b=b, opt=opt) as report:
        for _ in range(3):
            b(a(paddle.randn([4, 3])).detach()).square().mean().backward()
            opt.step()
            opt.clear_grad()
    assert [one.code for one in report.findings if one.severity != "note"] == ["PS106"]


def test_a_counted_step_calls_nothing_for_each_operation():
    def program(layers):
        net = paddle.nn.Sequential(*[paddle.nn.Tanh() for _ in range(layers)], paddle.nn.Linear(4, 1))
        opt, x = paddle.optimizer.SGD(0.1, parameters=net.parameters()), paddle.randn([8, 4])

        def step():
            net(x).square().mean().backward()
            opt.step()
            opt.clear_grad()

        return step

    def calls(step):
        found = []

        def note(frame, event, argument):
            if event == "call" and "penstock" in frame.f_code.co_filename:
                found.append(frame.f_code.co_qualname)

        sys.setprofile(note)
        try:
            step()
        finally:
            sys.setprofile(None)
        return len(found)

    counts = {}
    for layers in (1, 20):
        with Inspection(Paddle()):
            step = program(layers)
            for _ in range(49):
                step()
            # A new path is looked for in some steps: the fewest calls are those of a step without.
            counts[layers] = min(calls(step) for _ in range(6))
    assert counts[1] == counts[20]


def test_a_python_without_it_is_told_what_to_do(monkeypatch):
    monkeypatch.setattr(sources, "is_installed", lambda _: False)
    with pytest.raises(PenstockError, match="needs PaddlePaddle"):
        sources.source_for("paddle")
