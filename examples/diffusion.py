"""Digits out of noise: a diffusion model (Ho, Jain and Abbeel, 2020).

    python examples/diffusion.py [--picture digits.png]

The network is shown digits with noise added, and says which digits they were. Pure noise then becomes digits
in many small steps, each towards what the network sees in it. A plain classifier, which the model has never
met, judges the result.
"""

import sys

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

import penstock as ps

PIXELS, WIDTH, TURNS, BATCH, STEPS, MADE = 64, 256, 60, 128, 1500, 100


class Denoiser(ps.layers.Model):
    """Says which digit is below the noise of so many turns."""

    def __init__(self, **options):
        super().__init__(**options)
        self.time = ps.layers.Embedding(TURNS, WIDTH)
        self.enter, self.leave = ps.layers.Dense(WIDTH), ps.layers.Dense(PIXELS)
        self.inside = [ps.layers.Dense(WIDTH) for _ in range(2)]

    def call(self, images, turns):
        x = self.enter(images) + self.time(turns)
        for layer in self.inside:
            x = x + layer(ps.nn.silu(x))
        return self.leave(ps.nn.silu(x))


def schedule():
    """Returns how much of an image each turn keeps, and what is left of it after all turns so far."""
    kept = 1 - np.linspace(1e-3, 0.2, TURNS, dtype=np.float32)
    return kept, np.cumprod(kept)


def made(model, draw, count):
    """Returns images out of noise."""
    kept, left = schedule()
    images = draw.standard_normal((count, PIXELS)).astype(np.float32)
    for turn in reversed(range(TURNS)):
        digit = np.clip(model(images, np.full(count, turn)).numpy(), -1, 1)
        before = left[turn - 1] if turn else 1.0
        part, rest = 1 - kept[turn], 1 - left[turn]
        images = (np.sqrt(before) * part * digit + np.sqrt(kept[turn]) * (1 - before) * images) / rest
        fresh = draw.standard_normal(images.shape).astype(np.float32)
        images += np.sqrt((1 - before) / rest * part) * fresh
    return images


def main(picture=None):
    """Trains, makes digits, and prints what a classifier says of them, of noise, and of genuine ones."""
    draw = np.random.default_rng(0)
    ps.random.seed(0)
    digits = load_digits()
    genuine = (digits.data / 8 - 1).astype(np.float32)
    model, optimizer = (
        Denoiser(name="denoiser"),
        ps.optimizers.Adam(ps.optimizers.schedules.CosineDecay(2e-3, STEPS)),
    )
    _, left = schedule()
    for _ in range(STEPS):
        images = genuine[draw.integers(0, len(genuine), BATCH)]
        turns, noise = (
            draw.integers(0, TURNS, BATCH),
            draw.standard_normal((BATCH, PIXELS)).astype(np.float32),
        )
        part = left[turns][:, None]
        noisy = np.sqrt(part) * images + np.sqrt(1 - part) * noise
        with ps.GradientTape() as tape:
            loss = ps.mean((model(noisy, turns) - images) ** 2)
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

    judge = LogisticRegression(max_iter=300).fit(genuine, digits.target)
    images = made(model, draw, MADE)
    for name, some in (
        ("made", images),
        ("genuine", genuine[:MADE]),
        ("noise", draw.standard_normal(images.shape)),
    ):
        near = np.sqrt(((some[:, None] - genuine[None]) ** 2).mean(-1))
        if name == "genuine":
            near[np.arange(MADE), np.arange(MADE)] = np.inf
        told = judge.predict(some)
        print(f"{name}: {near.min(1).mean():.2f} from the nearest genuine digit, {len(set(told))} kinds")
    if picture is not None:
        import matplotlib.pyplot as plt

        figure, panels = plt.subplots(4, 12, figsize=(8, 2.8))
        for panel, image in zip(panels.ravel(), images, strict=False):
            panel.imshow(image.reshape(8, 8), cmap="gray_r", vmin=-1, vmax=1)
            panel.axis("off")
        figure.tight_layout(pad=0.2)
        figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    main(*sys.argv[2:] if sys.argv[1:2] == ["--picture"] else [])
