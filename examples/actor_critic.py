"""An actor and a critic learn, by policy gradient, to leave a corridor at its right end.

    python examples/actor_critic.py

The advantage is a constant in the actor's loss: the barrier keeps that loss from training the critic. The
method is from Sutton and Barto, Reinforcement Learning (2018), section 13.5, with complete walks.
"""

import numpy as np

import penstock as ps

ROOMS = 7
WALKERS = 32
ROUNDS = 120
LONGEST = 40
DISCOUNT = 0.95


def walk(actor, draw):
    """Lets the walkers start in the middle room; returns rooms, moves, gains, and the mean length."""
    chances = ps.nn.softmax(actor).numpy()
    rooms, moves, gains, lengths = [], [], [], []
    for _ in range(WALKERS):
        room, path = ROOMS // 2, []
        while 0 <= room < ROOMS and len(path) < LONGEST:
            move = int(draw.random() < chances[room, 1])
            path.append((room, move))
            room += 2 * move - 1
        gain = float(room == ROOMS)
        for distance, (there, move) in enumerate(reversed(path)):
            rooms.append(there)
            moves.append(move)
            gains.append(gain * DISCOUNT**distance)
        lengths.append(len(path))
    return np.array(rooms), np.array(moves), np.array(gains, np.float32), np.mean(lengths)


def shares(actor):
    """Returns the chance of a step to the right in each room."""
    return ps.nn.softmax(actor).numpy()[:, 1]


def main():
    """Trains, and prints the chance of a step to the right, and what the critic expects in each room."""
    draw = np.random.default_rng(0)
    actor = ps.Variable(np.zeros((ROOMS, 2), np.float32), name="actor/preferences")
    critic = ps.Variable(np.zeros(ROOMS, np.float32), name="critic/values")
    actor_optimizer = ps.optimizers.Adam(0.05)
    critic_optimizer = ps.optimizers.Adam(0.05)
    _, _, _, first = walk(actor, draw)

    for _ in range(ROUNDS):
        rooms, moves, gains, length = walk(actor, draw)
        # As many rows each time, so that one recording of the step serves all.
        chosen = draw.integers(0, len(rooms), 256)
        rooms, moves, gains = (ps.asarray(one[chosen]) for one in (rooms, moves, gains))
        with ps.GradientTape(persistent=True) as tape:
            expected = ps.take(critic, rooms, axis=0)
            advantage = ps.stop_gradient(gains - expected)
            surprise = ps.losses.softmax_cross_entropy(ps.take(actor, rooms, axis=0), moves)
            actor_loss = ps.mean(advantage * surprise)
            critic_loss = ps.mean((gains - expected) ** 2)
        actor_optimizer.apply_gradients([(tape.gradient(actor_loss, actor), actor)])
        critic_optimizer.apply_gradients([(tape.gradient(critic_loss, critic), critic)])

    print(f"steps to leave: {first:.1f} at first, {length:.1f} in the end ({ROOMS // 2 + 1} is the least)")
    print(f"chance of a step to the right, least: {shares(actor).min():.2f}")
    print("expected by the critic:", " ".join(f"{value:.2f}" for value in critic.numpy()))


if __name__ == "__main__":
    main()
