"""Images sampled at places between their pixels, with gradients."""

import numpy as np
import paddle
import paddle.nn.functional as F

rng = np.random.default_rng(0)
theta = np.array([[[0.7, 0.2, 0.1], [-0.3, 0.8, -0.2]], [[1.2, 0.0, 0.4], [0.1, 1.1, 0.3]]], "float32")
weights = paddle.to_tensor(rng.normal(size=(2, 3, 3, 5)).astype("float32"))
images = rng.normal(size=(2, 3, 4, 6)).astype("float32")
for align in (True, False):
    grid = F.affine_grid(paddle.to_tensor(theta), [2, 3, 3, 5], align_corners=align)
    print(list(grid.shape), np.round(grid.numpy()[0, :2, :2], 3).tolist())
    for mode in ("bilinear", "nearest"):
        for padding in ("zeros", "border", "reflection"):
            x = paddle.to_tensor(images, stop_gradient=False)
            places = (grid * 1.3).detach()
            places.stop_gradient = False
            found = F.grid_sample(x, places, mode=mode, padding_mode=padding, align_corners=align)
            (found * weights).sum().backward()
            print(
                align,
                mode,
                padding,
                np.round(found.numpy()[0, 0, 0], 3).tolist(),
                round(float(found.sum()), 3),
            )
            print(
                "  ",
                np.round(x.grad.numpy()[1, 2, 1], 3).tolist(),
                round(float((places.grad * places).sum()), 2) if mode == "bilinear" else "",
            )
volume = paddle.to_tensor(rng.normal(size=(1, 2, 3, 3, 3)).astype("float32"))
places = paddle.to_tensor(rng.uniform(-1.1, 1.1, size=(1, 2, 2, 2, 3)).astype("float32"))
print(np.round(F.grid_sample(volume, places).numpy().ravel(), 3).tolist())
print(
    np.round(
        F.affine_grid(paddle.to_tensor(rng.normal(size=(1, 3, 4)).astype("float32")), [1, 1, 2, 2, 2])
        .numpy()
        .sum(),
        3,
    )
)
