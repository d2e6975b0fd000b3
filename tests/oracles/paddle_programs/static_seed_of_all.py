import paddle

paddle.enable_static()
first = paddle.static.default_main_program()
print(first.random_seed)
first.global_seed(102)
print(first.random_seed, paddle.static.default_main_program().random_seed, paddle.static.Program().random_seed)
first.global_seed(0)
paddle.disable_static()
x = paddle.to_tensor(2.0, stop_gradient=False)
(slope,) = paddle.autograd.grad(x**3, x, create_graph=True)
print(slope.item(), paddle.autograd.grad(slope, x)[0].item())
