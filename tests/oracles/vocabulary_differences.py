"""Where Penstock chose otherwise than others: which results differ ("value", operands), and why."""

_SELU = "at 0 ours is the slope from above, 1.05, as in TensorFlow; theirs is the one from below, 1.76"
_XLOGY = "where both are 0 ours are 0, so that an impossible event costs nothing"
_LATEST = "of equal ones the latest has ours, as in PyTorch; theirs is shared by a tree of pairs"

DIFFERENCES = {
    "ps.nn.selu(x)": {"torch": ([0], _SELU), "jax": ([0], _SELU)},
    "ps.nn.hard_tanh(x)": {"torch": ([0], "a value on the border is not cut, as in clip; theirs is 0 there")},
    "ps.nn.leaky_relu(x, 0.2)": {
        "jax": ([0], "at 0 ours is the slope from below; theirs is the one from above")
    },
    "ps.losses.absolute_error(a, b)": {
        "jax": ([0, 1], "where both are equal ours is 0, the middle; theirs is the slope from above")
    },
    "ps.losses.kl_divergence(ps.log(a), b)": {
        "torch": (
            [1],
            "where a target is 0 ours is finite (the share of the predictions alone); theirs is NaN",
        )
    },
    "ps.cumulative_max(x)": {"jax": ([0], _LATEST)},
    "ps.cumulative_min(x)": {"jax": ([0], _LATEST)},
    "ps.special.i0(x)": {"jax": ([0], "at 0 the function is even, so that its slope is 0; theirs is 1")},
    "ps.special.i1(x)": {"tensorflow": ([0], "at 0 the slope is 1/2; theirs is 1")},
    "ps.special.xlogy(a, b)": {
        "torch": ([1], _XLOGY),
        "jax": ([0, 1], _XLOGY),
        "tensorflow": ([0], "where x is 0 ours is log(y), the true slope; theirs is 0"),
    },
}
