"""What layers and initializers start with after `paddle.seed`, and what the next draw is after each."""

import paddle
from paddle import nn
from paddle.nn import initializer as start


def shown(name, values):
    rows = [one.astype("float64").reshape([-1]) for one in values]
    sums = " ".join(f"{row.sum().item():.4f} {row[-1].item():.6f}" for row in rows)
    print(name, sums, "|", f"{paddle.rand([1]).item():.6f}")


def weights(name, layer):
    shown(name, layer.parameters())


paddle.seed(11)
weights("Linear", nn.Linear(4, 3))
for kind in ("Conv1D", "Conv2D", "Conv3D", "Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose"):
    weights(kind, getattr(nn, kind)(4, 6, 3))
    weights(kind, getattr(nn, kind)(4, 6, 3, groups=2, bias_attr=False))
weights("Embedding", nn.Embedding(10, 4, padding_idx=0))
for kind in ("SimpleRNN", "LSTM", "GRU"):
    weights(kind, getattr(nn, kind)(4, 3, num_layers=2, direction="bidirect"))
    weights(kind, getattr(nn, kind + "Cell")(4, 3))
weights("norms", nn.LayerList([nn.BatchNorm2D(4), nn.LayerNorm(4), nn.GroupNorm(2, 4), nn.InstanceNorm2D(4)]))
weights("others", nn.LayerList([nn.PReLU(4), nn.Bilinear(3, 4, 2)]))
weights("attention", nn.Transformer(8, 2, 2, 2, 16))
weights("weight_norm", nn.utils.weight_norm(nn.Linear(3, 4)))
weights("spectral_norm", nn.utils.spectral_norm(nn.Linear(3, 4)))
divided = nn.utils.spectral_norm(nn.Linear(3, 4))
shown("before a call", [divided.weight, divided.weight_u, divided.weight_v])
divided(paddle.ones([2, 3]))
shown("after it", [divided.weight, divided.weight_u, divided.weight_v])
weights("LeNet", paddle.vision.models.LeNet())
attribute = paddle.ParamAttr(initializer=start.Normal(0.0, 0.02))
weights("attributes", nn.Linear(4, 3, weight_attr=attribute, bias_attr=start.Uniform(-1.0, 1.0)))
for kind in (
    start.Normal(0.1, 0.3), start.Uniform(-0.2, 0.5), start.TruncatedNormal(0.1, 0.5),
    start.TruncatedNormal(0.0, 0.02, -0.04, 0.04), start.XavierUniform(), start.XavierNormal(),
    start.KaimingUniform(), start.KaimingNormal(), start.Orthogonal(),
):  # fmt: skip
    for dtype in ("float32", "float64"):
        made = [paddle.create_parameter(s, dtype, default_initializer=kind) for s in ([13, 7], [5, 4, 3, 3])]
        shown(type(kind).__name__, made)
nn.initializer.set_global_initializer(start.Normal(), start.Uniform())
weights("global", nn.Linear(4, 3))
nn.initializer.set_global_initializer(None)
