"""Where Keras has its operations: by module of keras.src.ops, the names of keras.ops that are there."""

from __future__ import annotations

MODULES = {
    "core": (
        "associative_scan cast cond convert_to_numpy convert_to_tensor custom_gradient dtype fori_loop "
        "is_tensor map saturate_cast scan scatter scatter_update shape slice slice_update stop_gradient "
        "switch unstack vectorized_map while_loop"
    ),
    "einops": "rearrange",
    "image": (
        "affine_transform crop_images elastic_transform extract_patches extract_patches_3d gaussian_blur "
        "hsv_to_rgb map_coordinates pad_images perspective_transform resize rgb_to_grayscale rgb_to_hsv "
        "scale_and_translate sobel_edges ssim"
    ),
    "linalg": (
        "cholesky cholesky_inverse det eig eigh inv jvp lstsq lu_factor matrix_rank norm pinv qr solve "
        "solve_triangular svd"
    ),
    "math": (
        "cdist erf erfc erfinv extract_sequences fft fft2 ifft2 in_top_k irfft istft logdet logsumexp rfft "
        "rsqrt segment_max segment_min segment_prod segment_sum stft top_k view_as_complex view_as_real"
    ),
    "nn": (
        "adaptive_average_pool adaptive_max_pool average_pool batch_normalization binary_crossentropy "
        "categorical_crossentropy celu conv conv_transpose ctc_decode ctc_loss depth_to_space "
        "depthwise_conv dot_product_attention elu fold gelu glu hard_shrink hard_sigmoid hard_silu "
        "hard_swish hard_tanh layer_normalization leaky_relu log_sigmoid log_softmax max_pool moments "
        "multi_hot normalize one_hot polar psnr relu relu6 rms_normalization selu separable_conv sigmoid "
        "silu soft_shrink softmax softplus softsign space_to_depth sparse_categorical_crossentropy "
        "sparse_plus sparse_sigmoid sparsemax squareplus swish tanh_shrink threshold unfold"
    ),
}
"""The modules other than numpy, which has the rest."""
HOMES = {name: module for module, names in MODULES.items() for name in names.split()}
