import warnings

import numpy as np
import paddle
import paddle.nn.functional as F
import paddle.static as static

warnings.simplefilter("ignore")
paddle.enable_static()
start = paddle.nn.initializer.Constant


def network(image):
    conv = paddle.nn.Conv2D(1, 2, 3, padding=1, weight_attr=start(0.1))(image)
    norm = paddle.nn.BatchNorm2D(2)(F.relu(conv))
    pool = F.max_pool2d(norm, kernel_size=2, stride=2)
    flat = paddle.flatten(pool, 1)
    return static.nn.fc(flat, 3, weight_attr=start(0.05))


main, startup = static.Program(), static.Program()
with static.program_guard(main, startup):
    with paddle.utils.unique_name.guard():
        image = static.data("image", [None, 1, 4, 4], "float32")
        label = static.data("label", [None, 1], "int64")
        logits = network(image)
        loss = paddle.mean(F.cross_entropy(logits, label))
        accuracy = paddle.metric.accuracy(F.softmax(logits), label)
        paddle.optimizer.Momentum(learning_rate=0.05).minimize(loss)
print(logits.shape, loss.shape)
executor = static.Executor()
executor.run(startup)
rng = np.random.default_rng(1)
images = rng.normal(size=(6, 1, 4, 4)).astype("float32")
labels = rng.integers(0, 3, size=(6, 1))
for step in range(4):
    found = executor.run(main, {"image": images, "label": labels}, [loss, accuracy])
    print([round(float(one), 4) for one in found])
paddle.disable_static()
