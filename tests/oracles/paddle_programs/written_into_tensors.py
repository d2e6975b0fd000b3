"""Functions that write into a tensor given as `out`: values, shapes, dtypes, gradients, leaves."""

import numpy as np
import paddle

functional, linalg, fft = paddle.nn.functional, paddle.linalg, paddle.fft
tensor = paddle.to_tensor
X, Y, M = [[0.25, 0.5], [0.75, 0.125]], [[0.5, 0.375], [0.25, 0.875]], [[1.5, 2.5], [3.5, 1.25]]
TRUE = [[True, False], [True, True]]
one = tensor([1, 0])
unary = """
    abs acos ceil cos cosh exp expm1 floor frac log log10 log1p log2 logsumexp nonzero norm normal_of round rsqrt
    sigmoid sign sin sinh sqrt tanh tril triu atanh all_of amax amin any_of var sum mean prod cumsum
"""
two = """
    add bmm_of div divide dot_of eq equal floor_divide floor_mod ge ger_of greater greater_equal greater_than gt le
    less less_equal less_than lt matmul maximum minimum mod mul multiply ne not_equal outer_of pow remainder sub
    subtract true_divide logical_and logical_or logical_xor complex polar
"""
CALLS = {}
for name in unary.split():
    if hasattr(paddle, name):
        CALLS[name] = (lambda x, name=name, **out: getattr(paddle, name)(x, **out)), [X]
for name in two.split():
    if hasattr(paddle, name):
        CALLS[name] = (lambda x, y, name=name, **out: getattr(paddle, name)(x, y, **out)), [X, Y]
CALLS.update(
    acosh=(paddle.acosh, [M]),
    all=(paddle.all, [TRUE]),
    any=(paddle.any, [TRUE]),
    logical_not=(paddle.logical_not, [TRUE]),
    bmm=(paddle.bmm, [[X], [Y]]),
    bucketize=(lambda x, **out: paddle.bucketize(x, tensor([0.2, 0.6]), **out), [X]),
    clip=(lambda x, **out: paddle.clip(x, 0.2, 0.6, **out), [X]),
    clamp=(lambda x, **out: paddle.clamp(x, 0.2, 0.6, **out), [X]),
    concat=(lambda x, y, **out: paddle.concat([x, y], **out), [X, Y]),
    cat=(lambda x, y, **out: paddle.cat([x, y], 1, **out), [X, Y]),
    cumprod=(lambda x, **out: paddle.cumprod(x, 0, **out), [X]),
    diff=(paddle.diff, [X]),
    dot=(paddle.dot, [X[0], Y[0]]),
    ger=(paddle.ger, [X[0], Y[0]]),
    outer=(paddle.outer, [X[0], Y[0]]),
    gather=(lambda x, **out: paddle.gather(x, one, **out), [X]),
    index_add=(lambda x, y, **out: paddle.index_add(x, one, 0, y, **out), [X, Y]),
    index_select=(lambda x, **out: paddle.index_select(x, one, **out), [X]),
    masked_select=(lambda x, **out: paddle.masked_select(x, tensor(TRUE), **out), [X]),
    quantile=(lambda x, **out: paddle.quantile(x, 0.5, **out), [X]),
    scatter=(lambda x, y, **out: paddle.scatter(x, one, y, **out), [X, Y]),
    searchsorted=(lambda x, **out: paddle.searchsorted(tensor([0.2, 0.6]), x, **out), [X]),
    stack=(lambda x, y, **out: paddle.stack([x, y], **out), [X, Y]),
    take_along_axis=(lambda x, **out: paddle.take_along_axis(x, tensor([[1], [0]]), 1, **out), [X]),
    where=(lambda x, y, **out: paddle.where(tensor(TRUE), x, y, **out), [X, Y]),
    softmax=(lambda x, **out: functional.softmax(x, **out), [X]),
    normalize=(lambda x, **out: functional.normalize(x, **out), [X]),
    vector_norm=(lambda x, **out: linalg.vector_norm(x, **out), [X]),
    norm=(lambda x, **out: linalg.norm(x, **out), [X]),
    solve=(linalg.solve, [M, Y]),
    fft=(fft.fft, [X]),
    ifft=(fft.ifft, [X]),
    rfft=(fft.rfft, [X]),
    hfft=(fft.hfft, [X]),
    fft2=(fft.fft2, [X]),
    fftn=(fft.fftn, [X]),
    ifftn=(fft.ifftn, [X]),
    rfftn=(fft.rfftn, [X]),
)


def rounded(one):
    if one is None:
        return None
    found = one.numpy()
    found = np.stack([found.real, found.imag], -1) if np.iscomplexobj(found) else found
    return found.tolist() if found.dtype.kind in "bi" else (np.round(found, 4) + 0.0).tolist()


for name, (function, data) in sorted(CALLS.items()):
    given = [tensor(one) for one in data]
    for each in given:
        # Paddle 3.3 has a history for numbers that have no slope, and solves for a gradient with what `out` was.
        each.stop_gradient = each.dtype != paddle.float32 or name in ("ceil", "floor", "round", "sign", "solve")
    out = paddle.zeros([3], "int32")
    made = function(*given, out=out)
    print(name, rounded(out), out.dtype, out.stop_gradient, rounded(made) == rounded(out))
    if not out.stop_gradient:
        (out.abs() * 2).sum().backward()
        print("   ", [rounded(each.grad) for each in given])
leaf = tensor([0.0, 0.0], stop_gradient=False)
paddle.exp(tensor([1.0, 2.0]), out=leaf)
print(rounded(leaf), leaf.stop_gradient, leaf.is_leaf)
x = tensor([1.0, 2.0], stop_gradient=False)
with paddle.no_grad():
    paddle.exp(x, out=leaf)
print(rounded(leaf), leaf.stop_gradient, leaf.is_leaf)
y = x * 1.0
y.exp(out=y)
y.sum().backward()
print(rounded(y), rounded(x.grad))
weight = tensor([3.0, 4.0], stop_gradient=False)
made = weight * weight
paddle.exp(x, out=made)
made.sum().backward()
print(rounded(made), weight.grad, rounded(x.grad))
table = paddle.zeros([2, 2])
row = table[0]
paddle.exp(tensor([1.0, 2.0]), out=row)
print(rounded(table))
largest, places = paddle.zeros([2]), paddle.zeros([2], "int64")
paddle.topk(tensor([3.0, 1.0, 2.0]), 2, out=(largest, places))
print(largest.tolist(), places.tolist())
u, s, v = paddle.zeros([1]), paddle.zeros([1]), paddle.zeros([1])
linalg.svd(tensor(X), out=(u, s, v))
print(rounded(paddle.matmul(u * s, v)), rounded(s))
print(paddle.exp(tensor([0.0]), out=None).tolist())
