# PS401 net.hidden[0].weight net.hidden[0].bias
import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = [nn.Linear(3, 4)]  # wrong
        self.hidden = nn.ModuleList([nn.Linear(3, 4)])  # right
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        return self.head(torch.tanh(self.hidden[0](x)))


net, x = Net(), torch.randn(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    loss = (net(x) - 1.0).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
