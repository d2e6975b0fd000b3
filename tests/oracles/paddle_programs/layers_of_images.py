"""How the layers of images print, what they hold, and a small network that is trained."""

import warnings

import numpy as np
import paddle
from paddle import nn

warnings.simplefilter("ignore")
for layer in (
    nn.Conv2D(3, 6, 3),
    nn.Conv2D(4, 6, [3, 2], stride=2, padding=1, dilation=[1, 2], groups=2, data_format="NHWC"),
    nn.Conv1D(2, 3, 3, padding="SAME"),
    nn.Conv3D(1, 2, 2, padding=[1, 1, 0], bias_attr=False),
    nn.Conv1DTranspose(3, 2, 3),
    nn.Conv2DTranspose(3, 2, 3, stride=2, padding=1, output_padding=1),
    nn.MaxPool2D(2),
    nn.MaxPool2D([2, 3], stride=1, padding=1, ceil_mode=True),
    nn.MaxPool1D(2),
    nn.AvgPool1D(2, 1),
    nn.AvgPool2D(2, 2, exclusive=False),
    nn.AdaptiveAvgPool2D(1),
    nn.AdaptiveAvgPool2D([None, 2]),
    nn.BatchNorm2D(3),
    nn.BatchNorm2D(3, name="noted"),
    nn.BatchNorm1D(3, momentum=0.8, epsilon=1e-3, data_format="NLC"),
    nn.BatchNorm(3),
    nn.GroupNorm(2, 4),
    nn.LayerNorm([4, 2]),
    nn.Flatten(),
    nn.Dropout(0.3),
):
    print(layer)
    for name, one in layer.named_parameters():
        print("  ", name, one.name, list(one.shape), one.stop_gradient)


def start(*shape):
    count = int(np.prod(shape))
    return nn.initializer.Assign(np.cos(np.arange(count) * 0.7).reshape(shape).astype("float32") * 0.5)


net = nn.Sequential(
    nn.Conv2D(1, 2, 3, padding=1, weight_attr=start(2, 1, 3, 3)),
    nn.BatchNorm2D(2),
    nn.ReLU(),
    nn.MaxPool2D(2),
    nn.Flatten(),
    nn.Linear(8, 1, weight_attr=start(8, 1)),
)
optimizer = paddle.optimizer.Momentum(0.05, parameters=net.parameters())
images = paddle.to_tensor(np.sin(np.arange(64, dtype="float32")).reshape(4, 1, 4, 4))
labels = paddle.to_tensor([[1.0], [0.0], [1.0], [0.0]])
for step in range(5):
    loss = nn.functional.mse_loss(net(images), labels)
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    print(step, round(float(loss), 4), np.round(net[1]._mean.numpy().astype("float64"), 4).tolist())
net.eval()
print(np.round(net(images).numpy().astype("float64"), 3).tolist())
