"""Attention, encoders and decoders: masks, caches, normalisation before, and their gradients."""

import numpy
import paddle
from paddle import nn


def rounded(found):
    if isinstance(found, (list, tuple)):
        return [rounded(one) for one in found]
    return found.shape, [round(one, 3) + 0.0 for one in found.flatten().tolist()[:6]]


def prepared(layer):
    for i, one in enumerate(layer.parameters()):
        one.set_value((numpy.sin(numpy.arange(one.size) + i) * 0.5).reshape(one.shape).astype("float32"))
    layer.eval()
    return layer


def run(name, layer, *given):
    prepared(layer)
    found = layer(*given)
    first = found[0] if isinstance(found, tuple) else found
    weights = paddle.cos(paddle.arange(first.size, dtype="float32")).reshape(first.shape)
    (first * weights).sum().backward()
    print(name, rounded(found), [round(float(one.grad.abs().sum()), 1) for one in layer.parameters()])


y = paddle.to_tensor(numpy.cos(numpy.arange(80)).reshape(2, 5, 8).astype("float32"))
memory = paddle.to_tensor(numpy.sin(numpy.arange(64)).reshape(2, 4, 8).astype("float32"))
causal = nn.Transformer(8, 2, 1, 1, 8).generate_square_subsequent_mask(5)
print(causal.tolist())
run("attention", nn.MultiHeadAttention(8, 2), y)
run("attention", nn.MultiHeadAttention(8, 2), y, memory, memory)
run("attention", nn.MultiHeadAttention(8, 2, need_weights=True), y, y, y, causal)
run("attention", nn.MultiHeadAttention(8, 2), y, y, y, paddle.tril(paddle.ones([5, 5])).astype("bool"))
run("encoder", nn.TransformerEncoderLayer(8, 2, 16), y)
run("encoder", nn.TransformerEncoderLayer(8, 2, 16, normalize_before=True, activation="gelu"), y, causal)
run("encoder", nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2, nn.LayerNorm(8)), y)
run("decoder", nn.TransformerDecoderLayer(8, 2, 16), y, memory, causal)
run("decoder", nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16), 2), y, memory)
run("both", nn.Transformer(8, 2, 1, 1, 16), memory, y, None, causal)
print([name for name, _ in nn.Transformer(8, 2, 1, 1, 16).named_parameters()])
print(nn.TransformerDecoderLayer(8, 2, 16))
layer = prepared(nn.TransformerEncoderLayer(8, 2, 16))
cache = layer.gen_cache(y)
for i in range(3):
    found, cache = layer(y[:, i : i + 1], None, cache)
    print(rounded(found))
