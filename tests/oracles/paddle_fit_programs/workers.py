"""Model.fit, evaluate and predict with workers that load the data."""

import numpy as np

import paddle

paddle.seed(1)
np.random.seed(2)


class Drawn(paddle.io.Dataset):
    """Rows that are drawn when they are asked for."""

    def __getitem__(self, place):
        return (np.random.rand(4) + place * 0.1).astype("float32"), np.array([place % 2])

    def __len__(self):
        return 10


network = paddle.nn.Linear(4, 2)
model = paddle.Model(network)
optimizer = paddle.optimizer.SGD(0.1, parameters=network.parameters())
model.prepare(optimizer, paddle.nn.CrossEntropyLoss(), paddle.metric.Accuracy())
model.fit(Drawn(), batch_size=4, epochs=2, verbose=0, num_workers=2)
found = model.evaluate(Drawn(), batch_size=4, verbose=0, num_workers=2)
print(round(float(found["loss"][0]), 5), round(float(found["acc"]), 5))
outputs = model.predict(Drawn(), batch_size=4, verbose=0, num_workers=1)
print([np.round(one, 4).tolist() for one in outputs[0]])
print(np.random.randint(10**6))
