"""An attribute that is not there."""

import paddle

paddle.to_tensor([1.0]).assign_sub(1.0)
