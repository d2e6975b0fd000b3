"""Batches of a data set."""

import numpy as np
import paddle


class Squares(paddle.io.Dataset):
    def __getitem__(self, i):
        return np.array([i], dtype="float32"), i * i

    def __len__(self):
        return 5


for x, y in paddle.io.DataLoader(Squares(), batch_size=2):
    print(x.shape, x.numpy().tolist(), y.numpy().tolist(), y.dtype)
