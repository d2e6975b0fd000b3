"""Actions of published scripts besides training: they get no findings, and no result changes."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-frameworks")

from frameworks.test_torch_kinds import assert_same, both, line_of  # noqa: E402

RIGHT = {
    "layers that are wrapped, exchanged, and put aside for a while, after the optimizer was made": """
        class Around(nn.Module):
            def __init__(self, inner):
                super().__init__()
                self.inner, self.side = inner, nn.Linear(3, 3, bias=False).requires_grad_(False)

            def forward(self, x):
                return self.inner(x) + self.side(x)

        net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 3))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        net[0] = Around(net[0])
        net[1], net[2] = net[2], net[1]
        for step in range(4):
            kept, net[2] = net[2], nn.Linear(3, 3)
            with torch.no_grad():
                net(torch.randn(2, 3))
            net[2] = kept
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        """,
    "an optimizer that steps before the first backward pass": """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(3):
            optimizer.step()
        for _ in range(3):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        """,
    "dictionaries and objects whose own methods fail, in sight of the optimizer and its steps": """
        class Rows(dict):
            def get(self, *key):
                raise IndexError(key)

            items = __iter__ = __len__ = get

        class Stored:
            __slots__ = ("rows", "net", "optimizer")

            def __getattr__(self, name):
                raise KeyError(name)

            def step(self):
                self.optimizer.zero_grad()
                self.net(torch.randn(8, 3)).pow(2).mean().backward()
                self.optimizer.step()

        rows, stored = Rows({(0, 1): 1.0}), Stored()
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        stored.rows, stored.net, stored.optimizer = [rows], net, optimizer
        for _ in range(3):
            stored.step()
            with torch.no_grad():
                held = nn.Linear(3, 1)
        """,
    "an entropy of a distribution whose width is no parameter, and only takes the shape of the mean": """
        net, width = nn.Linear(3, 2), torch.full((2,), 0.5)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(3):
            mean = net(torch.randn(8, 3))
            spread = torch.distributions.MultivariateNormal(mean, torch.diag_embed(width.expand_as(mean)))
            entropy = spread.entropy()
            loss = -(spread.log_prob(torch.randn(8, 2)) + 0.01 * entropy).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """,
    "a finished network in an object that another object holds, through which a loss passes": """
        class Likeness:
            def __init__(self):
                self.deep = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))

            def __call__(self, a, b):
                return (self.deep(a) - self.deep(b)).pow(2).mean()

        class Training:
            def __init__(self):
                self.net, self.likeness = nn.Linear(4, 4), Likeness()
                self.optimizer = torch.optim.SGD(self.net.parameters(), 0.1)

            def step(self):
                x = torch.randn(8, 4)
                self.optimizer.zero_grad()
                self.likeness(self.net(x), x).backward()
                self.optimizer.step()

        training = Training()
        for _ in range(4):
            training.step()
        net = training.net
        """,
    "a measured pass that calls batch_norm itself, and normalizes by its batch": """
        weight, scale = nn.Parameter(torch.randn(4, 3)), nn.Parameter(torch.ones(4))
        mean, var = torch.zeros(4), torch.ones(4)

        def forward(x):
            return F.batch_norm(F.linear(x, weight), mean, var, scale, None, training=True)

        optimizer = torch.optim.SGD([weight, scale], 0.1)
        for _ in range(4):
            x = torch.randn(8, 3)
            optimizer.zero_grad()
            (forward(x) - 1.0).pow(4).mean().backward()
            optimizer.step()
            with torch.no_grad():
                print(forward(x).max().item() > 0)
        """,
    "orthogonal weights, which are written through a view that autograd did not record": """
        net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
        for one in (net[0], net[2]):
            nn.init.orthogonal_(one.weight, 2.0)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        """,
    "a weight that is written through such a view between steps": """
        net = nn.Linear(3, 4)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for step in range(3):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
            with torch.no_grad():
                row = net.weight.view(-1)
                row.copy_(row / row.norm())
        """,
    "gradients that move the weights uphill by hand before the pass that counts": """
        net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(4):
            x = torch.randn(8, 3)
            net(x).pow(2).mean().backward()
            with torch.no_grad():
                norm = torch.stack([one.grad.norm() for one in net.parameters()]).norm()
                climbed = []
                for one in net.parameters():
                    up = one.grad * (0.05 / norm)
                    one.add_(up)
                    climbed.append(up)
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            with torch.no_grad():
                for one, up in zip(net.parameters(), climbed):
                    one.sub_(up)
            optimizer.step()
            optimizer.zero_grad()
        """,
    "squares of gradients that are gathered between updates": """
        net = nn.Linear(3, 2)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        gathered = {name: torch.zeros_like(one) for name, one in net.named_parameters()}
        for _ in range(3):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
            net.zero_grad()
            F.log_softmax(net(torch.randn(8, 3)), 1)[:, 0].mean().backward()
            for name, one in net.named_parameters():
                gathered[name] += one.grad.data**2 / 3
            net.zero_grad()
        """,
    "gradients of several losses that are put together": """
        net = nn.Linear(3, 2)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(3):
            out = net(torch.randn(8, 3))
            parts = []
            for column in (0, 1):
                optimizer.zero_grad()
                out[:, column].pow(2).mean().backward(retain_graph=True)
                parts.append([one.grad.clone() for one in net.parameters()])
            optimizer.zero_grad()
            for one, first, second in zip(net.parameters(), *parts):
                overlap = (first * second).sum()
                one.grad = first + second if overlap > 0 else first
            optimizer.step()
        """,
    "an optimizer that only calls another, with gradients of several parts": """
        class Around(torch.optim.Optimizer):
            def __init__(self, inner):
                self.inner = inner
                super().__init__(inner.param_groups, inner.defaults)

            def step(self, closure=None):
                self.inner.step(closure)

        net = nn.Linear(3, 1)
        optimizer = Around(torch.optim.AdamW(net.parameters(), 0.1))
        for _ in range(30):
            for _ in range(2):
                (net(torch.randn(8, 3)).pow(2).mean() / 2).backward()
            optimizer.step()
            net.zero_grad()
        """,
    "an optimizer that pulls slow weights behind those of another": """
        class Slow(torch.optim.Optimizer):
            def __init__(self, inner, every=2):
                self.inner, self.every, self.times = inner, every, 0
                super().__init__(inner.param_groups, inner.defaults)
                self.slow = [one.detach().clone() for group in self.param_groups for one in group["params"]]

            @torch.no_grad()
            def step(self, closure=None):
                self.inner.step()
                self.times += 1
                if self.times % self.every == 0:
                    held = [one for group in self.param_groups for one in group["params"]]
                    for one, slow in zip(held, self.slow):
                        slow.add_(one - slow, alpha=0.5)
                        one.copy_(slow)

        net = nn.Linear(3, 1)
        optimizer = Slow(torch.optim.SGD(net.parameters(), 0.1))
        for _ in range(30):
            optimizer.zero_grad()
            for _ in range(2):
                (net(torch.randn(8, 3)).pow(2).mean() / 2).backward()
            optimizer.step()
        """,
    "an optimizer that climbs, asks again and lets another step": """
        class Climber(torch.optim.Optimizer):
            def __init__(self, parameters, inner, **options):
                super().__init__(parameters, options)
                self.inner = inner(self.param_groups, **options)
                self.param_groups = self.inner.param_groups

            @torch.no_grad()
            def step(self, closure=None):
                held = [one for group in self.param_groups for one in group["params"]]
                ups = [one.grad * 0.05 for one in held]
                for one, up in zip(held, ups):
                    one.add_(up)
                self.zero_grad()
                with torch.enable_grad():
                    closure()
                for one, up in zip(held, ups):
                    one.sub_(up)
                self.inner.step()
                self.zero_grad()

        net = nn.Linear(3, 1)
        optimizer = Climber(net.parameters(), torch.optim.SGD, lr=0.1)
        for _ in range(12):
            x = torch.randn(8, 3)

            def loss():
                out = net(x).pow(2).mean()
                out.backward()
                return out

            loss()
            optimizer.step(loss)
        """,
    "a step that raises and is made again": """
        class Careful(torch.optim.SGD):
            tries = 0

            def step(self, closure=None):
                Careful.tries += 1
                if Careful.tries % 3 == 2:
                    raise ArithmeticError
                return super().step(closure)

        net = nn.Linear(3, 1)
        optimizer = Careful(net.parameters(), 0.1)
        for _ in range(8):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            try:
                optimizer.step()
            except ArithmeticError:
                optimizer.step()
        """,
    "weights that are parts of one flat parameter, which only computes": """
        flat = nn.Parameter(torch.randn(8))
        weight = flat.detach()[:6].view(2, 3).requires_grad_()
        bias = flat.detach()[6:].requires_grad_()
        optimizer = torch.optim.SGD([weight, bias], 0.1)
        for _ in range(4):
            flat.grad = None
            F.linear(torch.randn(8, 3), flat[:6].view(2, 3), flat[6:]).pow(2).mean().backward()
            weight.grad, bias.grad = flat.grad[:6].view(2, 3), flat.grad[6:]
            optimizer.step()
        """,
    "a copy with statistics of its own that follows the weights": """
        import copy

        net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
        follower = copy.deepcopy(net).requires_grad_(False)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(6):
            x = torch.randn(8, 3)
            with torch.no_grad():
                target = follower(x)
            optimizer.zero_grad()
            (net(x) - target - 1).pow(2).mean().backward()
            optimizer.step()
            with torch.no_grad():
                torch._foreach_lerp_(list(follower.parameters()), list(net.parameters()), 0.1)
        """,
    "a frozen table that is made anew by hand, in the optimizer's list": """
        class Table(nn.Module):
            def __init__(self):
                super().__init__()
                self.encode, self.decode = nn.Linear(3, 2), nn.Linear(2, 3)
                self.table = nn.Parameter(torch.randn(5, 2), requires_grad=False)

            def forward(self, x):
                z = self.encode(x)
                nearest = torch.cdist(z, self.table).argmin(1)
                mean = 0.9 * self.table[nearest] + 0.1 * z.detach()
                self.table = nn.Parameter(self.table.index_copy(0, nearest, mean), requires_grad=False)
                return self.decode(z + (self.table[nearest] - z).detach())

        net = Table()
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(6):
            x = torch.randn(8, 3)
            optimizer.zero_grad()
            F.mse_loss(net(x), x).backward()
            optimizer.step()
        """,
    "passes for the gradient of an input alone": """
        net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(4):
            x, label = torch.randn(8, 3), torch.randint(2, (8,))
            push = torch.zeros_like(x).uniform_(-0.1, 0.1).requires_grad_()
            for _ in range(2):
                F.cross_entropy(net(x + push), label).backward()
                push.data = (push.data + 0.05 * push.grad.sign()).clamp(-0.1, 0.1)
                push.grad.zero_()
            optimizer.zero_grad()
            F.cross_entropy(net(x + push.detach()), label).backward()
            optimizer.step()
        """,
    "an update that is left out now and then": """
        net = nn.Linear(3, 2)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for step in range(8):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            norm = sum(one.grad.norm().item() ** 2 for one in net.parameters()) ** 0.5
            if step == 2:
                continue
            optimizer.step()
        """,
    "updates that are made within the backward pass": """
        net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
        optimizers = {one: torch.optim.SGD([one], 0.1) for one in net.parameters()}

        def move(one):
            optimizers[one].step()
            optimizers[one].zero_grad()

        for one in net.parameters():
            one.register_post_accumulate_grad_hook(move)
        for _ in range(8):
            F.cross_entropy(net(torch.randn(8, 3)), torch.randint(2, (8,))).backward()
        """,
}
MADE = {
    "a layer that is made in each forward pass": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body, self.head = nn.Linear(4, 4), nn.Linear(4, 1)

            def forward(self, x):
                x = nn.Linear(4, 4)(self.body(x))  # here
                return self.head(x)

        net = Net()
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(4):
            optimizer.zero_grad()
            net(torch.randn(8, 4)).pow(2).mean().backward()
            optimizer.step()
        """,
        {"Linear.weight", "Linear.bias"},
        ("A Linear is made", "in each step", "no optimizer holds them", "self.linear = Linear(...)"),
    ),
    "layers in a list inside a list": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.blocks = [[nn.Linear(4, 4)] for _ in range(2)]  # here
                self.head = nn.Linear(4, 1)

            def forward(self, x):
                for (block,) in self.blocks:
                    x = torch.tanh(block(x))
                return self.head(x)

        net = Net()
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(4):
            optimizer.zero_grad()
            net(torch.randn(8, 4)).pow(2).mean().backward()
            optimizer.step()
        """,
        {f"net.blocks[{at}][0].{name}" for at in (0, 1) for name in ("weight", "bias")},
        ("no optimizer that steps holds them", "self.blocks = nn.ModuleList(...)"),
    ),
}
"""Layers that no module registers: the program, the variables, and words of the finding."""

WRONG = {
    "an optimizer that clears gradients and never steps": (
        """
        net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(4):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
        """,
        "PS408",
    ),
    "gradients that are left in an optimizer around another": (
        """
        class Around(torch.optim.Optimizer):
            def __init__(self, inner):
                self.inner = inner
                super().__init__(inner.param_groups, inner.defaults)

            def step(self, closure=None):
                self.inner.step(closure)

        net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
        optimizer = Around(torch.optim.SGD(net.parameters(), 0.01))
        for _ in range(4):
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        """,
        "PS405",
    ),
    "parts of a batch of which only the last one counts": (
        """
        net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for part in range(16):
            optimizer.zero_grad()
            (net(torch.randn(8, 3)).pow(2).mean() / 2).backward()
            if part % 2:
                optimizer.step()
        """,
        "PS408",
    ),
    "gradients that are cleared after somebody has looked at their norm": (
        """
        net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(4):
            net(torch.randn(8, 3)).pow(2).mean().backward()
            print(sum(one.grad.norm().item() for one in net.parameters()))
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.zero_grad()  # here
            optimizer.step()
        """,
        "PS408",
    ),
}


def test_a_layer_replaced_after_the_optimizer_was_made_is_stale(tmp_path):
    text = """
        net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        net[1] = nn.Linear(4, 2)  # here
        for _ in range(4):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        """
    plain, watched, report = both(tmp_path, text)
    (said,) = report.findings
    assert (said.code, said.site.line) == ("PS402", line_of(text))
    assert said.variables == ("net.1.weight (replaced)", "net.1.bias (replaced)")
    assert_same(plain, watched)


def test_an_optimizer_whose_loss_was_made_from_a_number_has_nothing_to_apply(tmp_path):
    text = """
        net, weight = nn.Linear(3, 1), torch.zeros(1, requires_grad=True)
        optimizer, other = torch.optim.SGD(net.parameters(), 0.1), torch.optim.SGD([weight], 0.1)
        for _ in range(20):
            out = net(torch.randn(8, 3))
            optimizer.zero_grad()
            (weight.exp() * out).pow(2).mean().backward()
            optimizer.step()
            other.zero_grad()
            torch.tensor((weight * out.detach()).mean().item(), requires_grad=True).backward()  # pass
            other.step()  # here
        """
    plain, watched, report = both(tmp_path, text)
    (said,) = report.findings
    assert (said.code, said.variables, said.severity) == ("PS102", ("weight",), "warning")
    assert (said.site.line, said.cause.line) == (line_of(text), line_of(text, "# pass"))
    assert "20 times" in said.message and f"train.py:{said.cause.line} gives it none" in said.message
    assert_same(plain, watched)


@pytest.mark.parametrize("name", MADE)
def test_a_layer_that_no_module_registers_is_named(tmp_path, name):
    text, variables, words = MADE[name]
    plain, watched, report = both(tmp_path, text)
    (said,) = report.findings
    assert (said.code, set(said.variables), said.site.line) == ("PS401", variables, line_of(text))
    told = f"{said.message} {said.fix}"
    assert [one for one in words if one not in told] == []
    assert_same(plain, watched)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_script_is_named(tmp_path, name):
    text, code = WRONG[name]
    plain, watched, report = both(tmp_path, text)
    said = {one.code: one.variables for one in report.findings if one.severity != "note"}
    assert set(said) == {code}
    assert "net.0.weight" in said[code]
    assert_same(plain, watched)


@pytest.mark.parametrize("name", RIGHT)
def test_there_is_nothing_to_say_of_a_right_script(tmp_path, name):
    plain, watched, report = both(tmp_path, RIGHT[name])
    assert report.error is None
    assert [(one.code, one.message) for one in report.findings if one.severity != "note"] == []
    assert_same(plain, watched)


def test_temporarily_frozen_layers_are_not_frozen(tmp_path):
    text = """
        g, d = nn.Linear(2, 3), nn.Linear(3, 1)
        gs, ds = torch.optim.SGD(g.parameters(), 0.1), torch.optim.SGD(d.parameters(), 0.1)
        for _ in range(8):
            for net, optimizer in ((g, gs), (d, ds)):
                for one in [*g.parameters(), *d.parameters()]:
                    one.requires_grad = any(one is own for own in net.parameters())
                optimizer.zero_grad()
                F.softplus(-d(g(torch.randn(4, 2)))).mean().backward()
                optimizer.step()
        """
    _, _, report = both(tmp_path, text)
    assert report.error is None
    assert {
        one.path: (one.trainable, one.frozen_after, one.gradient) for one in report.variables
    } == dict.fromkeys(("g.weight", "g.bias", "d.weight", "d.bias"), (True, None, "flows"))


def test_names_come_from_where_an_optimizer_was_made(tmp_path):
    text = """
        class Whole(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))

            def optimizer(self):
                return torch.optim.SGD(self.parameters(), 0.1)

        held = [[Whole()]]
        held[0].append(held[0][0].optimizer())
        for _ in range(3):
            held[0][1].zero_grad()
            nn.Module.__call__(held[0][0].body, torch.randn(8, 3)).pow(2).mean().backward()
            held[0][1].step()
        """
    _, _, report = both(tmp_path, text)
    assert report.error is None
    assert [one.path for one in report.variables] == [
        "body.0.weight", "body.0.bias", "body.1.weight", "body.1.bias", "body.2.weight", "body.2.bias",
        "body.1.running_mean", "body.1.running_var",
    ]  # fmt: skip
