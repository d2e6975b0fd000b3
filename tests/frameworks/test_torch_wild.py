"""What published scripts do beside training: nothing is said of it, and no result changes."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-frameworks")

from frameworks.test_torch_kinds import assert_same, both  # noqa: E402

RIGHT = {
    "orthogonal weights, which are written through a view that autograd did not record": """
        net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
        for one in (net[0], net[2]):
            nn.init.orthogonal_(one.weight, 2.0)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        """,
    "a weight that is written through such a view between steps": """
        net = nn.Linear(3, 4)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for step in range(3):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
            with torch.no_grad():
                row = net.weight.view(-1)
                row.copy_(row / row.norm())
        """,
}


@pytest.mark.parametrize("name", RIGHT)
def test_there_is_nothing_to_say_of_a_right_script(tmp_path, name):
    plain, watched, report = both(tmp_path, RIGHT[name])
    assert report.error is None
    assert [(one.code, one.message) for one in report.findings if one.severity != "note"] == []
    assert_same(plain, watched)
