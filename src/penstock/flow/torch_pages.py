"""The manual's programs for codes that a program in PyTorch shows best: a wrong one, the right one, a remark.

`penstock check --with torch` reports the code for the wrong program, and nothing for the right one.
"""

from __future__ import annotations

TORCH_PAGES: dict[str, tuple[str, str, str, str, str]] = {
    "PS401": (
        "unowned-variable",
        "a variable gets gradients, and no optimizer holds it",
        """
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.hidden = [nn.Linear(4, 4)]
                self.head = nn.Linear(4, 1)

            def forward(self, x):
                return self.head(torch.tanh(self.hidden[0](x)))

        net, x = Net(), torch.randn(8, 4)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()
        """,
        """
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.hidden = nn.ModuleList([nn.Linear(4, 4)])
                self.head = nn.Linear(4, 1)

            def forward(self, x):
                return self.head(torch.tanh(self.hidden[0](x)))

        net, x = Net(), torch.randn(8, 4)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()
        """,
        "Harmless if the program only reads another network: freeze it, and no gradient is computed for it. "
        "It is a note if no optimizer holds any parameter of the model.",
    ),
    "PS402": (
        "stale-variable",
        "an optimizer holds a variable that its model has replaced",
        """
        import torch
        from torch import nn

        net, x = nn.Linear(4, 1), torch.randn(8, 4)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        net.weight = nn.Parameter(torch.zeros(1, 4))
        for _ in range(3):
            optimizer.zero_grad()
            (net(x) - 1.0).pow(2).mean().backward()
            optimizer.step()
        """,
        """
        import torch
        from torch import nn

        net, x = nn.Linear(4, 1), torch.randn(8, 4)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        with torch.no_grad():
            net.weight.copy_(torch.zeros(1, 4))
        for _ in range(3):
            optimizer.zero_grad()
            (net(x) - 1.0).pow(2).mean().backward()
            optimizer.step()
        """,
        "An optimizer holds the parameters that it was given, not the names by which a model finds them.",
    ),
    "PS403": (
        "frozen-state-moves",
        "a frozen layer writes its statistics all the same",
        """
        import torch
        from torch import nn

        net, x = nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 1)), torch.randn(8, 4)
        net[0].requires_grad_(False)
        optimizer = torch.optim.SGD(net[1].parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()
        """,
        """
        import torch
        from torch import nn

        net, x = nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 1)), torch.randn(8, 4)
        net[0].requires_grad_(False).eval()
        optimizer = torch.optim.SGD(net[1].parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()
        """,
        "There are two switches: requires_grad keeps optimizers from changing weights, and eval() keeps the "
        "layer from changing its statistics. Harmless if the statistics are meant to follow new data.",
    ),
    "PS404": (
        "moved-while-frozen",
        "an optimizer moves a variable that is frozen",
        """
        import torch

        kept, free = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        optimizer = torch.optim.SGD([kept, free], lr=0.1, weight_decay=0.1)
        for turn in range(4):
            optimizer.zero_grad(set_to_none=False)
            (kept.sum() * free).pow(2).sum().backward()
            optimizer.step()
            kept.requires_grad_(turn < 0)
        """,
        """
        import torch

        kept, free = torch.ones(2), torch.ones(2, requires_grad=True)
        optimizer = torch.optim.SGD([free], lr=0.1, weight_decay=0.1)
        for turn in range(4):
            optimizer.zero_grad()
            (kept.sum() * free).pow(2).sum().backward()
            optimizer.step()
        """,
        "Freezing is a message to autograd. The optimizer asks only whether .grad is there, and zeros count.",
    ),
    "PS405": (
        "gradient-applied-again",
        "an update applies gradients that an earlier pass left behind",
        """
        import torch

        w = torch.ones(2, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.1)
        for _ in range(3):
            w.pow(2).sum().backward()
            optimizer.step()
        """,
        """
        import torch

        w = torch.ones(2, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            w.pow(2).sum().backward()
            optimizer.step()
        """,
        "Gradients of several backward passes add up until something clears them, and so does a sum that a "
        "program keeps in a list or in variables. Adding over the parts of "
        "a large batch is intended; adding over updates rarely is. The same code reports a backward pass "
        "that no step follows, as in a validation, and whose gradients the next update applies.",
    ),
    "PS409": (
        "shared-target",
        "a term of a loss trains what another term trains by itself",
        """
        import torch
        from torch import nn

        actor, critic, x = nn.Linear(3, 1), nn.Linear(3, 1), torch.randn(8, 3)
        optimizer = torch.optim.SGD([*actor.parameters(), *critic.parameters()], lr=0.1)
        for _ in range(3):
            value = critic(x)
            advantage = 1.0 - value
            policy_loss = -(nn.functional.logsigmoid(actor(x)) * advantage).mean()
            value_loss = (1.0 - value).pow(2).mean()
            loss = policy_loss + value_loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """,
        """
        import torch
        from torch import nn

        actor, critic, x = nn.Linear(3, 1), nn.Linear(3, 1), torch.randn(8, 3)
        optimizer = torch.optim.SGD([*actor.parameters(), *critic.parameters()], lr=0.1)
        for _ in range(3):
            value = critic(x)
            advantage = 1.0 - value.detach()
            policy_loss = -(nn.functional.logsigmoid(actor(x)) * advantage).mean()
            value_loss = (1.0 - value).pow(2).mean()
            loss = policy_loss + value_loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """,
        "A line below the tables, which never changes the exit status: a reconstruction that trains an "
        "encoder besides its own term is as common as an advantage that was not detached. Without the "
        "barrier, the actor is rewarded for making the critic wrong.",
    ),
    "PS410": (
        "idle-write",
        "a line writes variables and never changes them",
        """
        import torch
        from torch import nn

        online, target, x = nn.Linear(3, 1), nn.Linear(3, 1), torch.randn(8, 3)
        optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            (online(x) - 0.9 * target(x).detach() - 1.0).pow(2).mean().backward()
            optimizer.step()
            target.load_state_dict(target.state_dict())
        """,
        """
        import torch
        from torch import nn

        online, target, x = nn.Linear(3, 1), nn.Linear(3, 1), torch.randn(8, 3)
        optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            (online(x) - 0.9 * target(x).detach() - 1.0).pow(2).mean().backward()
            optimizer.step()
            target.load_state_dict(online.state_dict())
        """,
        "A copy onto itself, or a learning rate of zero. It is a note if only some steps change nothing, as "
        "with a schedule that starts at zero: its first step is lost.",
    ),
    "PS411": (
        "misplaced-flag",
        "a flag was set on something other than the variable",
        """
        import torch
        from torch import nn

        net, x = nn.Linear(3, 1), torch.randn(8, 3)
        for value in net.state_dict().values():
            value.requires_grad = False
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()
        """,
        """
        import torch
        from torch import nn

        net, x = nn.Linear(3, 1), torch.randn(8, 3)
        net.bias.requires_grad = False
        optimizer = torch.optim.SGD([net.weight], lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()
        """,
        "state_dict() and .data return other tensors on the same memory, each with a flag of its own. On a "
        "module, requires_grad is an attribute like any other: module.requires_grad_(False) sets the flags.",
    ),
    "PS408": (
        "wasted-backward",
        "gradients were lost before any optimizer applied them",
        """
        import torch

        w = torch.ones(2, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.1)
        for _ in range(2):
            for part in range(4):
                optimizer.zero_grad()
                (w * part).pow(2).sum().backward()
            optimizer.step()
        """,
        """
        import torch

        w = torch.ones(2, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            for part in range(4):
                (w * part).pow(2).sum().backward()
            optimizer.step()
        """,
        "Only backward passes whose gradients no optimizer applied count: after one optimizer has applied "
        "its gradients, they may be cleared for another. Where a program holds gradients itself, in a list "
        "or in variables, the same code reports an update that gets only the last of several, or a sum that "
        "has been set to zero.",
    ),
    "PS412": (
        "unkept-gradient",
        "the program reads the gradient of an intermediate result, which is not kept",
        """
        import torch

        w, x = torch.ones(3, 2, requires_grad=True), torch.randn(4, 3)
        hidden = x @ w
        hidden.pow(2).sum().backward()
        print(hidden.grad)
        """,
        """
        import torch

        w, x = torch.ones(3, 2, requires_grad=True), torch.randn(4, 3)
        hidden = x @ w
        hidden.retain_grad()
        hidden.pow(2).sum().backward()
        print(hidden.grad)
        """,
        "The backward pass uses up the gradients of intermediate results and keeps none, unless the program "
        "asks for them.",
    ),
    "PS414": (
        "update-undone",
        "a line resets variables to their values from before all updates",
        """
        import torch
        from torch import nn

        net, x = nn.Linear(4, 1), torch.randn(8, 4)
        average = {name: p.detach().clone() for name, p in net.named_parameters()}
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            (net(x) - 1.0).pow(2).mean().backward()
            optimizer.step()
            with torch.no_grad():
                for name, p in net.named_parameters():
                    p.copy_(average[name])
        """,
        """
        import torch
        from torch import nn

        net, x = nn.Linear(4, 1), torch.randn(8, 4)
        average = {name: p.detach().clone() for name, p in net.named_parameters()}
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            (net(x) - 1.0).pow(2).mean().backward()
            optimizer.step()
            with torch.no_grad():
                for name, p in net.named_parameters():
                    average[name].lerp_(p, 0.1)
        """,
        "Harmless if training is meant to start over: make a new optimizer then, or load the state of this "
        "one.",
    ),
    "PS415": (
        "copy-in-part",
        "a copy follows the weights of a model, but not its statistics",
        """
        import copy
        import torch
        from torch import nn

        net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))
        average = copy.deepcopy(net).requires_grad_(False)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(torch.randn(8, 4)).pow(2).mean().backward()
            optimizer.step()
            with torch.no_grad():
                for mine, theirs in zip(average.parameters(), net.parameters()):
                    mine.lerp_(theirs, 0.1)
        """,
        """
        import copy
        import torch
        from torch import nn

        net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))
        average = copy.deepcopy(net).requires_grad_(False)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(torch.randn(8, 4)).pow(2).mean().backward()
            optimizer.step()
            with torch.no_grad():
                for mine, theirs in zip(average.parameters(), net.parameters()):
                    mine.lerp_(theirs, 0.1)
                for mine, theirs in zip(average.buffers(), net.buffers()):
                    mine.copy_(theirs)
        """,
        "A copy that runs in training mode has statistics of its own, and is not reported.",
    ),
    "PS416": (
        "broken-tie",
        "a shared variable became two, and both are trained",
        """
        import torch
        from torch import nn

        table, head = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
        net = nn.Sequential(table, head)
        head.weight = table.weight
        table.weight = nn.Parameter(table.weight.detach().clone())
        head.weight = nn.Parameter(head.weight.detach().clone())
        optimizer, x = torch.optim.SGD(net.parameters(), lr=0.1), torch.arange(5)
        for _ in range(3):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), x).backward()
            optimizer.step()
        """,
        """
        import torch
        from torch import nn

        table, head = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
        net = nn.Sequential(table, head)
        head.weight = table.weight
        table.weight = nn.Parameter(table.weight.detach().clone())
        head.weight = table.weight
        optimizer, x = torch.optim.SGD(net.parameters(), lr=0.1), torch.arange(5)
        for _ in range(3):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), x).backward()
            optimizer.step()
        """,
        "Giving one of the two names a copy is deliberate. If both get one, the tie was lost.",
    ),
    "PS417": (
        "not-a-copy",
        "a copy that should stay fixed is the trained network itself",
        """
        import torch
        from torch import nn

        model = nn.Linear(3, 1)
        policy = model.to("cpu")
        target = model.to("cpu")
        optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
        for _ in range(3):
            x = torch.randn(8, 3)
            with torch.no_grad():
                goal = 1.0 + 0.9 * target(x)
            optimizer.zero_grad()
            (policy(x) - goal).pow(2).mean().backward()
            optimizer.step()
        """,
        """
        import copy
        import torch
        from torch import nn

        model = nn.Linear(3, 1)
        policy = model.to("cpu")
        target = copy.deepcopy(model).to("cpu")
        optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
        for _ in range(3):
            x = torch.randn(8, 3)
            with torch.no_grad():
                goal = 1.0 + 0.9 * target(x)
            optimizer.zero_grad()
            (policy(x) - goal).pow(2).mean().backward()
            optimizer.step()
        """,
        "to(), cuda() and train() of a module return the module itself. A network that is its own target "
        "under one name is deliberate, and is not reported.",
    ),
}

TORCH_PROGRAMS: dict[str, tuple[str, str]] = {
    "PS413": (
        """
        import torch
        from torch import nn

        net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(torch.randn(8, 4)).pow(2).mean().backward()
            optimizer.step()
            with torch.no_grad():
                print(net(torch.randn(8, 4) + 2.0).pow(2).mean().item())
        """,
        """
        import torch
        from torch import nn

        net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            net.train()
            optimizer.zero_grad()
            net(torch.randn(8, 4)).pow(2).mean().backward()
            optimizer.step()
            net.eval()
            with torch.no_grad():
                print(net(torch.randn(8, 4) + 2.0).pow(2).mean().item())
        """,
    ),
    "PS419": (
        """
        import torch
        from torch import nn

        net, x, y = nn.Linear(3, 1), torch.randn(2, 6, 3), torch.randn(2, 6, 1)
        known = torch.tensor([[True] * 6, [True] + [False] * 5])
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            for part in range(2):
                errors = (net(x[part]) - y[part]).pow(2)
                (errors[known[part]].mean() / 2).backward()
            optimizer.step()
        """,
        """
        import torch
        from torch import nn

        net, x, y = nn.Linear(3, 1), torch.randn(2, 6, 3), torch.randn(2, 6, 1)
        known = torch.tensor([[True] * 6, [True] + [False] * 5])
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            for part in range(2):
                errors = (net(x[part]) - y[part]).pow(2)
                (errors[known[part]].sum() / known.sum()).backward()
            optimizer.step()
        """,
    ),
}
"""A wrong program and the right one for codes whose page has a different program."""
