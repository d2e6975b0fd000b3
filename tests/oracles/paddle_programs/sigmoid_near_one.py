import numpy as np
import paddle
import paddle.nn.functional as F

places = [8.0, 12.0, 14.0, 15.0, 15.5, 15.9, 16.1, 16.3, 16.5, 16.6, 16.65, 17.0, 20.0, 90.0]
x = paddle.to_tensor(places)
for function in (paddle.sigmoid, F.sigmoid, paddle.nn.Sigmoid(), lambda x: x.sigmoid()):
    print(((1.0 - function(x).numpy()) * 2.0**24).tolist())
wide = paddle.to_tensor([30.0, 34.0, 35.0, 36.0, 36.5, 40.0, 800.0, -800.0, np.inf, -np.inf], "float64")
print(((1.0 - F.sigmoid(wide).numpy()) * 2.0**53).tolist())
print(((1.0 - F.silu(x).numpy()[8:11] / x.numpy()[8:11]) * 2.0**24).tolist())
cell = paddle.nn.GRUCell(1, 1)
for one in cell.parameters():
    one.set_value(paddle.full(one.shape, 1.0 if one.shape == [3, 1] else 0.0))
print([float(cell(paddle.full([1, 1], one))[0][0, 0]) == 0.0 for one in places])
