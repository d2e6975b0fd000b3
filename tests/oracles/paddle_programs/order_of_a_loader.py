"""The order in which a loader and its samplers draw items: that of NumPy's stream."""

import numpy as np
import paddle
from paddle.io import BatchSampler, DataLoader, Dataset, RandomSampler, WeightedRandomSampler


class Numbers(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, place):
        return np.float32(place)


np.random.seed(7)
print(list(RandomSampler(range(20))), list(RandomSampler(range(20), True, 5)))
print(list(WeightedRandomSampler(np.array([0.1, 0.3, 0.5, 0.7]), 6)))
print(list(WeightedRandomSampler(np.array([0.1, 0.3, 0.5, 0.7]), 3, False)))
print(list(BatchSampler(Numbers(), shuffle=True, batch_size=4)))
loader = DataLoader(Numbers(), batch_size=4, shuffle=True, drop_last=True)
for _ in range(2):
    print([batch.tolist() if paddle.is_tensor(batch) else batch[0].tolist() for batch in loader])
print(round(np.random.rand(), 6))
