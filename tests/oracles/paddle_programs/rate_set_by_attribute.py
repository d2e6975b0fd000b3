"""The learning rate of the first step stays, whatever the attribute is set to; `set_lr` changes it."""

import warnings

import paddle

warnings.simplefilter("ignore")
for made in (paddle.optimizer.SGD, paddle.optimizer.Adam):
    w = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
    optimizer = made(learning_rate=0.5, parameters=[w])
    optimizer._learning_rate = 0.25
    for rate in (None, 0.0, None):
        if rate is not None:
            optimizer._learning_rate = rate
        (w * w).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
        print(made.__name__, optimizer.get_lr(), w.tolist())
    optimizer.set_lr(0.125)
    (w * w).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
    print(optimizer.get_lr(), w.tolist())
    optimizer.set_lr_scheduler(paddle.optimizer.lr.StepDecay(0.0625, 1))
    (w * w).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
    print(optimizer.get_lr(), w.tolist())
    optimizer._learning_rate = 0.5
    (w * w).sum().backward()
    optimizer.step()
    print(optimizer.get_lr(), w.tolist())
