"""A recurrence whose gradients explode: clipping them by their global norm keeps the training stable.

    python examples/clipping.py

A number goes through twenty rounds of multiplication, and the loss has a cliff where the factor is a little
too large (Pascanu, Mikolov and Bengio, 2013). The norm is taken over all gradients, so their direction stays.

Without clipping, the training ends at nan. That is meant, and the comment at the update says so to
`penstock check`, which would report it as PS407.
"""

import numpy as np

import penstock as ps

ROUNDS = 20
STEPS = 500
LARGEST = 1.0


def run(weight, bias, start):
    """Returns the state after all rounds."""
    state = start
    for _ in range(ROUNDS):
        state = weight * state + bias
    return state


def clipped(gradients):
    """Returns gradients whose global norm is at most LARGEST, and the norm that they had."""
    norm = ps.sqrt(sum(ps.sum(gradient**2) for gradient in gradients))
    scale = ps.minimum(LARGEST / norm, 1.0)
    return [gradient * scale for gradient in gradients], norm


def train(word):
    """Trains "with" or "without" clipping; returns the losses and the norms of the gradients."""
    weight = ps.Variable(1.3, name=f"{word}/weight")
    bias = ps.Variable(0.0, name=f"{word}/bias")
    variables = [weight, bias]
    start = ps.asarray(np.array([1.0, 0.5], np.float32))
    wanted = ps.asarray(np.array([0.6, 0.4], np.float32))
    optimizer = ps.optimizers.SGD(0.01)
    losses, norms = [], []
    for _ in range(STEPS):
        with ps.GradientTape() as tape:
            loss = ps.mean((run(weight, bias, start) - wanted) ** 2)
        gradients = tape.gradient(loss, variables)
        smaller, norm = clipped(gradients)
        chosen = smaller if word == "with" else gradients
        optimizer.apply_gradients(zip(chosen, variables))  # penstock: ignore[PS407]
        losses.append(float(loss))
        norms.append(float(norm))
    return losses, norms


def main():
    """Trains both ways, and prints the losses and the largest norm met."""
    for word in ("without", "with"):
        losses, norms = train(word)
        print(f"{word} clipping: loss {losses[0]:.3g}, then {losses[-1]:.3g}; largest norm {max(norms):.3g}")


if __name__ == "__main__":
    main()
