# PS301: -
import penstock as ps

point = ps.asarray([0.0, 1.0, 2.0, 3.0])
held = ps.stop_gradient(point * point)  # wrong, guilty


def height(place):
    held = ps.stop_gradient(place * place)  # right
    return ps.sum(place * held)


print(ps.grad(height)(point))
