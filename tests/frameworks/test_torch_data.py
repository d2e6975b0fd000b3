"""Layers and functions take the batches of PyTorch's loaders unchanged, and weights go both ways."""

import numpy as np
import pytest

import penstock as ps

torch = pytest.importorskip("torch")


def test_a_loader(tmp_path):
    data = torch.utils.data.TensorDataset(torch.arange(24.0).reshape(8, 3), torch.arange(8) % 2)
    model, optimizer = ps.layers.Dense(2), ps.optimizers.SGD(0.01)
    seen = []
    for x, y in ps.prefetch(torch.utils.data.DataLoader(data, batch_size=4)):
        with ps.GradientTape() as tape:
            loss = ps.mean(ps.losses.softmax_cross_entropy(model(x), y))
        wanted = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, wanted), wanted))
        seen.append(np.asarray(x))
    assert np.array_equal(np.concatenate(seen), np.arange(24, dtype=np.float32).reshape(8, 3))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16", "int64", "uint8", "bool"])
def test_every_dtype(dtype):
    x = torch.arange(6).reshape(2, 3).to(getattr(torch, dtype))
    for one in (x, x.T, x[:, ::2], x[:0], x[0, 0]):
        found = ps.asarray(one)
        assert found.dtype.name == dtype and found.numpy().tolist() == one.tolist()
        assert ps.stack([one, one]).dtype == found.dtype


def test_a_gradient_of_pytorch_ends_here():
    weight = torch.nn.Parameter(torch.ones(2, 3))
    with pytest.warns(UserWarning, match=r"Parameter of torch of shape \(2, 3\) ends here") as told:
        assert ps.sum(weight).numpy() == 6.0
    assert told[0].filename == __file__


def test_weights_that_are_written_here_compute_the_same_there(tmp_path):
    from safetensors.torch import load_file

    layers = ps.layers
    model = layers.Sequential(
        [
            layers.Conv2D(4, 3, activation="relu"),
            layers.DepthwiseConv2D(2, depth_multiplier=2),
            layers.BatchNormalization(epsilon=1e-5),
            layers.Conv2DTranspose(3, 2),
            layers.GlobalAveragePooling2D(),
            layers.Dense(2),
        ]
    )
    x = np.random.default_rng(0).standard_normal((2, 6, 5, 3)).astype(np.float32)
    model(x)
    ps.save(tmp_path / "file", model, layout="torch")
    nn = torch.nn
    module = nn.Sequential(
        nn.Conv2d(3, 4, 3), nn.Conv2d(4, 8, 2, groups=4), nn.BatchNorm2d(8), nn.ConvTranspose2d(8, 3, 2),
        nn.Identity(), nn.Linear(3, 2),
    )  # fmt: skip
    missing = module.load_state_dict(load_file(tmp_path / "file"), strict=False)
    assert not missing.unexpected_keys and all(one.endswith("tracked") for one in missing.missing_keys)
    module.eval()
    with torch.no_grad():
        y = module[3](module[2](module[1](torch.relu(module[0](torch.from_numpy(x).permute(0, 3, 1, 2))))))
        y = module[5](y.mean((2, 3)))
    assert np.allclose(model(x).numpy(), y.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_gates_that_are_written_here(tmp_path, kind):
    from safetensors.torch import load_file

    model = ps.layers.Sequential([getattr(ps.layers, kind)(4, return_sequences=True)], name="net")
    x = np.random.default_rng(0).standard_normal((2, 5, 3)).astype(np.float32)
    model(x)
    ps.save(tmp_path / "file", model, layout="torch", map={"net/0": ""})
    module = getattr(torch.nn, kind)(3, 4, batch_first=True)
    module.load_state_dict(load_file(tmp_path / "file"))
    assert np.allclose(model(x).numpy(), module(torch.from_numpy(x))[0].detach().numpy(), atol=1e-6)
