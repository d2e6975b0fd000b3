# PS412: *flat*
import paddle

paddle.seed(0)
points = paddle.create_parameter([5, 3], "float32")
camera = paddle.randn([3, 2])
flat = points @ camera  # guilty
flat.retain_grads()  # right
(flat**2).sum().backward()
print(flat.grad)
