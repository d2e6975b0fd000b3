"""set_printoptions."""

import paddle

paddle.set_printoptions(precision=3, threshold=5, edgeitems=2)
print(paddle.arange(10, dtype="float32") / 3)
paddle.set_printoptions(sci_mode=True)
print(paddle.to_tensor([0.00012, 1.5]))
