"""The same, with a tensor whose gradient may be asked for, and written in place."""

import paddle

learner = paddle.to_tensor([0.0], stop_gradient=False)
by_hand = paddle.to_tensor([1.0], stop_gradient=False)


def distance(first, second):
    return (first - 2) ** 2 + (second - 3) ** 2


descent = paddle.optimizer.SGD(learning_rate=0.1, parameters=[learner])
for turn in range(10):
    slope = paddle.grad(distance(learner, by_hand), by_hand)[0]
    cost = distance(learner, by_hand)
    cost.backward()
    descent.step()
    descent.clear_grad()
    by_hand.set_value(by_hand - 0.1 * slope)
print(f"learner {learner.numpy()[0]:.7f}, by_hand {by_hand.numpy()[0]:.7f}")
