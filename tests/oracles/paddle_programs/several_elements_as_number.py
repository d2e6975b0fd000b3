"""A number needs one element."""

import paddle

x = paddle.to_tensor([1.0, 2.0])
for read in (float, bool, lambda value: value.item()):
    try:
        read(x)
    except (AssertionError, ValueError) as error:
        print(type(error).__mro__[-3].__name__)
