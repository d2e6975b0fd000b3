import numpy as np
import paddle


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def tell(logs):
    for name in sorted(logs):
        print(name, np.round(np.asarray(logs[name], dtype=np.float64), 4).tolist())


def fill(network):
    for one in network.parameters():
        size = int(np.prod(one.shape))
        one.set_value((np.cos(np.arange(size) + 1.0) / 2).reshape(one.shape).astype("float32"))


x = np.sin(np.arange(80) * 1.7).reshape(20, 4).astype("float32")
y = (x[:, :1] * 0.5 - x[:, 1:2]).astype("float32")
labels = (np.arange(20) % 3).astype("int64").reshape(20, 1)


class Rows(paddle.io.Dataset):
    def __init__(self, *columns):
        super().__init__()
        self.columns = columns

    def __getitem__(self, number):
        return tuple(one[number] for one in self.columns)

    def __len__(self):
        return len(self.columns[0])


def regressor(rate=0.1):
    network = paddle.nn.Sequential(paddle.nn.Linear(4, 5), paddle.nn.Tanh(), paddle.nn.Linear(5, 1))
    fill(network)
    model = paddle.Model(network)
    model.prepare(paddle.optimizer.SGD(rate, parameters=model.parameters()), paddle.nn.MSELoss())
    return model


class Kept(paddle.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.losses = []

    def on_train_batch_end(self, step, logs=None):
        self.losses.append(round(float(np.asarray(logs["loss"]).reshape(-1)[0]), 4))


import os
import tempfile

folder = tempfile.mkdtemp()
model = regressor()
data = Rows(x, y)
model.fit(data, batch_size=10, epochs=1, shuffle=False, verbose=0)
model.save(os.path.join(folder, "mid"))
print(sorted(os.listdir(folder)))
model.fit(data, batch_size=10, epochs=1, shuffle=False, verbose=0)
after = [one.numpy() for one in model.parameters()]
other = regressor()
other.load(os.path.join(folder, "mid"))
other.fit(data, batch_size=10, epochs=1, shuffle=False, verbose=0)
print(all(np.allclose(a, b.numpy()) for a, b in zip(after, other.parameters())))
