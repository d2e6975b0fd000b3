"""Loaders with workers: each draws numbers of its own, which start from one that the pass draws."""

import random
import warnings

import numpy as np

import paddle
from paddle.io import BatchSampler, DataLoader, Dataset, IterableDataset, get_worker_info

warnings.simplefilter("ignore")


class Drawn(Dataset):
    """Items with numbers that are drawn for them."""

    def __init__(self, count):
        self.count = count

    def __getitem__(self, place):
        own = paddle.randint(0, 1000, [1]).item()
        return np.array([place, np.random.randint(1000), random.randint(0, 999), own]), float(place)

    def __len__(self):
        return self.count


def begin(number):
    """Starts the numbers of a worker."""
    np.random.seed(number + 50)
    random.seed(number)


for options in (
    {"num_workers": 1},
    {"num_workers": 2, "shuffle": True},
    {"num_workers": 2, "drop_last": True, "batch_size": 3},
    {"num_workers": 2, "persistent_workers": True, "shuffle": True},
    {"num_workers": 3, "worker_init_fn": begin},
):
    paddle.seed(1)
    np.random.seed(1)
    random.seed(1)
    loader = DataLoader(Drawn(7), **{"batch_size": 2, **options})
    for _ in range(2):
        for x, y in loader:
            print(x.tolist(), y.tolist())
    print(np.random.randint(10**6), random.randint(0, 10**6), round(paddle.rand([1]).item(), 6))


class Stream(IterableDataset):
    """Items that know which worker made them."""

    def __iter__(self):
        info = get_worker_info()
        for place in range(5):
            yield np.array([place, -1 if info is None else info.id, np.random.randint(100)])


for options in ({}, {"num_workers": 2}, {"num_workers": 2, "drop_last": True}, {"num_workers": 3}):
    np.random.seed(5)
    print([batch.tolist() for batch in DataLoader(Stream(), batch_size=2, **options)])
np.random.seed(5)
print([item.tolist() for item in DataLoader(Stream(), batch_size=None)])
print(get_worker_info())


class Mixed(Dataset):
    """Items of several parts."""

    def __getitem__(self, place):
        return np.array([place, place]), place, {"a": np.ones(2) * place, "b": "text"}

    def __len__(self):
        return 2


print([str(item) for item in DataLoader(Mixed(), batch_size=None)])
np.random.seed(9)
batches = iter(DataLoader(Drawn(5), batch_size=2, num_workers=1, shuffle=True))
print(np.random.randint(10**6), next(batches)[0][:, 0].tolist())
for made in (
    lambda: DataLoader(Drawn(5), num_workers=-1),
    lambda: DataLoader(Drawn(5), batch_size=0),
    lambda: DataLoader(Drawn(5), prefetch_factor=0),
    lambda: DataLoader(Drawn(5), batch_sampler=BatchSampler(Drawn(5)), batch_size=4),
    lambda: DataLoader(Stream(), shuffle=True),
    lambda: DataLoader(Stream(), batch_sampler=BatchSampler(Drawn(5))),
    lambda: len(DataLoader(Stream(), batch_size=2)),
):
    try:
        made()
    except (AssertionError, ValueError) as error:
        print(isinstance(error, ValueError), str(error).splitlines()[0])

paddle.enable_static()
x = paddle.static.data("x", [None, 4], "float32")
y = paddle.static.data("y", [None, 1], "int64")


class Rows(Dataset):
    """Rows for a static program."""

    def __getitem__(self, place):
        return (np.arange(4) + place).astype("float32"), np.array([place % 2])

    def __len__(self):
        return 5


total = paddle.sum(x) + paddle.sum(y).astype("float32")
executor = paddle.static.Executor()
for batch in DataLoader(Rows(), feed_list=[x, y], return_list=False, batch_size=2):
    print(len(batch), sorted(batch[0]), executor.run(feed=batch[0], fetch_list=[total])[0].tolist())
for a, b in DataLoader(Rows(), batch_size=2, num_workers=1):
    print(np.array(b).ravel().tolist(), executor.run(feed={"x": a, "y": b}, fetch_list=[total])[0].tolist())
