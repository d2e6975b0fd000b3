"""A variational autoencoder of handwritten digits (Kingma and Welling, 2014).

    python examples/vae.py

The code is drawn as mean + spread * noise, so that the gradient passes through the draw. The loss has two
terms, and `penstock check examples/vae.py` says which variables each of them trains.
"""

import numpy as np
from sklearn.datasets import load_digits

import penstock as ps

PIXELS, HIDDEN, CODE = 64, 64, 8
BATCH = 64
EPOCHS = 40


def dense(name, inputs, outputs, draw):
    """Makes the two variables of a dense layer."""
    kernel = draw.standard_normal((inputs, outputs)) * (1 / inputs) ** 0.5
    return [
        ps.Variable(kernel.astype(np.float32), name=f"{name}/kernel"),
        ps.Variable(ps.zeros(outputs), name=f"{name}/bias"),
    ]


def encode(encoder, images):
    """Returns mean and logarithm of the variance of each image's code."""
    kernel, bias, mean, mean_bias, spread, spread_bias = encoder
    hidden = ps.tanh(images @ kernel + bias)
    return hidden @ mean + mean_bias, hidden @ spread + spread_bias


def decode(decoder, codes):
    """Returns the logits of pixels."""
    kernel, bias, last, last_bias = decoder
    return ps.tanh(codes @ kernel + bias) @ last + last_bias


def main():
    """Trains, and prints how well held-out digits are reconstructed from their codes."""
    draw = np.random.default_rng(0)
    images = (load_digits().data / 16).astype(np.float32)
    images = images[draw.permutation(len(images))]
    images, held_back = images[300:], images[:300]
    encoder = dense("encoder/first", PIXELS, HIDDEN, draw)
    encoder += dense("encoder/mean", HIDDEN, CODE, draw) + dense("encoder/spread", HIDDEN, CODE, draw)
    decoder = dense("decoder/first", CODE, HIDDEN, draw) + dense("decoder/last", HIDDEN, PIXELS, draw)
    variables = encoder + decoder
    optimizer = ps.optimizers.Adam(3e-3)

    for _ in range(EPOCHS):
        order = draw.permutation(len(images))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            batch = ps.asarray(images[order[start : start + BATCH]])
            noise = ps.asarray(draw.standard_normal((BATCH, CODE)).astype(np.float32))
            with ps.GradientTape() as tape:
                mean, log_variance = encode(encoder, batch)
                logits = decode(decoder, mean + ps.exp(log_variance / 2) * noise)
                pixels = ps.losses.sigmoid_cross_entropy(logits, batch)
                reconstruction = ps.mean(ps.sum(pixels, axis=1))
                surplus = ps.exp(log_variance) + mean**2 - 1 - log_variance
                divergence = ps.mean(ps.sum(surplus, axis=1)) / 2
                loss = reconstruction + divergence
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

    mean, _ = encode(encoder, ps.asarray(held_back))
    seen = ps.nn.sigmoid(decode(decoder, mean)).numpy()
    error = float(np.mean((seen - held_back) ** 2))
    plain = float(np.mean((images.mean(axis=0) - held_back) ** 2))
    print(f"reconstruction {float(reconstruction):.1f}, divergence {float(divergence):.1f}")
    print(f"mean squared error {error:.4f}, that of the average digit {plain:.4f}")


if __name__ == "__main__":
    main()
