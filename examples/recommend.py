"""Recommendations from a pretrained table of films: the table stays fixed, the readers' rows are trained.

    python examples/recommend.py

The table is a frozen Variable. The flag decides which variables the optimizer gets, and a step updates only
the rows that it read, however many readers there are.
"""

import numpy as np

import penstock as ps

FILMS, READERS, TASTES = 60, 5000, 6
BATCH = 256
STEPS = 2500


def ratings(draw):
    """Makes up films, readers, and ratings of films by readers who saw a few of them."""
    films = draw.standard_normal((FILMS, TASTES)).astype(np.float32)
    readers = draw.standard_normal((READERS, TASTES)).astype(np.float32) / TASTES**0.5
    seen = 60_000
    who, what = draw.integers(0, READERS, seen), draw.integers(0, FILMS, seen)
    stars = np.sum(readers[who] * films[what], axis=1) + 0.1 * draw.standard_normal(seen)
    return films, who, what, stars.astype(np.float32)


def main():
    """Trains, and prints the error on held-out ratings beside that of guessing the mean."""
    draw = np.random.default_rng(0)
    films, who, what, stars = ratings(draw)
    table = ps.Variable(films, name="films/table", trainable=False)
    rows = ps.Variable(np.zeros((READERS, TASTES), np.float32), name="readers/rows")
    variables = [variable for variable in (table, rows) if variable.trainable]
    optimizer = ps.optimizers.SGD(15.0)
    held_back = 10_000

    for _ in range(STEPS):
        chosen = draw.integers(held_back, len(stars), BATCH)
        readers, seen, given = (ps.asarray(one[chosen]) for one in (who, what, stars))
        with ps.GradientTape() as tape:
            guess = ps.sum(ps.take(rows, readers, axis=0) * ps.take(table, seen, axis=0), axis=1)
            loss = ps.mean((guess - given) ** 2)
        (slopes,) = tape.gradient(loss, variables)
        optimizer.apply_gradients([(slopes, rows)])

    guess = np.sum(rows.numpy()[who[:held_back]] * table.numpy()[what[:held_back]], axis=1)
    error = float(np.sqrt(np.mean((guess - stars[:held_back]) ** 2)))
    print(f"a gradient had {slopes.values.shape[0]} rows of {READERS}")
    print(f"error {error:.3f}, of guessing the mean {float(stars[held_back:].std()):.3f}")
    print(f"the table has changed: {not np.array_equal(table.numpy(), films)}")


if __name__ == "__main__":
    main()
