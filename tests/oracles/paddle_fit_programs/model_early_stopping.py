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


model = regressor(1.5)
stop = paddle.callbacks.EarlyStopping("loss", patience=2, save_best_model=False)
kept = Kept()
data = Rows(x, y)
model.fit(data, data, batch_size=20, epochs=20, shuffle=False, verbose=0, callbacks=[stop, kept])
print(len(kept.losses), stop.stopped_epoch, round(float(stop.best_value), 4))
model = regressor(0.5)
plateau = paddle.callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=1, min_delta=0.2, min_lr=0.1)
model.fit(data, data, batch_size=20, epochs=6, shuffle=False, verbose=0, callbacks=[plateau])
print(model._optimizer.get_lr())
