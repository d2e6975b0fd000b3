"""The names and signatures of the Python Array API standard 2024.12, family by family."""

import inspect


def words(text):
    """The words of a text."""
    return text.split()


FAMILIES = {
    "creation": """
        arange(start, /, stop=None, step=1, *, dtype=None, device=None)
        asarray(obj, /, *, dtype=None, device=None, copy=None)
        empty(shape, *, dtype=None, device=None)
        empty_like(x, /, *, dtype=None, device=None)
        eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)
        from_dlpack(x, /, *, device=None, copy=None)
        full(shape, fill_value, *, dtype=None, device=None)
        full_like(x, /, fill_value, *, dtype=None, device=None)
        linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True)
        meshgrid(*arrays, indexing="xy")
        ones(shape, *, dtype=None, device=None)
        ones_like(x, /, *, dtype=None, device=None)
        tril(x, /, *, k=0)
        triu(x, /, *, k=0)
        zeros(shape, *, dtype=None, device=None)
        zeros_like(x, /, *, dtype=None, device=None)
    """,
    "data types": """
        astype(x, dtype, /, *, copy=True, device=None)
        can_cast(from_, to, /)
        finfo(type, /)
        iinfo(type, /)
        isdtype(dtype, kind)
        result_type(*arrays_and_dtypes)
    """,
    "elementwise of one": "".join(
        f"{name}(x, /)\n"
        for name in words(
            "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag "
            "isfinite isinf isnan log log1p log2 log10 logical_not negative positive real reciprocal round "
            "sign signbit sin sinh square sqrt tan tanh trunc"
        )
    ),
    "elementwise of two": "".join(
        f"{name}(x1, x2, /)\n"
        for name in words(
            "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign "
            "divide equal floor_divide greater greater_equal hypot less less_equal logaddexp logical_and "
            "logical_or logical_xor maximum minimum multiply nextafter not_equal pow remainder subtract"
        )
    ),
    "elementwise of three": "clip(x, /, min=None, max=None)",
    "indexing": """
        take(x, indices, /, *, axis=None)
        take_along_axis(x, indices, /, *, axis=-1)
    """,
    "linear algebra": """
        matmul(x1, x2, /)
        matrix_transpose(x, /)
        tensordot(x1, x2, /, *, axes=2)
        vecdot(x1, x2, /, *, axis=-1)
    """,
    "manipulation": """
        broadcast_arrays(*arrays)
        broadcast_to(x, /, shape)
        concat(arrays, /, *, axis=0)
        expand_dims(x, /, *, axis=0)
        flip(x, /, *, axis=None)
        moveaxis(x, source, destination, /)
        permute_dims(x, /, axes)
        repeat(x, repeats, /, *, axis=None)
        reshape(x, /, shape, *, copy=None)
        roll(x, /, shift, *, axis=None)
        squeeze(x, /, axis)
        stack(arrays, /, *, axis=0)
        tile(x, repetitions, /)
        unstack(x, /, *, axis=0)
    """,
    "searching": """
        argmax(x, /, *, axis=None, keepdims=False)
        argmin(x, /, *, axis=None, keepdims=False)
        count_nonzero(x, /, *, axis=None, keepdims=False)
        nonzero(x, /)
        searchsorted(x1, x2, /, *, side="left", sorter=None)
        where(condition, x1, x2, /)
    """,
    "sets": """
        unique_all(x, /)
        unique_counts(x, /)
        unique_inverse(x, /)
        unique_values(x, /)
    """,
    "sorting": """
        argsort(x, /, *, axis=-1, descending=False, stable=True)
        sort(x, /, *, axis=-1, descending=False, stable=True)
    """,
    "statistics": """
        cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False)
        cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False)
        max(x, /, *, axis=None, keepdims=False)
        mean(x, /, *, axis=None, keepdims=False)
        min(x, /, *, axis=None, keepdims=False)
        prod(x, /, *, axis=None, dtype=None, keepdims=False)
        std(x, /, *, axis=None, correction=0.0, keepdims=False)
        sum(x, /, *, axis=None, dtype=None, keepdims=False)
        var(x, /, *, axis=None, correction=0.0, keepdims=False)
    """,
    "utility": """
        all(x, /, *, axis=None, keepdims=False)
        any(x, /, *, axis=None, keepdims=False)
        diff(x, /, *, axis=-1, n=1, prepend=None, append=None)
    """,
    "inspection": "__array_namespace_info__()",
}
EXTENSIONS = {
    "linalg": """
        cholesky(x, /, *, upper=False)
        cross(x1, x2, /, *, axis=-1)
        det(x, /)
        diagonal(x, /, *, offset=0)
        eigh(x, /)
        eigvalsh(x, /)
        inv(x, /)
        matmul(x1, x2, /)
        matrix_norm(x, /, *, keepdims=False, ord="fro")
        matrix_power(x, n, /)
        matrix_rank(x, /, *, rtol=None)
        matrix_transpose(x, /)
        outer(x1, x2, /)
        pinv(x, /, *, rtol=None)
        qr(x, /, *, mode="reduced")
        slogdet(x, /)
        solve(x1, x2, /)
        svd(x, /, *, full_matrices=True)
        svdvals(x, /)
        tensordot(x1, x2, /, *, axes=2)
        trace(x, /, *, offset=0, dtype=None)
        vecdot(x1, x2, /, *, axis=-1)
        vector_norm(x, /, *, axis=None, keepdims=False, ord=2)
    """,
    "fft": """
        fft(x, /, *, n=None, axis=-1, norm="backward")
        ifft(x, /, *, n=None, axis=-1, norm="backward")
        fftn(x, /, *, s=None, axes=None, norm="backward")
        ifftn(x, /, *, s=None, axes=None, norm="backward")
        rfft(x, /, *, n=None, axis=-1, norm="backward")
        irfft(x, /, *, n=None, axis=-1, norm="backward")
        rfftn(x, /, *, s=None, axes=None, norm="backward")
        irfftn(x, /, *, s=None, axes=None, norm="backward")
        hfft(x, /, *, n=None, axis=-1, norm="backward")
        ihfft(x, /, *, n=None, axis=-1, norm="backward")
        fftfreq(n, /, *, d=1.0, dtype=None, device=None)
        rfftfreq(n, /, *, d=1.0, dtype=None, device=None)
        fftshift(x, /, *, axes=None)
        ifftshift(x, /, *, axes=None)
    """,
}
CONSTANTS = ("e", "inf", "nan", "newaxis", "pi")
DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
)
BINARY = words("add floordiv matmul mod mul pow sub truediv and lshift or rshift xor")
METHODS = "".join(
    [
        *(f"__{name}__(self, other, /)\n__r{name}__(self, other, /)\n" for name in BINARY),
        *(f"__{name}__(self, other, /)\n" for name in ("eq", "ge", "gt", "le", "lt", "ne")),
        *(
            f"__{name}__(self, /)\n"
            for name in words("abs bool complex dlpack_device float index int invert neg pos")
        ),
        "__array_namespace__(self, /, *, api_version=None)\n",
        "__dlpack__(self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n",
        "__getitem__(self, key, /)\n",
        "__setitem__(self, key, value, /)\n",
        "to_device(self, device, /, *, stream=None)\n",
    ]
)
ATTRIBUTES = ("dtype", "device", "mT", "ndim", "shape", "size", "T")


def signatures(text):
    """Each function of a family with its signature, as Python reads it."""
    found = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name = line.partition("(")[0]
        scope = {}
        exec(f"def {line}: pass", scope)
        found[name] = inspect.signature(scope[name])
    return found


FUNCTIONS = {name: one for text in FAMILIES.values() for name, one in signatures(text).items()}
NAMES = {*FUNCTIONS, *CONSTANTS, *DTYPES, "__array_api_version__"}
