"""Which functions give views, which copies, and which the tensor itself."""

import copy
import warnings

import numpy as np
import paddle

warnings.simplefilter("ignore")
F = paddle.nn.functional
TABLE = """
s.reshape([1])
s.flatten()
s.unsqueeze(0)
s.squeeze()
s.T
s.reshape([])
s[None]
s.detach().reshape([1,1])
s[...]
s.transpose([])
x[0,0,0].unsqueeze(0)
x[0,0,0].squeeze()
x[0,0,0][None]
x[0,0,0].reshape([1,1])
x[0,0,0:1].reshape([])
x[0,0,0:1].squeeze()
x[0,0,0:1].reshape([1,1])
x[:,0:1,0].reshape([2])
x[:,0:1,0].reshape([2,1,1])
x[:,0:1,0].flatten()
x[:,:,0].reshape([6])
x[:,:,0].flatten()
x[::-1].reshape([24])
x[::-1].reshape([2,12])
x[:,:,::2].reshape([12])
x[:,:,::2].reshape([6,2])
x.T.reshape([4,3,2,1])
x.transpose([0,2,1]).reshape([2,2,2,3])
x.transpose([2,0,1]).reshape([4,6])
x.transpose([2,0,1]).flatten(1)
x.T.clone()
x.T.view([4,3,2,1])
x.T.ravel()
x.T.unflatten(0,[2,2])
x[0:1].squeeze(0)
x[0:1].T
x[:,1:2,:].reshape([2,4])
x[:,1:2,:].reshape([8])
x[1:1]
x[0:0].reshape([0])
x[:, :0]
F.dropout2d(x.unsqueeze(0),0.5,training=False)
F.dropout(x.unsqueeze(0),0.5,training=False)
F.dropout3d(x.unsqueeze(0).unsqueeze(0),0.5,training=False)
F.dropout(x,0.5,training=False)
F.dropout1d(x,0.5,training=False)
F.feature_alpha_dropout(x,0.5,training=False)
F.alpha_dropout(x,0.5,training=False)
F.dropout(x,0.,training=True)
F.dropout(x,0.5,training=False,axis=0)
F.dropout(x,0.5,training=False,mode="downscale_in_infer")
copy.copy(x)
+x
x.float()
x.type_as(x)
x.double()
x.cast("float32")
x.astype("float32")
x.int()
paddle.rot90(x,4)
paddle.rot90(x,0)
paddle.rot90(x,-4)
x.to("float32")
x.to(dtype="float32")
x.to(x)
x.to("cpu","float32")
x.astype(paddle.float32)
paddle.cast(x,"float32")
x.half()
paddle.Tensor(x)
paddle.einsum("ijk->ijk",x)
paddle.einsum("ij->ij",x[0])
paddle.einsum("ij->ji",x[0])
paddle.einsum("i->i",x[0,0])
paddle.cartesian_prod([x[0,0]])
x[[0],]
x[paddle.to_tensor(1)]
x[paddle.to_tensor(1),:,0]
x[paddle.to_tensor([1])]
x[np.int64(1)]
x[np.array(1)]
x[0,paddle.to_tensor(1)]
x[:,paddle.to_tensor(1)]
x[paddle.to_tensor(1),paddle.to_tensor(1)]
x[paddle.to_tensor(0):paddle.to_tensor(1)]
x[True]
x[None,None]
x[:]
x[...]
x[:,:]
x[()]
x[0,...]
x[...,0:0]
x[0][1][2]
x[-1]
x[:,-1]
x[:,-2:]
paddle.FloatTensor(x)
paddle.to_tensor(x)
paddle.assign(x)
paddle.atleast_1d(s)
paddle.atleast_2d(s)
paddle.atleast_3d(s)
paddle.atleast_2d(x)
paddle.atleast_1d(x[0,0])
paddle.atleast_2d(x[0,0])
paddle.atleast_3d(x[0,0])
paddle.atleast_3d(x[0])
paddle.squeeze(x,0)
paddle.squeeze(x[0:1],0)
paddle.unsqueeze(x,[0,1])
paddle.unsqueeze(x,paddle.to_tensor(0))
x.expand([2,3,4])
x.expand([-1,-1,-1])
paddle.broadcast_to(x,[2,3,4])
x.expand([2,2,3,4])
x.expand_as(x)
paddle.tensor_split(x,[1])[0]
paddle.tensor_split(x,2)[0]
paddle.tensor_split(x,1)[0]
paddle.tensor_split(x,(1,))[1]
paddle.hsplit(x,[1])[0]
paddle.vsplit(x,[1])[0]
paddle.dsplit(x,[1])[0]
paddle.unbind(x)[1]
paddle.unbind(x,2)[0]
x.split([1,1])[0]
paddle.chunk(x,2)[0]
paddle.unstack(x)[1]
list(x)[1]
[r for r in x][0]
[q for q in x[0]][0]
c.real()
c.imag()
paddle.as_real(c)
paddle.as_complex(p)
c.conj()
paddle.real(c)
c.T
c.reshape([-1])
paddle.as_complex(x.reshape([12,2]))
x.view("int32")
x.view("uint8")
x.view("float64")
x.view(paddle.int16)
x[0].view("int32")
x[:,0].view("int32")
x.diagonal()
x.diagonal(1)
x.diagonal(-1,1,2)
x[0].diagonal()
paddle.diagonal(x,axis1=2,axis2=0)
paddle.as_strided(x,[2,2],[1,2],12)
x.as_strided([3],[2])
x.unfold(0,1,1)
x.unfold(2,2,2)
x.unfold(-1,3,1)
x[0].unfold(0,2,1)
paddle.linalg.diagonal(x)
paddle.diag_embed(x[0])
x.trace()
paddle.flip(x,[0])
x.flip(0)
paddle.rot90(x,1)
paddle.rot90(x,2)
paddle.roll(x,0)
paddle.roll(x,1)
paddle.moveaxis(x,[0,1],[1,0])
paddle.crop(x,[2,3,4])
paddle.crop(x,[1,3,4])
paddle.slice(x,[0,1],[0,0],[1,2])
paddle.slice(x,[0],[paddle.to_tensor(0)],[1])
paddle.strided_slice(x,[0],[1],[-3],[-1])
paddle.narrow(x,0,0,1)
x.narrow(0,1,1)
paddle.select_scatter(x,x[0],0,0)
x.swapaxes(0,1)
x.swapdims(0,2)
x.permute(2,0,1)
x.transpose(0,1)
x[0,0].t()
x.mT
x.view(-1)
x.view(24)
x.view(4,6)
x.view([2,-1])
x.reshape(24)
x.reshape(4,6)
x.reshape(-1)
x.flatten(0,1)
x.flatten(1,1)
x[0,0].flatten()
x[0,0].reshape([4])
x[0,0].reshape((4,))
x[0,0].reshape(4)
x[0,0].ravel()
x[0,0].view([4])
x[0,0].squeeze()
x[0,0].unflatten(0,[4])
paddle.nn.Flatten()(x)
paddle.nn.Identity()(x)
paddle.nn.Unflatten(2,[2,2])(x)
paddle.nn.Dropout(0.)(x)
paddle.nn.Sequential()(x)
paddle.nn.PixelShuffle(1)(x.unsqueeze(0))
paddle.nn.PixelUnshuffle(1)(x.unsqueeze(0))
paddle.nn.ChannelShuffle(1)(x.unsqueeze(0))
F.pixel_shuffle(x.unsqueeze(0),1)
paddle.tile(x,[1,1,1])
paddle.tile(x,[1])
paddle.repeat_interleave(x,1,0)
F.pad(x,[0,0],data_format="NCL")
paddle.concat([x])
paddle.stack([x])
paddle.hstack([x])
paddle.broadcast_tensors([x])[0]
paddle.meshgrid(x[0,0])[0]
paddle.index_select(x,paddle.to_tensor([0,1]))
paddle.kron(paddle.ones([1]),x)
paddle.scale(x)
paddle.sum(x,[])
paddle.sum(x,axis=0,keepdim=True)
paddle.mean(x[0:1],0)
paddle.max(x[0:1],0)
paddle.sum(x[0:1],0)
paddle.prod(x[0:1],0)
paddle.logsumexp(x[0:1],0)
paddle.cumsum(x[0:1],0)
F.interpolate(x.unsqueeze(0),size=[3,4])
F.adaptive_avg_pool1d(x,4)
F.avg_pool1d(x,1)
F.max_pool1d(x,1)
F.linear(x,paddle.eye(4))
paddle.matmul(x,paddle.eye(4))
paddle.mm(x[0],paddle.eye(4))
paddle.masked_select(x,x>-1)
paddle.gather_nd(x,paddle.to_tensor([0]))
paddle.nn.functional.embedding(paddle.to_tensor(0),x[0])
F.zeropad2d(x.unsqueeze(0),[0,0,0,0])
F.unfold(x.unsqueeze(0),1)
paddle.block_diag([x[0]])
paddle.diagflat(x)
paddle.tril(x,9)
paddle.slice_scatter(x,x,[0],[0],[2],[1])
paddle.unsqueeze(x,0)
paddle.squeeze(paddle.unsqueeze(x,0))
paddle.nan_to_num(x)
paddle.trunc(x)
paddle.round(x)
paddle.conj(x)
paddle.vander(x[0,0])
paddle.quantile(x[0:1],0.5,0)
paddle.median(x[0:1],0)
paddle.sort(x[0:1],0)
paddle.topk(x,4)[0]
paddle.unique(x)
paddle.where(x>-1,x,x)
paddle.lerp(x,x,0.)
paddle.column_stack([x[0]])
paddle.row_stack([x[0]])
paddle.dstack([x])
paddle.vstack([x])
paddle.combinations(x[0,0],1)
paddle.positive(x)
paddle.abs(x)
F.relu(x)
F.leaky_relu(x,1.)
F.softplus(x,1,-99)
F.prelu(x,paddle.ones([1]))
F.hardtanh(x,-99,99)
F.celu(x)
F.elu(x)
F.relu6(x/9)
F.normalize(x)
F.cosine_similarity(x,x)
F.one_hot(paddle.to_tensor([0]),2)
paddle.linalg.norm(x[0:1],p=1,axis=0)
paddle.linalg.matrix_power(x[0,:3,:3],1)
paddle.pow(x,1)
x**1
x*1
x+0
x-0
x/1
x//1
paddle.geometric.segment_sum(x[0],paddle.to_tensor([0,1,2]))
"""


def data():
    return paddle.arange(24, dtype="float32").reshape([2, 3, 4]).clone()


def kind(expression):
    x, s, c = data(), paddle.to_tensor(3.0), paddle.complex(data(), data() + 1)
    p = paddle.arange(8, dtype="float32").reshape([4, 2]).clone()
    bases = (x, s, c, p)
    names = {"x": x, "s": s, "c": c, "p": p, "paddle": paddle, "F": F, "np": np, "copy": copy}
    found = eval(expression, names)
    if any(found is one for one in bases):
        return "the tensor itself"
    before = [one.numpy().copy() for one in bases]
    with paddle.no_grad():
        found.fill_(77)
    changed = any((old != new.numpy()).any() for old, new in zip(before, bases))
    return "a view" if changed else "a copy"


for line in TABLE.strip().splitlines():
    print(line, "is", kind(line))
x = data()
print(x.T.is_contiguous(), x[:, 0].is_contiguous(), x[0].is_contiguous(), x.T.strides, x[1].offset)
print(x[:, ::2].strides, x.T.get_strides(), x[:, 0].stride(0), x[:, 0].contiguous().is_contiguous())
print(x[1:].data_ptr() - x.data_ptr(), x.reshape([24]).data_ptr() == x.data_ptr())
for refused in (lambda: x.T.view([24]), lambda: x.T.view_as(paddle.ones([24])), lambda: x[0, 0, 0].view([1])):
    try:
        refused()
    except ValueError:
        print("refused")
