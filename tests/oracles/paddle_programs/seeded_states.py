"""Where the generator stands: taken down, set back to, and started anew."""

import numpy as np
import paddle

generator = paddle.seed(7)
print(generator.initial_seed(), f"{paddle.rand([1]).item():.6f}")
state = paddle.get_rng_state()
first = [paddle.randn([3]).numpy(), paddle.randperm(7).numpy(), paddle.randint(0, 100, [3]).numpy()]
later = paddle.get_rng_state()
paddle.set_rng_state(state)
again = [paddle.randn([3]).numpy(), paddle.randperm(7).numpy(), paddle.randint(0, 100, [3]).numpy()]
print([bool((a == b).all()) for a, b in zip(first, again)], first[1], first[2])
paddle.set_rng_state(state)
paddle.set_rng_state(later)
print(f"{paddle.rand([1]).item():.6f}")
state = generator.get_state()
print(f"{paddle.rand([1]).item():.6f}")
generator.set_state(state)
print(f"{paddle.rand([1]).item():.6f}")
generator.manual_seed(9)
print(generator.initial_seed(), f"{paddle.rand([1]).item():.6f}")
paddle.seed(9)
np.random.seed(0)
a, b = paddle.io.random_split(range(23), [10, 13])
print(list(a.indices), list(b.indices))
print(list(paddle.io.SubsetRandomSampler(list(range(9)))))
print(list(paddle.io.RandomSampler(range(9))))
print([batch for batch in paddle.io.DistributedBatchSampler(range(9), 4, num_replicas=1, rank=0, shuffle=True)])
print(f"{paddle.rand([1]).item():.6f}")
