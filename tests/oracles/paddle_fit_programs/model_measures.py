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


scores = np.array([[0.1, 0.9], [0.7, 0.3], [0.4, 0.6], [0.2, 0.8], [0.9, 0.1]], "float32")
target = np.array([[1], [0], [0], [1], [1]])
for kind in (paddle.metric.Precision, paddle.metric.Recall):
    metric = kind()
    metric.update(scores[:, 1:], target)
    print(metric.name(), round(metric.accumulate(), 4))
    metric.update(scores[:3, 1:], target[:3])
    print(round(metric.accumulate(), 4))
    metric.reset()
    print(metric.accumulate())
auc = paddle.metric.Auc()
auc.update(scores, target)
print(auc.name(), round(float(auc.accumulate()), 4))
accuracy = paddle.metric.Accuracy(topk=(1, 2))
found = accuracy.compute(paddle.to_tensor(scores), paddle.to_tensor(target))
print(found.shape, found.numpy().tolist())
print(accuracy.update(found), accuracy.accumulate(), accuracy.name())


class Far(paddle.metric.Metric):
    def __init__(self):
        super().__init__()
        self.reset()

    def name(self):
        return "far"

    def reset(self):
        self.largest = 0.0

    def compute(self, value, target):
        return paddle.abs(value - target)

    def update(self, distance):
        self.largest = max(self.largest, float(distance.max()))
        return self.largest

    def accumulate(self):
        return self.largest


model = regressor()
model.prepare(model._optimizer, paddle.nn.MSELoss(), Far())
model.fit(Rows(x, y), batch_size=10, shuffle=False, verbose=0)
tell(model.evaluate(Rows(x, y), batch_size=10, verbose=0))
