"""Programs set attributes of their own on tensors; other tensors do not have them."""

import copy

import paddle

x = paddle.ones([2])
x.require_grad = False
x.tag = "a"
print(x.require_grad, x.tag, hasattr(x.clone(), "tag"), hasattr(x * 1, "tag"), hasattr(copy.deepcopy(x), "tag"))
y = x + 1
y.note = [1]
print(y.tolist(), y.note)
del y.note
print(hasattr(y, "note"))
z = paddle.to_tensor([1.0])
z.label = "b"
z.stop_gradient = False
result = z * 2
result.kind = 1
result.stop_gradient = True
print(z.label, result.kind, result.tolist())
layer = paddle.nn.Linear(2, 2)
layer.weight.group = "decay"
print([getattr(one, "group", None) for one in layer.parameters()])
for name in ("shape", "size", "T"):
    try:
        setattr(x, name, 1)
        print("set", name)
    except AttributeError:
        print("refused", name)
