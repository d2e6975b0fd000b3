"""Backward passes that need a value which was written in place since."""

import paddle

F = paddle.nn.functional
TABLE = """
paddle.exp(x)
paddle.log(x)
paddle.sqrt(x)
x*x2
x*3.0
x/3.0
x+x2
x-x2
x**2
x**x2
paddle.square(x)
paddle.reciprocal(x)
paddle.tanh(x)
F.sigmoid(x)
F.relu(x)
F.gelu(x)
F.softmax(x)
F.log_softmax(x)
paddle.abs(x)
paddle.sin(x)
paddle.cos(x)
x.sum()
x.mean()
x.max()
x.max(0)
x.min()
x.reshape([-1])
x.T
x.flatten()
x[0]
x[:,1:]
x[[0]]
x.clip(0,2)
paddle.maximum(x,x2)
paddle.matmul(x,x2)
x@x2
paddle.concat([x,x2])
paddle.stack([x,x2])
paddle.split(x,2)[0]
paddle.gather(x,i)
paddle.where(x>1,x,x2)
x.prod()
paddle.logsumexp(x)
-x
1.0-x
x.astype("float64")
x.clone()
x.expand([2,2,2])
x.tile([2,1])
F.leaky_relu(x)
F.elu(x)
F.dropout(x,0.0)
F.linear(x,x2)
F.mse_loss(x,x2)
F.cross_entropy(x,i)
F.l1_loss(x,x2)
x.std()
x.pow(3.0)
x.unsqueeze(0)
x.squeeze()
paddle.add_n([x,x2])
paddle.scale(x,2.0)
paddle.outer(x[0],x2[0])
paddle.dot(x[0],x2[0])
paddle.bmm(x.unsqueeze(0),x2.unsqueeze(0))
F.embedding(i,x)
x.sort()
x.flip(0)
x.roll(1)
x.tril()
x.diagonal()
paddle.lerp(x,x2,0.5)
paddle.multiply(x,x2)
paddle.add(x,x2)
paddle.subtract(x,x2)
F.hardswish(x)
F.relu6(x)
F.hardtanh(x)
F.smooth_l1_loss(x,x2)
F.nll_loss(F.log_softmax(x),i)
paddle.floor(x)
paddle.round(x)
paddle.sign(x)
paddle.erf(x)
paddle.log1p(x)
paddle.rsqrt(x)
x.masked_fill(x>1,0.)
x.index_select(i)
paddle.take_along_axis(x,i.unsqueeze(1),1)
x.scale(2.0)
paddle.einsum("ij,jk->ik",x,x2)
F.pad(x,[1,1])
paddle.atan2(x,x2)
x.detach()*x2
x.amax()
x.unbind()[0]
paddle.broadcast_to(x,[2,2,2])
paddle.kron(x,x2)
F.mish(x)
F.swish(x)
F.selu(x)
F.celu(x)
F.prelu(x,w)
F.softsign(x)
F.glu(x)
F.conv1d(x.unsqueeze(0),k)
F.interpolate(x.reshape([1,1,2,2]),scale_factor=2)
"""


def outcome(expression, which):
    """Says whether a gradient still comes if an operand, or the result, is written in place."""
    first = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
    second = paddle.to_tensor([[2.0, 1.0], [0.5, 3.0]], stop_gradient=False)
    x, x2 = first * 1.0, second * 1.0
    i, w, k = paddle.to_tensor([0, 1]), paddle.ones([1]), paddle.ones([1, 2, 1])
    found = eval(expression, {"x": x, "x2": x2, "i": i, "w": w, "k": k, "paddle": paddle, "F": F})
    loss = (found * 1.0).sum() if found.ndim else found * 1.0
    written = {"x": x, "x2": x2, "found": found}[which]
    if (written is x2 and "x2" not in expression) or (which == "found" and found is x):
        return ""
    with paddle.no_grad():
        written.scale_(1.5)
    try:
        loss.backward()
    except RuntimeError:
        return "refused"
    return "fine"


for line in TABLE.strip().splitlines():
    print(line, *(outcome(line, which) for which in ("x", "x2", "found")))

# Through views, leaves and steps that are over, and with paddle.grad.
w = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
y = w * 2.0
z = y * y
y.detach()[0] = 5.0
try:
    z.sum().backward()
except RuntimeError:
    print("refused")
y = w * 2.0
part = y[1:]
z = part * part
print(z.numpy())
y.add_(paddle.ones([3]))
try:
    z.sum().backward()
except RuntimeError:
    print("refused")
z = w * w
with paddle.no_grad():
    w[0] = 4.0
try:
    paddle.grad(z.sum(), w)
except RuntimeError:
    print("refused")

# What a function in place needs itself is kept, and what a sum needs is nothing.
y = w * 2.0
y.multiply_(paddle.to_tensor([1.0, 2.0, 3.0]))
y.square_()
y.sum().backward()
print(w.grad.numpy().round(2).tolist())
w.clear_grad()
y = w * 2.0
z = y + y
y.add_(paddle.ones([3]))
z.sum().backward()
print(w.grad.numpy().tolist())
