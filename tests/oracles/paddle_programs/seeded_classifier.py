"""A classifier with dropout on shuffled batches: after both seeds its losses are those of Paddle."""

import numpy as np
import paddle
from paddle import nn

paddle.seed(2023)
np.random.seed(2023)
points = paddle.randn([120, 5])
labels = (points.sum(1) > 0.3).astype("int64")
train, test = paddle.io.random_split(paddle.io.TensorDataset([points, labels]), [96, 24])
loader = paddle.io.DataLoader(train, batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Dropout(0.5), nn.BatchNorm1D(32), nn.Linear(32, 2))
optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters())
for _ in range(4):
    losses = []
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(f"{loss.item():.4f}")
    print(*losses)
model.eval()
x, y = next(iter(paddle.io.DataLoader(test, batch_size=24)))
print(f"{nn.functional.cross_entropy(model(x), y).item():.4f}")
