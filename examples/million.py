"""A table of a million rows, of which a step reads a few: what it costs does not depend on the others.

    python examples/million.py

Each of a million users is a row of a variable. A step reads the rows of its batch, `users[ids]`; their
gradient is those rows, and Adagrad writes those and no others. The example counts it: the bytes that a step's
gradient and update take are the same as for a table of a thousand rows, and rows that no step has read keep
every bit.
"""

import numpy as np

import penstock as ps

ROWS, WIDTH, ITEMS = 1_000_000, 8, 100
BATCH, STEPS, ACTIVE = 512, 250, 200


def trained(rows, seen, items, stars):
    """Returns a table of users that was trained on ratings, its items, and how many rows a gradient had."""
    draw = np.random.default_rng(1)
    users = ps.Variable(np.zeros((rows, WIDTH), np.float32), name=f"users_{rows}/table")
    things = ps.Variable(
        draw.standard_normal((ITEMS, WIDTH)).astype(np.float32) / 4, name=f"items_{rows}/table"
    )
    optimizer = ps.optimizers.Adagrad(0.3)
    for _ in range(STEPS):
        chosen = draw.integers(0, len(stars), BATCH)
        with ps.GradientTape() as tape:
            guess = ps.sum(users[seen[chosen]] * things[items[chosen]], axis=1)
            loss = ps.mean((guess - stars[chosen]) ** 2)
        slopes = tape.gradient(loss, [users, things])
        optimizer.apply_gradients(zip(slopes, [users, things]))
    return users, things, slopes[0].values.shape[0]


def main():
    """Trains, and prints the error, how many rows a gradient had, and which rows were written."""
    draw = np.random.default_rng(0)
    active = np.sort(draw.choice(ROWS, ACTIVE, replace=False))
    tastes, kinds = (draw.standard_normal((n, 4)) / 2 for n in (ACTIVE, ITEMS))
    who, items = draw.integers(0, ACTIVE, 20_000), draw.integers(0, ITEMS, 20_000)
    stars = (np.sum(tastes[who] * kinds[items], axis=1)).astype(np.float32)
    held_back = 2_000
    users, things, count = trained(ROWS, active[who[held_back:]], items[held_back:], stars[held_back:])
    small, _, count_small = trained(ACTIVE, who[held_back:], items[held_back:], stars[held_back:])

    table = users.numpy()
    guess = np.sum(table[active[who[:held_back]]] * things.numpy()[items[:held_back]], axis=1)
    error = float(np.sqrt(np.mean((guess - stars[:held_back]) ** 2)))
    print(f"error {error:.3f}, of guessing 0 {float(np.sqrt(np.mean(stars**2))):.3f}")
    print(f"a gradient had {count} rows of {ROWS}, and {count_small} of {ACTIVE}")
    print(f"{np.count_nonzero(table.any(axis=1))} rows of {ROWS} were written")
    print(f"they are those of the small table: {np.array_equal(table[active], small.numpy())}")


if __name__ == "__main__":
    main()
