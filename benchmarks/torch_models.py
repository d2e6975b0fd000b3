"""Real models in PyTorch, as its users write them: `python torch_models.py MODEL MODE`."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from model_harness import ON_GPU, main, named

if ON_GPU:
    torch.set_default_device("cuda")


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        batch, tokens, width = x.shape
        q, k, v = self.qkv(x).view(batch, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(seen.transpose(1, 2).reshape(batch, tokens, width))


class TransformerBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(width), Attention(width, heads)
        self.norm2, self.up, self.down = (
            nn.LayerNorm(width),
            nn.Linear(width, 4 * width),
            nn.Linear(4 * width, width),
        )

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class LanguageModel(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.tokens = nn.Embedding(size.vocabulary, size.width)
        self.positions = nn.Embedding(size.tokens, size.width)
        self.blocks = nn.Sequential(*[TransformerBlock(size.width, size.heads) for _ in range(size.blocks)])
        self.norm, self.head = nn.LayerNorm(size.width), nn.Linear(size.width, size.vocabulary)

    def forward(self, ids):
        return self.head(
            self.norm(self.blocks(self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))))
        ).flatten(0, 1)


class ResidualBlock(nn.Module):
    def __init__(self, before, width, stride):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(before, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.norm2 = nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width)
        same = stride == 1 and before == width
        self.shortcut = nn.Identity() if same else nn.Conv2d(before, width, 1, stride, bias=False)

    def forward(self, x):
        h = F.relu(self.norm1(self.conv1(x)))
        return F.relu(self.norm2(self.conv2(h)) + self.shortcut(x))


class ResNet18(nn.Module):
    def __init__(self):
        super().__init__()
        plan = [
            (64, 64, 1),
            (64, 64, 1),
            (64, 128, 2),
            (128, 128, 1),
            (128, 256, 2),
            (256, 256, 1),
            (256, 512, 2),
            (512, 512, 1),
        ]
        self.stem, self.norm = nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64)
        self.blocks, self.head = nn.Sequential(*[ResidualBlock(*one) for one in plan]), nn.Linear(512, 10)

    def forward(self, x):
        return self.head(self.blocks(F.relu(self.norm(self.stem(x)))).mean((2, 3)))


class SequenceClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(32, 128, batch_first=True), nn.Linear(128, 10)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


def gpt(size):
    def build():
        ids = torch.randint(0, size.vocabulary, (size.batch, size.tokens + 1))
        return LanguageModel(size), ids[:, :-1].contiguous(), ids[:, 1:].flatten()

    return build


def resnet18():
    last = torch.channels_last
    return (
        ResNet18().to(memory_format=last),
        torch.randn(32, 3, 32, 32).to(memory_format=last),
        torch.randint(0, 10, (32,)),
    )


def lstm(steps):
    return lambda: (SequenceClassifier(), torch.randn(32, steps, 32), torch.randint(0, 10, (32,)))


def trained(build, compiled):
    def make():
        torch.manual_seed(0)
        model, x, labels = build()
        optimizer = torch.optim.Adam(model.parameters(), 1e-3, fused=True)
        forward = torch.compile(model) if compiled else model

        def step():
            optimizer.zero_grad()
            F.cross_entropy(forward(x), labels).backward()
            optimizer.step()
            if ON_GPU:
                torch.cuda.synchronize()

        return step

    return make


MODELS = named(gpt, resnet18, lstm)
main(
    {
        name: {"eager": trained(build, False), "compile": trained(build, True)}
        for name, build in MODELS.items()
    }
)
