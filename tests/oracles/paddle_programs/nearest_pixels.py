import paddle
import paddle.nn.functional as F

for n, m in ((10, 12), (3, 9), (7, 10), (5, 6), (10, 3), (20, 24), (14, 30)):
    x = paddle.arange(n, dtype="float32").reshape([1, 1, 1, n])
    print(n, m, F.interpolate(x, size=[1, m], mode="nearest").astype("int32").tolist()[0][0][0])
print(paddle.nn.UpsamplingNearest2D(scale_factor=1.2)(paddle.arange(100.0).reshape([1, 1, 10, 10])).sum().item())
