"""Mistakes in PyTorch programs and similar right programs, for the rules that take a second look.

For each wrong program: the text, the code, the variables, and the lines of the finding (`# here`) and of its
cause (`# cause`; without a mark it is the same line).
"""

HEAD = (
    "import copy\nimport torch\nfrom torch import nn\nfrom torch.nn import functional as F\n"
    "torch.manual_seed(0)\n"
)

WRONG = {
    "the gradient of a scaled leaf": (
        """
        w = torch.randn(3, 1, requires_grad=True) * 0.1  # cause
        x = torch.randn(8, 3)
        (x @ w).pow(2).mean().backward()
        left = w.grad  # here
        """,
        "PS412",
        ("w",),
    ),
    "an attention map whose gradient is read": (
        """
        net, head = nn.Linear(3, 4), nn.Linear(4, 1)
        optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], 0.1)
        for _ in range(3):
            features = torch.relu(net(torch.randn(8, 3)))  # cause
            optimizer.zero_grad()
            head(features).mean().backward()
            weights = features.grad  # here
            optimizer.step()
        """,
        "PS412",
        ("features",),
    ),
    "a validation that forgets eval": (
        """
        net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(3):
            x, y = torch.randn(8, 3), torch.randint(2, (8,))
            optimizer.zero_grad()
            F.cross_entropy(net(x), y).backward()
            optimizer.step()
            with torch.no_grad():
                right = (net(torch.randn(8, 3)).argmax(1) == y).sum().item()  # here
        """,
        "PS413",
        ("net.1.running_mean", "net.1.running_var"),
    ),
    "a validation after train()": (
        """
        class Trainer:
            def __init__(self):
                self.net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
                self.optimizer = torch.optim.SGD(self.net.parameters(), 0.1)

            def fit(self, x):
                self.net.train()
                self.optimizer.zero_grad()
                self.net(x).pow(2).mean().backward()
                self.optimizer.step()

            @torch.no_grad()
            def score(self, x):
                self.net.train()  # cause
                return float(self.net(x).pow(2).mean())  # here

        trainer = Trainer()
        for _ in range(3):
            trainer.fit(torch.randn(8, 3))
            trainer.score(torch.randn(8, 3))
        """,
        "PS413",
        ("net.1.running_mean", "net.1.running_var"),
    ),
    "training that goes on after eval()": (
        """
        net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(), nn.Linear(4, 1))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)

        def score(x):
            net.eval()  # cause
            with torch.no_grad():
                return net(x).pow(2).mean().item()

        net.train()
        for epoch in range(3):
            for _ in range(2):
                optimizer.zero_grad()
                net(torch.randn(8, 3)).pow(2).mean().backward()  # here
                optimizer.step()
            score(torch.randn(8, 3))
        """,
        "PS413",
        ("net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias"),
    ),
    "gradients that are clipped at the scale of the loss": (
        """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        scaler = torch.amp.GradScaler("cpu")
        for _ in range(3):
            optimizer.zero_grad()
            scaler.scale(net(torch.randn(8, 3)).pow(2).mean()).backward()  # cause
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # here
            scaler.step(optimizer)
            scaler.update()
        """,
        "PS419",
        ("net.weight", "net.bias"),
    ),
    "an average that is loaded and never updated": (
        """
        net, x = nn.Linear(3, 1), torch.randn(8, 3)
        average = copy.deepcopy(net.state_dict())
        optimizer = torch.optim.Adam(net.parameters(), 0.1)
        for epoch in range(3):
            for _ in range(3):
                optimizer.zero_grad()
                (net(x) - 1).pow(2).mean().backward()
                optimizer.step()
            net.load_state_dict(average)  # here
        """,
        "PS414",
        ("net.weight", "net.bias"),
    ),
    "an average of the weights alone": (
        """
        class Average:
            def __init__(self, model):
                self.module = copy.deepcopy(model).requires_grad_(False)

            @torch.no_grad()
            def update(self, model):
                for mine, theirs in zip(self.module.parameters(), model.parameters()):  # cause
                    mine.copy_(0.9 * mine + 0.1 * theirs)  # here

        net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
        average, optimizer = Average(net), torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
            average.update(net)
        """,
        "PS415",
        ("module.1.running_mean", "module.1.running_var"),
    ),
    "weights that are no longer tied": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.table, self.head = nn.Embedding(7, 4), nn.Linear(4, 7, bias=False)
                self.head.weight = self.table.weight

            def forward(self, x):
                return self.head(self.table(x))

        net = Net()
        for layer in (net.table, net.head):
            layer.weight = nn.Parameter(layer.weight.detach().half().float())  # here
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(3):
            x = torch.randint(7, (8,))
            optimizer.zero_grad()
            F.cross_entropy(net(x), x).backward()
            optimizer.step()
        """,
        "PS416",
        ("net.table.weight", "net.head.weight"),
    ),
    "a target that is the network": (
        """
        class Agent:
            def __init__(self):
                self.online = nn.Linear(3, 2)
                self.target = self.online  # here
                self.optimizer = torch.optim.SGD(self.online.parameters(), 0.1)

            def learn(self, x):
                goal = 1.0 + 0.9 * self.target(x).max(1).values.detach()
                loss = F.mse_loss(self.online(x).max(1).values, goal)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()

        agent = Agent()
        for _ in range(3):
            agent.learn(torch.randn(8, 3))
        """,
        "PS417",
        ("target.weight", "target.bias"),
    ),
    "a target on the network's memory": (
        """
        online, target = nn.Linear(3, 1, bias=False), nn.Linear(3, 1, bias=False)  # here
        target.weight.data = online.weight.data
        optimizer = torch.optim.SGD(online.parameters(), 0.1)
        for _ in range(3):
            x = torch.randn(8, 3)
            loss = F.mse_loss(online(x), 1.0 + 0.9 * target(x).detach())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """,
        "PS417",
        ("target.weight",),
    ),
    "a backward pass in a validation": (
        """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)

        def epoch(parts, train):
            for x in parts:
                loss = net(x).pow(2).mean()
                loss.backward()  # here
                if train:
                    optimizer.step()
                    optimizer.zero_grad()

        for _ in range(2):
            epoch(torch.randn(2, 8, 3), True)
            epoch(torch.randn(2, 8, 3), False)  # cause
        """,
        "PS405",
        ("net.weight", "net.bias"),
    ),
    "a backward pass in inference mode": (
        """
        net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(), nn.Linear(4, 1))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for turn in range(3):
            net.train()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
            net.eval()
            net(torch.randn(8, 3)).pow(2).mean().backward()  # here
        """,
        "PS405",
        ("net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias"),
    ),
    "labels that are ignored, part by part": (
        """
        net = nn.Linear(3, 4)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        labels = torch.tensor([[1, 2, 3, 1], [2, -100, -100, -100]])
        for _ in range(3):
            optimizer.zero_grad()
            for known in labels:
                (F.cross_entropy(net(torch.randn(4, 3)), known) / 2).backward()  # here
            optimizer.step()
        """,
        "PS419",
        ("net.weight", "net.bias"),
    ),
    "sums that are divided part by part": (
        """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        masks = torch.tensor([[1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 0.0]])
        for _ in range(3):
            optimizer.zero_grad()
            for mask in masks:
                errors = net(torch.randn(4, 3)).squeeze(1).pow(2)
                ((errors * mask).sum() / mask.sum()).backward()  # here
            optimizer.step()
        """,
        "PS419",
        ("net.weight", "net.bias"),
    ),
    "a schedule that begins at zero, and one step": (
        """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: step / 10)  # cause
        net(torch.randn(8, 3)).pow(2).mean().backward()
        optimizer.step()  # here
        schedule.step()
        """,
        "PS410",
        ("net.weight", "net.bias"),
    ),
    "parameters that are collected for nobody": (
        """
        body, head = nn.Linear(3, 4), nn.Linear(4, 1)
        net = nn.Sequential(body, head)
        slow, fast = [], []  # cause
        for name, one in net.named_parameters():
            (slow if name.startswith("0") else fast).append(one)
        optimizer = torch.optim.SGD(slow, 0.1)  # here
        for _ in range(3):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        """,
        "PS401",
        ("head.weight", "head.bias"),
    ),
    "statistics of a frozen layer after train()": (
        """
        net = nn.Sequential(nn.BatchNorm1d(3), nn.Linear(3, 1))
        net[0].requires_grad_(False)
        optimizer = torch.optim.SGD(net[1].parameters(), 0.1)
        for _ in range(3):
            net.train()  # cause
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()  # here
            optimizer.step()
        """,
        "PS403",
        ("net.0.running_mean", "net.0.running_var"),
    ),
    "a layer that nothing reads": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.used = nn.Linear(3, 1)
                self.spare = nn.Linear(3, 1)  # cause

            def forward(self, x):
                return self.used(x)

        net = Net()
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()  # here
        """,
        "PS101",
        ("net.spare.weight", "net.spare.bias"),
    ),
}

_NORMED = """
        net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Dropout(0.1), nn.Linear(4, 1))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
"""

RIGHT = {
    "training and validation": _NORMED
    + """
        best = float("inf")
        for _ in range(6):
            net.train()
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
            net.eval()
            with torch.no_grad():
                loss = net(torch.randn(8, 3)).pow(2).mean().item()
            if loss < best:
                best, kept = loss, copy.deepcopy(net.state_dict())
        net.load_state_dict(kept)
        """,
    "best weights that are gone back to more than once": _NORMED
    + """
        best = float("inf")
        for turn in range(8):
            net.train()
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
            if turn % 3 == 0:
                kept = copy.deepcopy(net.state_dict())
            if turn % 3 == 2:
                net.load_state_dict(kept)
        """,
    "statistics that are renewed on purpose": _NORMED
    + """
        for _ in range(4):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        net.train()
        with torch.no_grad():
            for _ in range(3):
                net(torch.randn(8, 3))
        """,
    "an average by swa_utils": _NORMED
    + """
        average = torch.optim.swa_utils.AveragedModel(net)
        for _ in range(6):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
            average.update_parameters(net)
        torch.optim.swa_utils.update_bn(torch.randn(3, 8, 3), average)
        """,
    "an average of weights whose statistics are counted at the end": _NORMED
    + """
        average = copy.deepcopy(net)
        for _ in range(6):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
            with torch.no_grad():
                for mine, theirs in zip(average.parameters(), net.parameters()):
                    mine.lerp_(theirs, 0.1)
        torch.optim.swa_utils.update_bn(torch.randn(3, 8, 3), average)
        """,
    "an average that is put in for a while": _NORMED
    + """
        average = {name: one.detach().clone() for name, one in net.named_parameters()}
        for _ in range(6):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
            with torch.no_grad():
                live = {}
                for name, one in net.named_parameters():
                    average[name].lerp_(one, 0.1)
                    live[name] = one.detach().clone()
                    one.copy_(average[name])
                for name, one in net.named_parameters():
                    one.copy_(live[name])
        """,
    "a layer that is left in inference mode on purpose": _NORMED
    + """
        for turn in range(6):
            net.train()
            if turn > 2:
                net[1].eval()
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        """,
    "a second stage on a body that stays": """
        body = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout())
        head = nn.Linear(4, 1)
        optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], 0.1)
        for turn in range(6):
            if turn == 3:
                body.eval()
                body.requires_grad_(False)
                optimizer = torch.optim.SGD(head.parameters(), 0.1)
            optimizer.zero_grad()
            head(body(torch.randn(8, 3))).pow(2).mean().backward()
            optimizer.step()
        """,
    "gradients that are clipped at their own scale": """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        scaler = torch.amp.GradScaler("cpu")
        for _ in range(4):
            optimizer.zero_grad()
            scaler.scale(net(torch.randn(8, 3)).pow(2).mean()).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
        """,
    "a momentum encoder": """
        query = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
        key = copy.deepcopy(query).requires_grad_(False)
        optimizer = torch.optim.SGD(query.parameters(), 0.1)
        for _ in range(6):
            x = torch.randn(8, 3)
            wanted = query(x + 0.1)
            with torch.no_grad():
                for mine, theirs in zip(key.parameters(), query.parameters()):
                    mine.mul_(0.9).add_(theirs, alpha=0.1)
                found = key(x - 0.1)
            loss = F.cross_entropy(wanted @ found.T, torch.arange(8))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            loss.item()
        """,
    "deep Q-learning with a target": """
        online = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
        target = copy.deepcopy(online)
        optimizer = torch.optim.Adam(online.parameters(), 0.01)
        for turn in range(6):
            x, y = torch.randn(8, 3), torch.randn(8, 3)
            with torch.no_grad():
                goal = 1.0 + 0.9 * target(y).max(1).values
            loss = F.smooth_l1_loss(online(x)[:, 0], goal)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if turn % 2:
                target.load_state_dict(online.state_dict())
        """,
    "Q-learning without a target, by two names": """
        class Agent:
            def __init__(self, network):
                self.q = network
                self.optimizer = torch.optim.SGD(self.q.parameters(), 0.1)

            def goal(self, model, x):
                with torch.no_grad():
                    return 1.0 + 0.9 * model(x).max(1).values

            def learn(self, x):
                loss = F.mse_loss(self.q(x)[:, 0], self.goal(self.q, x))
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()

        net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
        agent = Agent(net)
        for _ in range(4):
            agent.learn(torch.randn(8, 3))
        """,
    "a network that is wrapped": """
        net = nn.Linear(3, 1)
        model = net.to("cpu")
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for _ in range(4):
            x = torch.randn(8, 3)
            optimizer.zero_grad()
            model(x).pow(2).mean().backward()
            optimizer.step()
            with torch.no_grad():
                net(x).pow(2).mean().item()
        """,
    "views that do not learn from themselves": """
        net, guess = nn.Linear(3, 4), nn.Linear(4, 4)
        optimizer = torch.optim.SGD([*net.parameters(), *guess.parameters()], 0.1)
        for _ in range(4):
            x = torch.randn(8, 3)
            one, two = net(x), net(x + 0.1)
            loss = -F.cosine_similarity(guess(one), two.detach()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """,
    "sharpness-aware steps": """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(6):
            x = torch.randn(8, 3)
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            kept = [one.detach().clone() for one in net.parameters()]
            with torch.no_grad():
                for one in net.parameters():
                    one.add_(one.grad, alpha=0.05)
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            with torch.no_grad():
                for one, old in zip(net.parameters(), kept):
                    one.copy_(old)
            optimizer.step()
        """,
    "learning to learn, with weights that are put back": """
        net = nn.Linear(3, 1)
        inner = torch.optim.SGD(net.parameters(), 0.1)
        outer = torch.optim.Adam(net.parameters(), 0.01)
        for _ in range(4):
            kept = copy.deepcopy(net.state_dict())
            for _ in range(2):
                inner.zero_grad()
                net(torch.randn(8, 3)).pow(2).mean().backward()
                inner.step()
            inner.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            net.load_state_dict(kept)
            outer.step()
        """,
    "a model for each part of the data, from one beginning": """
        net = nn.Linear(3, 1)
        begin = copy.deepcopy(net.state_dict())
        for fold in range(3):
            net.load_state_dict(begin)
            optimizer = torch.optim.Adam(net.parameters(), 0.01)
            for _ in range(4):
                optimizer.zero_grad()
                net(torch.randn(8, 3)).pow(2).mean().backward()
                optimizer.step()
        """,
    "episodes that begin anew": """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.Adam(net.parameters(), 0.01)
        begin, state = copy.deepcopy(net.state_dict()), copy.deepcopy(optimizer.state_dict())
        for episode in range(3):
            net.load_state_dict(begin)
            optimizer.load_state_dict(state)
            for _ in range(3):
                optimizer.zero_grad()
                net(torch.randn(8, 3)).pow(2).mean().backward()
                optimizer.step()
        """,
    "slow weights and fast weights": """
        net = nn.Linear(3, 1)
        slow = [one.detach().clone() for one in net.parameters()]
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for turn in range(8):
            optimizer.zero_grad()
            (net(torch.randn(8, 3)) - 1).pow(2).mean().backward()
            optimizer.step()
            if turn % 3 == 2:
                with torch.no_grad():
                    for mine, one in zip(slow, net.parameters()):
                        mine.lerp_(one, 0.5)
                        one.copy_(mine)
        """,
    "accumulation in a function, by a flag": """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)

        def run(x, last):
            (net(x).pow(2).mean() / 2).backward()
            if last:
                optimizer.step()
                optimizer.zero_grad()

        for _ in range(4):
            run(torch.randn(8, 3), False)
            run(torch.randn(8, 3), True)
        """,
    "accumulation with a rest": """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for epoch in range(2):
            for number, size in enumerate((8, 8, 8, 8, 3)):
                (net(torch.randn(size, 3)).pow(2).mean() / 2).backward()
                if number % 2 or number == 4:
                    optimizer.step()
                    optimizer.zero_grad()
        """,
    "a term that comes every other step": """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for turn in range(6):
            optimizer.zero_grad()
            if turn % 2:
                (0.1 * net.weight.pow(2).sum()).backward()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        """,
    "examples that are made against the network in inference mode": _NORMED
    + """
        for _ in range(4):
            x = torch.randn(8, 3)
            net.eval()
            moved = x.clone().requires_grad_()
            net(moved).pow(2).mean().backward()
            hard = (x + 0.1 * moved.grad.sign()).detach()
            net.train()
            optimizer.zero_grad()
            net(hard).pow(2).mean().backward()
            optimizer.step()
        """,
    "masked means that weigh by their numbers": """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        masks = torch.tensor([[True, True, True, True], [True, False, False, False]])
        for _ in range(3):
            optimizer.zero_grad()
            for mask in masks:
                errors = net(torch.randn(4, 3)).squeeze(1).pow(2)
                (errors[mask].mean() * (int(mask.sum()) / int(masks.sum()))).backward()
            optimizer.step()
        """,
    "masked means of one batch each": """
        net = nn.Linear(3, 4)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for known in torch.tensor([[1, 2, 3, 1], [2, -100, -100, -100], [1, 1, 2, -100]]):
            optimizer.zero_grad()
            F.cross_entropy(net(torch.randn(4, 3)), known).backward()
            optimizer.step()
        """,
    "tied weights that are set free": """
        table, head = nn.Embedding(7, 4), nn.Linear(4, 7, bias=False)
        net = nn.Sequential(table, head)
        head.weight = table.weight
        head.weight = nn.Parameter(table.weight.detach().clone())
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(3):
            x = torch.randint(7, (8,))
            optimizer.zero_grad()
            F.cross_entropy(net(x), x).backward()
            optimizer.step()
        """,
    "tied weights that are made anew and tied again": """
        table, head = nn.Embedding(7, 4), nn.Linear(4, 7, bias=False)
        net = nn.Sequential(table, head)
        head.weight = table.weight
        table.weight = nn.Parameter(torch.randn(7, 4))
        head.weight = nn.Parameter(torch.randn(7, 4))
        head.weight = table.weight
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(3):
            x = torch.randint(7, (8,))
            optimizer.zero_grad()
            F.cross_entropy(net(x), x).backward()
            optimizer.step()
        """,
    "knowledge of a teacher": """
        teacher, student = nn.Linear(3, 4), nn.Linear(3, 4)
        teacher.requires_grad_(False).eval()
        optimizer = torch.optim.SGD(student.parameters(), 0.1)
        for _ in range(4):
            x = torch.randn(8, 3)
            with torch.no_grad():
                wanted = teacher(x).softmax(1)
            optimizer.zero_grad()
            F.kl_div(student(x).log_softmax(1), wanted, reduction="batchmean").backward()
            optimizer.step()
        """,
    "pictures of a generator": """
        generator = nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4), nn.Linear(4, 3))
        judge = nn.Linear(3, 1)
        of_g, of_d = torch.optim.Adam(generator.parameters()), torch.optim.Adam(judge.parameters())
        kept = []
        for _ in range(4):
            with torch.no_grad():
                fake = generator(torch.randn(8, 2))
            of_d.zero_grad()
            (F.softplus(-judge(torch.randn(8, 3))) + F.softplus(judge(fake))).mean().backward()
            of_d.step()
            of_g.zero_grad()
            F.softplus(-judge(generator(torch.randn(8, 2)))).mean().backward()
            of_g.step()
            with torch.no_grad():
                kept.append(generator(torch.ones(8, 2)).numpy())
        """,
    "a gradient that is kept": """
        w = torch.randn(3, 1, requires_grad=True)
        hidden = torch.randn(8, 3) @ w
        hidden.retain_grad()
        hidden.pow(2).mean().backward()
        norm = hidden.grad.norm()
        """,
    "lists that two optimizers share out": """
        net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
        slow, fast = list(net[0].parameters()), list(net[1].parameters())
        first = torch.optim.SGD(slow, 0.1)
        second = torch.optim.SGD(fast, 0.01)
        for _ in range(3):
            first.zero_grad(), second.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            first.step(), second.step()
        """,
}
