"""Methods that end in _ change the tensor."""

import paddle

x = paddle.to_tensor([1.0, 2.0])
alias = x
x.add_(paddle.to_tensor([1.0, 1.0]))
x.scale_(3.0)
x.subtract_(paddle.to_tensor([1.0, 0.0]))
print(alias)
x.zero_()
print(alias)
x.fill_(7.0)
print(alias)
