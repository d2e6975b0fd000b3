"""Deep Q-learning with a memory and a target that follows (Mnih and others, 2015).

    python examples/dqn.py

A walker in a grid of 4 by 4 looks for the way out, with walls in between. The network is trained towards what
another one says of the next place. That one is a copy which follows: in each step it moves a small part of
the way. No gradient reaches it, and `penstock check examples/dqn.py` says that `assign` is its only writer.
"""

from collections import deque

import numpy as np

import penstock as ps

SIDE, GAIN, LESS = 4, 1.0, 0.9
WALLS, DOOR = {(1, 1), (1, 2), (3, 1)}, (3, 3)
MOVES = [(0, 1), (1, 0), (0, -1), (-1, 0)]
STEPS, BATCH, FOLLOWS = 3000, 64, 0.05
PLACES = [(y, x) for y in range(SIDE) for x in range(SIDE) if (y, x) not in WALLS and (y, x) != DOOR]


def moved(place, move):
    """Returns the next place, what it gains, and whether that is the end."""
    y, x = place[0] + MOVES[move][0], place[1] + MOVES[move][1]
    if not (0 <= y < SIDE and 0 <= x < SIDE) or (y, x) in WALLS:
        y, x = place
    return (y, x), GAIN if (y, x) == DOOR else 0.0, (y, x) == DOOR


def seen(places):
    """Returns places as the network is given them: one number in a row of zeros each."""
    return np.eye(SIDE * SIDE, dtype=np.float32)[[SIDE * y + x for y, x in places]]


def true_values():
    """Returns what each move from each place is worth, by going through all of them until nothing changes."""
    worth = {place: np.zeros(4) for place in PLACES}
    for _ in range(100):
        for place in PLACES:
            for move in range(4):
                after, gain, ends = moved(place, move)
                worth[place][move] = gain + (0 if ends else LESS * worth[after].max())
    return np.stack([worth[place] for place in PLACES])


def main():
    """Trains, and prints how far the values are from the true ones, and whether every best move is right."""
    draw = np.random.default_rng(0)
    ps.random.seed(0)
    Dense = ps.layers.Dense
    values = ps.layers.Sequential([Dense(64, "relu"), Dense(4)], name="values")
    target = ps.layers.Sequential([Dense(64, "relu"), Dense(4)], name="target")
    for network in (values, target):
        network.build((None, SIDE * SIDE))
    target.trainable = False
    for variable, source in zip(target.variables, values.variables, strict=True):
        variable.assign(source)
    variables = values.trainable_variables
    optimizer = ps.optimizers.Adam(2e-3)
    memory = deque(maxlen=2000)
    place = (0, 0)

    @ps.step(updates=["values/*", "target/*"], reads="target/*")
    def learn(places, moves, gains, afterwards, goes_on):
        best = ps.max(target(afterwards), axis=1)
        wanted = ps.stop_gradient(gains + LESS * goes_on * best)
        with ps.GradientTape() as tape:
            said = ps.sum(values(places) * ps.one_hot(moves, 4), axis=1)
            loss = ps.mean((said - wanted) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        for variable, source in zip(target.variables, values.variables, strict=True):
            variable.assign(variable + FOLLOWS * (source - variable))

    for _ in range(STEPS):
        move = int(draw.integers(4))
        after, gain, ends = moved(place, move)
        memory.append((place, move, gain, after, 0.0 if ends else 1.0))
        place = PLACES[draw.integers(len(PLACES))] if ends or draw.random() < 0.05 else after
        if len(memory) >= BATCH:
            batch = [memory[i] for i in draw.integers(len(memory), size=BATCH)]
            places, moves, gains, afterwards, goes_on = zip(*batch, strict=True)
            learn(
                seen(places),
                np.asarray(moves),
                np.asarray(gains, np.float32),
                seen(afterwards),
                np.asarray(goes_on, np.float32),
            )

    said, truth = values(seen(PLACES)).numpy(), true_values()
    right = np.isclose(truth[np.arange(len(PLACES)), said.argmax(1)], truth.max(1)).sum()
    print(f"best moves right in {right} of {len(PLACES)} places")
    print(f"values off by {np.abs(said - truth).max():.3f} at most, the largest is {truth.max():.1f}")
    apart = max(np.abs(a.numpy() - b.numpy()).max() for a, b in zip(values.variables, target.variables))
    print(f"the target is {apart:.4f} behind")


if __name__ == "__main__":
    main()
