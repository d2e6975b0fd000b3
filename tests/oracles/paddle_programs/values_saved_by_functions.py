"""Which values functions save for their gradient: each operand and result is written before `backward`."""

import re
import warnings

import numpy as np
import paddle

F, L = paddle.nn.functional, paddle.linalg
warnings.simplefilter("ignore")
TABLE = """
paddle.abs(x)
paddle.acos(p*0.5)
paddle.acosh(x)
paddle.add(x,y)
paddle.add_n([x,y])
paddle.addmm(x,x,y)
paddle.addmm(x,y,y,beta=0.5,alpha=2.0)
paddle.amax(x)
paddle.amax(x,1)
paddle.amin(x)
paddle.as_real(cz)
paddle.asin(p*0.5)
paddle.asinh(x)
paddle.atan(x)
paddle.atan2(x,y)
paddle.atanh(p)
paddle.baddbmm(x.unsqueeze(0),x.unsqueeze(0),y.unsqueeze(0))
paddle.bmm(x.unsqueeze(0),y.unsqueeze(0))
paddle.broadcast_to(w,[3,2])
paddle.cdist(p,q)
paddle.ceil(x)
paddle.clip(x,1.2,1.8)
paddle.concat([x,y])
paddle.copysign(x,y)
paddle.cos(x)
paddle.cosh(x)
paddle.cross(v,u)
paddle.cummax(x,0)
paddle.cummin(x,0)
paddle.cumprod(x,0)
paddle.cumsum(x)
paddle.cumsum(x,0)
paddle.cumulative_trapezoid(x)
paddle.deg2rad(x)
paddle.diag(w)
paddle.diag(x)
paddle.diagflat(w)
paddle.diagonal(x)
paddle.diff(p)
paddle.digamma(x)
paddle.dist(x,y)
paddle.dist(x,y,1)
paddle.divide(x,y)
paddle.dot(v,u)
paddle.einsum("ij,jk->ik",x,y)
paddle.einsum("ij->ji",x)
paddle.einsum("ij->",x)
paddle.erf(x)
paddle.erfinv(p*0.5)
paddle.exp(x)
paddle.expand(w,[3,2])
paddle.expand_as(w,x)
paddle.expm1(x)
paddle.flatten(x)
paddle.flip(x,[0])
paddle.floor(x)
paddle.fmax(x,y)
paddle.fmin(x,y)
paddle.frac(x)
paddle.gammaln(x)
paddle.gammainc(x,y)
paddle.gammaincc(x,y)
paddle.gather(x,i)
paddle.gather_nd(x,i2)
paddle.heaviside(x,y)
paddle.hstack([x,y])
paddle.hypot(x,y)
paddle.i0(x)
paddle.i0e(x)
paddle.i1(x)
paddle.i1e(x)
paddle.index_add(x,i,0,y)
paddle.index_fill(x,i,0,1.0)
paddle.index_put(x,(i,),w)
paddle.index_sample(x,i2)
paddle.index_select(x,i)
paddle.inner(x,y)
paddle.inverse(m+3*paddle.eye(3))
paddle.kron(x,y)
paddle.kthvalue(x,1)
paddle.ldexp(x,i)
paddle.lerp(x,y,0.3)
paddle.lerp(x,y,y)
paddle.lgamma(x)
paddle.log(x)
paddle.log10(x)
paddle.log1p(x)
paddle.log2(x)
paddle.logaddexp(x,y)
paddle.logcumsumexp(x,0)
paddle.logit(p)
paddle.logsumexp(x)
paddle.logsumexp(x,1)
paddle.masked_fill(x,mask,0.5)
paddle.masked_scatter(x,mask,u)
paddle.masked_select(x,mask)
paddle.matmul(x,y)
paddle.matmul(x,y,transpose_y=True)
paddle.max(x)
paddle.max(x,0)
paddle.maximum(x,y)
paddle.mean(x)
paddle.mean(x,0)
paddle.median(x)
paddle.median(p,1)
paddle.min(x)
paddle.min(x,1)
paddle.minimum(x,y)
paddle.mm(x,y)
paddle.mode(x)
paddle.moveaxis(x,0,1)
paddle.multigammaln(x+2,2)
paddle.multiply(x,y)
paddle.nan_to_num(x)
paddle.nanmean(x)
paddle.nanquantile(x,0.4)
paddle.nansum(x)
paddle.neg(x)
paddle.norm(x)
paddle.norm(x,1)
paddle.norm(x,2,1)
paddle.norm(x,3,1)
paddle.norm(x,float("inf"))
paddle.norm(x,float("inf"),1)
paddle.norm(x,"fro")
paddle.norm(x,0)
paddle.outer(w,b)
paddle.pdist(p)
paddle.polygamma(x,1)
paddle.pow(x,2)
paddle.pow(x,2.5)
paddle.pow(x,y)
paddle.prod(x)
paddle.prod(x,1)
paddle.quantile(x,0.4)
paddle.rad2deg(x)
paddle.real(cz)
paddle.imag(cz)
paddle.reciprocal(x)
paddle.reduce_as(x,w)
paddle.remainder(x,y)
paddle.renorm(x,2.0,0,1.0)
paddle.repeat_interleave(x,2)
paddle.reshape(x,[4])
paddle.roll(x,1)
paddle.rot90(x)
paddle.round(x)
paddle.rsqrt(x)
paddle.scale(x,2.0)
paddle.scatter(x,i,y)
paddle.scatter(x,i,y,overwrite=False)
paddle.scatter_nd_add(x,i.unsqueeze(1),y)
paddle.sgn(x)
paddle.sigmoid(x)
paddle.sign(x)
paddle.sin(x)
paddle.sinc(x)
paddle.sinh(x)
paddle.slice(x,[0],[0],[1])
paddle.sort(x)
paddle.sort(x,0)
paddle.split(x,2)
paddle.sqrt(x)
paddle.square(x)
paddle.squeeze(x.unsqueeze(0))
paddle.stack([x,y])
paddle.stanh(x)
paddle.std(x)
paddle.std(x,0)
paddle.strided_slice(x,[0],[0],[2],[1])
paddle.subtract(x,y)
paddle.sum(x)
paddle.sum(x,0)
paddle.t(x)
paddle.take(x,i)
paddle.take_along_axis(x,i2,1)
paddle.tan(x)
paddle.tanh(x)
paddle.tensordot(x,y,1)
paddle.tile(x,[2,1])
paddle.topk(x,1)
paddle.topk(p,2,1)
paddle.trace(x)
paddle.transpose(x,[1,0])
paddle.trapezoid(x)
paddle.tril(x)
paddle.triu(x)
paddle.trunc(x)
paddle.unbind(x)
paddle.unflatten(x,1,[1,2])
paddle.unfold(v,0,2,1)
paddle.unsqueeze(x,0)
paddle.vander(v)
paddle.var(x)
paddle.var(x,0)
paddle.vecdot(p,q)
paddle.where(mask,x,y)
x+y
x-y
x*y
x/y
x**y
x%y
x+2.0
2.0-x
x*2.0
x/2.0
2.0/x
x**2
2.0**x
-x
x@y
x[0]
x[:,1:]
x[mask]
x[i]
x[i,i]
x[0,1]
x.astype("float64")
x.clone()
x.cast("float32")
paddle.assign(x)
paddle.increment(x.sum())
L.cholesky(spd)
L.cholesky_solve(m,spd)
L.cond(x)
L.corrcoef(p)
L.det(m)
L.eigvalsh(spd)
L.inv(m+3*paddle.eye(3))
L.lu(m)
L.matrix_exp(x)
L.matrix_power(x,2)
L.matrix_norm(x)
L.multi_dot([x,y,x])
L.norm(x)
L.pinv(m)
L.slogdet(m)
L.solve(spd,m)
L.svdvals(x)
L.triangular_solve(spd,m)
L.vector_norm(x)
L.vector_norm(x,1.0)
paddle.fft.irfft(cz)
paddle.logcumsumexp(x)
paddle.block_diag([x,y])
paddle.column_stack([x,y])
paddle.vsplit(x,2)
paddle.swapaxes(x,0,1)
paddle.view(x,[4])
paddle.atleast_3d(x)
paddle.tensor_split(x,2)
"""
SHAPES = {
    "x": (1, 2, 2, 2),
    "y": (0.5, 3, 2, 2),
    "w": (0.3, 0.9, 2),
    "b": (0.3, 0.9, 2),
    "v": (0.3, 0.9, 3),
    "u": (0.3, 0.9, 3),
    "p": (0.3, 0.9, 2, 3),
    "q": (0.3, 0.9, 2, 3),
    "m": (0.3, 0.9, 3, 3),
    "spd": (0.3, 0.9, 3, 3),
    "cz": (1, 2, 2, 2),
}


def inputs(names):
    """Returns results by the names that the table gives them."""
    draw = np.random.RandomState(3)
    made = {}
    for name in names:
        low, high, *lengths = SHAPES[name]
        values = draw.uniform(low, high, lengths).astype("float32")
        made[name] = paddle.to_tensor(values, stop_gradient=False) * 1.0
    if "spd" in made:
        made["spd"] = (made["spd"] + made["spd"].T + 3.0 * paddle.eye(3)) * 1.0
    if "cz" in made:
        made["cz"] = paddle.complex(made["cz"], made["cz"] * 0.5)
    return made


def outcome(code, names, which):
    """Says whether a gradient still comes if an operand, or a result, is written in place."""
    paddle.seed(5)
    tensors = inputs(names)
    given = {
        "i": paddle.to_tensor([0, 1]),
        "i2": paddle.to_tensor([[0, 1], [1, 0]]),
        "lab": paddle.to_tensor([0, 2]),
        "mask": paddle.to_tensor([[True, False], [True, True]]),
    }
    found = eval(code, {**tensors, **given, "paddle": paddle, "F": F, "L": L})
    found = found if isinstance(found, list | tuple) else [found]
    found = [one for one in found if not one.stop_gradient and one.dtype in (paddle.float32, paddle.float64)]
    loss = (found[0] * 1.0).sum()
    if which in names:
        written = tensors[which]
    elif int(which) < len(found) and all(found[int(which)] is not one for one in tensors.values()):
        written = found[int(which)]
    else:
        return "-"
    with paddle.no_grad():
        written.scale_(1.5)
    try:
        loss.backward()
    except RuntimeError:
        return "refused"
    return "fine"


for line in TABLE.strip().splitlines():
    code = compile(line, "<table>", "eval")
    names = [one for one in SHAPES if re.search(rf"(?<![A-Za-z0-9_.]){one}(?![A-Za-z0-9_=])", line)]
    print(line, *(f"{which} {outcome(code, names, which)}" for which in (*names, "0", "1")))
