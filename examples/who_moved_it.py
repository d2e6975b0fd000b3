"""A body that should not move any more: with zero gradients it keeps drifting, and a freeze stops it.

    python examples/who_moved_it.py

AdamW remembers earlier gradients and decays weights, and batch normalization follows its inputs: none of that
needs a gradient. The ledger splits every step by cause; a contract refuses the step that would break it.
"""

import numpy as np

import penstock as ps

STEPS = 15
CAUSES = ("gradient", "momentum", "clip", "decay", "state")


def make():
    """Returns a body, a head, an optimizer for both, and data that they are to fit."""
    ps.random.seed(0)
    rng = np.random.default_rng(0)
    x = rng.standard_normal((64, 6)).astype(np.float32)
    body = ps.layers.Sequential([ps.layers.Dense(8), ps.layers.BatchNormalization()], name="body")
    head = ps.layers.Dense(1, name="head")
    optimizer = ps.optimizers.AdamW(0.01, weight_decay=0.1, global_clipnorm=1.0)
    return body, head, optimizer, ps.asarray(x), ps.asarray(np.tanh(x[:, :1] - x[:, 1:2]))


def step(body, head, optimizer, x, wanted, hold=None):
    """Takes one step; "zeros" holds the body with zero gradients, "list" by leaving it out."""
    with ps.GradientTape() as tape:
        loss = ps.mean((head(ps.nn.relu(body(x, training=hold is None))) - wanted) ** 2)
    moving = head.trainable_variables
    held = [] if hold == "list" else body.trainable_variables
    gradients = tape.gradient(loss, [*moving, *held])
    if hold == "zeros":
        gradients[len(moving) :] = [ps.zeros_like(gradient) for gradient in gradients[len(moving) :]]
    optimizer.apply_gradients(zip(gradients, [*moving, *held]))
    return loss


def told(ledger, word):
    """Prints how much each cause moved body and head per step, on average."""
    columns = ledger.columns()
    for part in ("body", "head"):
        here = [place for place, path in enumerate(columns["variable"]) if path.startswith(part)]
        sums = {cause: sum(columns.get(cause, [0.0] * len(ledger))[i] for i in here) for cause in CAUSES}
        said = ", ".join(f"{cause} {value / STEPS:.3g}" for cause, value in sums.items())
        print(f"{word}, {part}: {said}")


def main():
    """Trains body and head, then the head alone: with zeros for the body, and with a body that is frozen."""
    body, head, optimizer, *data = make()
    with ps.ledger(split=True) as ledger:
        for _ in range(STEPS):
            first = step(body, head, optimizer, *data)
    told(ledger, "training")
    with ps.ledger(split=True) as ledger:
        for _ in range(STEPS):
            step(body, head, optimizer, *data, hold="zeros")
    told(ledger, "zeros")
    with (
        ps.ledger(split=True) as ledger,
        ps.freeze(body),
        ps.contract(updates=head, locked=body),
    ):
        for _ in range(STEPS):
            last = step(body, head, optimizer, *data, hold="list")
    told(ledger, "frozen")
    print(f"every write adds up: {ledger.conserved}; loss {float(first):.3f}, then {float(last):.3f}")


if __name__ == "__main__":
    main()
