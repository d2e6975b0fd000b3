"""Groups of Lamb with a weight decay of their own: it is a penalty in the gradient, beside that of Lamb."""

import numpy as np
import paddle


def trained(*settings, **options):
    layers = [paddle.nn.Linear(3, 3), paddle.nn.Linear(3, 2)]
    for number, one in enumerate([*layers[0].parameters(), *layers[1].parameters()]):
        values = np.sin(np.arange(one.size) + number).reshape(one.shape) * 0.5
        one.set_value(paddle.to_tensor(values.astype("float32")))
    groups = [{"params": layer.parameters(), **own} for layer, own in zip(layers, settings)]
    optimizer = paddle.optimizer.Lamb(0.1, parameters=groups, **options)
    x = paddle.to_tensor(np.cos(np.arange(12.0)).reshape(4, 3).astype("float32"))
    for _ in range(3):
        loss = (layers[1](paddle.tanh(layers[0](x))) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        print(loss.numpy().astype("float64").round(4).tolist())
    print([None if one.regularizer is None else str(one.regularizer) for one in layers[0].parameters()])


trained({}, {})
trained({"weight_decay": 0.2}, {})
trained({"weight_decay": 0.0}, {"learning_rate": 0.5})
trained({"weight_decay": paddle.regularizer.L1Decay(0.1)}, {"weight_decay": 0.3}, lamb_weight_decay=0.1)
trained({"weight_decay": 0.2}, {}, exclude_from_weight_decay_fn=lambda one: True)
