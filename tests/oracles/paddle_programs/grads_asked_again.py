"""paddle.grad leaves the graph as it is, whatever retain_graph says; backward frees it."""

import paddle


def leaf():
    return paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)


def tried(word, *calls):
    found = []
    for call in calls:
        try:
            made = call()
            found.append("done" if made is None else [round(one, 2) for one in made[0].flatten().tolist()])
        except SystemError:
            found.append("freed")
    print(word, found)


a = leaf()
z = (a * a).sum()
tried("again", lambda: paddle.grad(z, [a]), lambda: paddle.grad(z, [a], retain_graph=False), lambda: z.backward())
print(a.grad.tolist())
tried("freed", lambda: paddle.grad(z, [a]), lambda: z.backward())
a = leaf()
h = a + 1
tried("shared", lambda: paddle.grad((h * h).sum(), [a]), lambda: (h * 3).sum().backward(), lambda: (h * 3).sum().backward())
a, b = leaf(), leaf()
p, q = a.tanh(), b.tanh()
z = (p * q).sum()
tried("two", lambda: paddle.grad(z, [a]), lambda: paddle.grad(z, [b]), lambda: (q * 2).sum().backward())
a = leaf()
z = (a * a * a).sum()
tried("create", lambda: paddle.grad(z, [a], create_graph=True, retain_graph=False), lambda: z.backward())
