"""A small network learns from what a large one says (Hinton, Vinyals and Dean, 2015).

    python examples/distillation.py

Labels are known for few digits. The large network has seen all labels; the small one sees those few, and, for
all other digits, how likely the large one thinks each class. It ends up better than its twin that learns from
the few labels alone. The large one is read and never written: `penstock check examples/distillation.py` shows
it.
"""

import numpy as np
from sklearn.datasets import load_digits

import penstock as ps

LABELLED, WARMTH, BATCH = 60, 3.0, 64


def network(name, *widths):
    """Makes a network with hidden layers of these widths."""
    layers = [ps.layers.Dense(width, "relu") for width in widths]
    made = ps.layers.Sequential([*layers, ps.layers.Dense(10)], name=name)
    made.build((None, 64))
    return made


def learn(model, loss_of, count, steps, draw):
    """Trains a model by a loss of batches of numbers of images."""
    optimizer, variables = ps.optimizers.Adam(3e-3), model.trainable_variables
    for _ in range(steps):
        chosen = draw.integers(0, count, BATCH)
        with ps.GradientTape() as tape:
            loss = ps.mean(loss_of(chosen))
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))


def main():
    """Trains all three, and prints how many held-out digits each tells right."""
    draw = np.random.default_rng(0)
    ps.random.seed(0)
    digits = load_digits()
    order = draw.permutation(len(digits.data))
    images, labels = (digits.data[order] / 16).astype(np.float32), digits.target[order]
    held_back, truth, images, labels = images[:500], labels[:500], images[500:], labels[500:]
    teacher, twin, student = network("teacher", 128, 128), network("twin", 16), network("student", 16)

    def hard(model):
        return lambda chosen: ps.losses.softmax_cross_entropy(model(images[chosen]), labels[chosen])

    learn(teacher, hard(teacher), len(images), 250, draw)
    ps.freeze(teacher.variables)
    learn(twin, hard(twin), LABELLED, 400, draw)
    said = ps.nn.softmax(teacher(images) / WARMTH).numpy()

    def soft(chosen):
        # The squared warmth makes up for what it takes from the gradients.
        guess = ps.nn.log_softmax(student(images[chosen]) / WARMTH)
        return -(WARMTH**2) * ps.sum(said[chosen] * guess, axis=1)

    learn(student, soft, len(images), 700, draw)
    for model in (teacher, twin, student):
        right = np.mean(model(held_back).numpy().argmax(1) == truth)
        size = sum(one.size for one in model.variables)
        print(f"{model.name}: {100 * right:.1f}% of {len(truth)} held-out digits, {size} numbers")


if __name__ == "__main__":
    main()
