"""Attention and the layers of Transformers (Vaswani et al., 2017), under Paddle's names."""

from __future__ import annotations

from typing import Any, NamedTuple

from penstock.paddle import _manipulation, _math
from penstock.paddle._convert import operand
from penstock.paddle._declaring import in_nn
from penstock.paddle._errors import InvalidValueError
from penstock.paddle.nn import functional as F
from penstock.paddle.nn._containers import LayerList
from penstock.paddle.nn._dropout import Dropout
from penstock.paddle.nn._layer import Standard as Layer
from penstock.paddle.nn._linear import Linear
from penstock.paddle.nn._norm_layers import LayerNorm
from penstock.trace.source_site import here


def _as_added(mask: Any, dtype: Any) -> Any:
    """Returns a mask as a term to add to scores: booleans or integers mark the visible positions."""
    if mask is None or mask._spec.dtype.kind in "fV":
        return mask
    return (_math.cast(mask, dtype) - 1.0) * 1e9


class Cache(NamedTuple):
    """Keys and values of the steps so far."""

    k: Any
    v: Any


class StaticCache(NamedTuple):
    """Keys and values of a memory that stays."""

    k: Any
    v: Any


@in_nn
class MultiHeadAttention(Layer):
    """Attention of several heads, each with a part of the features.

    >>> from penstock import paddle
    >>> layer = paddle.nn.MultiHeadAttention(8, 2)
    >>> layer(paddle.zeros([2, 3, 8])).shape
    paddle.Size([2, 3, 8])
    """

    Cache, StaticCache = Cache, StaticCache

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, kdim: int | None = None,
        vdim: int | None = None, need_weights: bool = False, weight_attr: Any = None, bias_attr: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self.dropout, self.need_weights = dropout, need_weights
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise InvalidValueError(
                f"embed_dim must be divisible by num_heads, and they are {embed_dim} and {num_heads}",
                site=here(),
            )
        self.q_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)
        self.k_proj = Linear(self.kdim, embed_dim, weight_attr, bias_attr)
        self.v_proj = Linear(self.vdim, embed_dim, weight_attr, bias_attr)
        self.out_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)

    def _heads(self, x: Any) -> Any:
        return x.reshape([0, 0, self.num_heads, self.head_dim]).transpose([0, 2, 1, 3])

    def compute_kv(self, key: Any, value: Any) -> tuple[Any, Any]:
        """Returns keys and values as heads."""
        return self._heads(self.k_proj(key)), self._heads(self.v_proj(value))

    def gen_cache(self, key: Any, value: Any = None, type: Any = Cache) -> Any:
        """Returns a cache: empty, of keys and values as they are, or of a memory's."""
        if type is StaticCache:
            return StaticCache(*self.compute_kv(key, key if value is None else value))
        if value is None:
            from penstock.paddle import _creation

            lengths = [key._spec.shape[0], self.num_heads, 0, self.head_dim]
            return Cache(*(_creation.zeros(lengths, key._spec.dtype.name) for _ in range(2)))
        return Cache(key, value)

    def forward(
        self, query: Any, key: Any = None, value: Any = None, attn_mask: Any = None, cache: Any = None
    ) -> Any:
        """Returns the attention output; then the weights if requested, and the cache if one was given."""
        key = query if key is None else key
        value = query if value is None else value
        q = self._heads(self.q_proj(query))
        if isinstance(cache, StaticCache):
            k, v = cache
        else:
            k, v = self.compute_kv(key, value)
            if isinstance(cache, Cache):
                k, v = (_manipulation.concat([a, b], 2) for a, b in zip(cache, (k, v), strict=True))
                cache = Cache(k, v)
        scores = _math.matmul(q * (self.head_dim**-0.5), k, transpose_y=True)
        if attn_mask is not None:
            scores = scores + _as_added(operand(attn_mask), scores.dtype)
        weights = F.softmax(scores)
        if self.dropout:
            weights = F.dropout(weights, self.dropout, training=self.training)
        found = _math.matmul(weights, v).transpose([0, 2, 1, 3])
        found = self.out_proj(found.reshape([0, 0, self.embed_dim]))
        results = [found, *([weights] if self.need_weights else []), *([cache] if cache is not None else [])]
        return found if len(results) == 1 else tuple(results)


def _attributes(attr: Any, count: int) -> list[Any]:
    """Returns the attributes of weights, for each of `count` parts of a layer."""
    if isinstance(attr, list | tuple):
        return list(attr) * count if len(attr) == 1 else list(attr)
    return [attr] * count


class _Block(Layer):
    """The common part of encoder and decoder layers: the linear part, and the position of normalizations."""

    def _prepare(
        self, d_model: int, dim_feedforward: int, dropout: float, activation: str, act_dropout: float | None,
        normalize_before: bool, attributes: tuple[Any, Any], epsilon: float, count: int,
    ) -> None:  # fmt: skip
        self.linear1 = Linear(d_model, dim_feedforward, *attributes)
        self.dropout = Dropout(dropout if act_dropout is None else act_dropout)
        self.linear2 = Linear(dim_feedforward, d_model, *attributes)
        for i in range(1, count + 1):
            setattr(self, f"norm{i}", LayerNorm(d_model, epsilon))
        for i in range(1, count + 1):
            setattr(self, f"dropout{i}", Dropout(dropout))
        self.activation = getattr(F, activation)
        self.normalize_before = normalize_before

    def _around(self, number: int, x: Any, part: Any) -> Any:
        """Returns x + part(x), with the normalisation of this number before or after."""
        norm = getattr(self, f"norm{number}")
        found = part(norm(x) if self.normalize_before else x)
        found = x + getattr(self, f"dropout{number}")(found)
        return found if self.normalize_before else norm(found)

    def _fed(self, x: Any) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


@in_nn
class TransformerEncoderLayer(_Block):
    """Attention of a sequence to itself, then two linear layers."""

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int, dropout: float = 0.1, activation: str = "relu",
        attn_dropout: float | None = None, act_dropout: float | None = None, normalize_before: bool = False,
        weight_attr: Any = None, bias_attr: Any = None, layer_norm_eps: float = 1e-5,
    ) -> None:  # fmt: skip
        config = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        super().__init__()
        self._config = config
        weights, biases = _attributes(weight_attr, 2), _attributes(bias_attr, 2)
        rate = dropout if attn_dropout is None else attn_dropout
        self.self_attn = MultiHeadAttention(d_model, nhead, rate, weight_attr=weights[0], bias_attr=biases[0])
        self._prepare(
            d_model, dim_feedforward, dropout, activation, act_dropout, normalize_before,
            (weights[1], biases[1]), layer_norm_eps, 2,
        )  # fmt: skip

    def forward(self, src: Any, src_mask: Any = None, cache: Any = None) -> Any:
        """Returns the sequence, and the cache after it if one was given."""
        kept: list[Any] = []

        def looked(x: Any) -> Any:
            found = self.self_attn(x, x, x, src_mask, cache)
            if cache is None:
                return found
            kept.append(found[-1])
            return found[0]

        src = self._around(2, self._around(1, src, looked), self._fed)
        return src if cache is None else (src, kept[0])

    def gen_cache(self, src: Any) -> Any:
        """Returns an empty cache."""
        return self.self_attn.gen_cache(src, type=Cache)


@in_nn
class TransformerDecoderLayer(_Block):
    """Attention of a sequence to itself and to a memory, then two linear layers."""

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int, dropout: float = 0.1, activation: str = "relu",
        attn_dropout: float | None = None, act_dropout: float | None = None, normalize_before: bool = False,
        weight_attr: Any = None, bias_attr: Any = None, layer_norm_eps: float = 1e-5,
    ) -> None:  # fmt: skip
        config = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        super().__init__()
        self._config = config
        weights, biases = _attributes(weight_attr, 3), _attributes(bias_attr, 3)
        rate = dropout if attn_dropout is None else attn_dropout
        self.self_attn = MultiHeadAttention(d_model, nhead, rate, weight_attr=weights[0], bias_attr=biases[0])
        self.cross_attn = MultiHeadAttention(
            d_model, nhead, rate, weight_attr=weights[1], bias_attr=biases[1]
        )
        self._prepare(
            d_model, dim_feedforward, dropout, activation, act_dropout, normalize_before,
            (weights[2], biases[2]), layer_norm_eps, 3,
        )  # fmt: skip

    def forward(
        self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None, cache: Any = None
    ) -> Any:
        """Returns the sequence, and the caches after it if they were given."""
        kept: list[Any] = []

        def looked(x: Any) -> Any:
            found = self.self_attn(x, x, x, tgt_mask, None if cache is None else cache[0])
            if cache is None:
                return found
            kept.append(found[-1])
            return found[0]

        def looked_up(x: Any) -> Any:
            found = self.cross_attn(x, memory, memory, memory_mask, None if cache is None else cache[1])
            if cache is None:
                return found
            kept.append(found[-1])
            return found[0]

        tgt = self._around(2, self._around(1, tgt, looked), looked_up)
        tgt = self._around(3, tgt, self._fed)
        return tgt if cache is None else (tgt, tuple(kept))

    def gen_cache(self, memory: Any) -> Any:
        """Returns an empty cache, and that of the memory."""
        return (
            self.self_attn.gen_cache(memory, type=Cache),
            self.cross_attn.gen_cache(memory, memory, type=StaticCache),
        )


class _Stacked(Layer):
    """A layer, others made of its arguments (`_config`) with weights of their own, and a normalization."""

    def __init__(self, layer: Any, num_layers: int, norm: Any = None) -> None:
        super().__init__()
        rest = [type(layer)(**layer._config) for _ in range(num_layers - 1)]
        self.layers = LayerList([layer, *rest])
        self.num_layers, self.norm = num_layers, norm

    def _passed(self, x: Any, others: Any, cache: Any) -> Any:
        kept = []
        for i, layer in enumerate(self.layers):
            if cache is None:
                x = layer(x, *others)
            else:
                x, after = layer(x, *others, cache=cache[i])
                kept.append(after)
        x = x if self.norm is None else self.norm(x)
        return x if cache is None else (x, kept)


@in_nn
class TransformerEncoder(_Stacked):
    """Encoder layers, one after another."""

    def __init__(self, encoder_layer: Any, num_layers: int, norm: Any = None) -> None:
        super().__init__(encoder_layer, num_layers, norm)

    def forward(self, src: Any, src_mask: Any = None, cache: Any = None) -> Any:
        """Returns the sequence, and the caches after it if they were given."""
        return self._passed(src, (src_mask,), cache)

    def gen_cache(self, src: Any) -> Any:
        """Returns an empty cache for each layer."""
        return [one.gen_cache(src) for one in self.layers]


@in_nn
class TransformerDecoder(_Stacked):
    """Decoder layers, one after another."""

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Any = None) -> None:
        super().__init__(decoder_layer, num_layers, norm)

    def forward(
        self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None, cache: Any = None
    ) -> Any:
        """Returns the sequence, and the caches after it if they were given."""
        return self._passed(tgt, (memory, tgt_mask, memory_mask), cache)

    def gen_cache(self, memory: Any, do_zip: bool = False) -> Any:
        """Returns caches for each layer; with `do_zip`, those of one kind together."""
        found = [one.gen_cache(memory) for one in self.layers]
        return list(zip(*found, strict=True)) if do_zip else found


@in_nn
class Transformer(Layer):
    """An encoder, and a decoder that attends to its output."""

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
        dim_feedforward: int = 2048, dropout: float = 0.1, activation: str = "relu",
        attn_dropout: float | None = None, act_dropout: float | None = None, normalize_before: bool = False,
        weight_attr: Any = None, bias_attr: Any = None, custom_encoder: Any = None,
        custom_decoder: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        given = (d_model, nhead, dim_feedforward, dropout, activation, attn_dropout, act_dropout)

        def attributes(attr: Any, places: tuple[int, ...]) -> Any:
            if not isinstance(attr, list | tuple):
                return attr
            return attr[0] if len(attr) == 1 else [attr[min(i, len(attr) - 1)] for i in places]

        if custom_encoder is None:
            layer: Any = TransformerEncoderLayer(
                *given, normalize_before, attributes(weight_attr, (0, 2)), attributes(bias_attr, (0, 2))
            )
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, LayerNorm(d_model))
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*given, normalize_before, weight_attr, bias_attr)
            custom_decoder = TransformerDecoder(layer, num_decoder_layers, LayerNorm(d_model))
        self.encoder, self.decoder = custom_encoder, custom_decoder
        self.d_model, self.nhead = d_model, nhead

    def forward(
        self, src: Any, tgt: Any, src_mask: Any = None, tgt_mask: Any = None, memory_mask: Any = None
    ) -> Any:
        """Returns the decoded sequence."""
        return self.decoder(tgt, self.encoder(src, src_mask), tgt_mask, memory_mask)

    def generate_square_subsequent_mask(self, length: int) -> Any:
        """Returns a mask with which each position sees itself and earlier ones."""
        from penstock.paddle import _creation

        return _manipulation.triu(_creation.full([length, length], float("-inf")), 1)
