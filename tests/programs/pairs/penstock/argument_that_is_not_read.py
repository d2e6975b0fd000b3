# PS101: offset
import penstock as ps

ps.random.seed(1)
slope, offset = ps.random.normal((3, 1)), ps.zeros((1,))
features, wanted = ps.random.normal((8, 3)), ps.random.normal((8, 1))


def loss(slope, offset):
    found = features @ slope  # wrong
    found = features @ slope + offset  # right
    return ps.mean((found - wanted) ** 2)


for _ in range(3):
    value, (by_slope, by_offset) = ps.value_and_grad(loss, argnums=(0, 1))(slope, offset)  # guilty
    slope = slope - 0.1 * by_slope
    if by_offset is not None:
        offset = offset - 0.1 * by_offset
