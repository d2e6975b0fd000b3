"""Arguments by the names that other frameworks give them, one call for each function and word."""

import numpy as np
import paddle

functional, linalg, fft = paddle.nn.functional, paddle.linalg, paddle.fft
tensor = paddle.to_tensor
x, y = tensor([[0.25, 0.5], [0.75, 0.125]]), tensor([[0.5, 0.375], [0.25, 0.875]])
deep, whole, truth = tensor(np.arange(8, dtype="float32").reshape(2, 2, 2)), tensor([[4, 6], [9, 8]]), x > 0.3
image = tensor(np.arange(16, dtype="float32").reshape(1, 1, 4, 4))
first = tensor([1, 0])


def show(name, function, **words):
    found = function(**words)
    for one in found if isinstance(found, tuple | list) else (found,):
        if isinstance(one, paddle.Tensor):
            value = one.numpy()
            value = np.stack([value.real, value.imag], -1) if np.iscomplexobj(value) else value
            one = value.tolist() if value.dtype.kind in "bi" else (np.round(value, 3) + 0.0).tolist()
        print(name, sorted(words), one)


def each(names, space=paddle, **words):
    for name in names.split():
        show(name, getattr(space, name), **words)


each("abs acos asin atanh ceil clip cos cosh exp expm1 floor frac isfinite isinf isnan log log10 log1p log2", input=x)
each("logical_not nonzero ones_like zeros_like round rsqrt sigmoid sign sin sinh sqrt tanh trace", input=tensor([[1.0]]))
each("tril triu is_complex is_floating_point flatten", input=x)
each("acosh", input=deep + 1.0)
each("cumprod", input=x, dim=0)
each("full_like", input=x, fill_value=3.0)
each("masked_select", input=x, mask=truth)
each("swapaxes swapdims", input=x, axis0=0, axis1=1)
each("swapaxes swapdims", input=x, dim0=0, dim1=1)
each("transpose", input=x, perm=[1, 0])
each("reshape", input=x, shape=[4])
each("add div divide eq equal floor_divide floor_mod ge greater greater_equal greater_than gt isclose le less", input=x, other=y)
each("less_equal less_than lt matmul maximum minimum mod mul multiply ne not_equal remainder sub subtract", input=x, other=y)
each("expand_as", input=x, other=y)
each("bitwise_or gcd lcm", input=whole, other=whole + 2)
each("logical_and logical_or logical_xor", input=truth, other=x > y)
each("dot", input=x[0], tensor=y[0])
each("where", condition=truth, input=x, other=y)
each("all any", input=truth, dim=0)
each("amax amin argsort cumsum diff logsumexp mean prod sum unbind argmax argmin", input=x, dim=1)
each("squeeze unsqueeze", input=x, dim=0)
each("chunk", input=x, chunks=2, dim=1)
each("index_select", input=x, dim=1, index=first)
each("index_add", input=x, index=first, dim=0, source=y)
each("index_put", input=x, indices=(first,), values=tensor([1.0, 2.0]))
each("quantile", input=x, q=0.5, dim=1)
each("repeat_interleave", input=x, repeats=2, dim=1)
each("roll", input=x, shifts=1, dims=1)
each("topk", input=x, k=1, dim=0)
each("unique_consecutive", input=whole, dim=0)
each("var", input=x, dim=0)
each("cat concat stack", tensors=[x, y], dim=1)
each("cross", x=tensor([1.0, 2.0, 3.0]), y=tensor([3.0, 1.0, 2.0]), dim=0)
each("full", size=[2], fill_value=1.5)
each("zeros", size=[2])
each("broadcast_to expand", input=x, size=[2, 2, 2])
each("bmm", input=deep, mat2=deep)
each("mm", input=x, mat2=y)
each("ger outer", input=x[0], vec2=y[0])
each("take_along_axis", input=x, indices=tensor([[1], [0]]), dim=1)
each("bucketize", input=x, boundaries=tensor([0.3, 0.6]))
each("searchsorted", sorted_sequence=tensor([0.3, 0.6]), input=x)
each("diagonal", input=x, dim1=0, dim2=1)
each("flatten", input=deep, start_dim=1, end_dim=2)
each("tensor_split", input=x, indices_or_sections=2, dim=0)
each("unflatten", input=x, dim=1, sizes=[2, 1])
each("tile", input=x, dims=[1, 2])
each("pow", input=x, exponent=y)
each("eye", n=2, m=3)
each("isin", elements=whole, test_elements=first)
each("linspace", start=0.0, end=1.0, steps=3)
each("norm", input=x, p=2.0, dim=1)
each("narrow", input=x, dim=0, start=0, length=1)
each("conv2d", functional, input=image, weight=tensor(np.ones((1, 1, 3, 3), "float32")))
each("adaptive_avg_pool2d", functional, input=image, output_size=2)
each("silu log_sigmoid", functional, input=x)
each("hardshrink softshrink", functional, input=x, lambd=0.3)
each("softmax glu", functional, input=x, dim=1)
each("pad", functional, input=x, pad=[1, 0], mode="constant", value=0.0)
each("embedding", functional, input=first, weight=x)
each("one_hot", functional, input=first, num_classes=2)
each("normalize", functional, input=x, dim=1, eps=1e-6)
each("layer_norm", functional, input=x, normalized_shape=[2], eps=1e-5)
each("cosine_similarity", functional, x1=x, x2=y, dim=1)
each("cross_entropy", functional, input=x, target=first)
each("pairwise_distance", functional, x1=x, x2=y, eps=1e-6)
each("vector_norm", linalg, x=x, ord=2.0, dim=1)
each("solve", linalg, A=x, B=y)
each("fft ifft hfft ihfft irfft rfft", fft, input=x, dim=1)
each("fft2 fftn fftshift hfft2 hfftn ifft2 ifftn ifftshift irfft2 irfftn rfft2 rfftn", fft, input=x, dim=[0, 1])
print(x.add(other=y).tolist(), x.sum(dim=0).tolist(), paddle.finfo(type="float32").bits, x.clone().add_(other=y).tolist())
