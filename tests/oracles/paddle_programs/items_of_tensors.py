"""Items of a TensorDataset are tensors, and show what is written to the tensors later."""

import paddle
from paddle.io import DataLoader, Subset, TensorDataset

x, y = paddle.arange(8, dtype="float32").reshape([4, 2]), paddle.arange(4)
dataset = TensorDataset([x, y])
item = dataset[1]
print(type(item).__name__, len(dataset), [type(one) is type(x) for one in item])
print(item[0].numpy().tolist(), item[1].shape, item[1].dtype, item[0].stop_gradient)
print((item[0] * 2.0).sum().item(), int(item[1]))
x[1] = 50.0
print(dataset[1][0].numpy().tolist())
for batch in DataLoader(dataset, batch_size=2):
    print([(one.dtype, one.numpy().tolist()) for one in batch])
for batch in DataLoader(Subset(dataset, [3, 0]), batch_size=2):
    print([one.numpy().tolist() for one in batch])


def joined(items):
    return paddle.stack([one[0] + one[1].astype("float32") for one in items])


for batch in DataLoader(dataset, batch_size=4, collate_fn=joined):
    print(batch.numpy().tolist())
