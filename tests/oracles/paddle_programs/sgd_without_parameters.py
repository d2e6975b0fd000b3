"""An optimizer needs parameters."""

import paddle

paddle.optimizer.SGD(learning_rate=0.1)
