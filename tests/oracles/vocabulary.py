"""What the vocabulary is held against: for each case its operands, and how each framework spells it.

Operands are nested lists, made float64 tensors; a spelling is an expression over them. The record of a
framework has the value and, for a cotangent of ones, the derivative by each operand.
"""

# ruff: noqa: E501  (a spelling is read best on one line)

X = [-4.5, -3.0, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 3.0, 6.0, 7.5]
LOGITS = [[1.5, -0.25, 0.5], [0.75, 2.0, -1.25]]
TARGETS = [[0.2, 0.5, 0.3], [0.1, 0.0, 0.9]]
P = [[0.25, 0.5, 0.25], [0.125, 0.75, 0.125]]
A, B = [[1.0, -2.0, 0.5], [0.25, 1.5, -1.0]], [[1.0, 1.0, -0.5], [1.25, 0.5, -1.0]]
ROW = [[0.5, -1.0], [1.5, 0.25], [-0.75, 2.0]]
KEYS = [[0.25, 1.0], [-0.5, 0.75], [1.25, -1.5]]
PICTURE = [[[[0.5], [1.5], [-2.0], [3.0], [0.25]], [[1.0], [-0.5], [2.5], [0.0], [-1.5]],
            [[2.0], [0.75], [-1.0], [1.25], [4.0]], [[-3.0], [2.25], [0.5], [-0.25], [1.0]]]]  # fmt: skip
STEPS = [[[0.5, -1.0, 0.25], [1.5, 0.75, -0.5], [-0.25, 2.0, 1.0], [0.0, 0.5, -1.5], [1.0, -0.75, 0.5]],
         [[-0.5, 1.25, 0.0], [0.25, -1.0, 1.5], [2.0, 0.5, -0.25], [-1.5, 1.0, 0.75], [0.5, 0.25, -2.0]]]  # fmt: skip
TIES = [1.0, 2.0, 2.0, 1.0, 3.0, 3.0, 1.0]
IMAGE = [[[[1.0], [2.0], [4.0]], [[-1.0], [0.5], [3.0]]]]


def one(name, torch=None, jax=None, tensorflow=None, x=X):
    """A case of a single operand x."""
    return name, ({"x": x}, {"torch": torch, "jax": jax, "tensorflow": tensorflow})


def several(name, operands, **spellings):
    """A case of several operands."""
    return name, (operands, spellings)


PAIR = {"a": A, "b": B}
CASES = dict(
    [
        one("ps.nn.relu(x)", "F.relu(x)", "jax.nn.relu(x)", "tf.nn.relu(x)"),
        one("ps.nn.relu6(x)", "F.relu6(x)", "jax.nn.relu6(x)", "tf.nn.relu6(x)"),
        one("ps.nn.leaky_relu(x, 0.2)", "F.leaky_relu(x, 0.2)", "jax.nn.leaky_relu(x, 0.2)", "tf.nn.leaky_relu(x, 0.2)"),
        one("ps.nn.elu(x)", "F.elu(x)", "jax.nn.elu(x)", "tf.nn.elu(x)"),
        one("ps.nn.selu(x)", "F.selu(x)", "jax.nn.selu(x)", "tf.nn.selu(x)"),
        one("ps.nn.celu(x, 2.0)", "F.celu(x, 2.0)", "jax.nn.celu(x, 2.0)"),
        one("ps.nn.gelu(x, False)", "F.gelu(x)", "jax.nn.gelu(x, approximate=False)", "tf.nn.gelu(x)"),
        one("ps.nn.gelu(x)", "F.gelu(x, approximate='tanh')", "jax.nn.gelu(x)", "tf.nn.gelu(x, approximate=True)"),
        one("ps.nn.silu(x)", "F.silu(x)", "jax.nn.silu(x)", "tf.nn.silu(x)"),
        one("ps.nn.softplus(x)", "F.softplus(x)", "jax.nn.softplus(x)", "tf.nn.softplus(x)"),
        one("ps.nn.softsign(x)", "F.softsign(x)", "jax.nn.soft_sign(x)", "tf.nn.softsign(x)"),
        one("ps.nn.sigmoid(x)", "F.sigmoid(x)", "jax.nn.sigmoid(x)", "tf.nn.sigmoid(x)"),
        one("ps.nn.log_sigmoid(x)", "F.logsigmoid(x)", "jax.nn.log_sigmoid(x)", "tf.math.log_sigmoid(x)"),
        one("ps.nn.hard_sigmoid(x)", "F.hardsigmoid(x)", "jax.nn.hard_sigmoid(x)", "tf.keras.activations.hard_sigmoid(x)"),
        one("ps.nn.hard_swish(x)", "F.hardswish(x)", "jax.nn.hard_swish(x)", "tf.keras.activations.hard_silu(x)"),
        one("ps.nn.hard_tanh(x)", "F.hardtanh(x)", "jax.nn.hard_tanh(x)", "tf.keras.activations.hard_tanh(x)"),
        one("ps.nn.mish(x)", "F.mish(x)", "jax.nn.mish(x)", "tf.keras.activations.mish(x)"),
        one("ps.nn.squareplus(x)", None, "jax.nn.squareplus(x)", "tf.keras.activations.squareplus(x)"),
        one("ps.nn.hard_shrink(x)", "F.hardshrink(x)", None, "tf.keras.activations.hard_shrink(x)"),
        one("ps.nn.soft_shrink(x)", "F.softshrink(x)", None, "tf.keras.activations.soft_shrink(x)"),
        one("ps.nn.tanh_shrink(x)", "F.tanhshrink(x)", None, "tf.keras.activations.tanh_shrink(x)"),
        one("ps.nn.threshold(x, 0.5, -1.0)", "F.threshold(x, 0.5, -1.0)", None, "tf.keras.activations.threshold(x, 0.5, -1.0)"),
        one("ps.nn.glu(x)", "F.glu(x)", "jax.nn.glu(x)", "tf.keras.activations.glu(x)"),
        one("ps.nn.softmax(x)", "F.softmax(x, -1)", "jax.nn.softmax(x)", "tf.nn.softmax(x)", LOGITS),
        one("ps.nn.log_softmax(x)", "F.log_softmax(x, -1)", "jax.nn.log_softmax(x)", "tf.nn.log_softmax(x)", LOGITS),
        several("ps.nn.prelu(a, b)", PAIR, torch="torch.where(a > 0, a, a * b)"),
        several(
            "ps.losses.softmax_cross_entropy(a, b, 0.1)", {"a": LOGITS, "b": TARGETS},
            torch="F.cross_entropy(a, b, reduction='none', label_smoothing=0.1)",
        ),
        several(
            "ps.losses.sigmoid_cross_entropy(a, b)", {"a": LOGITS, "b": TARGETS},
            torch="F.binary_cross_entropy_with_logits(a, b, reduction='none')",
            tensorflow="tf.nn.sigmoid_cross_entropy_with_logits(labels=b, logits=a)",
        ),
        several(
            "ps.losses.binary_cross_entropy(a, b)", {"a": P, "b": TARGETS},
            torch="-(torch.xlogy(b, a) + (1 - b) * torch.log1p(-a))",
        ),
        several("ps.losses.squared_error(a, b)", PAIR, torch="F.mse_loss(a, b, reduction='none')"),
        several(
            "ps.losses.absolute_error(a, b)", PAIR, torch="F.l1_loss(a, b, reduction='none')",
            jax="jnp.abs(a - b)", tensorflow="tf.abs(a - b)",
        ),
        several(
            "ps.losses.mean_squared_error(a, b)", PAIR,
            tensorflow="tf.keras.losses.MSE(b, a)",
        ),
        several(
            "ps.losses.mean_absolute_error(a, b)", PAIR,
            tensorflow="tf.keras.losses.MAE(b, a)",
        ),
        several("ps.losses.huber(a, b, 1.5)", PAIR, torch="F.huber_loss(a, b, reduction='none', delta=1.5)"),
        several("ps.losses.log_cosh(a, b)", PAIR, torch="torch.log(torch.cosh(a - b))"),
        several(
            "ps.losses.hinge(a, b)", {"a": [[0.5, -2.0, 1.0, 3.0]], "b": [[1.0, 1.0, 1.0, -1.0]]},
            torch="F.relu(1 - a * b)", jax="jax.nn.relu(1 - a * b)", tensorflow="tf.nn.relu(1 - a * b)",
        ),
        several(
            "ps.losses.categorical_hinge(a, b)", {"a": LOGITS, "b": [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]},
            tensorflow="tf.keras.losses.categorical_hinge(b, a)",
        ),
        several(
            "ps.losses.kl_divergence(ps.log(a), b)", {"a": P, "b": TARGETS},
            torch="F.kl_div(torch.log(a), b, reduction='none').sum(-1)",
        ),
        several("ps.losses.cosine_similarity(a, b)", PAIR, torch="F.cosine_similarity(a, b)"),
        several(
            "ps.losses.poisson(a, b, True)", PAIR,
            torch="F.poisson_nll_loss(a, b, reduction='none')",
        ),
        several(
            "ps.losses.gaussian(a, b, c)", {"a": A, "b": B, "c": P},
            torch="F.gaussian_nll_loss(a, b, c, reduction='none')",
        ),
        several(
            "ps.losses.triplet_margin(a, b, c)", {"a": A, "b": B, "c": P},
            torch="F.triplet_margin_loss(a, b, c, reduction='none')",
        ),
        several(
            "ps.nn.attention(q, k, v, causal=True)", {"q": ROW, "k": KEYS, "v": ROW},
            torch="F.scaled_dot_product_attention(q, k, v, is_causal=True)",
            jax="jax.nn.dot_product_attention(q[:, None], k[:, None], v[:, None], is_causal=True)[:, 0]",
        ),
        *(
            one(
                f"ps.nn.pad(x, ((0, 0), (2, 1)), '{ours}')",
                f"F.pad(x, (2, 1), mode='{torch}')",
                f"jnp.pad(x, ((0, 0), (2, 1)), mode='{jax}')",
                tensorflow and f"tf.pad(x, ((0, 0), (2, 1)), mode='{tensorflow}')",
                LOGITS,
            )
            for ours, torch, jax, tensorflow in (
                ("constant", "constant", "constant", "CONSTANT"),
                ("reflect", "reflect", "reflect", "REFLECT"),
                ("edge", "replicate", "edge", None),
                ("circular", "circular", "wrap", None),
            )
        ),
        one(
            "ps.nn.resize(x, (5, 4))",
            "F.interpolate(x.permute(0, 3, 1, 2), (5, 4), mode='nearest-exact').permute(0, 2, 3, 1)",
            "jax.image.resize(x, (1, 5, 4, 1), 'nearest')",
            "tf.image.resize(x, (5, 4), 'nearest')",
            IMAGE,
        ),
        one(
            "ps.nn.resize(x, (5, 4), 'bilinear')",
            "F.interpolate(x.permute(0, 3, 1, 2), (5, 4), mode='bilinear').permute(0, 2, 3, 1)",
            "jax.image.resize(x, (1, 5, 4, 1), 'bilinear')",
            None,
            IMAGE,
        ),
        one(
            "ps.nn.resize(x, (5, 4), 'bilinear', align_corners=True)",
            "F.interpolate(x.permute(0, 3, 1, 2), (5, 4), mode='bilinear', align_corners=True).permute(0, 2, 3, 1)",
            None,
            None,
            IMAGE,
        ),
        *(
            one(
                f"ps.segments.segment_{ours}(x, [0, 1, 0], 2)",
                None,
                f"jax.ops.segment_{ours}(x, jnp.asarray([0, 1, 0]), 2)" if ours in ("sum", "max", "min") else None,
                f"tf.math.unsorted_segment_{ours}(x, [0, 1, 0], 2)",
                [[1.0, 2.0], [0.5, 0.25], [1.0, -3.0]],
            )
            for ours in ("sum", "mean", "max", "min", "prod")
        ),
        one("ps.segments.top_k(x, 2)[0]", "torch.topk(x, 2)[0]", "jax.lax.top_k(x, 2)[0]", "tf.math.top_k(x, 2)[0]", LOGITS),
        one("ps.cumulative_max(x, axis=1)", "torch.cummax(x, 1)[0]", "jax.lax.cummax(x, 1)", None, LOGITS),
        one("ps.cumulative_min(x, axis=1)", "torch.cummin(x, 1)[0]", "jax.lax.cummin(x, 1)", None, LOGITS),
        one("ps.cumulative_max(x)", "torch.cummax(x, 0)[0]", "jax.lax.cummax(x)", None, TIES),
        one("ps.cumulative_min(x)", "torch.cummin(x, 0)[0]", "jax.lax.cummin(x)", None, TIES),
        one("ps.cumulative_logsumexp(x)", "torch.logcumsumexp(x, 0)", "jax.lax.cumlogsumexp(x)", "tf.math.cumulative_logsumexp(x)"),
        one("ps.special.erfc(x)", "torch.erfc(x)", "jsp.erfc(x)", "tf.math.erfc(x)"),
        one("ps.special.erfinv(x)", "torch.erfinv(x)", "jsp.erfinv(x)", "tf.math.erfinv(x)", [-0.9, 0.0, 0.25, 0.99]),
        one("ps.special.log_ndtr(x)", "torch.special.log_ndtr(x)", "jsp.log_ndtr(x)"),
        one("ps.special.ndtri(x)", "torch.special.ndtri(x)", "jsp.ndtri(x)", "tf.math.ndtri(x)", [0.01, 0.25, 0.5, 0.99]),
        one("ps.special.gammaln(x)", "torch.lgamma(x)", "jsp.gammaln(x)", "tf.math.lgamma(x)", [0.25, 1.0, 2.0, 7.5]),
        one("ps.special.digamma(x)", "torch.digamma(x)", "jsp.digamma(x)", "tf.math.digamma(x)", [0.25, 1.0, 2.0, 7.5]),
        one("ps.special.polygamma(1, x)", "torch.polygamma(1, x)", "jsp.polygamma(1, x)", None, [0.25, 1.0, 2.0, 7.5]),
        one("ps.special.i0(x)", "torch.special.i0(x)", "jsp.i0(x)", "tf.math.special.bessel_i0(x)"),
        one("ps.special.i0e(x)", "torch.special.i0e(x)", "jsp.i0e(x)", "tf.math.special.bessel_i0e(x)"),
        one("ps.special.i1(x)", "torch.special.i1(x)", "jsp.i1(x)", "tf.math.special.bessel_i1(x)"),
        one("ps.special.i1e(x)", "torch.special.i1e(x)", "jsp.i1e(x)", "tf.math.special.bessel_i1e(x)"),
        one("ps.special.sinc(x)", "torch.sinc(x)", "jnp.sinc(x)", None),
        several(
            "ps.special.xlogy(a, b)", {"a": [0.0, 0.0, 1.5], "b": [0.0, 2.0, 0.5]},
            torch="torch.xlogy(a, b)", jax="jsp.xlogy(a, b)", tensorflow="tf.math.xlogy(a, b)",
        ),
        several(
            "ps.special.gammainc(a, b)", {"a": [0.5, 2.0, 7.5], "b": [0.25, 2.5, 9.0]},
            jax="jsp.gammainc(a, b)", tensorflow="tf.math.igamma(a, b)",
        ),
        one("ps.special.betainc(2.0, 3.5, x)", None, "jsp.betainc(2.0, 3.5, x)", "tf.math.betainc(2.0 * tf.ones_like(x), 3.5 * tf.ones_like(x), x)", [0.125, 0.25, 0.5, 0.875]),
        one("ps.special.zeta(2.5, x)", "torch.special.zeta(torch.tensor(2.5, dtype=torch.float64), x)", "jsp.zeta(2.5, x)", "tf.math.zeta(2.5 * tf.ones_like(x), x)", [0.25, 1.0, 2.0, 7.5]),
        one("ps.losses.ctc(x, [[1, 2], [2, 2]], [5, 5], [2, 2])",
            "F.ctc_loss(F.log_softmax(x, -1).transpose(0, 1), torch.tensor([[1, 2], [2, 2]]), torch.tensor([5, 5]), torch.tensor([2, 2]), reduction='none')",
            x=STEPS),
        one("ps.losses.ctc(x, [[0, 1], [0, 2]], [4, 3], [2, 1], blank=2)",
            "F.ctc_loss(F.log_softmax(x, -1).transpose(0, 1), torch.tensor([[0, 1], [0, 2]]), torch.tensor([4, 3]), torch.tensor([2, 1]), blank=2, reduction='none')",
            x=STEPS),
        one("ps.nn.resize(x, (5, 7), 'bicubic')", None, "jax.image.resize(x, (1, 5, 7, 1), 'cubic', antialias=False)", None, PICTURE),
        one("ps.nn.resize(x, (2, 3), 'bicubic', antialias=True)", None, "jax.image.resize(x, (1, 2, 3, 1), 'cubic', antialias=True)", None, PICTURE),
        one("ps.nn.resize(x, (2, 7), 'bilinear', antialias=True)", "F.interpolate(x.permute(0, 3, 1, 2), (2, 7), mode='bilinear', antialias=True).permute(0, 2, 3, 1)", "jax.image.resize(x, (1, 2, 7, 1), 'linear', antialias=True)", None, PICTURE),
        one("ps.nn.resize(x, (5, 3), 'lanczos3')", None, "jax.image.resize(x, (1, 5, 3, 1), 'lanczos3', antialias=False)", None, PICTURE),
        one("ps.nn.resize(x, (5, 3), 'lanczos3', antialias=True)", None, "jax.image.resize(x, (1, 5, 3, 1), 'lanczos3', antialias=True)", None, PICTURE),
        one("ps.nn.resize(x, (5, 3), 'lanczos5', antialias=True)", None, "jax.image.resize(x, (1, 5, 3, 1), 'lanczos5', antialias=True)", None, PICTURE),
        one("ps.nn.resize(x, (6, 3), 'bicubic', cubic=-0.75)", "F.interpolate(x.permute(0, 3, 1, 2), (6, 3), mode='bicubic').permute(0, 2, 3, 1)", x=PICTURE),
        one("ps.nn.resize(x, (6, 3), 'bicubic', cubic=-0.75, align_corners=True)", "F.interpolate(x.permute(0, 3, 1, 2), (6, 3), mode='bicubic', align_corners=True).permute(0, 2, 3, 1)", x=PICTURE),
    ]
)  # fmt: skip
