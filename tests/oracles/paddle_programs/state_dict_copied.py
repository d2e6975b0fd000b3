"""State goes from one layer to another."""

import paddle

first, second = paddle.nn.Linear(2, 2), paddle.nn.Linear(2, 2)
print(bool(paddle.allclose(first.weight, second.weight)))
missing, unexpected = second.set_state_dict(first.state_dict())
print(bool(paddle.allclose(first.weight, second.weight)), missing, unexpected)
state = first.state_dict()
state["extra"] = paddle.ones([1])
del state["bias"]
print(second.set_state_dict(state))
