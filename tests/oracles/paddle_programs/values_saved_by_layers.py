"""Which values functions of layers save for their gradient: each operand and result is written before `backward`."""

import re
import warnings

import numpy as np
import paddle

F, L = paddle.nn.functional, paddle.linalg
warnings.simplefilter("ignore")
TABLE = """
F.adaptive_avg_pool1d(seq,2)
F.adaptive_avg_pool2d(img,2)
F.adaptive_avg_pool3d(vol,2)
F.adaptive_max_pool1d(seq,2)
F.adaptive_max_pool2d(img,2)
F.adaptive_max_pool3d(vol,2)
F.affine_grid(theta,[1,1,3,3])
F.avg_pool1d(seq,2)
F.avg_pool2d(img,2)
F.avg_pool3d(vol,2)
F.batch_norm(img,paddle.zeros([2]),paddle.ones([2]),w,b,training=True)
F.batch_norm(img,paddle.zeros([2]),paddle.ones([2]),w,b,training=False)
F.binary_cross_entropy(p,q)
F.binary_cross_entropy_with_logits(p,q)
F.celu(x)
F.channel_shuffle(img,2)
F.conv1d(seq,k1)
F.conv1d(seq,k1,b)
F.conv1d_transpose(seq,k1)
F.conv2d(img,k2)
F.conv2d(img,k2,b)
F.conv2d_transpose(img,k2t)
F.conv3d(vol,k3)
F.conv3d_transpose(vol,k3)
F.cosine_embedding_loss(p,q,paddle.to_tensor([1,-1]))
F.cosine_similarity(p,q)
F.cross_entropy(p,lab)
F.cross_entropy(p,q,soft_label=True)
F.cross_entropy(p,lab,weight=v)
F.dice_loss(F.softmax(p),lab.unsqueeze(1))
F.dropout(x,0.5)
F.dropout(x,0.5,training=False)
F.dropout2d(img,0.5)
F.elu(x)
F.elu(x-1.5)
F.embedding(i,x)
F.fold(paddle.ones([1,4,4])*x[0,0],[3,3],2)
F.gelu(x)
F.gelu(x,approximate=True)
F.glu(img)
F.grid_sample(img,grid)
F.group_norm(img,1,1e-5,w,b)
F.group_norm(img,2)
F.gumbel_softmax(x)
F.hardshrink(x)
F.hardsigmoid(x)
F.hardswish(x)
F.hardtanh(x)
F.hinge_embedding_loss(p,paddle.ones([2,3]))
F.instance_norm(img,weight=w,bias=b)
F.instance_norm(img)
F.interpolate(img,scale_factor=2)
F.interpolate(img,scale_factor=2,mode="bilinear")
F.interpolate(img,scale_factor=2,mode="bicubic")
F.interpolate(seq,scale_factor=2,mode="linear",data_format="NCW")
F.kl_div(p,q)
F.l1_loss(p,q)
F.label_smooth(p)
F.layer_norm(x,[2],w,b)
F.layer_norm(x,[2])
F.layer_norm(img,[4,4])
F.leaky_relu(x)
F.linear(p,m)
F.linear(p,m,v)
F.local_response_norm(img,3)
F.log_loss(p[:,:1],q[:,:1])
F.log_sigmoid(x)
F.log_softmax(x)
F.margin_ranking_loss(p,q,paddle.ones([2,3]))
F.max_pool1d(seq,2)
F.max_pool2d(img,2)
F.max_pool2d(img,2,return_mask=True)
F.max_pool3d(vol,2)
F.maxout(img,2)
F.mish(x)
F.mse_loss(p,q)
F.multi_label_soft_margin_loss(p,paddle.ones([2,3]))
F.multi_margin_loss(p,lab)
F.nll_loss(p,lab)
F.normalize(x)
F.npair_loss(p,q,paddle.to_tensor([0.,1.]))
F.pad(x,[1,1])
F.pad(img,[1,1,1,1])
F.pad(img,[1,1,1,1],mode="reflect")
F.pairwise_distance(p,q)
F.pixel_shuffle(paddle.concat([img,img],1),2)
F.pixel_unshuffle(img,2)
F.poisson_nll_loss(p,q)
F.prelu(x,b[:1])
F.relu(x)
F.relu6(x)
F.rrelu(x,training=True)
F.scaled_dot_product_attention(p.reshape([1,2,1,3]),q.reshape([1,2,1,3]),h.reshape([1,2,1,3]))
F.selu(x)
F.sigmoid(x)
F.sigmoid_focal_loss(p,q)
F.silu(x)
F.smooth_l1_loss(p,q)
F.soft_margin_loss(p,paddle.ones([2,3]))
F.softmax(x)
F.softmax(x,0)
F.softmax_with_cross_entropy(p,lab.unsqueeze(1))
F.softplus(x)
F.softshrink(x)
F.softsign(x)
F.square_error_cost(p,q)
F.swish(x)
F.tanhshrink(x)
F.temporal_shift(paddle.concat([img,img]),2,0.25)
F.thresholded_relu(x)
F.triplet_margin_loss(p,q,h)
F.unfold(img,2)
F.upsample(img,scale_factor=2)
F.zeropad2d(img,[1,1,1,1])
F.gaussian_nll_loss(p,q,h)
F.ctc_loss(paddle.ones([4,2,3])*p,paddle.to_tensor([[1],[2]],dtype="int32"),paddle.to_tensor([4,4]),paddle.to_tensor([1,1]))
paddle.nn.LayerNorm(2)(x)
paddle.nn.BatchNorm2D(2)(img)
paddle.nn.GroupNorm(1,2)(img)
paddle.nn.Linear(3,2)(p)
paddle.nn.Conv2D(2,2,3)(img)
paddle.nn.MultiHeadAttention(3,1)(p.unsqueeze(0))
paddle.nn.Softmax()(x)
paddle.nn.Embedding(3,2)(i)*x
paddle.nn.utils.parameters_to_vector([x,y])
paddle.geometric.segment_sum(x,i)
paddle.geometric.segment_mean(x,i)
paddle.geometric.segment_max(x,i)
paddle.vision.ops.roi_align(img,paddle.to_tensor([[0.,0.,3.,3.]]),paddle.to_tensor([1],dtype="int32"),2)
paddle.vision.ops.deform_conv2d(img,paddle.zeros([1,18,2,2])+img[0,0,0,0]*0,k2)
"""
SHAPES = {
    "x": (1, 2, 2, 2),
    "y": (0.5, 3, 2, 2),
    "w": (0.3, 0.9, 2),
    "b": (0.3, 0.9, 2),
    "v": (0.3, 0.9, 3),
    "p": (0.3, 0.9, 2, 3),
    "q": (0.3, 0.9, 2, 3),
    "h": (0.3, 0.9, 2, 3),
    "m": (0.3, 0.9, 3, 3),
    "img": (0.3, 0.9, 1, 2, 4, 4),
    "vol": (0.3, 0.9, 1, 2, 4, 4, 4),
    "seq": (0.3, 0.9, 1, 2, 6),
    "k1": (0.3, 0.9, 2, 2, 3),
    "k2": (0.3, 0.9, 2, 2, 3, 3),
    "k2t": (0.3, 0.9, 2, 2, 3, 3),
    "k3": (0.3, 0.9, 2, 2, 2, 2, 2),
    "grid": (-0.8, 0.8, 1, 3, 3, 2),
    "theta": (0.3, 0.9, 1, 2, 3),
}


def inputs(names):
    """Returns results by the names that the table gives them."""
    draw = np.random.RandomState(3)
    made = {}
    for name in names:
        low, high, *lengths = SHAPES[name]
        values = draw.uniform(low, high, lengths).astype("float32")
        made[name] = paddle.to_tensor(values, stop_gradient=False) * 1.0
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
