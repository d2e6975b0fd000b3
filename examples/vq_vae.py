"""A vector-quantised autoencoder of handwritten digits (van den Oord, Vinyals and Kavukcuoglu, 2017).

    python examples/vq_vae.py [--picture digits.png]

An image becomes four numbers, each the number of a code in a book. Choosing the nearest code has no
derivative, so the gradient of the reconstruction is handed from the code to the encoder's output as if the
two were one. Two more terms bring them together, each with a barrier in front of what it is to leave alone;
`penstock check examples/vq_vae.py` says which variables each of the three terms trains.
"""

import sys

import numpy as np
from sklearn.datasets import load_digits

import penstock as ps

PIXELS, PLACES, WIDTH, CODES = 64, 4, 8, 32
BATCH, EPOCHS = 64, 60


def nearest(book, outputs):
    """Returns the number of the code that is nearest to each output."""
    distances = ps.sum(book**2, axis=1) - 2 * ps.matmul(outputs, ps.matrix_transpose(book))
    return ps.argmin(distances, axis=-1)


def main(picture=None):
    """Trains, and prints how well four codes tell a held-out digit, and how many codes are used."""
    draw = np.random.default_rng(0)
    ps.random.seed(0)
    images = (load_digits().data / 16).astype(np.float32)
    images = images[draw.permutation(len(images))]
    images, held_back = images[300:], images[:300]
    Dense = ps.layers.Dense
    encoder = ps.layers.Sequential([Dense(128, "relu"), Dense(PLACES * WIDTH)], name="encoder")
    decoder = ps.layers.Sequential([Dense(128, "relu"), Dense(PIXELS)], name="decoder")
    book = ps.Variable(draw.standard_normal((CODES, WIDTH)).astype(np.float32) / 4, name="book/codes")
    encoder.build((None, PIXELS))
    decoder.build((None, PLACES * WIDTH))
    variables = [*encoder.trainable_variables, book, *decoder.trainable_variables]
    optimizer = ps.optimizers.Adam(3e-3)

    def coded(batch):
        """Returns the outputs of the encoder, and the number and the code that are nearest to each."""
        outputs = ps.reshape(encoder(batch), (-1, PLACES, WIDTH))
        chosen = nearest(book, outputs)
        return outputs, chosen, ps.take(book, chosen, axis=0)

    for _ in range(EPOCHS):
        order = draw.permutation(len(images))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            batch = ps.asarray(images[order[start : start + BATCH]])
            with ps.GradientTape() as tape:
                outputs, _, codes = coded(batch)
                passed = outputs + ps.stop_gradient(codes - outputs)
                told = decoder(ps.reshape(passed, (-1, PLACES * WIDTH)))
                reconstruction = ps.mean(ps.sum((told - batch) ** 2, axis=1))
                moving_codes = ps.mean((codes - ps.stop_gradient(outputs)) ** 2)
                commitment = ps.mean((outputs - ps.stop_gradient(codes)) ** 2)
                loss = reconstruction + 8.0 * moving_codes + 2.0 * commitment
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

    _, chosen, codes = coded(held_back)
    told = decoder(ps.reshape(codes, (-1, PLACES * WIDTH))).numpy()
    error = float(np.mean((told - held_back) ** 2))
    plain = float(np.mean((images.mean(axis=0) - held_back) ** 2))
    print(
        f"an image is {PLACES} codes of {CODES}, {PLACES * int(np.log2(CODES))} bits; {used(chosen)} are used"
    )
    print(f"mean squared error {error:.4f}, that of the average digit {plain:.4f}")
    if picture is not None:
        draw_rows(picture, [held_back[:12], told[:12]])


def used(chosen):
    """Returns how many codes occur."""
    return len(np.unique(chosen.numpy()))


def draw_rows(file, rows):
    """Draws digits in rows, the genuine ones above what was told from their codes."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(len(rows), len(rows[0]), figsize=(8, 1.5), squeeze=False)
    for panel, image in zip(panels.ravel(), np.concatenate(rows), strict=True):
        panel.imshow(image.reshape(8, 8), cmap="gray_r", vmin=0, vmax=1)
        panel.axis("off")
    figure.tight_layout(pad=0.2)
    figure.savefig(file, dpi=100)


if __name__ == "__main__":
    main(*sys.argv[2:] if sys.argv[1:2] == ["--picture"] else [])
