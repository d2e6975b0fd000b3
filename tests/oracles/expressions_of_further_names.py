"""Expressions about names that were added late: functions of matrices, structured operators, transforms."""

_DEFINITE = "tf.constant([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])"
_TURNED = "tf.constant([[1.0, 3.0], [0.0, 4.0]])"
_WAVE = "tf.sin(tf.range(24.0, dtype=tf.float64) * 0.7)"
_SPECTRUM = "tf.constant([6.0, 4.0, 1.0, 4.0])"
_OPERATOR = "tf.linalg.LinearOperator"
_TOLD = "is_self_adjoint=True, is_positive_definite=True"


def _about(made: str) -> list[str]:
    """What is asked of an operator with three or four columns."""
    return [
        f"listed({made}.to_dense())",
        f"listed({made}.matvec(tf.range(1.0, {made}.shape[-1] + 1.0)))",
        f"{made}.shape",
        f"listed({made}.trace())",
        f"{made}.is_self_adjoint",
    ]


MATRICES = [
    f"listed(tf.linalg.sqrtm(tf.cast({_DEFINITE}, tf.float64)))",
    f"listed(tf.linalg.sqrtm({_TURNED}))",
    f"listed(tf.linalg.sqrtm(tf.cast({_TURNED}, tf.float64)))",
    f"listed(tf.linalg.sqrtm(tf.stack([{_TURNED}, 2.0 * {_TURNED}])))",
    "listed(tf.math.real(tf.linalg.sqrtm(tf.complex([[0.0, -1.0], [1.0, 0.0]], 0.0))))",
    f"slope(tf.linalg.sqrtm, {_DEFINITE})",
    f"slope(tf.linalg.sqrtm, {_TURNED})",
    "tf.linalg.sqrtm(matrix)",
    f"listed(tf.math.real(tf.linalg.logm(tf.cast({_DEFINITE}, tf.complex128))))",
    f"listed(tf.math.real(tf.linalg.logm(tf.cast({_TURNED}, tf.complex128))))",
    "listed(tf.math.imag(tf.linalg.logm(tf.complex([[0.0, -1.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 1.0]]))))",
    "tf.linalg.logm([[1.0, 0.0], [0.0, 1.0]])",
    "listed(tf.linalg.eigh_tridiagonal([2.0, 1.0, 3.0, 0.5], [1.0, 0.5, 2.0]))",
    "listed(tf.linalg.eigh_tridiagonal([2.0, 1.0, 3.0], [1.0, 0.5], select='i', select_range=(1, 2)))",
    "listed(tf.linalg.eigh_tridiagonal([2.0, 1.0, 3.0], [1.0, 0.5], select='v', select_range=(1.0, 3.5)))",
    "tf.linalg.eigh_tridiagonal([2.0, 1.0, 3.0], [1.0, 0.5], eigvals_only=False)[1].shape",
    "listed(tf.abs(tf.linalg.eigh_tridiagonal([2.0, 1.0, 3.0], [1.0, 0.5], eigvals_only=False)[1]))",
    "tf.linalg.eigh_tridiagonal([2.0, 1.0], [1.0], select='x')",
    f"[listed(one) for one in tf.linalg.experimental.conjugate_gradient("
    f"{_OPERATOR}FullMatrix({_DEFINITE}, {_TOLD}), tf.constant([1.0, 2.0, 3.0]), max_iter=2)[:3]]",
    f"listed(tf.linalg.experimental.conjugate_gradient("
    f"{_OPERATOR}FullMatrix({_DEFINITE}, {_TOLD}), tf.constant([1.0, 2.0, 3.0])).x)",
    f"listed(tf.linalg.experimental.conjugate_gradient("
    f"{_OPERATOR}FullMatrix({_DEFINITE}, {_TOLD}), tf.constant([1.0, 2.0, 3.0]), "
    f"{_OPERATOR}Diag(tf.constant([0.25, 0.5, 0.5]), {_TOLD}), tf.ones([3]), max_iter=1).x)",
    f"tf.linalg.experimental.conjugate_gradient({_OPERATOR}FullMatrix({_DEFINITE}), tf.ones([3]))",
]
OPERATORS = [
    *_about(f"{_OPERATOR}Circulant({_SPECTRUM}, tf.float32)"),
    f"listed(tf.math.real({_OPERATOR}Circulant([6.0, 1.0, 2.0]).to_dense()))",
    f"listed(tf.math.imag({_OPERATOR}Circulant([6.0, 1.0, 2.0]).to_dense()))",
    f"{_OPERATOR}Circulant([6.0, 1.0, 2.0]).dtype",
    f"listed({_OPERATOR}Circulant({_SPECTRUM}, tf.float32).solvevec([1.0, 2.0, 3.0, 4.0]))",
    f"listed({_OPERATOR}Circulant({_SPECTRUM}, tf.float32).determinant())",
    f"listed({_OPERATOR}Circulant({_SPECTRUM}, tf.float32).convolution_kernel())",
    f"listed(tf.math.real({_OPERATOR}Circulant({_SPECTRUM}, tf.float32).eigvals()))",
    f"slope(lambda x: {_OPERATOR}Circulant(x, tf.float32).matvec([1.0, 2.0, 3.0, 4.0]), {_SPECTRUM})",
    f"listed({_OPERATOR}Circulant2D([[4.0, 1.0], [2.0, 3.0]], tf.float32).to_dense())",
    f"{_OPERATOR}Circulant2D([[4.0, 1.0], [2.0, 3.0]], tf.float32).block_shape",
    f"listed({_OPERATOR}Circulant2D([[4.0, 1.0, 2.0], [2.0, 3.0, 1.0]], tf.complex64).to_dense()[0])",
    f"listed({_OPERATOR}Circulant3D([[[4.0, 1.0], [2.0, 3.0]]], tf.float32).to_dense())",
    f"{_OPERATOR}Circulant2D([1.0, 2.0])",
    *_about(f"{_OPERATOR}Toeplitz([1.0, 2.0, 3.0], [1.0, 5.0, 7.0])"),
    f"slope(lambda a, b: {_OPERATOR}Toeplitz(a, b).matvec([1.0, 2.0]), pair, pair * 2.0)",
    *_about(f"{_OPERATOR}Householder([1.0, 2.0, 2.0])"),
    f"slope(lambda a: {_OPERATOR}Householder(a).matvec([2.0, 0.5]), pair)",
    *_about(f"{_OPERATOR}Permutation([2, 0, 1])"),
    f"{_OPERATOR}Permutation([2, 0, 1], tf.float64).dtype",
    f"{_OPERATOR}Permutation([2.0, 0.0, 1.0])",
    *_about(f"{_OPERATOR}Zeros(3)"),
    f"{_OPERATOR}Zeros(2, 3, [4], is_square=False, is_self_adjoint=False).shape",
    *_about(f"{_OPERATOR}Inversion({_OPERATOR}FullMatrix({_DEFINITE}, {_TOLD}))"),
    *_about(
        f"{_OPERATOR}Adjoint({_OPERATOR}FullMatrix([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 0.0]]))"
    ),
    *_about(f"{_OPERATOR}LowRankUpdate({_OPERATOR}Diag([1.0, 2.0, 3.0]), [[1.0], [2.0], [3.0]], [0.5])"),
    f"listed({_OPERATOR}LowRankUpdate({_OPERATOR}Diag(pair), [[1.0], [2.0]], v=[[3.0], [1.0]]).to_dense())",
    f"{_OPERATOR}Diag([1.0, 2.0], is_positive_definite=True).is_non_singular",
]
SIGNALS = [
    f"listed(tf.signal.mdct({_WAVE}, 8))",
    f"listed(tf.signal.mdct({_WAVE}, 8, window_fn=None, norm='ortho'))",
    f"listed(tf.signal.mdct({_WAVE}, 8, tf.signal.kaiser_bessel_derived_window, pad_end=True))",
    f"tf.signal.mdct({_WAVE}, 6)",
    f"listed(tf.signal.inverse_mdct(tf.signal.mdct({_WAVE}, 8)))",
    f"listed(tf.signal.inverse_mdct(tf.signal.mdct({_WAVE}, 8, None, norm='ortho'), None, norm='ortho'))",
    f"slope(lambda x: tf.signal.mdct(x, 8), {_WAVE})",
    "listed(tf.signal.kaiser_bessel_derived_window(8))",
    "listed(tf.signal.kaiser_bessel_derived_window(6, beta=4.0, dtype=tf.float64))",
]
_IMAGE = "tf.reshape(tf.sin(tf.range(50.0, dtype=tf.float64) * 1.3), [1, 5, 5, 2])"
_EDGES = "tf.reshape(tf.cos(tf.range(8.0, dtype=tf.float64)), [2, 2, 2])"
_ONES = "[1, 1, 1, 1]"
_BATCH = "tf.reshape(tf.cos(tf.range(100.0, dtype=tf.float64)), [2, 5, 5, 2])"
_DEEP = "tf.reshape(tf.sin(tf.range(16.0, dtype=tf.float64)), [2, 2, 2, 2])"
_PLAIN = "lambda x, rank, padding: tf.nn.convolution(x, tf.ones([2, 2, 2, 1], tf.float64), padding=padding)"
WINDOWS = [
    f"[listed(one) for one in tf.nn.max_pool_with_argmax({_IMAGE}, 2, 2, 'VALID')]",
    f"[listed(one) for one in tf.nn.max_pool_with_argmax({_BATCH}, [1, 3, 2, 1], [1, 2, 2, 1], 'SAME')]",
    f"listed(tf.nn.max_pool_with_argmax({_BATCH}, 2, 2, 'SAME', include_batch_in_index=True).argmax)",
    f"tf.nn.max_pool_with_argmax({_IMAGE}, 2, 2, 'SAME', output_dtype=tf.int32).argmax.dtype",
    f"slope(lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, 'SAME').output, {_IMAGE})",
    f"listed(tf.nn.dilation2d({_IMAGE}, {_EDGES}, {_ONES}, 'VALID', 'NHWC', {_ONES}))",
    f"listed(tf.nn.dilation2d({_IMAGE}, {_EDGES}, [1, 2, 2, 1], 'SAME', 'NHWC', {_ONES}))",
    f"listed(tf.nn.dilation2d({_IMAGE}, {_EDGES}, {_ONES}, 'SAME', 'NHWC', [1, 2, 2, 1]))",
    f"slope(lambda x, k: tf.nn.dilation2d(x, k, {_ONES}, 'SAME', 'NHWC', {_ONES}), {_IMAGE}, {_EDGES})",
    f"listed(tf.nn.erosion2d({_IMAGE}, {_EDGES}, {_ONES}, 'VALID', 'NHWC', {_ONES}))",
    f"slope(lambda x, k: tf.nn.erosion2d(x, k, {_ONES}, 'SAME', 'NHWC', [1, 2, 1, 1]), {_IMAGE}, {_EDGES})",
    f"tf.nn.dilation2d({_IMAGE}, {_EDGES}, {_ONES}, 'SAME', 'NCHW', {_ONES})",
    f"listed(tf.nn.depthwise_conv2d_backprop_input([1, 5, 5, 2], {_DEEP}, "
    f"tf.reshape(tf.range(100.0, dtype=tf.float64), [1, 5, 5, 4]), {_ONES}, 'SAME'))",
    f"listed(tf.nn.depthwise_conv2d_backprop_filter({_IMAGE}, [2, 2, 2, 2], "
    f"tf.reshape(tf.range(64.0, dtype=tf.float64), [1, 4, 4, 4]), {_ONES}, 'VALID'))",
    f"listed(tf.compat.v1.nn.conv2d_backprop_filter({_IMAGE}, [2, 2, 2, 1], "
    f"tf.reshape(tf.range(9.0, dtype=tf.float64), [1, 3, 3, 1]), [1, 2, 2, 1], 'SAME'))",
    f"slope(lambda x, y: tf.compat.v1.nn.conv2d_backprop_filter(x, [2, 2, 2, 1], y, {_ONES}, 'VALID'), "
    f"{_IMAGE}, tf.ones([1, 4, 4, 1], tf.float64))",
    f"listed(tf.compat.v1.nn.conv3d_backprop_filter_v2({_IMAGE}[None], [1, 2, 2, 2, 1], "
    "tf.reshape(tf.range(16.0, dtype=tf.float64), [1, 1, 4, 4, 1]), [1, 1, 1, 1, 1], 'VALID'))",
    "tf.nn.compute_accidental_hits([[1, 3], [5, 2], [7, 8]], [3, 2, 9, 1], 2)",
    "tf.nn.compute_accidental_hits([[1], [3]], [4, 5], 1)[0]",
    "tf.nn.collapse_repeated([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]], [4, 5])",
    "tf.nn.ctc_unique_labels([[3, 4, 4, 3], [5, 5, 0, 0]])",
    "tf.required_space_to_batch_paddings([5, 4], [2, 3])",
    "tf.required_space_to_batch_paddings([5, 4], [2, 3], [[1, 0], [0, 2]])",
    f"listed(tf.nn.with_space_to_batch({_IMAGE}, [2, 1], 'SAME', {_PLAIN}, [2, 2]))",
    f"listed(tf.nn.with_space_to_batch({_IMAGE}, [2, 2], 'VALID', {_PLAIN}))",
    f"listed(tf.nn.with_space_to_batch({_IMAGE}, [1, 1], 'VALID', {_PLAIN}))",
]
WORDS = [
    *(
        f"tf.errors.{name}"
        for name in (
            "OK",
            "CANCELLED",
            "UNKNOWN",
            "INVALID_ARGUMENT",
            "DEADLINE_EXCEEDED",
            "NOT_FOUND",
            "ALREADY_EXISTS",
            "PERMISSION_DENIED",
            "RESOURCE_EXHAUSTED",
            "FAILED_PRECONDITION",
            "ABORTED",
            "OUT_OF_RANGE",
            "UNIMPLEMENTED",
            "INTERNAL",
            "UNAVAILABLE",
            "DATA_LOSS",
            "UNAUTHENTICATED",
        )
    ),
    "tf.compat.v1.errors.exception_type_from_error_code(3).__name__",
    "tf.compat.v1.errors.exception_type_from_error_code(11).__name__",
    "tf.compat.v1.errors.error_code_from_exception_type(tf.errors.NotFoundError)",
    "issubclass(tf.errors.OperatorNotAllowedInGraphError, TypeError)",
    "{name: getattr(tf.saved_model, name) for name in sorted(dir(tf.saved_model)) if name.isupper()}",
    "sorted(name for name in dir(tf.compat.v1.saved_model.constants) if name.isupper())",
    "tf.compat.v1.saved_model.MAIN_OP_KEY",
    "tf.version.GRAPH_DEF_VERSION_MIN_PRODUCER, tf.version.GRAPH_DEF_VERSION_MIN_CONSUMER",
    "tf.version.GRAPH_DEF_VERSION",
    "tf.compat.v1.GRAPH_DEF_VERSION, tf.compat.v1.GRAPH_DEF_VERSION_MIN_PRODUCER",
    "tf.sysconfig.get_build_info()['is_cuda_build']",
    "tf.AggregationMethod.EXPERIMENTAL_TREE",
    "tf.DeviceSpec(job='ps', replica=0, task=1, device_type='GPU', device_index=3)",
    "tf.DeviceSpec(job='ps', task=1, device_type='gpu').to_string()",
    "tf.DeviceSpec.from_string('/gpu:0').to_string()",
    "tf.DeviceSpec.from_string('/job:a/device:CPU:*').make_merged_spec(tf.DeviceSpec(task=2)).to_string()",
    "tf.DeviceSpec(device_type='CPU').replace(job='b') == tf.DeviceSpec.from_string('/job:b/device:CPU:*')",
    "tf.debugging.is_traceback_filtering_enabled()",
    "tf.debugging.get_log_device_placement()",
    "tf.summary.experimental.get_step()",
    "tf.summary.experimental.set_step(3) or tf.summary.experimental.get_step()",
]
_PICTURE = "tf.reshape(tf.range(63.0), [1, 7, 9, 1])"
_WIDE = "tf.reshape(tf.sin(tf.range(2400.0) * 0.37) * 0.5 + 0.5, [1, 50, 48, 1])"
_NOISE = "tf.reshape(tf.cos(tf.range(2400.0)), [1, 50, 48, 1])"
_NEAR = f"tf.clip_by_value({_WIDE} + 0.1 * {_NOISE}, 0.0, 1.0)"
_BOXES = (
    "tf.constant([[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 0.5, 0.4, 1.0], [2.0, 2.0, 3.0, 3.0]])"
)
_SCORES = "tf.constant([0.9, 0.8, 0.7, 0.6])"
PICTURES = [
    *(
        f"listed(tf.image.extract_glimpse({_PICTURE}, [{size}], [[{at}]], {how}, noise='zero'))"
        for size in ("3, 4", "2, 3")
        for how, places in (
            ("True, True", ("0.0, 0.0", "0.3, -0.4", "0.7, 0.5")),
            ("True, False", ("0.0, 0.0", "2.0, 3.0", "1.4, -1.6")),
            ("False, True", ("0.1, 0.2", "0.7, 0.5")),
            ("False, False", ("2.0, 3.0", "1.4, -1.6")),
        )
        for at in places
    ),
    *(
        f"listed(tf.compat.v1.image.extract_glimpse({_PICTURE}, [2, 3], [[{at}]], {how}))"
        for at, how in (("0.3, 0.2", "True, True"), ("2.0, 1.0", "True, False"), ("3.0, 4.0", "False, False"))
    ),
    f"tf.image.extract_glimpse({_PICTURE}, [20, 3], [[0.0, 0.0]]).shape",
    f"tf.image.extract_glimpse({_PICTURE}, [2, 3], [[0.0, 0.0]], noise='white')",
    f"listed(tf.image.ssim_multiscale({_WIDE}, 1.0 - {_NEAR}, 1.0, filter_size=3))",
    f"slope(lambda x: tf.image.ssim_multiscale(x, {_PICTURE}, 63.0, (0.6, 0.4), 3), {_PICTURE} * 0.9 + 2.0)",
    f"listed(tf.image.ssim_multiscale({_WIDE}, {_NEAR}, 1.0, (0.5, 0.3, 0.2)))",
    f"listed(tf.image.ssim_multiscale(*(tf.cast(one * 255.0, tf.uint8) for one in ({_WIDE}, {_NEAR})), "
    "255, (0.5, 0.5)))",
    f"tf.image.non_max_suppression_padded({_BOXES}, {_SCORES}, 4)",
    f"tf.image.non_max_suppression_padded({_BOXES}, {_SCORES}, 4, pad_to_max_output_size=True)",
    f"tf.image.non_max_suppression_padded({_BOXES}, {_SCORES}, 2, 0.9, 0.65, True)",
    f"tf.image.non_max_suppression_padded(tf.stack([{_BOXES}] * 2), tf.stack([{_SCORES}, {_SCORES}[::-1]]), "
    "3, pad_to_max_output_size=True)",
    f"tf.image.non_max_suppression_padded({_BOXES}[None], {_SCORES}[None], 3)",
]
_NUMBERS = "tf.constant([-7.0, -1.3, -0.2, 0.0, 0.34, 2.6, 6.2])"
_TABLE = "tf.constant([[-1.5, 0.3, 2.2], [0.4, -0.6, 5.0]])"
_ENDS = "tf.constant([-1.0, -0.5, 0.0]), tf.constant([1.0, 0.5, 4.0])"
_Q = "tf.quantization."
QUANTIZED = [
    f"listed({_Q}fake_quant_with_min_max_vars({_NUMBERS}, -1.0, 3.0))",
    f"listed({_Q}fake_quant_with_min_max_vars({_NUMBERS}, -1.0, 3.0, 4, True))",
    f"listed({_Q}fake_quant_with_min_max_vars({_NUMBERS}, 0.5, 3.0, 4))",
    f"slope({_Q}fake_quant_with_min_max_vars, {_NUMBERS}, tf.constant(-1.0), tf.constant(3.0))",
    f"listed({_Q}fake_quant_with_min_max_vars_per_channel({_TABLE}, {_ENDS}))",
    f"slope({_Q}fake_quant_with_min_max_vars_per_channel, {_TABLE}, {_ENDS})",
    f"slope(lambda x: {_Q}fake_quant_with_min_max_args(x, -1.0, 3.0), {_NUMBERS})",
    f"listed({_Q}fake_quant_with_min_max_args_gradient({_NUMBERS} + 1.0, {_NUMBERS}, -1.0, 3.0))",
    f"[listed(one) for one in {_Q}fake_quant_with_min_max_vars_gradient({_NUMBERS} + 1.0, {_NUMBERS}, "
    "-1.0, 3.0)]",
    f"[listed(one) for one in {_Q}fake_quant_with_min_max_vars_per_channel_gradient({_TABLE} + 1.0, "
    f"{_TABLE}, {_ENDS})]",
    f"{_Q}fake_quant_with_min_max_args({_NUMBERS}, 1.0, 1.0)",
    *(
        f"listed({_Q}quantize_and_dequantize({_NUMBERS}, {given}))"
        for given in (
            "0.0, 0.0",
            "0.0, 0.0, num_bits=4",
            "-2.0, 3.0, range_given=True",
            "0.0, 4.0, False, 4, True",
            "-2.0, 3.0, True, 4, True, 'HALF_UP'",
            "-2.0, 2.0, True, 4, True, narrow_range=True",
        )
    ),
    f"listed({_Q}quantize_and_dequantize_v2({_TABLE}, 0.0, 0.0, num_bits=4, axis=1))",
    f"listed({_Q}quantize_and_dequantize({_TABLE}, [-1.0, -1.0, -1.0], [1.0, 2.0, 3.0], True, 4, True, "
    "axis=1))",
    f"slope(lambda x: {_Q}quantize_and_dequantize(x, -2.0, 3.0, range_given=True), {_NUMBERS})",
    f"slope(lambda x: {_Q}quantize_and_dequantize_v2(x, -2.0, 3.0, range_given=True), {_NUMBERS})",
    f"slope(lambda x: {_Q}quantize_and_dequantize_v2(x, 0.0, 0.0), {_NUMBERS})",
]
_DATA = "tf.data.Dataset.range(6)"
_X = "tf.data.experimental."
_SUMS = (
    f"{_X}Reducer(lambda key: (tf.constant(0, tf.int64), key), lambda old, x: (old[0] + x, old[1]), "
    "lambda total, key: (key, total))"
)
DATA = [
    f"list({_DATA}.apply({_X}enumerate_dataset(5)).as_numpy_iterator())",
    f"{_X}get_single_element(tf.data.Dataset.range(3).batch(3))",
    f"{_X}get_single_element(3)",
    f"list({_DATA}.apply({_X}parallel_interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), 2))"
    ".as_numpy_iterator())",
    f"list({_DATA}.apply({_X}group_by_reducer(lambda x: x % 3, {_SUMS})).as_numpy_iterator())",
    f"list(tf.data.Dataset.from_tensor_slices({{'a': [1, 2]}}).apply({_X}pad_to_cardinality(3))"
    ".as_numpy_iterator())",
    f"{_X}table_from_dataset(tf.data.Dataset.from_tensor_slices((['a', 'b'], [5, 7])), default_value=-2)"
    ".lookup(tf.constant(['b', 'c']))",
    f"{_X}index_table_from_dataset(tf.data.Dataset.from_tensor_slices(['x', 'y']), num_oov_buckets=1)"
    ".lookup(tf.constant(['y', 'q']))",
    f"{_X}SHARD_HINT",
]
_SOUND = "tf.reshape(tf.sin(tf.range(8.0) * 0.9) * 1.1, [4, 2])"
_WAV = f"tf.audio.encode_wav({_SOUND}, 8000)"
CORE = [
    f"tf.audio.decode_wav({_WAV})",
    f"{_WAV}",
    f"listed(tf.audio.decode_wav({_WAV}, desired_channels=1, desired_samples=3).audio)",
    f"listed(tf.audio.decode_wav({_WAV}, desired_samples=6)[0])",
    "tf.audio.decode_wav('nothing')",
    "tf.audio.encode_wav(pair, 8000)",
    "tf.guarantee_const(pair)",
    "tf.is_symbolic_tensor(pair)",
    "tf.get_current_name_scope()",
    "tf.fingerprint(['a', 'bc'])",
    "tf.fingerprint(matrix)",
    "tf.fingerprint([['a', 'bc'], ['d', 'e']])",
    "tf.fingerprint(scalar)",
    "tf.fingerprint(pair, 'other')",
    "tf.sparse.mask(tf.IndexedSlices(matrix, whole), [2]).values",
    "tf.sparse.mask(tf.IndexedSlices(matrix, whole, [4, 3]), [7]).indices",
    "tf.compat.v1.sparse_mask(tf.IndexedSlices(matrix, whole, [4, 3]), [1]).values",
    "tf.compat.v1.sparse_segment_mean(matrix, [0, 1, 0], [0, 0, 1])",
    "listed(tf.compat.v1.sparse_segment_sqrt_n(matrix, [0, 1, 0], [0, 0, 1], 'name'))",
]
FURTHER = [*MATRICES, *OPERATORS, *SIGNALS, *WINDOWS, *WORDS, *PICTURES, *QUANTIZED, *DATA, *CORE]
