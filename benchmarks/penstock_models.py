"""Real models in Penstock, as its users write them: `python penstock_models.py MODEL loop`."""

import numpy as np
from model_harness import main, named

import penstock as ps

layers = ps.layers


class TransformerBlock(layers.Layer):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = layers.LayerNormalization(), layers.LayerNormalization()
        self.attention = layers.MultiHeadAttention(heads, width // heads)
        self.up, self.down = layers.Dense(4 * width), layers.Dense(width)

    def call(self, x):
        h = self.norm1(x)
        x = x + self.attention(h, h, use_causal_mask=True)
        return x + self.down(ps.nn.gelu(self.up(self.norm2(x)), approximate=False))


class LanguageModel(layers.Layer):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.tokens = layers.Embedding(size.vocabulary, size.width)
        self.positions = layers.Embedding(size.tokens, size.width)
        self.blocks = [TransformerBlock(size.width, size.heads) for _ in range(size.blocks)]
        self.norm, self.head = layers.LayerNormalization(), layers.Dense(size.vocabulary)

    def call(self, ids):
        x = self.tokens(ids) + self.positions(ps.arange(self.size.tokens))
        for block in self.blocks:
            x = block(x)
        return ps.reshape(self.head(self.norm(x)), (-1, self.size.vocabulary))


class ResidualBlock(layers.Layer):
    def __init__(self, before, width, stride):
        super().__init__()
        self.conv1 = layers.Conv2D(width, 3, stride, padding="same", use_bias=False)
        self.conv2 = layers.Conv2D(width, 3, padding="same", use_bias=False)
        self.norm1, self.norm2 = layers.BatchNormalization(), layers.BatchNormalization()
        same = stride == 1 and before == width
        self.shortcut = None if same else layers.Conv2D(width, 1, stride, use_bias=False)

    def call(self, x, training=None):
        h = ps.nn.relu(self.norm1(self.conv1(x), training=training))
        h = self.norm2(self.conv2(h), training=training)
        return ps.nn.relu(h + (x if self.shortcut is None else self.shortcut(x)))


class ResNet18(layers.Layer):
    def __init__(self):
        super().__init__()
        plan = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1),
                (256, 512, 2), (512, 512, 1)]  # fmt: skip
        self.stem = layers.Conv2D(64, 3, padding="same", use_bias=False)
        self.norm, self.head = layers.BatchNormalization(), layers.Dense(10)
        self.blocks = [ResidualBlock(*one) for one in plan]

    def call(self, x, training=None):
        x = ps.nn.relu(self.norm(self.stem(x), training=training))
        for block in self.blocks:
            x = block(x, training=training)
        return self.head(ps.mean(x, axis=(1, 2)))


class SequenceClassifier(layers.Layer):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = layers.LSTM(128), layers.Dense(10)

    def call(self, x):
        return self.head(self.lstm(x))


def gpt(size):
    def build(draw):
        ids = draw.integers(0, size.vocabulary, (size.batch, size.tokens + 1))
        return LanguageModel(size), {}, ids[:, :-1], ids[:, 1:].reshape(-1)

    return build


def resnet18(draw):
    x = draw.standard_normal((32, 32, 32, 3)).astype(np.float32)
    return ResNet18(), {"training": True}, x, draw.integers(0, 10, 32)


def lstm(steps):
    def build(draw):
        x = draw.standard_normal((32, steps, 32)).astype(np.float32)
        return SequenceClassifier(), {}, x, draw.integers(0, 10, 32)

    return build


def trained(build):
    def make():
        model, options, x, labels = build(np.random.default_rng(0))
        x, labels = ps.asarray(x), ps.asarray(labels)
        optimizer = ps.optimizers.Adam(1e-3)

        def step():
            with ps.GradientTape() as tape:
                loss = ps.mean(ps.losses.softmax_cross_entropy(model(x, **options), labels))
            weights = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
            ps.wait(weights[0])

        return step

    return make


MODELS = named(gpt, resnet18, lstm)
main({name: {"loop": trained(build)} for name, build in MODELS.items()})
