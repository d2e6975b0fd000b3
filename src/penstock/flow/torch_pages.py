"""The manual's programs for codes that a program in PyTorch shows best: a wrong one, the right one, a remark.

`penstock check --with torch` of the wrong program reports the code; of the right one it has nothing to say.
"""

from __future__ import annotations

TORCH_PAGES: dict[str, tuple[str, str, str]] = {
    "PS401": (
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
        "Harmless where another network is only read: freeze it, and no gradient is computed for it. It is a "
        "note where no parameter of the model is held by any optimizer.",
    ),
    "PS402": (
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
        "An optimizer holds the parameters that it was given, not the names under which a model has them.",
    ),
    "PS403": (
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
        "Two questions, two switches: requires_grad keeps optimizers from weights, eval() keeps the layer "
        "from its statistics. Harmless where the statistics are to follow new data.",
    ),
    "PS404": (
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
        "Freezing is a word to autograd. The optimizer asks only whether .grad is there, and zeros are.",
    ),
    "PS405": (
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
        "Gradients of several backward passes are added up until somebody clears them. Adding up over the "
        "parts of a large batch is meant, adding up over updates seldom is.",
    ),
    "PS410": (
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
        "A copy onto itself, or a learning rate of zero. A note where only some steps change nothing, as "
        "with a schedule that begins at zero: its first step is lost.",
    ),
    "PS411": (
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
        "state_dict() and .data give other tensors on the same memory, each with a flag of its own.",
    ),
    "PS408": (
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
        "Gradients that one optimizer has applied may be cleared for another: only backward passes of which "
        "nobody has applied anything count.",
    ),
}
