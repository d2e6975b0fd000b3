# PS106: params/body/*
import penstock as ps

ps.random.seed(1)
params = {
    "body": {"kernel": ps.random.normal((3, 4)), "bias": ps.zeros((4,))},
    "head": ps.random.normal((4, 1)),
}
features, wanted = ps.random.normal((8, 3)), ps.random.normal((8, 1))


def loss(params):
    hidden = ps.tanh(features @ params["body"]["kernel"] + params["body"]["bias"])
    hidden = ps.stop_gradient(hidden)  # wrong, guilty
    return ps.mean((hidden @ params["head"] - wanted) ** 2)


def moved(params, slopes):
    if isinstance(params, dict):
        return {name: moved(one, slopes[name]) for name, one in params.items()}
    return params if slopes is None else params - 0.1 * slopes


for _ in range(4):
    params = moved(params, ps.grad(loss)(params))
