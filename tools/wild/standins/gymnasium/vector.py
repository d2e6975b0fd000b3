"""Several worlds at once."""

import numpy

from gymnasium import spaces


class SyncVectorEnv:
    """One after another; a world whose episode is over begins again by itself."""

    def __init__(self, makers, **_options):
        self.envs = [make() for make in makers]
        self.num_envs = len(self.envs)
        self.single_observation_space = self.envs[0].observation_space
        self.single_action_space = self.envs[0].action_space
        one = self.single_action_space
        if isinstance(one, spaces.Box):
            self.action_space = spaces.Box(
                numpy.stack([one.low] * self.num_envs), numpy.stack([one.high] * self.num_envs)
            )
        else:
            self.action_space = one

    def reset(self, *, seed=None, options=None):
        """Begins again."""
        return numpy.stack([one.reset()[0] for one in self.envs]), {}

    def step(self, actions):
        """Acts in each."""
        seen, rewards, over = [], [], []
        for one, action in zip(self.envs, actions):
            saw, reward, ended, _, _ = one.step(action)
            seen.append(one.reset()[0] if ended else saw)
            rewards.append(reward)
            over.append(ended)
        ended = numpy.array(over)
        found = {}
        if ended.any():
            found["final_observation"] = numpy.array(seen, dtype=object)
        return numpy.stack(seen), numpy.array(rewards), ended, numpy.zeros_like(ended), found

    def close(self):
        """Leaves nothing."""
