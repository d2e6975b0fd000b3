"""Small programs of the kinds that people run in PyTorch: right ones, and similar wrong ones.

A wrong program comes with its expected finding: code, variables, and the marked line.
"""

RIGHT = {
    "flags of parameters, and attributes of modules with the same name": """
        class Scale(nn.Module):
            def __init__(self):
                super().__init__()
                self.factor = nn.Parameter(torch.ones(1))
                self.requires_grad = False

            def forward(self, x):
                return self.factor * x

        net, scale, frozen = nn.Linear(3, 1), Scale(), nn.Linear(3, 3)
        frozen.requires_grad = False
        frozen.requires_grad_(False)
        optimizer = torch.optim.SGD([*net.parameters(), *scale.parameters()], lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            scale(net(frozen(torch.randn(8, 3)))).pow(2).mean().backward()
            optimizer.step()
        """,
    "gradients by torch.func": """
        from torch.func import functional_call, grad_and_value

        net = nn.Linear(3, 1)
        held = {name: one.detach().clone() for name, one in net.named_parameters()}

        def loss_of(held, x):
            return functional_call(net, held, x).pow(2).mean()

        for _ in range(6):
            slopes, loss = grad_and_value(loss_of)(held, torch.randn(8, 3))
            held = {name: one - 0.1 * slopes[name] for name, one in held.items()}
        """,
    "gradients of each example": """
        from torch.func import functional_call, grad, vmap

        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)

        def loss_of(held, x):
            return functional_call(net, held, x).pow(2).mean()

        for _ in range(6):
            held = {name: one.detach() for name, one in net.named_parameters()}
            each = vmap(grad(loss_of), (None, 0))(held, torch.randn(8, 3))
            for name, one in net.named_parameters():
                one.grad = each[name].clamp(-1, 1).mean(0)
            optimizer.step()
        """,
    "a vectorised ensemble": """
        from torch.func import functional_call, stack_module_state

        nets = [nn.Linear(3, 1) for _ in range(3)]
        held, state = stack_module_state(nets)
        optimizer = torch.optim.SGD(held.values(), 0.1)

        def one(held, state, x):
            return functional_call(nets[0], (held, state), (x,))

        for _ in range(5):
            x = torch.randn(8, 3)
            optimizer.zero_grad()
            torch.vmap(one, (0, 0, None))(held, state, x).pow(2).mean().backward()
            optimizer.step()
        """,
    "reentrant checkpoints": """
        from torch.utils.checkpoint import checkpoint

        first, body, head = nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 1)
        held = [*first.parameters(), *body.parameters(), *head.parameters()]
        optimizer = torch.optim.SGD(held, 0.1)
        for _ in range(5):
            optimizer.zero_grad()
            x = first(torch.randn(8, 3))
            head(checkpoint(body, x, use_reentrant=True)).pow(2).mean().backward()
            optimizer.step()
        """,
    "a function of two results, once differentiable": """
        from torch.autograd.function import once_differentiable

        class Parts(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, scale):
                ctx.save_for_backward(x, scale)
                return x * scale, x.sum()

            @staticmethod
            @once_differentiable
            def backward(ctx, first, second):
                x, scale = ctx.saved_tensors
                return first * scale + second, (first * x).sum().reshape(1)

        w, scale = torch.ones(3, requires_grad=True), torch.ones(1, requires_grad=True)
        optimizer = torch.optim.SGD([w, scale], 0.01)
        for _ in range(5):
            optimizer.zero_grad()
            scaled, total = Parts.apply(w * 1.5, scale)
            ((scaled - 1).pow(2).sum() + (total - 2).pow(2)).backward()
            optimizer.step()
        """,
    "LBFGS on a network": """
        net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
        optimizer = torch.optim.LBFGS(net.parameters(), 0.5, max_iter=4, line_search_fn="strong_wolfe")
        x, y = torch.randn(16, 3), torch.randn(16, 1)

        def closure():
            optimizer.zero_grad()
            loss = F.mse_loss(net(x), y)
            loss.backward()
            return loss

        for _ in range(6):
            loss = optimizer.step(closure)
        """,
    "a scaler that leaves out one step": """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        scaler = torch.amp.GradScaler("cpu", 2.0**127, backoff_factor=2.0**-100)
        for _ in range(8):
            optimizer.zero_grad()
            loss = net(torch.randn(8, 3)).pow(2).mean()
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
        """,
    "loader workers": """
        from torch.utils.data import DataLoader, TensorDataset

        data = TensorDataset(torch.randn(32, 3), torch.randn(32, 1))
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(2):
            for x, y in DataLoader(data, 8, num_workers=2):
                optimizer.zero_grad()
                F.mse_loss(net(x), y).backward()
                optimizer.step()
        """,
    "data parallel in a box": """
        net = nn.DataParallel(nn.Linear(3, 1))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(5):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        """,
    "one process of distributed data parallel": """
        import os
        import tempfile

        import torch.distributed as dist

        place = os.path.join(tempfile.mkdtemp(), "meet")
        dist.init_process_group("gloo", init_method=f"file://{place}", rank=0, world_size=1)
        net = nn.parallel.DistributedDataParallel(nn.Linear(3, 1))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(6):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        dist.destroy_process_group()
        """,
    "weights through parametrizations": """
        from torch.nn.utils import parametrize
        from torch.nn.utils.parametrizations import orthogonal, spectral_norm, weight_norm

        class Symmetric(nn.Module):
            def forward(self, x):
                return x.triu() + x.triu(1).transpose(-1, -2)

        layers = [nn.Linear(3, 3) for _ in range(4)]
        parametrize.register_parametrization(layers[0], "weight", Symmetric())
        norms = weight_norm(layers[1]), spectral_norm(layers[2]), orthogonal(layers[3])
        net = nn.Sequential(layers[0], *norms)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(6):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        """,
    "norms of weights, the old way": """
        import warnings

        warnings.simplefilter("ignore")
        net = nn.Sequential(nn.utils.weight_norm(nn.Linear(3, 4)), nn.utils.spectral_norm(nn.Linear(4, 1)))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(6):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        """,
    "a mean of weights in a copy": """
        import copy

        net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
        optimizer = torch.optim.Adam(net.parameters())
        mean = copy.deepcopy(net).eval()
        for one in mean.parameters():
            one.requires_grad_(False)
        for _ in range(8):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
            with torch.no_grad():
                for kept, one in zip(mean.parameters(), net.parameters()):
                    kept.mul_(0.9).add_(one, alpha=0.1)
                for kept, one in zip(mean.buffers(), net.buffers()):
                    kept.copy_(one)
            mean(torch.randn(8, 3))
        """,
    "a mean of weights by torch.optim.swa_utils": """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        mean = torch.optim.swa_utils.AveragedModel(net)
        for _ in range(8):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
            mean.update_parameters(net)
        """,
    "learning to learn": """
        from torch.func import functional_call

        net = nn.Linear(3, 1)
        outer = torch.optim.Adam(net.parameters())
        for _ in range(6):
            outer.zero_grad()
            total = 0.0
            for _ in range(2):
                held = dict(net.named_parameters())
                x = torch.randn(8, 3)
                inner = functional_call(net, held, x).pow(2).mean()
                slopes = torch.autograd.grad(inner, list(held.values()), create_graph=True)
                fast = {name: one - 0.1 * slope for (name, one), slope in zip(held.items(), slopes)}
                total = total + functional_call(net, fast, x).pow(2).mean()
            total.backward()
            outer.step()
        """,
    "a gradient penalty": """
        d = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
        optimizer = torch.optim.Adam(d.parameters())
        for _ in range(6):
            real, fake = torch.randn(8, 3), torch.randn(8, 3)
            mixed = (0.5 * real + 0.5 * fake).requires_grad_(True)
            out = d(mixed)
            (slope,) = torch.autograd.grad(out, mixed, torch.ones_like(out), create_graph=True)
            penalty = (slope.norm(dim=1) - 1).pow(2).mean()
            loss = d(fake).mean() - d(real).mean() + penalty
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """,
    "a mode and a subclass of the user's": """
        from torch.overrides import TorchFunctionMode

        class Counting(TorchFunctionMode):
            calls = 0

            def __torch_function__(self, function, types, arguments=(), options=None):
                Counting.calls += 1
                return function(*arguments, **(options or {}))

        class Named(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, arguments=(), options=None):
                return super().__torch_function__(function, types, arguments, options or {})

        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        with Counting():
            for _ in range(6):
                optimizer.zero_grad()
                net(torch.randn(8, 3).as_subclass(Named)).pow(2).mean().backward()
                optimizer.step()
        calls = torch.tensor(Counting.calls)
        """,
    "sparse gradients": """
        table, head = nn.Embedding(9, 4, sparse=True), nn.Linear(4, 1)
        sparse = torch.optim.SparseAdam(table.parameters())
        dense = torch.optim.Adam(head.parameters())
        for _ in range(6):
            sparse.zero_grad()
            dense.zero_grad()
            head(table(torch.randint(9, (8,)))).pow(2).mean().backward()
            sparse.step()
            dense.step()
        """,
    "packed sequences": """
        from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

        net, head = nn.GRU(3, 5, batch_first=True), nn.Linear(5, 1)
        optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()])
        for _ in range(5):
            optimizer.zero_grad()
            packed = pack_padded_sequence(torch.randn(4, 6, 3), [6, 5, 3, 2], batch_first=True)
            out, _ = pad_packed_sequence(net(packed)[0], batch_first=True)
            head(out).pow(2).mean().backward()
            optimizer.step()
        """,
    "modules in a dictionary, parameters in a list": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.heads = nn.ModuleDict({"a": nn.Linear(3, 1), "b": nn.Linear(3, 1)})
                self.scales = nn.ParameterList([torch.ones(1) for _ in range(2)])

            def forward(self, x):
                return self.heads["a"](x) * self.scales[0] + self.heads["b"](x) * self.scales[1]

        net = Net()
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(5):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        """,
    "a model converted after its optimizer was made": """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        net.to(torch.float64)
        for _ in range(5):
            optimizer.zero_grad()
            net(torch.randn(8, 3, dtype=torch.float64)).pow(2).mean().backward()
            optimizer.step()
        """,
    "layers that learn their shape": """
        net = nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d(), nn.LazyLinear(1))
        net(torch.randn(8, 3))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(5):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        """,
    "layers that learn their shape after the optimizer was made": """
        net = nn.Sequential(nn.LazyLinear(4), nn.LazyLinear(1))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(5):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        """,
    "no optimizer and no backward pass": """
        net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1)).eval()
        with torch.no_grad():
            for _ in range(5):
                out = net(torch.randn(8, 3))
        """,
    "inference mode": """
        net = nn.Linear(3, 1)
        with torch.inference_mode():
            out = net(torch.randn(8, 3)) * 2
            out += 1
        numbers = out.tolist()
        """,
    "a backward pass in threads": """
        import threading

        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)

        def part(x):
            (net(x).pow(2).mean() / 2).backward()

        for _ in range(5):
            optimizer.zero_grad()
            for x in torch.randn(2, 8, 3):
                thread = threading.Thread(target=part, args=(x,))
                thread.start()
                thread.join()
            optimizer.step()
        """,
    "a graph that is kept": """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(5):
            out = net(torch.randn(8, 3))
            optimizer.zero_grad()
            out.mean().backward(retain_graph=True)
            out.pow(2).mean().backward()
            optimizer.step()
        """,
    "two optimizers, one backward pass": """
        body, head = nn.Linear(3, 4), nn.Linear(4, 1)
        slow, fast = torch.optim.SGD(body.parameters(), 0.01), torch.optim.Adam(head.parameters())
        for _ in range(5):
            slow.zero_grad()
            fast.zero_grad()
            head(body(torch.randn(8, 3))).pow(2).mean().backward()
            slow.step()
            fast.step()
        """,
    "a scheduler and groups": """
        body, head = nn.Linear(3, 4), nn.Linear(4, 1)
        groups = [{"params": body.parameters(), "lr": 1e-3}, {"params": head.parameters()}]
        optimizer = torch.optim.AdamW(groups)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, [1e-2, 1e-1], total_steps=10)
        for _ in range(8):
            optimizer.zero_grad(set_to_none=False)
            head(body(torch.randn(8, 3))).pow(2).mean().backward()
            optimizer.step()
            schedule.step()
        """,
    "a layer that thaws late": """
        body, head = nn.Linear(3, 4), nn.Linear(4, 1)
        body.requires_grad_(False)
        optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], 0.1)
        for step in range(24):
            if step == 12:
                body.requires_grad_(True)
            optimizer.zero_grad()
            head(body(torch.randn(8, 3))).pow(2).mean().backward()
            optimizer.step()
        """,
    "a path that later steps take": """
        body, extra, head = nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 1)
        held = [*body.parameters(), *extra.parameters(), *head.parameters()]
        optimizer = torch.optim.SGD(held, 0.1)
        for step in range(26):
            hidden = body(torch.randn(8, 3))
            if step >= 20:
                hidden = extra(hidden)
            optimizer.zero_grad()
            head(hidden).pow(2).mean().backward()
            optimizer.step()
        """,
    "experts that are chosen by chance": """
        experts = nn.ModuleList(nn.Linear(3, 1) for _ in range(6))
        optimizer = torch.optim.Adam(experts.parameters())
        for step in range(60):
            chosen = experts[int(torch.randint(6, (1,)))]
            optimizer.zero_grad()
            chosen(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        """,
    "fused and grouped optimizers": """
        nets = [nn.Linear(3, 1) for _ in range(3)]
        optimizers = [
            torch.optim.Adam(nets[0].parameters(), fused=True),
            torch.optim.SGD(nets[1].parameters(), 0.1, momentum=0.9, foreach=True),
            torch.optim.AdamW(nets[2].parameters(), amsgrad=True),
        ]
        for _ in range(10):
            x = torch.randn(8, 3)
            for net, optimizer in zip(nets, optimizers):
                optimizer.zero_grad()
                net(x).pow(2).mean().backward()
                optimizer.step()
        """,
    "complex weights": """
        w = torch.randn(3, dtype=torch.complex64, requires_grad=True)
        optimizer = torch.optim.Adam([w])
        for _ in range(10):
            optimizer.zero_grad()
            (torch.randn(8, 3).to(torch.complex64) @ w).abs().pow(2).mean().backward()
            optimizer.step()
        """,
    "policy gradients": """
        actor, critic = nn.Linear(4, 2), nn.Linear(4, 1)
        optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()])
        for _ in range(6):
            kept = []
            state = torch.randn(4)
            for _ in range(5):
                chance = torch.distributions.Categorical(logits=actor(state))
                action = chance.sample()
                kept.append((chance.log_prob(action), critic(state)))
                state = torch.randn(4) + action.item()
            gain = torch.tensor([1.0, 0.5, 0.25, 0.3, -1.0])
            loss = sum(-(log * (g - value.item()) - F.smooth_l1_loss(value, g.reshape(1)))
                       for (log, value), g in zip(kept, gain))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """,
    "a layer of attention": """
        net = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)
        optimizer = torch.optim.Adam(net.parameters())
        for _ in range(5):
            optimizer.zero_grad()
            net(torch.randn(2, 5, 8)).pow(2).mean().backward()
            optimizer.step()
        """,
    "a saved and resumed run": """
        import io

        net = nn.Linear(3, 1)
        optimizer = torch.optim.Adam(net.parameters())

        def train(net, optimizer):
            for _ in range(4):
                optimizer.zero_grad()
                net(torch.randn(8, 3)).pow(2).mean().backward()
                optimizer.step()

        train(net, optimizer)
        file = io.BytesIO()
        torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, file)
        file.seek(0)
        kept = torch.load(file, weights_only=True)
        other = nn.Linear(3, 1)
        other.load_state_dict(kept["net"])
        second = torch.optim.Adam(other.parameters())
        second.load_state_dict(kept["optimizer"])
        train(other, second)
        """,
    "hooks and gradients that the program changes": """
        net = nn.Linear(3, 1)
        net.weight.register_hook(lambda slope: slope * 0.5)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(5):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            for one in net.parameters():
                one.grad.add_(one.detach(), alpha=0.01)
                one.grad.data.clamp_(-1, 1)
            optimizer.step()
        """,
}
"""These must get no findings."""

WRONG = {
    "a flag that is set on a module": (
        """
        net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
        net[0].requires_grad = False  # here
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        """,
        "PS411",
        ("net.0.weight", "net.0.bias"),
    ),
    "a layer of a distributed model that nothing reads": (
        """
        import os
        import tempfile

        import torch.distributed as dist

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.used, self.spare = nn.Linear(3, 1), nn.Linear(3, 1)

            def forward(self, x):
                return self.used(x)

        place = os.path.join(tempfile.mkdtemp(), "meet")
        dist.init_process_group("gloo", init_method=f"file://{place}", rank=0, world_size=1)
        net = nn.parallel.DistributedDataParallel(Net(), find_unused_parameters=True)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(5):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()  # here
        dist.destroy_process_group()
        """,
        "PS101",
        ("net.module.spare.weight", "net.module.spare.bias"),
    ),
    "a table that a detach keeps from training": (
        """
        table, head = nn.Embedding(9, 4, sparse=True), nn.Linear(4, 1)
        sparse, dense = torch.optim.SparseAdam(table.parameters()), torch.optim.Adam(head.parameters())
        for _ in range(6):
            sparse.zero_grad()
            dense.zero_grad()
            head(table(torch.randint(9, (8,))).detach()).pow(2).mean().backward()
            sparse.step()  # here
            dense.step()
        """,
        "PS106",
        ("table.weight",),
    ),
    "inner steps of learning to learn without their graph": (
        """
        from torch.func import functional_call

        net, rate = nn.Linear(3, 1), torch.tensor(0.1, requires_grad=True)
        outer = torch.optim.Adam([*net.parameters(), rate])
        for _ in range(6):
            held = {name: one.detach().requires_grad_() for name, one in net.named_parameters()}
            x = torch.randn(8, 3)
            inner = functional_call(net, held, x).pow(2).mean()
            slopes = torch.autograd.grad(inner, list(held.values()))
            fast = {name: one - rate * slope for (name, one), slope in zip(held.items(), slopes)}
            outer.zero_grad()
            functional_call(net, fast, x).pow(2).mean().backward()
            outer.step()  # here
        """,
        "PS106",
        ("net.weight", "net.bias"),
    ),
    "a reentrant checkpoint of what has no gradient": (
        """
        import warnings

        from torch.utils.checkpoint import checkpoint

        warnings.simplefilter("ignore")
        body, head = nn.Linear(3, 4), nn.Linear(4, 1)
        optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], 0.1)
        for _ in range(5):
            optimizer.zero_grad()
            hidden = checkpoint(body, torch.randn(8, 3), use_reentrant=True)
            head(hidden).pow(2).mean().backward()
            optimizer.step()  # here
        """,
        "PS107",
        ("body.weight", "body.bias"),
    ),
    "a parametrization that rounds": (
        """
        from torch.nn.utils import parametrize

        class Rounded(nn.Module):
            def forward(self, x):
                return torch.round(x * 4) / 4

        net = nn.Linear(3, 1)
        parametrize.register_parametrization(net, "weight", Rounded())
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(5):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()  # here
        """,
        "PS105",
        ("net.parametrizations.weight.original",),
    ),
    "a layer that no step after the first ones reads": (
        """
        body, extra, head = nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 1)
        held = [*body.parameters(), *extra.parameters(), *head.parameters()]
        optimizer = torch.optim.SGD(held, 0.1)
        for step in range(26):
            hidden = body(torch.randn(8, 3))
            if step >= 20:
                hidden = hidden + extra(hidden).detach()
            optimizer.zero_grad()
            head(hidden).pow(2).mean().backward()
            optimizer.step()  # here
        """,
        "PS106",
        ("extra.weight", "extra.bias"),
    ),
}

FAILING = {
    "a weight that is written before the backward pass": (
        """
        net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        x = torch.randn(8, 3)
        for _ in range(3):
            first = net(x).pow(2).mean()
            second = net(x + 1).pow(2).mean()
            optimizer.zero_grad()
            first.backward()
            optimizer.step()  # wrote
            second.backward()  # here
        """,
        "PS206",
        ("net.1.weight",),
    ),
    "a weight that a line scales after the first forward pass": (
        """
        net = nn.Sequential(nn.Linear(8, 2, bias=False), nn.Linear(2, 8, bias=False))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(3):
            optimizer.zero_grad()
            loss = net(torch.randn(4, 8)).pow(2).mean()
            with torch.no_grad():
                net[1].weight.mul_(0.9)  # wrote
            loss.backward()  # here
            optimizer.step()
        """,
        "PS206",
        ("net.1.weight",),
    ),
}
