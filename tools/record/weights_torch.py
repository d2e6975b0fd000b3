"""Weights and results of PyTorch's modules: `tests/oracles/weights/torch_*.safetensors` and `torch.json`.

Usage, in an environment that has PyTorch 2.13 and safetensors: python tools/record/weights_torch.py

Each file is what `safetensors.torch.save_file` makes of a `state_dict`; the record has an input and what the
module gives for it. Images are recorded with their channels last, as they are here.
"""

import torch
from records import ORACLES, write
from safetensors.torch import save_file
from torch import nn

FOLDER = ORACLES / "weights"


class Encoder(nn.Module):
    """Two blocks of attention in a list, as models of text are written."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(11, 8)
        self.blocks = nn.ModuleList([Block() for _ in range(2)])
        self.head = nn.Linear(8, 3)

    def forward(self, ids):
        """Returns [batch, steps, 3]."""
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


class Block(nn.Module):
    """Attention after a normalisation, scaled by a parameter of its own."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.scale = nn.Parameter(torch.randn(8))

    def forward(self, x):
        """Returns what it was given, and attention to it."""
        y = self.norm(x)
        return x + self.attention(y, y, y, need_weights=False)[0] * self.scale


class Apart(nn.Module):
    """Attention whose keys and values have widths of their own, and no biases."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 4, kdim=5, vdim=6, bias=False, batch_first=True)

    def forward(self, query, key, value):
        """Returns [batch, n, 8]."""
        return self.attention(query, key, value, need_weights=False)[0]


class Text(nn.Module):
    """Every kind of recurrence, one of them of two layers, one in both directions."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(7, 6)
        self.lstm = nn.LSTM(6, 5, num_layers=2, batch_first=True)
        self.gru = nn.GRU(5, 4, batch_first=True)
        self.rnn = nn.RNN(4, 3, batch_first=True)
        self.both = nn.LSTM(3, 2, batch_first=True, bidirectional=True)

    def forward(self, ids):
        """Returns [batch, steps, 4]."""
        x = self.lstm(self.embedding(ids))[0]
        return self.both(self.rnn(self.gru(x)[0])[0])[0]


class Image(nn.Module):
    """Convolutions of every kind that there are two names for."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 4, 3, bias=False),
            nn.BatchNorm2d(4),
            nn.ReLU(),
            nn.Conv2d(4, 8, 3, groups=4),
            nn.PReLU(8),
            nn.Conv2d(8, 4, 1, groups=2),
            nn.GroupNorm(2, 4),
            nn.ConvTranspose2d(4, 5, 2, stride=2),
        )
        self.classifier = nn.Linear(5, 2)

    def forward(self, x):
        """Returns [batch, 2] for images with their channels last."""
        x = self.features(x.permute(0, 3, 1, 2))
        return self.classifier(x.mean((2, 3)))


class Line(nn.Module):
    """One and three dimensions."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 3, 3)
        self.up = nn.ConvTranspose1d(3, 2, 3, stride=2)
        self.solid = nn.Conv3d(1, 2, 2)

    def forward(self, x):
        """Returns [batch, depth, height, width, 2] for [batch, steps, 2]."""
        y = self.up(self.conv(x.permute(0, 2, 1)))
        return self.solid(y.reshape(len(x), 1, 2, 3, 3)).permute(0, 2, 3, 4, 1)


def models():
    """The modules, each with its inputs."""
    rows = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 4), nn.LayerNorm(4), nn.Linear(4, 3))
    yield "rows", rows, [torch.randn(3, 4)]
    yield "image", Image(), [torch.randn(2, 8, 8, 3)]
    yield "line", Line(), [torch.randn(2, 6, 2)]
    yield "text", Text(), [torch.randint(0, 7, (2, 4))]
    yield "encoder", Encoder(), [torch.randint(0, 11, (2, 5))]
    yield "apart", Apart(), [torch.randn(2, 3, 8), torch.randn(2, 4, 5), torch.randn(2, 4, 6)]


def main():
    """Writes the files and the record."""
    torch.manual_seed(0)
    record = {"torch": torch.__version__}
    for name, model, inputs in models():
        with torch.no_grad():
            for parameter in model.parameters():
                parameter += 0.1 * torch.randn(parameter.shape)
            model.train()
            for _ in range(3):
                model(*inputs)  # statistics that are no zeros and ones
            model.eval()
            output = model(*inputs)
        save_file({key: one.contiguous() for key, one in model.state_dict().items()},
                  FOLDER / f"torch_{name}.safetensors")  # fmt: skip
        record[name] = {"inputs": [one.tolist() for one in inputs], "output": output.tolist()}
    write(FOLDER / "torch.json", record)


if __name__ == "__main__":
    main()
