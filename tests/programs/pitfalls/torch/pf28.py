# PS416 net.embed.weight net.head.weight
import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        return self.head(self.embed(ids))


net = Net()
kept = {name: value.clone() for name, value in net.state_dict().items()}
net.load_state_dict(kept, assign=True)  # wrong
net.load_state_dict(kept)  # right
optimizer, ids = torch.optim.SGD(net.parameters(), lr=0.1), torch.arange(5)
for _ in range(3):
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(ids), ids).backward()
    optimizer.step()
