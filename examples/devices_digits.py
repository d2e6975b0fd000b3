"""Handwritten digits on several devices: each of them takes its part of every batch.

    XLA_FLAGS=--xla_force_host_platform_device_count=8 python examples/devices_digits.py

Two lines differ from the program for one device: DEVICES and set_distribution. The losses are the same.
`penstock check --devices 8 examples/devices_digits.py` says what the devices send each other.
"""

import numpy as np
from sklearn.datasets import load_digits

import penstock as ps

BATCH = 64
EPOCHS = 5


def main():
    """Trains a classifier, and prints its loss and its accuracy."""
    ps.distribution.set_distribution(ps.distribution.DataParallel(shard_state=True))
    ps.random.seed(0)
    found = load_digits()
    images, labels = (found.data / 16).astype(np.float32), found.target
    hidden, norm, head = (
        ps.layers.Dense(64, activation="relu"),
        ps.layers.BatchNormalization(),
        ps.layers.Dense(10),
    )
    optimizer = ps.optimizers.Adam(0.01)

    @ps.step
    def train(x, y):
        with ps.GradientTape() as tape:
            scores = head(norm(hidden(x), training=True))
            loss = ps.mean(ps.losses.softmax_cross_entropy(scores, y))
        weights = [w for layer in (hidden, norm, head) for w in layer.trainable_variables]
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    shuffler = np.random.default_rng(0)
    for epoch in range(EPOCHS):
        order = shuffler.permutation(len(images))[: len(images) // BATCH * BATCH].reshape(-1, BATCH)
        losses = [train(images[rows], labels[rows]) for rows in order]
        print(f"epoch {epoch + 1}: loss {np.mean([float(one) for one in losses]):.4f}")
    scores = head(norm(hidden(images), training=False)).numpy()
    print(f"{np.mean(scores.argmax(1) == labels):.1%} of the digits are told right")


if __name__ == "__main__":
    main()
