"""Models of images: the names and shapes of their weights, and what they give."""

import numpy as np
import paddle
from paddle.vision import models

made = {
    "squeezenet1_1": models.squeezenet1_1(num_classes=3),
    "mobilenet_v3_small": models.mobilenet_v3_small(scale=0.5, num_classes=3),
    "shufflenet_v2_x0_25": models.shufflenet_v2_x0_25(num_classes=3),
   
}
for name, model in made.items():
    state = model.state_dict()
    print(name, len(state), sum(one.size for one in state.values()))
    print(" ".join(f"{key}{list(one.shape)}" for key, one in state.items()))
    for i, (key, one) in enumerate(state.items()):
        count = np.arange(int(one.size))
        if len(one.shape) > 1:
            drawn = np.random.RandomState(i).normal(size=one.shape)
            value = drawn * (2.0 / np.prod(one.shape[1:])) ** 0.5
        elif "variance" in key or "weight" in key:
            value = 1.0 + 0.1 * np.cos(count)
        else:
            value = 0.1 * np.sin(count + i)
        one.set_value(value.astype("float32"))
    model.eval()
    image = np.cos(np.arange(3 * 32 * 32) * 0.37).reshape(1, 3, 32, 32).astype("float32")
    with paddle.no_grad():
        print(model(paddle.to_tensor(image)).numpy().round(2).tolist())
