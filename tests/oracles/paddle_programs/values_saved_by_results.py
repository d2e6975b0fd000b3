"""Which values functions of several results, recurrent layers and rarer functions save for their gradient."""

import re
import warnings

import numpy as np
import paddle

F, L, G, S, V = paddle.nn.functional, paddle.linalg, paddle.geometric, paddle.signal, paddle.vision.ops
warnings.simplefilter("ignore")
TABLE = """
paddle.mv(x,w)
F.bilinear(p,q,mats)
F.bilinear(p,q,mats,b[:1].unsqueeze(0))
L.eigh(spd)
L.eig(spd)
L.qr(m)
L.qr(m,mode="r")
L.svd(m)
L.svd(p)
L.householder_product(p.T,w)
L.cov(p)
L.cov(m,rowvar=False)
L.lu_solve(m,*L.lu(spd)[:2])
L.norm(m,p="nuc")
L.matrix_norm(m,p=2)
S.frame(seq,3,1)
S.overlap_add(img,1)
paddle.combinations(v)
paddle.select_scatter(x,w,0,1)
paddle.slice_scatter(x,y[:1],[0],[0],[1],[1])
paddle.diagonal_scatter(x,w)
paddle.crop(x,[1,2])
paddle.put_along_axis(x,i2,y,0)
paddle.put_along_axis(x,i2,y,0,reduce="add")
paddle.put_along_axis(x,i2,y,0,reduce="mean")
paddle.put_along_axis(x,i2,y,0,reduce="mul",include_self=False)
paddle.nanmedian(x)
paddle.nanmedian(x,mode="min")
paddle.nanmedian(p,1,mode="min")
paddle.median(x,1,mode="min")
paddle.quantile(p,[0.2,0.5],axis=1)
paddle.quantile(p,0.2,axis=1)
paddle.multiplex([x,y],i.unsqueeze(1).astype("int32"))
paddle.ldexp(x,y)
F.lp_pool1d(seq,2.0,2)
F.lp_pool2d(img,2.0,2)
F.hsigmoid_loss(p,lab,4,m)
F.binary_cross_entropy_with_logits(p,q,pos_weight=h)
F.nll_loss(p,lab,weight=v)
F.kl_div(p,q,log_target=True)
F.poisson_nll_loss(p,q,log_input=False)
F.swiglu(p,q)
F.swiglu(img)
F.gumbel_softmax(x,hard=True)
F.grid_sample(img,grid,mode="nearest")
attended(p,q,h,None)
attended(p,q,h,x)
attended(p,q,h,mask)
G.send_u_recv(x,i,i)
G.send_u_recv(x,i,i,reduce_op="max")
G.send_ue_recv(x,y,i,i,message_op="add")
G.send_ue_recv(x,y,i,i,message_op="sub")
G.send_ue_recv(x,y,i,i,message_op="mul")
G.send_ue_recv(x,y,i,i,message_op="div",reduce_op="mean")
G.send_uv(x,y,i,i,message_op="add")
G.send_uv(x,y,i,i,message_op="sub")
G.send_uv(x,y,i,i,message_op="mul")
G.send_uv(x,y,i,i,message_op="div")
paddle.incubate.identity_loss(x,"mean")
paddle.nn.SpectralNorm([3,3])(m)
lstm(steps)
lstm(steps,(st,st2))
lstm_of_steps(steps)
lstm_of_two(steps)
gru(steps,st)
rnn(steps,st)
lstm_cell(p)
lstm_cell(p,(st[0],st2[0]))
gru_cell(p,st[0])
rnn_cell(p,st[0])
paddle.nn.RNN(gru_cell)(steps,st[0])
paddle.nn.RNN(rnn_cell)(steps)
paddle.nn.RNN(lstm_cell,is_reverse=True)(steps)
paddle.nn.BiRNN(gru_cell,gru_cell)(steps)
"""
TOGETHER = """
paddle.meshgrid(v,u)
paddle.meshgrid(v,u,indexing="xy")
paddle.cartesian_prod([v,u])
paddle.unstack(x)
F.softmax_with_cross_entropy(p,lab.unsqueeze(1),return_softmax=True)
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
    "h": (0.3, 0.9, 2, 3),
    "m": (0.3, 0.9, 3, 3),
    "spd": (0.3, 0.9, 3, 3),
    "mats": (0.3, 0.9, 1, 3, 3),
    "img": (0.3, 0.9, 1, 2, 4, 4),
    "seq": (0.3, 0.9, 1, 2, 6),
    "steps": (0.3, 0.9, 2, 2, 3),
    "st": (0.3, 0.9, 1, 2, 2),
    "st2": (0.3, 0.9, 1, 2, 2),
    "grid": (-0.8, 0.8, 1, 3, 3, 2),
}
LAYERS = {
    "lstm": paddle.nn.LSTM(3, 2),
    "lstm_of_steps": paddle.nn.LSTM(3, 2, time_major=True),
    "lstm_of_two": paddle.nn.LSTM(3, 2, 2, direction="bidirect"),
    "gru": paddle.nn.GRU(3, 2),
    "rnn": paddle.nn.SimpleRNN(3, 2),
    "lstm_cell": paddle.nn.LSTMCell(3, 2),
    "gru_cell": paddle.nn.GRUCell(3, 2),
    "rnn_cell": paddle.nn.SimpleRNNCell(3, 2),
}


def attended(query, key, value, mask):
    """Returns attention of one head."""
    mask = mask if mask is None else mask.reshape([1, 1, 2, 2])
    given = [one.reshape([1, 2, 1, 3]) for one in (query, key, value)]
    return F.scaled_dot_product_attention(*given, attn_mask=mask)


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
    if "m" in made:
        made["m"] = made["m"] + 2.0 * paddle.eye(3)
    return made


def flat(found):
    """Returns all results that have a history, one after another."""
    if isinstance(found, list | tuple):
        return [one for several in found for one in flat(several)]
    return [] if found.stop_gradient or found.dtype in (paddle.int32, paddle.int64) else [found]


def outcome(code, names, which, used):
    """Says whether the gradient of these results still comes if an operand, or a result, is written."""
    paddle.seed(5)
    tensors = inputs(names)
    given = {
        "i": paddle.to_tensor([0, 1]),
        "i2": paddle.to_tensor([[0, 1], [1, 0]]),
        "lab": paddle.to_tensor([0, 2]),
        "mask": paddle.to_tensor([[True, False], [True, True]]),
    }
    modules = {"paddle": paddle, "F": F, "L": L, "G": G, "S": S, "attended": attended}
    found = flat(eval(code, {**tensors, **given, **LAYERS, **modules}))
    if which not in names and (not which.isdigit() or int(which) >= len(found)):
        return "-"
    loss = paddle.zeros([])
    for one in [found[k] for k in used if k < len(found)]:
        loss = loss + (one.real() if one.is_complex() else one * 1.0).sum()
    with paddle.no_grad():
        (tensors[which] if which in names else found[int(which)]).scale_(1.5)
    try:
        loss.backward()
    except RuntimeError:
        return "refused"
    return "fine"


for table, choices in ((TABLE, ((0, 1, 2), (0,), (1,), (2,))), (TOGETHER, ((0, 1),))):
    for line in table.strip().splitlines():
        code = compile(line, "<table>", "eval")
        names = [one for one in SHAPES if re.search(rf"(?<![A-Za-z0-9_.]){one}(?![A-Za-z0-9_=])", line)]
        for used in choices:
            said = [f"{which} {outcome(code, names, which, used)}" for which in (*names, "0", "1", "2")]
            if used[:1] == (0,) or f"{used[0]} -" not in said:
                print(line, used, *said)

# The weights of recurrent layers are needed as well.
sequence = paddle.to_tensor(np.linspace(0.1, 0.9, 12, dtype="float32").reshape(2, 2, 3))
outputs, _ = LAYERS["lstm_of_two"](sequence)
with paddle.no_grad():
    LAYERS["lstm_of_two"].parameters()[0].scale_(1.5)
try:
    outputs.sum().backward()
except RuntimeError:
    print("refused")
outputs, _ = LAYERS["gru_cell"](sequence[0])
with paddle.no_grad():
    LAYERS["gru_cell"].weight_hh.scale_(1.5)
try:
    outputs.sum().backward()
except RuntimeError:
    print("refused")

# What is drawn in place has a history through which zeros pass, and so have counts.
for name, given in (
    ("exponential_", ()),
    ("bernoulli_", ()),
    ("cauchy_", ()),
    ("geometric_", (0.5,)),
    ("log_normal_", ()),
    ("random_", ()),
    ("normal_", ()),
):
    leaf = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
    drawn = leaf * 1.0
    getattr(drawn, name)(*given)
    drawn.sum().backward()
    print(name, drawn.stop_gradient, leaf.grad.numpy().tolist())
leaf = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
counts = paddle.poisson(leaf)
(counts * 3.0).sum().backward()
print(counts.stop_gradient, leaf.grad.numpy().tolist(), paddle.standard_gamma(leaf).stop_gradient)
print(paddle.distribution.Gamma(leaf, leaf).rsample([2]).stop_gradient)
boxes = paddle.ones([2, 4]) * leaf.unsqueeze(1)
print(V.box_coder(paddle.ones([2, 4]), paddle.ones([2, 4]), boxes).stop_gradient)
