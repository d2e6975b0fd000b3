"""What layers print of their arguments: people print their networks."""

from paddle import nn

for layer in (
    nn.Dropout2D(), nn.Dropout3D(0.3), nn.AlphaDropout(), nn.FeatureAlphaDropout(0.2),
    nn.InstanceNorm1D(3), nn.InstanceNorm2D(3), nn.InstanceNorm3D(3, 1e-3), nn.PReLU(), nn.PReLU(3),
    nn.MaxUnPool1D(2), nn.MaxUnPool2D(2), nn.MaxUnPool3D(2), nn.FractionalMaxPool2D(3),
    nn.FractionalMaxPool3D([3, 2, 2], return_mask=True), nn.AdaptiveAvgPool3D(3), nn.AdaptiveMaxPool2D(3),
    nn.Pad1D(1), nn.Pad2D([1, 2, 3, 4], "reflect"), nn.Pad3D(1), nn.ZeroPad1D(1), nn.ZeroPad2D(1),
    nn.ZeroPad3D(1), nn.ConstantPad1D([1, 2], 0.5), nn.ConstantPad3D(2, 1.0), nn.ReflectionPad1D(1),
    nn.ReflectionPad2D(1), nn.ReplicationPad2D(1), nn.ReplicationPad3D(1), nn.CircularPad1D(1),
    nn.CircularPad3D(1), nn.PixelShuffle(2), nn.PixelUnshuffle(2), nn.ChannelShuffle(2),
    nn.Bilinear(2, 3, 4), nn.Upsample(scale_factor=2), nn.Upsample(size=[4, 4], mode="bilinear"),
    nn.UpsamplingNearest2D(scale_factor=2), nn.UpsamplingBilinear2D(size=[3, 3]), nn.CosineSimilarity(),
    nn.RReLU(), nn.Unflatten(1, [2, 2]), nn.LocalResponseNorm(3), nn.PairwiseDistance(), nn.Fold(4, 2),
    nn.Unfold(2), nn.Softplus(), nn.Conv3DTranspose(2, 4, 3, stride=2),
    nn.KLDivLoss(log_target=True), nn.MultiLabelMarginLoss(), nn.Sequential(("first", nn.ReLU())),
):  # fmt: skip
    print(layer)
print(nn.Conv2d is nn.Conv2D, nn.Module is nn.Layer, nn.ModuleList is nn.LayerList, nn.SiLU is nn.Silu)
layers = nn.LayerDict({"one": nn.ReLU(), "other": nn.Tanh()})
layers.update({"third": nn.Sigmoid(), "one": nn.ReLU6()})
del layers["other"]
print(layers, layers.pop("third"), len(layers))
layers.clear()
print(layers, len(layers))
net = nn.Sequential(*[nn.ReLU()] * 2)
print([name for name, _ in net.named_sublayers(remove_duplicate=False)])
print([name for name, _ in net.named_sublayers()])
for layer in (
    nn.PReLU(), nn.ReLU6(), nn.SmoothL1Loss(), nn.SpectralNorm([2, 3]), nn.Linear(2, 3, name="own"),
    nn.Embedding(4, 3, name="own"), nn.BatchNorm1D(3), nn.GELU(), nn.CELU(), nn.KLDivLoss(),
):  # fmt: skip
    print(layer.full_name().rsplit("_", 1)[0], [(name, one.shape) for name, one in layer.named_parameters()])
    print(list(layer.state_dict()), [one.stop_gradient for one in layer.parameters()])
