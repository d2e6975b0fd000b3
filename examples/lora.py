"""Adapting a transformer by matrices of low rank (LoRA, Hu and others, 2021).

    python examples/lora.py

A small transformer learns to turn rows of digits round. Then it is frozen, and learns to sort them instead,
by adding to each of its frozen matrices the product of two thin ones. `penstock check examples/lora.py` shows
that no frozen variable was written after the freeze, and the example compares their bytes.
"""

import numpy as np

import penstock as ps

LENGTH, WORDS, WIDTH, HEADS, RANK = 5, 10, 32, 4, 4
BATCH, FIRST, SECOND = 64, 300, 500


class Adapted(ps.layers.Layer):
    """A dense layer that stays as it is, beside one of low rank that begins with zeros."""

    def __init__(self, units, **options):
        super().__init__(**options)
        self.base = ps.layers.Dense(units)
        self.down = ps.layers.Dense(RANK, use_bias=False)
        self.up = ps.layers.Dense(units, use_bias=False, kernel_initializer="zeros")

    def call(self, x):
        return self.base(x) + self.up(self.down(x))


class Block(ps.layers.Layer):
    """Attention and a dense part, each behind a norm and beside what comes in."""

    def __init__(self, **options):
        super().__init__(**options)
        self.norms = [ps.layers.LayerNormalization() for _ in range(2)]
        self.query, self.key, self.value, self.out = (Adapted(WIDTH) for _ in range(4))
        self.wide, self.narrow = Adapted(2 * WIDTH), Adapted(WIDTH)

    def call(self, x):
        y = self.norms[0](x)
        parts = [
            ps.reshape(one(y), (-1, LENGTH, HEADS, WIDTH // HEADS))
            for one in (self.query, self.key, self.value)
        ]
        query, key, value = (ps.permute_dims(one, (0, 2, 1, 3)) for one in parts)
        mixed = ps.permute_dims(ps.nn.attention(query, key, value), (0, 2, 1, 3))
        x = x + self.out(ps.reshape(mixed, (-1, LENGTH, WIDTH)))
        return x + self.narrow(ps.nn.gelu(self.wide(self.norms[1](x))))


class Transformer(ps.layers.Model):
    """Two blocks over words and places."""

    def __init__(self, **options):
        super().__init__(**options)
        self.words = ps.layers.Embedding(WORDS, WIDTH)
        self.places = ps.layers.Embedding(LENGTH, WIDTH)
        self.blocks = [Block(), Block()]
        self.norm, self.head = ps.layers.LayerNormalization(), ps.layers.Dense(WORDS)

    def call(self, rows):
        x = self.words(rows) + self.places(np.arange(LENGTH))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def learn(model, variables, task, steps, draw):
    """Trains some variables of a model on a task."""
    optimizer = ps.optimizers.Adam(ps.optimizers.schedules.CosineDecay(5e-3, steps))
    for _ in range(steps):
        rows = draw.integers(0, WORDS, (BATCH, LENGTH))
        with ps.GradientTape() as tape:
            loss = ps.mean(ps.losses.softmax_cross_entropy(model(rows), task(rows)))
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))


def right(model, task):
    """Returns how many words of new rows are right, in percent."""
    rows = np.random.default_rng(7).integers(0, WORDS, (500, LENGTH))
    return 100 * float(np.mean(model(rows).numpy().argmax(-1) == task(rows)))


def turned(rows):
    return np.ascontiguousarray(rows[:, ::-1])


def ordered(rows):
    return np.sort(rows, axis=1)


def main():
    """Trains, adapts, and prints what each was good at, and what has changed."""
    draw = np.random.default_rng(0)
    ps.random.seed(0)
    model = Transformer(name="transformer")
    model(np.zeros((1, LENGTH), np.int64))
    thin = [one for one in model.variables if "/down/" in one.path or "/up/" in one.path]
    base = [one for one in model.variables if not any(one is other for other in thin)]
    learn(model, base, turned, FIRST, draw)
    print(f"turned round: {right(model, turned):.1f}% right")

    ps.freeze(base)
    before = [one.numpy().tobytes() for one in base]
    learn(model, thin, ordered, SECOND, draw)
    sizes = [sum(one.size for one in part) for part in (thin, base)]
    print(
        f"sorted: {right(model, ordered):.1f}% right, by {sizes[0]} new numbers beside {sizes[1]} frozen ones"
    )
    changed = sum(one.numpy().tobytes() != old for one, old in zip(base, before, strict=True))
    print(f"{changed} of {len(base)} frozen variables have changed")
    for one in thin:
        if "/up/" in one.path:
            one.assign(ps.zeros_like(one))
    print(f"without the new ones, turned round: {right(model, turned):.1f}% right")


if __name__ == "__main__":
    main()
