"""Features without labels: two views of one image predict each other (SimSiam, Chen and He, 2020).

    python examples/simsiam.py

Each view's prediction is brought near the other view's features, which stand behind a barrier. Without the
barrier all images would get the same features: that is the cheapest way to agree. The example trains both
ways and prints the spread of the features, and how many digits their nearest neighbours tell right.
"""

import numpy as np
from sklearn.datasets import load_digits

import penstock as ps

WIDTH, BATCH, EPOCHS = 32, 128, 16


def views(images, draw):
    """Returns images moved by up to a pixel, with some pixels left out, and noise."""
    moved = np.stack([np.roll(one.reshape(8, 8), draw.integers(-1, 2, 2), (0, 1)).ravel() for one in images])
    kept = draw.random(moved.shape) > 0.2
    return (moved * kept + 0.1 * draw.standard_normal(moved.shape)).astype(np.float32)


def likeness(a, b):
    """Returns the mean cosine between rows."""
    a = a / ps.sqrt(ps.sum(a**2, axis=1, keepdims=True) + 1e-8)
    b = b / ps.sqrt(ps.sum(b**2, axis=1, keepdims=True) + 1e-8)
    return ps.mean(ps.sum(a * b, axis=1))


def trained(images, barrier):
    """Returns an encoder that was trained on images, with the barrier or without it."""
    draw = np.random.default_rng(0)
    ps.random.seed(0)
    layers = ps.layers
    name = "barred" if barrier else "open"
    encoder = layers.Sequential(
        [
            layers.Dense(128),
            layers.BatchNormalization(momentum=0.9),
            layers.ReLU(),
            layers.Dense(WIDTH),
            layers.BatchNormalization(momentum=0.9),
        ],
        name=f"{name}_encoder",
    )
    predictor = layers.Sequential([layers.Dense(16, "relu"), layers.Dense(WIDTH)], name=f"{name}_predictor")
    encoder.build((None, 64))
    predictor.build((None, WIDTH))
    variables = [*encoder.trainable_variables, *predictor.trainable_variables]
    optimizer = ps.optimizers.SGD(0.2, momentum=0.9, weight_decay=1e-4)
    held = ps.stop_gradient if barrier else (lambda x: x)

    for _ in range(EPOCHS):
        order = draw.permutation(len(images))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            batch = images[order[start : start + BATCH]]
            one, other = views(batch, draw), views(batch, draw)
            with ps.GradientTape() as tape:
                a, b = encoder(one, training=True), encoder(other, training=True)
                loss = -(likeness(predictor(a), held(b)) + likeness(predictor(b), held(a))) / 2
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return encoder


def judged(encoder, images, labels):
    """Returns the spread of features of length 1, and how many labels their nearest neighbours tell."""
    features = encoder(images).numpy()
    features /= np.linalg.norm(features, axis=1, keepdims=True) + 1e-8
    near = features[:300] @ features[300:].T
    return features.std(0).mean(), (labels[300:][near.argmax(1)] == labels[:300]).mean()


def main():
    """Trains with the barrier and without it, and prints what became of the features."""
    digits = load_digits()
    order = np.random.default_rng(1).permutation(len(digits.data))
    images, labels = (digits.data[order] / 16).astype(np.float32), digits.target[order]
    print(f"features that fill all directions would have a spread of {WIDTH**-0.5:.3f}")
    for barrier in (True, False):
        spread, right = judged(trained(images[300:], barrier), images, labels)
        print(f"{'with' if barrier else 'without'} a barrier: spread {spread:.4f}, {100 * right:.1f}% right")


if __name__ == "__main__":
    main()
