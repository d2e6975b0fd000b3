"""Handwritten digits: learn features on 0 to 4, freeze them, then train a new head to classify all ten.

    python examples/digits.py                      # as above
    python examples/digits.py --features random    # freeze features that learnt nothing: what is it worth?
    python examples/digits.py --features scratch   # freeze nothing: what does freezing cost?

`penstock check examples/digits.py` runs it unchanged and says what wrote each variable, and how often.
"""

import argparse

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import penstock as ps

HIDDEN = 64
BATCH = 32
PRETRAINING_EPOCHS = 30
EPOCHS = 60


def digits():
    """Returns images in 0 .. 1 and labels, for training and, for a quarter of them, held out."""
    found = load_digits()
    images = (found.data / 16).astype(np.float32)
    return train_test_split(images, found.target, test_size=0.25, stratify=found.target, random_state=0)


def dense(name, inputs, outputs):
    """Makes the two variables of a dense layer."""
    kernel = ps.random.normal((inputs, outputs), stddev=(2 / inputs) ** 0.5)
    return ps.Variable(kernel, name=f"{name}/kernel"), ps.Variable(ps.zeros(outputs), name=f"{name}/bias")


def logits(features, head, images):
    """Returns a score for each image and class."""
    kernel, bias = features
    hidden = ps.nn.relu(images @ kernel + bias)
    kernel, bias = head
    return hidden @ kernel + bias


def accuracy(features, head, images, labels):
    """Returns the fraction of the images that is classified correctly."""
    scores = logits(features, head, ps.asarray(images)).numpy()
    return np.mean(scores.argmax(axis=-1) == labels)


def batches(images, labels, shuffler):
    """Yields all images in a new order, a few at a time."""
    order = shuffler.permutation(len(images))
    for start in range(0, len(order), BATCH):
        rows = order[start : start + BATCH]
        yield ps.asarray(images[rows]), ps.asarray(labels[rows])


def pretrain(features, head, images, labels, shuffler):
    """Trains features and head together."""
    variables = [*features, *head]
    optimizer = ps.optimizers.Adam(1e-3)
    progress = ps.Progress(PRETRAINING_EPOCHS, name="pre-training")
    for _ in progress:
        for some_images, some_labels in batches(images, labels, shuffler):
            with ps.GradientTape() as tape:
                scores = logits(features, head, some_images)
                loss = ps.mean(ps.losses.softmax_cross_entropy(scores, some_labels))
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        progress.show(loss=loss)


def train(features, head, images, labels, shuffler):
    """Trains whatever may be trained."""
    variables = [variable for variable in (*features, *head) if variable.trainable]
    optimizer = ps.optimizers.Adam(3e-3)
    progress = ps.Progress(EPOCHS, name="training")
    for _ in progress:
        for some_images, some_labels in batches(images, labels, shuffler):
            with ps.GradientTape() as tape:
                scores = logits(features, head, some_images)
                loss = ps.mean(ps.losses.softmax_cross_entropy(scores, some_labels))
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        progress.show(loss=loss)


def main(arguments=None):
    """Trains, and prints the accuracy on held-out digits."""
    parser = argparse.ArgumentParser(description="Train a classifier of handwritten digits.")
    parser.add_argument("--features", choices=("pretrained", "random", "scratch"), default="pretrained")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)

    ps.random.seed(options.seed)
    shuffler = np.random.default_rng(options.seed)
    images, held_images, labels, held_labels = digits()
    features = dense("features", images.shape[1], HIDDEN)

    if options.features == "pretrained":
        old_head = dense("old_head", HIDDEN, 5)
        small, held_small = labels < 5, held_labels < 5
        pretrain(features, old_head, images[small], labels[small], shuffler)
        part = accuracy(features, old_head, held_images[held_small], held_labels[held_small])
        print(f"digits 0 to 4: {part:.2%} of {held_small.sum()} held-out images are classified correctly")
    if options.features != "scratch":
        for variable in features:
            variable.trainable = False

    head = dense("head", HIDDEN, 10)
    train(features, head, images, labels, shuffler)
    part = accuracy(features, head, held_images, held_labels)
    print(f"all ten digits: {part:.2%} of {len(held_labels)} held-out images are classified correctly")


if __name__ == "__main__":
    main()
